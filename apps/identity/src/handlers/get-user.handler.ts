import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserImageRepository } from '../persistence/user-image.repository';
import { UserRepository } from '../persistence/user.repository';
import { toVersionedReply } from '../provisioning/version';
import { toUserView } from '../provisioning/views';

/** Reads a user. */
@Handles(provisioning.getUser)
export class GetUserHandler implements Handler<typeof provisioning.getUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly images: UserImageRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getUser>) {
    return this.database.read(query, async (db) => {
      const user = toUserView(await this.users.get(db, query.userId));
      const image = user.image && (await this.images.findByUser(db, query.userId));
      return toVersionedReply(
        image ? { ...user, image: { ...user.image!, data: image.bytes.toString('base64') } } : user,
      );
    });
  }
}
