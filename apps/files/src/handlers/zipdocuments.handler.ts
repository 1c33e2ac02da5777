import { FILE_RIGHTS, infostore, waiveCheck, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentArchive } from '../documents/document-archive';
import { StorageArchive } from '../storages/storage-archive';
import { isStorageId } from '../storages/storage-id';

/** `zipdocuments`: documents and folders as one ZIP file. */
@Handles(infostore.zipdocuments)
export class ZipdocumentsHandler implements Handler<typeof infostore.zipdocuments> {
  constructor(
    private readonly archive: DocumentArchive,
    private readonly elsewhere: StorageArchive,
  ) {}

  handle(call: CallOf<typeof infostore.zipdocuments>): Promise<FileReply> {
    const { principal, query, body } = call;
    if (body.some(({ id, folder }) => isStorageId(id ?? folder)))
      return this.elsewhere.packSeveral(call, body, query.scan === true);
    if (body.length === 0) waiveCheck(FILE_RIGHTS.read, 'nothing is named');
    return this.archive.packSeveral(principal, body, query.scan === true);
  }
}
