import { Injectable } from '@nestjs/common';
import { SHARE_KINDS, type InboundPurgeQuery, type OutboundPurgeQuery, type Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { countOutcomes, isUnavailable, computeRetryDelay, type PurgeOutcome } from './domain/purge';
import { LiaisonRepository, type LiaisonRow } from './persistence/liaison.repository';
import { ShareRepository, type ShareRow } from './persistence/share.repository';
import { Revokers } from './revokers';

/** Most items that one round of retries takes from a shard. */
const ROUND = 100;

type Defer = (tx: Transaction, retryAt: (attempts: number) => number | null) => Promise<void>;

/** Takes back shares on behalf of operators, each item by itself: one that fails does not keep the others. */
@Injectable()
export class Purges {
  private readonly log = Logger.for('admin.crosscontext');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly shares: ShareRepository,
    private readonly liaisons: LiaisonRepository,
    private readonly revokers: Revokers,
    private readonly clock: Clock,
  ) {}

  /** Takes back what a user himself sees of other contexts. */
  async purgeInbound(tenant: Tenant, user: number, filter: InboundPurgeQuery) {
    const rows = await this.database.read(tenant, (db) => this.liaisons.listByUser(db, user, filter));
    const skipped = new Map<string, number>();
    const outcomes: PurgeOutcome[] = [];
    for (const row of rows) {
      if (this.revokers.findRevoker(row.type)) outcomes.push(await this.purgeLiaison(row));
      else skipped.set(row.type, (skipped.get(row.type) ?? 0) + 1);
    }
    return {
      ...countOutcomes(outcomes),
      ...(skipped.size > 0 ? { skippedNoRetractor: Object.fromEntries(skipped) } : {}),
    };
  }

  /** Takes back what a user shares with other contexts: deputies first, then folders, then objects. */
  async purgeOutbound(tenant: Tenant, user: number, filter: OutboundPurgeQuery) {
    const rows = await this.database.read(tenant, (db) => this.shares.listByOwner(db, user, filter));
    const outcomes: PurgeOutcome[] = [];
    for (const kind of SHARE_KINDS)
      for (const row of rows) if (row.kind === kind) outcomes.push(await this.purgeShare(row));
    return countOutcomes(outcomes);
  }

  /** Tries again what is due; answers how many items that were. */
  async retryDeferred(): Promise<number> {
    let tried = 0;
    const now = this.clock.now();
    for (const shard of await this.database.shardNames()) {
      const due = await this.database.onShard(
        shard,
        'what contexts share is taken back for all of them',
        async (db) => ({
          shares: await this.shares.listDue(db, now, ROUND),
          liaisons: await this.liaisons.listDue(db, now, ROUND),
        }),
      );
      for (const row of due.shares) await this.purgeShare(row);
      for (const row of due.liaisons) await this.purgeLiaison(row);
      tried += due.shares.length + due.liaisons.length;
    }
    return tried;
  }

  private purgeShare(row: ShareRow): Promise<PurgeOutcome> {
    return this.purgeItem(
      row,
      () => this.revokers.revokeShare(row),
      (tx, retryAt) => this.shares.updateRetry(tx, row.shareId, retryAt),
      { share: row.shareId, module: row.module },
    );
  }

  private purgeLiaison(row: LiaisonRow): Promise<PurgeOutcome> {
    const revoke = this.revokers.findRevoker(row.type);
    if (!revoke) return Promise.resolve('failed');
    return this.purgeItem(
      row,
      () => revoke(row),
      (tx, retryAt) => this.liaisons.updateRetry(tx, row.id, retryAt),
      { liaison: row.id, type: row.type },
    );
  }

  private async purgeItem(
    tenant: Tenant,
    revoke: () => Promise<boolean>,
    defer: Defer,
    about: object,
  ): Promise<PurgeOutcome> {
    try {
      return (await revoke()) ? 'retracted' : 'gone';
    } catch (error) {
      const fields = { ...about, context: tenant.contextId, error };
      if (!isUnavailable(error)) {
        this.log.error(fields, 'share could not be taken back');
        await this.database.transact(tenant, (tx) => defer(tx, () => null));
        return 'failed';
      }
      this.log.warn(fields, 'share will be taken back later');
      const now = this.clock.now();
      await this.database.transact(tenant, (tx) => defer(tx, (attempts) => now + computeRetryDelay(attempts)));
      return 'deferred';
    }
  }
}
