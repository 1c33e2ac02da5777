import type { EventMessage } from '@groupware/contracts';
import type { ModuleDatabase } from './module-database';
import type { AdministrationTransaction } from './reader';

/** Place where the broker stored an event. */
export interface SentReceipt {
  /** The life of the broker's store: another one means that events may be missing. */
  readonly generation: string;
  /** Number in the store; later events have higher ones. */
  readonly seq: number;
}

/** Options of a relay. */
export interface OutboxRelayOptions {
  readonly database: ModuleDatabase;
  /**
   * Sends one event and resolves when the broker has it. Rejects when the broker is down. Events without a receipt cannot be
   * sent again.
   */
  readonly publish: (message: EventMessage) => Promise<SentReceipt | void>;
  /** Confirmed events are kept so long to be sent again when the broker loses them, ms. Default 0: not at all. */
  readonly keepSentMs?: number;
  /** Events per transaction. Default 100. */
  readonly batchSize?: number;
  /** How often the outbox is looked at without being woken. Default 1,000. */
  readonly pollMs?: number;
  /** Rounds begin at least so long after each other: events in quick succession travel together. Default 50. */
  readonly paceMs?: number;
  /** Longest wait for one batch to be published. Default 10,000. */
  readonly publishTimeoutMs?: number;
  /** Notes about consumed events are kept so long; must exceed the time in which the broker delivers again. Default 7 days. */
  readonly keepConsumedMs?: number;
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** A deletion that a crash undoes makes a double, which the broker and consumers know how to treat. */
const RELAYING = { durable: false } as const;
/** Added to the time in which a batch must be published: a transaction that waits for the broker lives that long, ms. */
const IDLE_MARGIN_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;
const PURGE_EVERY_MS = 3_600_000;
/** Confirmed events are looked through so often, ms, and so many of them handled in one transaction. */
const PURGE_SENT_EVERY_MS = 10_000;
const SENT_BATCH = 5_000;

/**
 * Carries events from the outbox to the broker, at least once. Any number may run; each takes the rows that no other one
 * holds. Woken by commits of this process, and by the clock for what another process left behind.
 */
export class OutboxRelay {
  private readonly batchSize: number;
  private readonly pollMs: number;
  private readonly paceMs: number;
  private readonly publishTimeoutMs: number;
  private loop?: Promise<void>;
  private stopping = false;
  private poked = false;
  private wake?: () => void;
  private unsubscribe?: () => void;
  private purgedAt = 0;
  private purgedSentAt = 0;
  private failures = 0;

  constructor(private readonly options: OutboxRelayOptions) {
    this.batchSize = options.batchSize ?? 100;
    this.pollMs = options.pollMs ?? 1_000;
    this.paceMs = options.paceMs ?? 50;
    this.publishTimeoutMs = options.publishTimeoutMs ?? 10_000;
  }

  /** Begins to work. */
  start(): void {
    this.unsubscribe ??= this.options.database.onEventsStored(() => this.poke());
    this.loop ??= this.work();
  }

  /** Looks at the outbox now. */
  poke(): void {
    this.poked = true;
    this.wake?.();
  }

  /** Finishes the batch under way and ends. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.unsubscribe?.();
    this.wake?.();
    await this.loop;
  }

  /** Sends everything that waits and returns how many events that were; fails when the broker refuses. */
  async drain(): Promise<number> {
    let total = 0;
    for (const shard of await this.options.database.shardNames()) total += await this.drainShard(shard);
    return total;
  }

  /** The same, after a look whether anything waits: mostly nothing does where no commit has woken the relay. */
  private async poll(): Promise<void> {
    const { database } = this.options;
    for (const shard of await database.shardNames())
      if (await database.hasStoredEvents(shard)) await this.drainShard(shard);
  }

  private async drainShard(shard: string): Promise<number> {
    let total = 0;
    for (;;) {
      const sent = await this.sendBatch(shard);
      total += sent;
      // The rest waits for the next process: a shutdown does not.
      if (sent < this.batchSize || this.stopping) return total;
    }
  }

  /** Events that wait, on all shards. */
  async pending(): Promise<number> {
    const counts = await this.options.database.acrossShards('events of all contexts leave by one relay', (db) =>
      db.rows('select count(*) from outbox'),
    );
    return counts.reduce((sum, [row]) => sum + Number(row?.[0]), 0);
  }

