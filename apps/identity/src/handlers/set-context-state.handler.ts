import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ContextEditor } from '../provisioning/context-editor';
import { requireVersion, toVersionedReply } from '../provisioning/version';
import { toContextView } from '../provisioning/views';

/** Enables or disables a context. */
@Handles(provisioning.setContextState)
export class SetContextStateHandler implements Handler<typeof provisioning.setContextState> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setContextState>) {
    const context = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      requireVersion(edge, before.version);
      const state = { enabled: body.enabled, reason: body.reason ?? null };
      return this.editor.setState(tx, before, state, toActor(principal));
    });
    if (!body.enabled) await this.notifier.notifyContextClosed(query.contextId);
    return toVersionedReply(toContextView(context));
  }
}
