import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { accessView } from '../domain/module-access';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { UserEditor } from '../provisioning/user-editor';
import { expectVersion } from '../provisioning/version';

/** Sets what a user may use. */
@Handles(provisioning.setUserAccess)
export class SetUserAccessHandler implements Handler<typeof provisioning.setUserAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setUserAccess>) {
    const user = await this.database.transact(query, async (tx) => {
      const context = await this.contexts.lock(tx);
      const before = await this.users.lock(tx, query.userId);
      expectVersion(edge, before.version);
      return this.editor.setAccess(tx, before, context, body, actorOf(principal));
    });
    await this.after.users(query.contextId, [query.userId]);
    return accessView(user);
  }
}