  /** Events that wait, on all shards, and the time since the oldest of them was stored, ms. */
  async waiting(now = Date.now()): Promise<{ count: number; lagMs: number }> {
    const found = await this.options.database.acrossShards('events of all contexts leave by one relay', (db) =>
      db.rows('select count(*), coalesce(min(occurred_at), $1::bigint) from outbox', now),
    );
    const rows = found.map(([row]) => [Number(row?.[0]), Number(row?.[1])] as const);
    return {
      count: rows.reduce((sum, [count]) => sum + count, 0),
      lagMs: Math.max(0, ...rows.map(([, oldest]) => now - oldest)),
    };
  }

  /**
   * Puts confirmed events that the broker may have lost back into the outbox, in their former order: those of other
   * generations than the one that holds now. Consumers know repetitions by their ids.
   * @param kept events of that generation up to this number are still there
   * @returns how many those are
   */
  async resend(generation: string, kept: SentReceipt = { generation, seq: 0 }): Promise<number> {
    let total = 0;
    for (const shard of await this.options.database.shardNames())
      for (;;) {
        const found = await this.options.database.onShard(shard, 'events of all contexts leave by one relay', (db) =>
          db.run(
            `with lost as (
               delete from sent_event where seq = any(array(
                 select seq from sent_event
                 where generation <> $1 and not (generation = $2 and stream_seq <= $3)
                 order by seq limit ${SENT_BATCH} for update skip locked))
               returning seq, message)
             insert into outbox (seq, id, context_id, name, payload, occurred_at) overriding system value
             select seq, (message->>'id')::uuid, (message->>'contextId')::int, message->>'name', message->'payload',
               (message->>'occurredAt')::bigint
             from lost order by seq on conflict do nothing`,
            generation,
            kept.generation,
            kept.seq,
          ),
        );
        total += found;
        if (found < SENT_BATCH) break;
      }
    if (total > 0) this.poke();
    return total;
  }

  /** The newest confirmation of each generation that is kept here. */
  async receipts(): Promise<SentReceipt[]> {
    const found = await this.options.database.acrossShards('events of all contexts leave by one relay', (db) =>
      db.rows('select generation, max(stream_seq) from sent_event group by generation'),
    );
    return found.flat().map(([generation, seq]) => ({ generation: String(generation), seq: Number(seq) }));
  }

  private async work(): Promise<void> {
    while (!this.stopping) {
      const begun = Date.now();
      const wasPoked = this.poked;
      this.poked = false;
      let failure: unknown;
      try {
        await (wasPoked ? this.drain() : this.poll());
        await this.purge();
      } catch (error) {
        failure = error;
      }
      if (failure === undefined) this.failures = 0;
      // Once per outage, not once per attempt.
      else if (++this.failures === 1)
        this.options.onProblem?.('events could not be sent; they stay in the outbox', failure);
      if (!this.poked || failure !== undefined) await this.pause();
      await this.rest(begun + this.paceMs - Date.now());
    }
  }

  /** Whatever is stored meanwhile waits; a shutdown does not. */
  private rest(ms: number): Promise<void> {
    if (this.stopping || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      timer.unref();
      this.wake = () => (this.stopping ? done() : undefined);
    });
  }

