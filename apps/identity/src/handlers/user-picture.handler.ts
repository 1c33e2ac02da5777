import {
  DIRECTORY_RIGHTS,
  recordCheck,
  ImageErrors,
  userPicture,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Pictures, toPictureReply } from '@groupware/pictures';
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
    private readonly pictures: Pictures,
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
    const { bytes, changedAt } = image;
    const shown = await this.pictures.transform({ sizeBytes: bytes.length, open: () => [bytes] }, query);
    const cachePolicy = query.timestamp === changedAt ? FOREVER : ASK_AGAIN;
    return toPictureReply({ ...(shown ?? image), changedMs: changedAt }, { name: String(userId), cachePolicy });
  }
}
