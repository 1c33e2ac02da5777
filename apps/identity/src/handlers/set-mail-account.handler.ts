import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { mailServersView } from '../domain/mail-server';
import { UserRepository } from '../persistence/user.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { UserEditor } from '../provisioning/user-editor';
import { expectVersion } from '../provisioning/version';

/** Sets the servers of a user's primary mail account. */
@Handles(provisioning.setMailAccount)
export class SetMailAccountHandler implements Handler<typeof provisioning.setMailAccount> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setMailAccount>) {
    const user = await this.database.transact(query, async (tx) => {
      const before = await this.users.lock(tx, query.userId);
      expectVersion(edge, before.version);
      return this.editor.setMailServers(tx, before, body, actorOf(principal));
    });
    await this.after.users(query.contextId, [query.userId]);
    return mailServersView(user);
  }
}
