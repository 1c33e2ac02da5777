import { attachment, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { Archive } from '../attachments/archive';

/** `zipDocuments`: several attachments as one ZIP file. */
@Handles(attachment.zipDocuments)
export class ZipDocumentsHandler implements Handler<typeof attachment.zipDocuments> {
  constructor(private readonly archive: Archive) {}

  handle({ principal, query, body }: CallOf<typeof attachment.zipDocuments>): Promise<FileReply> {
    return this.archive.createArchive(principal, query, body);
  }
}
