import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toAccessView } from '../domain/module-access';
import { ContextRepository } from '../persistence/context.repository';
import { toEffectiveAccess, UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { UserEditor } from '../provisioning/user-editor';
import { requireVersion } from '../provisioning/version';

/** Sets the module access of a user. */
@Handles(provisioning.setUserAccess)
export class SetUserAccessHandler implements Handler<typeof provisioning.setUserAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setUserAccess>) {
    const user = await this.database.transact(query, async (tx) => {
      const context = await this.contexts.lock(tx);
      const before = await this.users.lock(tx, query.userId);
      requireVersion(edge, before.version);
      return this.editor.setAccess(tx, before, context, body, toActor(principal));
    });
    await this.notifier.notifyUsersChanged(query.contextId, [query.userId]);
    return toAccessView(toEffectiveAccess(user));
  }
}
