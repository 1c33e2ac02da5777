import { Injectable } from '@nestjs/common';
import { SHARE_KINDS, type InboundPurgeQuery, type OutboundPurgeQuery, type Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { countOf, isAway, retryDelay, type PurgeOutcome } from './domain/purge';
import { LiaisonRepository, type LiaisonRow } from './persistence/liaison.repository';
import { ShareRepository, type ShareRow } from './persistence/share.repository';
import { Retractors } from './retractors';

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
    private readonly retractors: Retractors,
    private readonly clock: Clock,
  ) {}

  /** Takes back what a user himself sees of other contexts. */
  async inbound(tenant: Tenant, user: number, filter: InboundPurgeQuery) {
    const rows = await this.database.read(tenant, (db) => this.liaisons.ofUser(db, user, filter));
    const skipped = new Map<string, number>();
    const outcomes: PurgeOutcome[] = [];
    for (const row of rows) {
      if (this.retractors.of(row.type)) outcomes.push(await this.liaison(row));
      else skipped.set(row.type, (skipped.get(row.type) ?? 0) + 1);
    }
    return { ...countOf(outcomes), ...(skipped.size > 0 ? { skippedNoRetractor: Object.fromEntries(skipped) } : {}) };
  }

  /** Takes back what a user shares with other contexts: deputies first, then folders, then objects. */
  async outbound(tenant: Tenant, user: number, filter: OutboundPurgeQuery) {
    const rows = await this.database.read(tenant, (db) => this.shares.ofOwner(db, user, filter));
    const outcomes: PurgeOutcome[] = [];
    for (const kind of SHARE_KINDS) for (const row of rows) if (row.kind === kind) outcomes.push(await this.share(row));
    return countOf(outcomes);
  }

  /** Tries again what is due; answers how many items that were. */
  async retry(): Promise<number> {
    let tried = 0;
    const now = this.clock.now();
    for (const shard of await this.database.shardNames()) {
      const due = await this.database.onShard(shard, async (db) => ({
        shares: await this.shares.due(db, now, ROUND),
        liaisons: await this.liaisons.due(db, now, ROUND),
      }));
      for (const row of due.shares) await this.share(row);
      for (const row of due.liaisons) await this.liaison(row);
      tried += due.shares.length + due.liaisons.length;
    }
    return tried;
  }

  private share(row: ShareRow): Promise<PurgeOutcome> {
    return this.item(
      row,
      () => this.retractors.retractShare(row),
      (tx, retryAt) => this.shares.defer(tx, row.shareId, retryAt),
      { share: row.shareId, module: row.module },
    );
  }

  private liaison(row: LiaisonRow): Promise<PurgeOutcome> {
    const retract = this.retractors.of(row.type);
    if (!retract) return Promise.resolve('failed');
    return this.item(
      row,
      () => retract(row),
      (tx, retryAt) => this.liaisons.defer(tx, row.id, retryAt),
      { liaison: row.id, type: row.type },
    );
  }

  private async item(
    tenant: Tenant,
    retract: () => Promise<boolean>,
    defer: Defer,
    about: object,
  ): Promise<PurgeOutcome> {
    try {
      return (await retract()) ? 'retracted' : 'gone';
    } catch (error) {
      const fields = { ...about, context: tenant.contextId, error };
      if (!isAway(error)) {
        this.log.error(fields, 'share could not be taken back');
        await this.database.transact(tenant, (tx) => defer(tx, () => null));
        return 'failed';
      }
      this.log.warn(fields, 'share will be taken back later');
      const now = this.clock.now();
      await this.database.transact(tenant, (tx) => defer(tx, (attempts) => now + retryDelay(attempts)));
      return 'deferred';
    }
  }
}
