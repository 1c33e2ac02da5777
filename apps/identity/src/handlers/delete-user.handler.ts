import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { Readiness } from '../provisioning/readiness';
import { UserEditor } from '../provisioning/user-editor';
import { requireVersion } from '../provisioning/version';

/** Deletes a user. */
@Handles(provisioning.deleteUser)
export class DeleteUserHandler implements Handler<typeof provisioning.deleteUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly notifier: ChangeNotifier,
    private readonly readiness: Readiness,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteUser>) {
    const removed = await this.database.transact(query, async (tx) => {
      const context = await this.contexts.get(tx);
      if (query.missingOk && !(await this.users.findById(tx, query.userId))) return undefined;
      requireVersion(edge, (await this.users.lock(tx, query.userId)).version);
      const heir = query.reassignTo === undefined ? context.adminUserId : Number(query.reassignTo);
      const { userId } = query;
      return [userId, ...(await this.editor.removeUser(tx, userId, toHeir(heir), toActor(principal)))];
    });
    for (const userId of removed ?? []) await this.notifier.notifyUserClosed(query.contextId, userId);
    if (removed) await this.readiness.awaitHandover(query.contextId, removed);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}

const toHeir = (id: number): number | undefined => (Number.isNaN(id) ? undefined : id);
