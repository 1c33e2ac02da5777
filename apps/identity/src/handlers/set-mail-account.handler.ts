import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toMailServers } from '../domain/mail-server';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { UserEditor } from '../provisioning/user-editor';
import { requireVersion } from '../provisioning/version';

/** Sets the servers of a user's primary mail account. */
@Handles(provisioning.setMailAccount)
export class SetMailAccountHandler implements Handler<typeof provisioning.setMailAccount> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setMailAccount>) {
    const user = await this.database.transact(query, async (tx) => {
      const before = await this.users.lock(tx, query.userId);
      requireVersion(edge, before.version);
      return this.editor.setMailServers(tx, before, body, toActor(principal));
    });
    await this.notifier.notifyUsersChanged(query.contextId, [query.userId]);
    return toMailServers(user);
  }
}