  private pause(): Promise<void> {
    if (this.stopping) return Promise.resolve();
    const ms = Math.min(this.pollMs * 2 ** Math.min(this.failures, 10), Math.max(LONGEST_PAUSE_MS, this.pollMs));
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      timer.unref();
      // A commit must not turn an outage of the broker into a busy loop.
      this.wake = () => (this.failures === 0 || this.stopping ? done() : undefined);
    });
  }

  private async sendBatch(shard: string): Promise<number> {
    const { database, publish } = this.options;
    let failure: unknown;
    const sent = await database.onShard(
      shard,
      'events of all contexts leave by one relay',
      async (db) => {
        const events = await db.objects<EventMessage & { seq: number }>(
          `select seq, id, name, context_id as "contextId", occurred_at as "occurredAt", payload
         from outbox order by seq limit $1 for update skip locked`,
          this.batchSize,
        );
        if (events.length === 0) return 0;
        const done = new Map<number, SentReceipt | void>();
        const attempts = events.map(async ({ seq, ...message }) => {
          done.set(seq, await publish(message));
        });
        const timeout = new Timeout(this.publishTimeoutMs);
        await Promise.race([
          Promise.allSettled(attempts).then((outcomes) => {
            failure = outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
          }),
          timeout.passed,
        ]).catch((error: unknown) => {
          failure = error;
        });
        timeout.cancel();
        // Events that the broker has are deleted even when its neighbours failed: fewer doubles.
        if (done.size > 0) this.remove(db, done);
        return events.length;
      },
      { ...RELAYING, idleTimeoutMs: this.publishTimeoutMs + IDLE_MARGIN_MS },
    );
    if (failure !== undefined) throw failure;
    return sent;
  }

  /** Takes confirmed events out of the outbox; they are kept where they may have to be sent again. */
  private remove(db: AdministrationTransaction, done: ReadonlyMap<number, SentReceipt | void>): void {
    const confirmed = [...done].flatMap(([seq, receipt]) => (receipt ? [{ seq, receipt }] : []));
    if (!this.options.keepSentMs || confirmed.length === 0)
      return db.enqueue('delete from outbox where seq = any($1::bigint[])', [...done.keys()]);
    db.enqueue(
      `with gone as (delete from outbox where seq = any($1::bigint[]) returning *)
       insert into sent_event (seq, message, generation, stream_seq, sent_at)
       select gone.seq, jsonb_build_object('id', id, 'name', name, 'contextId', context_id, 'occurredAt', occurred_at,
           'payload', payload), generation, stream_seq, $5
       from gone join unnest($2::bigint[], $3::text[], $4::bigint[]) as sent (seq, generation, stream_seq) using (seq)
       on conflict (seq) do update set message = excluded.message, generation = excluded.generation,
         stream_seq = excluded.stream_seq, sent_at = excluded.sent_at`,
      [...done.keys()],
      confirmed.map(({ seq }) => seq),
      confirmed.map(({ receipt }) => receipt.generation),
      confirmed.map(({ receipt }) => receipt.seq),
      Date.now(),
    );
  }

  /** Removes confirmed events whose time is over. */
  private async purgeSent(now: number): Promise<void> {
    if (now - this.purgedSentAt < PURGE_SENT_EVERY_MS) return;
    this.purgedSentAt = now;
    await this.purgeKeys(now);
    const before = now - (this.options.keepSentMs ?? 0);
    for (const shard of await this.options.database.shardNames())
      for (;;) {
        const gone = await this.options.database.onShard(
          shard,
          'events of all contexts leave by one relay',
          (db) =>
            db.run(
              `delete from sent_event where seq = any(array(
                 select seq from sent_event where sent_at < $1 order by sent_at limit ${SENT_BATCH} for update skip locked))`,
              before,
            ),
          RELAYING,
        );
        if (gone < SENT_BATCH || this.stopping) break;
      }
  }

  /** Removes notes about calls whose keys have expired. */
  private async purgeKeys(now: number): Promise<void> {
    for (const shard of await this.options.database.shardNames())
      for (;;) {
        const gone = await this.options.database.onShard(
          shard,
          'keys of calls of all contexts end by the clock',
          (db) =>
            db.run(
              `delete from call_key where ctid = any(array(
                 select ctid from call_key where expires_at < $1 limit ${SENT_BATCH}))`,
              Math.floor(now / 60_000),
            ),
          RELAYING,
        );
        if (gone < SENT_BATCH || this.stopping) break;
      }
  }

  private async purge(now = Date.now()): Promise<void> {
    await this.purgeSent(now);
    if (now - this.purgedAt < PURGE_EVERY_MS) return;
    this.purgedAt = now;
    const before = now - (this.options.keepConsumedMs ?? 7 * 86_400_000);
    await this.options.database.acrossShards('events of all contexts leave by one relay', (db) =>
      db.run('delete from consumed_event where consumed_at < $1', before),
    );
  }
}

class Timeout {
  readonly passed: Promise<never>;
  private timer!: NodeJS.Timeout;

  constructor(ms: number) {
    this.passed = new Promise((_resolve, reject) => {
      this.timer = setTimeout(() => reject(new Error(`the broker confirmed nothing within ${ms} ms`)), ms);
    });
  }

  cancel(): void {
    clearTimeout(this.timer);
  }
}
