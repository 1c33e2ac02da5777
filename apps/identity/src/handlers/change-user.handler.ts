import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { UserEditor } from '../provisioning/user-editor';
import { requireVersion, toVersionedReply } from '../provisioning/version';
import { toUserView } from '../provisioning/views';

/** Changes a user. */
@Handles(provisioning.changeUser)
export class ChangeUserHandler implements Handler<typeof provisioning.changeUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly after: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeUser>) {
    const user = await this.database.transact(query, async (tx) => {
      const before = await this.users.lock(tx, query.userId);
      requireVersion(edge, before.version);
      return this.editor.changeUser(tx, before, body, query, toActor(principal));
    });
    await this.after.notifyUsersChanged(query.contextId, [query.userId]);
    return toVersionedReply(toUserView(user));
  }
}
