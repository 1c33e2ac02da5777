import { Inject, Injectable, type Type } from '@nestjs/common';
import {
  QuotaErrors,
  type CallOf,
  type Property,
  type QuotaModule,
  type QuotaOwner,
  type QuotaUsage,
  type Tenant,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Handles, Properties } from '@groupware/service-kit';
import type { ObjectRepository } from './persistence/object.repository';

/** Names the limited objects of a context. */
export interface LimitedObjects {
  /** Most objects of a context, below zero without limit. */
  readonly limit: Property<number>;
  /** The objects, as the API names them. */
  readonly module: QuotaModule;
  /** Counts them. */
  readonly repository: Type<ObjectRepository>;
}

/** Limits the objects of a context. */
export class ObjectQuota {
  constructor(
    private readonly names: LimitedObjects,
    private readonly properties: Properties,
    private readonly database: ModuleDatabase,
    private readonly objects: ObjectRepository,
  ) {}

  /** Most objects of the context, below zero without limit. May ask other services: use it before a transaction. */
  getLimit({ contextId }: Tenant): Promise<number> {
    return this.properties.get(this.names.limit, { contextId });
  }

  /** Number of objects, where that is limited. The stamp of the transaction keeps others from adding meanwhile. */
  async countUsed(tx: Transaction, limit: number): Promise<number | undefined> {
    return limit < 0 ? undefined : this.objects.countObjects(tx);
  }

  /** Refuses objects that the transaction has created already. @throws QUOTA-0003 */
  async requireRoomFor(tx: Transaction, created: number, limit: number): Promise<void> {
    const used = created > 0 ? await this.countUsed(tx, limit) : undefined;
    if (used !== undefined && used > limit) throw this.toExceededError(used - created, limit);
  }

  /** The refusal of an object beyond the limit. */
  toExceededError(used: number, limit: number): ReturnType<typeof QuotaErrors.exceeded> {
    return QuotaErrors.exceeded(this.names.module, used, limit);
  }

  /** The limit and what is used of it. */
  async getUsage(tenant: Tenant): Promise<QuotaUsage[]> {
    const [countquota, countuse] = await Promise.all([
      this.getLimit(tenant),
      this.database.read(tenant, (db) => this.objects.countObjects(db)),
    ]);
    return [{ account_id: '0', countquota, countuse }];
  }
}

/** The quota of some objects, as base of the class that a module provides. */
export function objectQuota(names: LimitedObjects): Type<ObjectQuota> {
  @Injectable()
  class NamedQuota extends ObjectQuota {
    constructor(properties: Properties, database: ModuleDatabase, @Inject(names.repository) objects: ObjectRepository) {
      super(names, properties, database, objects);
    }
  }
  return NamedQuota;
}

/** Handler of `usage`: pass it to `defineService({ handlers })`. */
export function quotaHandler(contract: QuotaOwner, quota: Type<ObjectQuota>): Type {
  @Handles(contract.usage)
  class UsageHandler {
    constructor(@Inject(quota) private readonly counted: ObjectQuota) {}

    handle({ principal }: CallOf<QuotaOwner['usage']>): Promise<QuotaUsage[]> {
      return this.counted.getUsage(principal);
    }
  }
  return UsageHandler;
}
