import {
  CatalogueError,
  FileReply,
  ImageErrors,
  mailComposePicture,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ComposeFiles } from '../compose/compose-files';
import { resolveShownType } from '../compose/shown-type';

/** A picture of the text of a mail that is being written. Whatever is wrong, there is no picture. */
@Handles(mailComposePicture.picture)
export class ComposePictureHandler implements Handler<typeof mailComposePicture.picture> {
  constructor(private readonly files: ComposeFiles) {}

  async handle({ principal, query }: CallOf<typeof mailComposePicture.picture>): Promise<FileReply> {
    try {
      const key = { id: query.uid.slice(0, 32), attachmentId: query.uid.slice(-32) };
      const { reference, name, sizeBytes, contentType, sniffed } = await this.files.getFile(principal, key);
      return new FileReply(
        { reference, name, sizeBytes, ...resolveShownType(contentType, sniffed) },
        { headers: { 'Cache-Control': 'private, no-cache' } },
      );
    } catch (error) {
      if (error instanceof CatalogueError) throw ImageErrors.notFound().with({ cause: error });
      throw error;
    }
  }
}
