import { CatalogueError, snippets, type CallOf, type FileReply, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { createMissingPage } from '../downloads/html-page';
import { SnippetFiles, toFileReply } from '../snippets/snippet-files';

/** `snippet?action=getattachment`: the bytes of a file. Browsers open the address: a page tells that there is none. */
@Handles(snippets.getattachment)
export class SnippetGetattachmentHandler implements Handler<typeof snippets.getattachment> {
  constructor(private readonly files: SnippetFiles) {}

  async handle({ principal, query }: CallOf<typeof snippets.getattachment>): Promise<FileReply> {
    try {
      return toFileReply(await this.files.getFile(principal, query.id, query.attachmentid));
    } catch (error) {
      if (error instanceof CatalogueError) return createMissingPage('There is no such file.');
      throw error;
    }
  }
}
