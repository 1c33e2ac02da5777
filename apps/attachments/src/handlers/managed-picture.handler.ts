import { Inject } from '@nestjs/common';
import {
  CatalogueError,
  FileReply,
  ImageErrors,
  managedPicture,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Pictures, toPictureReply } from '@groupware/pictures';
import { Handles } from '@groupware/service-kit';
import { resolveServedType } from '@groupware/stored-files';
import { ManagedFiles } from '../managed/managed-files';

/** The address names no user: another one of the browser must not see what this one saw. */
const ASK_AGAIN = 'private, no-cache';

/** `image/mfile/picture`: a managed file that is a picture. Whatever is wrong, there is no picture. */
@Handles(managedPicture.picture)
export class ManagedPictureHandler implements Handler<typeof managedPicture.picture> {
  constructor(
    private readonly managed: ManagedFiles,
    private readonly pictures: Pictures,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle({ principal, query }: CallOf<typeof managedPicture.picture>): Promise<FileReply> {
    const { id, reference, name, sizeBytes, contentType: stored, sniffed } = await this.getFile(principal, query.uid);
    const contentType = resolveServedType(stored, undefined, sniffed);
    if (!contentType.startsWith('image/')) throw ImageErrors.notFound();
    const shown = await this.pictures.transform({ sizeBytes, open: () => this.files.read(reference) }, query);
    if (shown) return toPictureReply(shown, { name, cachePolicy: ASK_AGAIN });
    return new FileReply(
      { reference, name, contentType, sizeBytes, inline: true },
      { headers: { ETag: `"${id}"`, 'Cache-Control': ASK_AGAIN } },
    );
  }

  private async getFile(...[user, id]: Parameters<ManagedFiles['getFile']>) {
    try {
      return await this.managed.getFile(user, id);
    } catch (error) {
      if (error instanceof CatalogueError) throw ImageErrors.notFound().with({ cause: error });
      throw error;
    }
  }
}
