import {
  CONTEXT_RIGHTS,
  waiveCheck,
  type CallOf,
  type ContextData,
  type Handler,
  provisioning,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toActor } from '../domain/actor';
import { ContextEditor } from '../provisioning/context-editor';
import { Idempotency, toInstallationStatements, toReply, type StoredReply } from '../provisioning/idempotency';
import { Readiness } from '../provisioning/readiness';
import { computeQuotaGrowth, ResellerLimits, UNLIMITED } from '../provisioning/reseller-limits';
import { toContextView } from '../provisioning/views';

/** Creates a context with its administrator. */
@Handles(provisioning.createContext)
export class CreateContextHandler implements Handler<typeof provisioning.createContext> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: ContextEditor,
    private readonly idempotency: Idempotency,
    private readonly limits: ResellerLimits,
    private readonly readiness: Readiness,
  ) {}

  async handle(call: CallOf<typeof provisioning.createContext>) {
    const known = await this.database.acrossContexts('a context that is not there yet has no keys of its own', (db) =>
      this.idempotency.findReply(db, 'createContext', call),
    );
    if (known) waiveCheck(CONTEXT_RIGHTS.responsible, 'checked when the key was used first');
    const remembered = known ?? (await this.createContext(call));
    const result = await this.readiness.prepareContext(remembered.result as ContextData, call.query.wait);
    return toReply<ContextData>({ ...remembered, result });
  }

  private async createContext(call: CallOf<typeof provisioning.createContext>): Promise<StoredReply> {
    const { principal, body } = call;
    const reseller = await this.limits.resolveOwner(principal, body.reseller);
    await this.limits.requireRoom(reseller, {
      contexts: 1,
      users: 1,
      quotaMb: computeQuotaGrowth(0, body.quotaMb ?? UNLIMITED),
    });
    const owned = { ...body, reseller: reseller ?? undefined };
    return this.editor.createContext<StoredReply>(owned, toActor(principal), async (tx, work) => {
      // The key belongs to no context: it is noted under number 0, in the transaction of the new context.
      const keys = toInstallationStatements(tx.acrossContexts('the key of a new context belongs to the installation'));
      const raced = call.idempotencyKey ? await this.idempotency.claimKey(keys, 'createContext', call) : undefined;
      if (raced) return raced;
      const context = toContextView(await work());
      const result = { status: 201, location: `/admin/v1/contexts/${context.id}`, result: context };
      if (call.idempotencyKey) await this.idempotency.storeReply(keys, call, result);
      return result;
    });
  }
}
