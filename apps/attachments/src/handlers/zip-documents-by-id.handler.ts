import { attachment, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Archive } from '../attachments/archive';

/** `zipDocuments` by GET, as a link. */
@Handles(attachment.zipDocumentsById)
export class ZipDocumentsByIdHandler implements Handler<typeof attachment.zipDocumentsById> {
  constructor(private readonly archive: Archive) {}

  handle({ principal, query }: CallOf<typeof attachment.zipDocumentsById>): Promise<FileReply> {
    return this.archive.createArchive(principal, query, query.id);
  }
}
