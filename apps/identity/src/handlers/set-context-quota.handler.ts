import { provisioning, ProvisioningErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { QUOTA_ITEMS } from '../domain/quota-items';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ContextEditor } from '../provisioning/context-editor';
import { computeQuotaGrowth, ResellerLimits } from '../provisioning/reseller-limits';
import { requireVersion } from '../provisioning/version';

/** Sets the limits of a context. */
@Handles(provisioning.setContextQuota)
export class SetContextQuotaHandler implements Handler<typeof provisioning.setContextQuota> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ContextEditor,
    private readonly limits: ResellerLimits,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.setContextQuota>) {
    const items = parseItems(body.items);
    const { reseller, quotaMb } = await this.database.read(query, (db) => this.contexts.get(db));
    await this.limits.requireRoom(reseller, { quotaMb: computeQuotaGrowth(quotaMb, body.filestoreMb) });
    const quota = await this.database.transact(query, async (tx) => {
      const before = await this.contexts.lock(tx);
      requireVersion(edge, before.version);
      await this.editor.setQuota(tx, before, { quotaMb: body.filestoreMb, items }, toActor(principal));
      return { filestoreMb: body.filestoreMb, items: await this.contexts.getQuotaItems(tx) };
    });
    await this.notifier.notifyPropertiesChanged(query.contextId, 0);
    return quota;
  }
}

/** Parses limits by kind; undefined when absent. @throws PROV-0019 */
function parseItems(items: unknown): Record<string, number> | undefined {
  if (items === undefined || items === null) return undefined;
  if (typeof items !== 'object' || Array.isArray(items))
    throw ProvisioningErrors.invalidField('items', 'not an object');
  for (const [item, amount] of Object.entries(items))
    if (!Object.hasOwn(QUOTA_ITEMS, item) || typeof amount !== 'number' || !Number.isInteger(amount) || amount < -1)
      throw ProvisioningErrors.invalidField('items', item);
  return items as Record<string, number>;
}
