import { Injectable } from '@nestjs/common';
import { SHARE_KINDS, type InboundPurgeQuery, type OutboundPurgeQuery, type Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { countOutcomes, isUnavailable, computeRetryDelay, type PurgeOutcome } from './domain/purge';
import { countGivenUpPurge } from './purge-metrics';
import { LiaisonRepository, type LiaisonRow } from './persistence/liaison.repository';
import { ShareRepository, type ShareRow } from './persistence/share.repository';
import { Revokers } from './revokers';

/** Most shares, and most liaisons, that a process claims at once to try them again. */
const BATCH = 5;
/** Longest time in which claimed items are begun; what is left is due again after that. */
const LEASE_MS = 5 * 60_000;
/** The part of it that the last item has for itself. */
const ITEM_MS = 60_000;
const REASON = 'what contexts share is taken back for all of them';

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

  /** Tries again what is due, any number of processes side by side, until it is told to stop. */
  async retryDeferred(isStopped: () => boolean): Promise<void> {
    for (const shard of await this.database.shardNames()) while (await this.retryBatch(shard, isStopped));
  }

  /** Tries a few due items of a shard; answers whether there may be more. */
  private async retryBatch(shard: string, isStopped: () => boolean): Promise<boolean> {
    if (isStopped()) return false;
    const now = this.clock.now();
    const due = await this.database.onShard(shard, REASON, async (db) => ({
      shares: await this.shares.claimDue(db, now, LEASE_MS, BATCH),
      liaisons: await this.liaisons.claimDue(db, now, LEASE_MS, BATCH),
    }));
    const items = [
      ...due.shares.map((row) => () => this.purgeShare(row)),
      ...due.liaisons.map((row) => () => this.purgeLiaison(row)),
    ];
    for (const purge of items) {
      if (isStopped() || this.clock.now() > now + LEASE_MS - ITEM_MS) return false;
      await purge();
    }
    return due.shares.length === BATCH || due.liaisons.length === BATCH;
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
    const fields = { ...about, context: tenant.contextId };
    try {
      return (await revoke()) ? 'retracted' : 'gone';
    } catch (error) {
      const isDeferred = isUnavailable(error);
      if (isDeferred) this.log.warn({ ...fields, error }, 'share will be taken back later');
      else this.log.error({ ...fields, error }, 'share could not be taken back: given up');
      const now = this.clock.now();
      const retryAt = (attempts: number) => (isDeferred ? now + computeRetryDelay(attempts) : null);
      try {
        await this.database.transact(tenant, (tx) => defer(tx, retryAt));
      } catch (failure) {
        this.log.error({ ...fields, error: failure }, 'failed try to take a share back was not noted');
        return 'failed';
      }
      if (!isDeferred) countGivenUpPurge();
      return isDeferred ? 'deferred' : 'failed';
    }
  }
}
