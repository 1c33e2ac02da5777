import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { UserEditor } from '../provisioning/user-editor';
import { expectVersion } from '../provisioning/version';

/** Deletes a user. */
@Handles(provisioning.deleteUser)
export class DeleteUserHandler implements Handler<typeof provisioning.deleteUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteUser>) {
    const removed = await this.database.transact(query, async (tx) => {
      const context = await this.contexts.get(tx);
      if (query.missingOk && !(await this.users.find(tx, query.userId))) return false;
      expectVersion(edge, (await this.users.lock(tx, query.userId)).version);
      const heir = query.reassignTo === undefined ? context.adminUserId : Number(query.reassignTo);
      await this.editor.remove(tx, query.userId, Number.isNaN(heir) ? undefined : heir, actorOf(principal));
      return true;
    });
    if (removed) await this.after.userClosed(query.contextId, query.userId);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
