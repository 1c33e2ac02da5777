import { Inject } from '@nestjs/common';
import {
  DIRECTORY_RIGHTS,
  recordCheck,
  FileReply,
  ImageErrors,
  userPicture,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseEntityId } from '../domain/entity-id';
import { UserImageRepository } from '../persistence/user-image.repository';

/** Cache policy of URLs with the picture's stamp, whose content never changes. */
const FOREVER = 'private, max-age=31536000, immutable';
/** Cache policy of URLs without stamp: revalidated each time, by ETag. */
const ASK_AGAIN = 'private, no-cache';

/** Serves the picture of a user. Users of other contexts, unknown ones and those without picture are answered alike. */
@Handles(userPicture.picture)
export class UserPictureHandler implements Handler<typeof userPicture.picture> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly images: UserImageRepository,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle({ principal, query }: CallOf<typeof userPicture.picture>) {
    const userId = parseEntityId(query.id);
    // As in lists, other users are visible in full only with the global address book.
    recordCheck(DIRECTORY_RIGHTS.seeUser);
    const isVisible = userId === principal.userId || principal.capabilities.includes('gab');
    const image =
      userId !== undefined && isVisible
        ? await this.database.read(principal, (db) => this.images.findByUser(db, userId))
        : undefined;
    if (!image) throw ImageErrors.notFound();
    const { contentType, bytes, sha256, changedAt } = image;
    const stored = await this.files.write(toStream(bytes), { maxBytes: bytes.length });
    return new FileReply(
      {
        reference: stored.reference,
        name: `${userId}.${contentType.split('/')[1]!}`,
        contentType,
        sizeBytes: bytes.length,
        temporary: true,
        inline: true,
      },
      { headers: { ETag: `"${sha256}"`, 'Cache-Control': query.timestamp === changedAt ? FOREVER : ASK_AGAIN } },
    );
  }
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
