import { type AdminPrincipal, type CallOf, type ContextChange, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ContextEditor } from '../provisioning/context-editor';
import { computeQuotaGrowth, ResellerLimits, UNLIMITED } from '../provisioning/reseller-limits';
import { requireVersion, toVersionedReply } from '../provisioning/version';
import { toContextView } from '../provisioning/views';

/** Changes a context. */
@Handles(provisioning.changeContext)
export class ChangeContextHandler implements Handler<typeof provisioning.changeContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly notifier: ChangeNotifier,
    private readonly limits: ResellerLimits,
    private readonly users: UserRepository,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeContext>) {
    await this.requireAllowed(principal, query.contextId, body);
    const { before, context } = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      requireVersion(edge, before.version);
      return { before, context: await this.editor.changeContext(tx, before, body, toActor(principal)) };
    });
    if (before.adminUserId !== context.adminUserId)
      await this.notifier.notifyUsersChanged(context.id, [before.adminUserId, context.adminUserId]);
    if (before.enabled && !context.enabled) await this.notifier.notifyContextClosed(context.id);
    // Values of resellers and context sets depend on these.
    if (body.reseller !== undefined || body.taxonomyTypes !== undefined || body.name !== undefined)
      await this.notifier.notifyPropertiesChanged(context.id, 0);
    return toVersionedReply(toContextView(context));
  }

  /** Checks resellers only for changes that concern them. */
  private async requireAllowed(principal: AdminPrincipal, contextId: number, body: ContextChange): Promise<void> {
    if (body.reseller === undefined && body.quotaMb === undefined) return;
    const { before, users } = await this.database.read({ contextId }, async (db) => ({
      before: await this.contexts.get(db),
      users: await this.users.count(db),
    }));
    const reseller =
      body.reseller === undefined ? before.reseller : await this.limits.resolveOwner(principal, body.reseller ?? '');
    const quotaMb = body.quotaMb === undefined ? before.quotaMb : (body.quotaMb ?? UNLIMITED);
    await this.limits.requireRoom(
      reseller,
      reseller === before.reseller
        ? { quotaMb: computeQuotaGrowth(before.quotaMb, quotaMb) }
        : { contexts: 1, users, quotaMb: computeQuotaGrowth(0, quotaMb) },
    );
  }
}
