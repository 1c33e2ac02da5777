import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { ContextEditor } from '../provisioning/context-editor';
import { expectVersion, withVersion } from '../provisioning/version';
import { contextView } from '../provisioning/views';

/** Enables or disables a context. */
@Handles(provisioning.setContextState)
export class SetContextStateHandler implements Handler<typeof provisioning.setContextState> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setContextState>) {
    const context = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      expectVersion(edge, before.version);
      const state = { enabled: body.enabled, reason: body.reason ?? null };
      return this.editor.setState(tx, before, state, actorOf(principal));
    });
    if (!body.enabled) await this.after.contextClosed(query.contextId);
    return withVersion(contextView(context));
  }
}
