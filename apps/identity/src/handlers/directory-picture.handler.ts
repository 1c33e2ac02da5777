import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserImageRepository } from '../persistence/user-image.repository';

/** The picture of a user, for the module that shows those of all contacts. */
@Handles(directory.picture)
export class DirectoryPictureHandler implements Handler<typeof directory.picture> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly images: UserImageRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof directory.picture>) {
    const image = await this.database.read(principal, (db) => this.images.findByUser(db, query.userId));
    if (!image) return null;
    const { contentType, bytes, sha256 } = image;
    return { contentType, data: bytes.toString('base64'), sha256 };
  }
}
