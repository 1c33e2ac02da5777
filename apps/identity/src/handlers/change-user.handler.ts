import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { UserEditor } from '../provisioning/user-editor';
import { expectVersion, withVersion } from '../provisioning/version';
import { userView } from '../provisioning/views';

/** Changes a user. */
@Handles(provisioning.changeUser)
export class ChangeUserHandler implements Handler<typeof provisioning.changeUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeUser>) {
    const user = await this.database.transact(query, async (tx) => {
      const before = await this.users.lock(tx, query.userId);
      expectVersion(edge, before.version);
      return this.editor.change(tx, before, body, query, actorOf(principal));
    });
    await this.after.users(query.contextId, [query.userId]);
    return withVersion(userView(user));
  }
}
