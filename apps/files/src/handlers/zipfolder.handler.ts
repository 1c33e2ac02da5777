import { infostore, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { DocumentArchive } from '../documents/document-archive';

/** `zipfolder`: the documents of a folder as one ZIP file. */
@Handles(infostore.zipfolder)
export class ZipfolderHandler implements Handler<typeof infostore.zipfolder> {
  constructor(private readonly archive: DocumentArchive) {}

  handle({ principal, query }: CallOf<typeof infostore.zipfolder>): Promise<FileReply> {
    return this.archive.packFolder(principal, query.folder, query.recursive === true, query.scan === true);
  }
}
