import { Injectable } from '@nestjs/common';
import { QuotaErrors, type Property, type QuotaModule, type QuotaUsage, type Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Reader, type Transaction } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';

/** Limits the objects of a context: a module names the property and counts. */
@Injectable()
export abstract class ObjectQuota {
  /** Most objects of a context, below zero without limit. */
  protected abstract readonly limit: Property<number>;
  /** The objects, as the API names them. */
  protected abstract readonly module: QuotaModule;

  constructor(
    private readonly properties: Properties,
    private readonly database: ModuleDatabase,
  ) {}

  /** Number of objects of the context. */
  protected abstract countObjects(db: Reader): Promise<number>;

  /** Most objects of the context, below zero without limit. May ask other services: use it before a transaction. */
  getLimit({ contextId }: Tenant): Promise<number> {
    return this.properties.get(this.limit, { contextId });
  }

  /** Number of objects, where that is limited. The stamp of the transaction keeps others from adding meanwhile. */
  async countUsed(tx: Transaction, limit: number): Promise<number | undefined> {
    return limit < 0 ? undefined : this.countObjects(tx);
  }

  /** Refuses objects that the transaction has created already. @throws QUOTA-0003 */
  async requireRoomFor(tx: Transaction, created: number, limit: number): Promise<void> {
    const used = created > 0 ? await this.countUsed(tx, limit) : undefined;
    if (used !== undefined && used > limit) throw this.toExceededError(used - created, limit);
  }

  /** The refusal of an object beyond the limit. */
  toExceededError(used: number, limit: number): ReturnType<typeof QuotaErrors.exceeded> {
    return QuotaErrors.exceeded(this.module, used, limit);
  }

  /** The limit and what is used of it. */
  async getUsage(tenant: Tenant): Promise<QuotaUsage[]> {
    const [countquota, countuse] = await Promise.all([
      this.getLimit(tenant),
      this.database.read(tenant, (db) => this.countObjects(db)),
    ]);
    return [{ account_id: '0', countquota, countuse }];
  }
}
