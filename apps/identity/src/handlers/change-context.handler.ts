import { type AdminPrincipal, type CallOf, type ContextChange, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { ContextEditor } from '../provisioning/context-editor';
import { quotaGrowth, ResellerLimits, UNLIMITED } from '../provisioning/reseller-limits';
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
    private readonly limits: ResellerLimits,
    private readonly users: UserRepository,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeContext>) {
    await this.expectAllowed(principal, query.contextId, body);
    const { before, context } = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      expectVersion(edge, before.version);
      return { before, context: await this.editor.change(tx, before, body, actorOf(principal)) };
    });
    if (before.adminUserId !== context.adminUserId)
      await this.after.users(context.id, [before.adminUserId, context.adminUserId]);
    // Values of resellers and context sets depend on these.
    if (body.reseller !== undefined || body.taxonomyTypes !== undefined || body.name !== undefined)
      await this.after.properties(context.id, 0);
    return withVersion(contextView(context));
  }

  /** Only a change that concerns resellers asks about them. */
  private async expectAllowed(principal: AdminPrincipal, contextId: number, body: ContextChange): Promise<void> {
    if (body.reseller === undefined && body.quotaMb === undefined) return;
    const { before, users } = await this.database.read({ contextId }, async (db) => ({
      before: await this.contexts.get(db),
      users: await this.users.count(db),
    }));
    const reseller =
      body.reseller === undefined ? before.reseller : await this.limits.ownerFor(principal, body.reseller ?? '');
    const quotaMb = body.quotaMb === undefined ? before.quotaMb : (body.quotaMb ?? UNLIMITED);
    await this.limits.expectRoom(
      reseller,
      reseller === before.reseller
        ? { quotaMb: quotaGrowth(before.quotaMb, quotaMb) }
        : { contexts: 1, users, quotaMb: quotaGrowth(0, quotaMb) },
    );
  }
}
