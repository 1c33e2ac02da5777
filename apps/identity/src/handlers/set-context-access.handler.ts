import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toAccessView } from '../domain/module-access';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ContextEditor } from '../provisioning/context-editor';
import { requireVersion } from '../provisioning/version';

/** Sets the module access of a context. */
@Handles(provisioning.setContextAccess)
export class SetContextAccessHandler implements Handler<typeof provisioning.setContextAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setContextAccess>) {
    const { context, changed } = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      requireVersion(edge, before.version);
      return this.editor.setAccess(tx, before, body, query.applyToUsers ?? false, toActor(principal));
    });
    await this.notifier.notifyUsersChanged(query.contextId, changed);
    return toAccessView(context);
  }
}
