import { FILE_RIGHTS, infostore, waiveCheck, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentArchive } from '../documents/document-archive';

/** `zipdocuments`: documents and folders as one ZIP file. */
@Handles(infostore.zipdocuments)
export class ZipdocumentsHandler implements Handler<typeof infostore.zipdocuments> {
  constructor(private readonly archive: DocumentArchive) {}

  handle({ principal, query, body }: CallOf<typeof infostore.zipdocuments>): Promise<FileReply> {
    if (body.length === 0) waiveCheck(FILE_RIGHTS.read, 'nothing is named');
    return this.archive.packSeveral(principal, body, query.scan === true);
  }
}
