import { infostore, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentArchive } from '../documents/document-archive';
import { StorageArchive } from '../storages/storage-archive';
import { isStorageId } from '../storages/storage-id';

/** `zipfolder`: the documents of a folder as one ZIP file. */
@Handles(infostore.zipfolder)
export class ZipfolderHandler implements Handler<typeof infostore.zipfolder> {
  constructor(
    private readonly archive: DocumentArchive,
    private readonly elsewhere: StorageArchive,
  ) {}

  handle(call: CallOf<typeof infostore.zipfolder>): Promise<FileReply> {
    const { principal, query } = call;
    if (isStorageId(query.folder))
      return this.elsewhere.packFolder(call, query.folder, query.recursive === true, query.scan === true);
    return this.archive.packFolder(principal, query.folder, query.recursive === true, query.scan === true);
  }
}
