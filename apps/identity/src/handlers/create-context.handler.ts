import { type CallOf, type ContextData, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { actorOf } from '../provisioning/actor';
import { ContextEditor } from '../provisioning/context-editor';
import { Idempotency, replyOf, type Remembered } from '../provisioning/idempotency';
import { Readiness } from '../provisioning/readiness';
import { quotaGrowth, ResellerLimits, UNLIMITED } from '../provisioning/reseller-limits';
import { contextView } from '../provisioning/views';

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
    const known = await this.database.acrossContexts((db) => this.idempotency.recall(db, 'createContext', call));
    const remembered = known ?? (await this.create(call));
    const result = await this.readiness.ofContext(remembered.result as ContextData, call.query.wait);
    return replyOf<ContextData>({ ...remembered, result });
  }

  private async create(call: CallOf<typeof provisioning.createContext>): Promise<Remembered> {
    const { principal, body } = call;
    const reseller = await this.limits.ownerFor(principal, body.reseller);
    await this.limits.expectRoom(reseller, {
      contexts: 1,
      users: 1,
      quotaMb: quotaGrowth(0, body.quotaMb ?? UNLIMITED),
    });
    const owned = { ...body, reseller: reseller ?? undefined };
    return this.editor.create<Remembered>(owned, actorOf(principal), async (tx, work) => {
      // The key belongs to no context: it is noted under number 0, in the transaction of the new context.
      const raced = call.idempotencyKey ? await this.idempotency.claim(tx, 'createContext', call, 0) : undefined;
      if (raced) return raced;
      const context = contextView(await work());
      const result = { status: 201, location: `/admin/v1/contexts/${context.id}`, result: context };
      if (call.idempotencyKey) await this.idempotency.keep(tx, call, result, 0);
      return result;
    });
  }
}
