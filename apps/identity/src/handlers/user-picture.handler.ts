import { Inject } from '@nestjs/common';
import { FileReply, ImageErrors, userPicture, type CallOf, type Handler } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { entityId } from '../domain/entity-id';
import { UserImageRepository } from '../persistence/user-image.repository';

/** An address with the stamp of the picture never shows another one. */
const FOREVER = 'private, max-age=31536000, immutable';
/** An address without it is asked for again each time; the ETag saves the bytes. */
const ASK_AGAIN = 'private, no-cache';

/** Shows the picture of a user. Users of other contexts, unknown ones and those without picture give the same answer. */
@Handles(userPicture.picture)
export class UserPictureHandler implements Handler<typeof userPicture.picture> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly images: UserImageRepository,
    @Inject(FILES) private readonly files: FileStore,
  ) {}

  async handle({ principal, query }: CallOf<typeof userPicture.picture>) {
    const userId = entityId(query.id);
    // As in lists: others are seen in full with the global address book only.
    const isVisible = userId === principal.userId || principal.capabilities.includes('gab');
    const image =
      userId !== undefined && isVisible
        ? await this.database.read(principal, (db) => this.images.find(db, userId))
        : undefined;
    if (!image) throw ImageErrors.notFound();
    const { contentType, bytes, sha256, changedAt } = image;
    const stored = await this.files.write(once(bytes), { maxBytes: bytes.length });
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

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
