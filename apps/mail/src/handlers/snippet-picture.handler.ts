import {
  CatalogueError,
  ImageErrors,
  snippetPicture,
  type CallOf,
  type FileReply,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SnippetFiles, toFileReply } from '../snippets/snippet-files';

/** A picture of a signature. Whatever is wrong, there is no picture. */
@Handles(snippetPicture.picture)
export class SnippetPictureHandler implements Handler<typeof snippetPicture.picture> {
  constructor(private readonly files: SnippetFiles) {}

  async handle({ principal, query }: CallOf<typeof snippetPicture.picture>): Promise<FileReply> {
    try {
      const file = await this.files.getFile(principal, query.id, query.uid);
      // The address names no user: another one of the browser must not see what this one saw.
      return toFileReply(file, { ETag: `"${file.id}"`, 'Cache-Control': 'private, no-cache' });
    } catch (error) {
      if (error instanceof CatalogueError) throw ImageErrors.notFound().with({ cause: error });
      throw error;
    }
  }
}
