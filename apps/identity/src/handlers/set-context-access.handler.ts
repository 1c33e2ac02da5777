import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { accessView } from '../domain/module-access';
import { ContextRepository } from '../persistence/context.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { ContextEditor } from '../provisioning/context-editor';
import { expectVersion } from '../provisioning/version';

/** Sets what users of a context may use. */
@Handles(provisioning.setContextAccess)
export class SetContextAccessHandler implements Handler<typeof provisioning.setContextAccess> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setContextAccess>) {
    const { context, changed } = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      expectVersion(edge, before.version);
      return this.editor.setAccess(tx, before, body, query.applyToUsers ?? false, actorOf(principal));
    });
    await this.after.users(query.contextId, changed);
    return accessView(context);
  }
}
