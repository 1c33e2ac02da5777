import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { ContextEditor } from '../provisioning/context-editor';
import { expectVersion, withVersion } from '../provisioning/version';
import { contextView } from '../provisioning/views';

/** Changes a context. */
@Handles(provisioning.changeContext)
export class ChangeContextHandler implements Handler<typeof provisioning.changeContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeContext>) {
    const { before, context } = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      expectVersion(edge, before.version);
      return { before, context: await this.editor.change(tx, before, body, actorOf(principal)) };
    });
    if (before.adminUserId !== context.adminUserId)
      await this.after.users(context.id, [before.adminUserId, context.adminUserId]);
    return withVersion(contextView(context));
  }
}
