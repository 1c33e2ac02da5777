import { PushErrors, isCatalogueError } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { LONGEST_PAUSE_MS, pauseAfter } from '../domain/pause-after';
import { countDelivery, watchQueue } from '../push.metrics';
import { TokenVault } from '../token-vault';
import { DeliveryConfig } from './delivery.config';
import { DeliveryRepository, type DueSubscription } from './delivery.repository';
import { Senders, type SendOutcome } from './senders';

const POLL_MS = 1_000;
const SWEEP_MS = 600_000;
const log = Logger.for('push.delivery');

/** Delivers what waits for browsers and webhooks, at least once. Any number may run; each takes what no other holds. */
@Injectable()
export class DeliveryLoop {
  private running = 0;
  private readonly rounds = new Periodic(
    () => this.take(),
    (error) => log.warn({ error: String(error) }, 'due subscriptions are not known'),
  );
  private readonly sends = new Set<Promise<void>>();
  private sweptAt = 0;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly deliveries: DeliveryRepository,
    private readonly senders: Senders,
    private readonly vault: TokenVault,
    private readonly clock: Clock,
    private readonly config: DeliveryConfig,
  ) {}

  /** Begins to work. */
  start(): void {
    this.rounds.start(POLL_MS);
    watchQueue(async () => {
      const counts = await this.database.acrossShards('deliveries of all contexts wait in one queue', (db) =>
        this.deliveries.waiting(db),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    });
  }

  /** Looks for due subscriptions now. */
  poke(): void {
    this.rounds.requestRound();
  }

  /** Ends after the calls under way. */
  async stop(): Promise<void> {
    await this.rounds.stop();
    await Promise.all(this.sends);
  }

  private async take(): Promise<void> {
    const now = this.clock.now();
    for (const shard of await this.database.shardNames()) {
      const free = this.config.parallel - this.running;
      if (free <= 0) return;
      const due = await this.database.onShard(shard, 'deliveries of all contexts wait in one queue', (db) =>
        // Twice the time of a call: who holds it longer is dead.
        this.deliveries.take(db, now, this.config.timeoutMs * 2 + 10_000, free),
      );
      for (const subscription of due) this.begin(subscription);
      if (now - this.sweptAt > SWEEP_MS)
        await this.database.onShard(shard, 'deliveries of all contexts wait in one queue', (db) =>
          this.deliveries.removeOld(db, now - this.config.lifeMs),
        );
    }
    if (now - this.sweptAt > SWEEP_MS) this.sweptAt = now;
  }

  private begin(subscription: DueSubscription): void {
    this.running++;
    const work = this.deliver(subscription)
      .catch((error: unknown) => log.error({ id: subscription.id, error: String(error) }, 'delivery is not noted'))
      .finally(() => {
        this.running--;
        this.sends.delete(work);
      });
    this.sends.add(work);
  }

  private async deliver(due: DueSubscription): Promise<void> {
    const waiting = await this.database.read(due, (db) => this.deliveries.next(db, due.id, this.config.burst));
    const now = this.clock.now();
    if (waiting.length === 0) return this.database.transact(due, (tx) => this.deliveries.delivered(tx, due.id, 0, now));
    const token = this.vault.open(due.token, due.contextId, due.userId);
    if (token === undefined) return this.remove(due, 'unreadable');
    let outcome: SendOutcome;
    try {
      outcome = await this.senders.send(due, token, waiting, now);
    } catch (error) {
      if (isCatalogueError(error, PushErrors.badToken)) return this.remove(due, 'unreadable');
      return this.retry(due, String(error));
    }
    const { status, headers } = outcome.answer;
    if (status === 404 || status === 410) return this.remove(due, 'gone');
    if (status < 200 || status >= 300) return this.retry(due, `status ${status}`, Number(headers['retry-after']));
    const last = waiting[outcome.count - 1]!;
    await this.database.transact(due, (tx) =>
      this.deliveries.delivered(tx, due.id, last.id, this.clock.now() + this.config.debounceMs),
    );
    countDelivery(due.transport, 'ok');
  }

  private async retry(due: DueSubscription, reason: string, retryAfterSeconds = NaN): Promise<void> {
    if (due.attempts + 1 >= this.config.maxAttempts) return this.remove(due, 'exhausted');
    const asked = Number.isFinite(retryAfterSeconds) ? Math.min(retryAfterSeconds * 1000, LONGEST_PAUSE_MS) : 0;
    const again = this.clock.now() + Math.max(asked, pauseAfter(due.attempts, this.config.retryMs));
    await this.database.transact(due, (tx) => this.deliveries.failed(tx, due.id, Math.round(again)));
    countDelivery(due.transport, 'failed');
    log.info(
      { context: due.contextId, user: due.userId, id: due.id, attempts: due.attempts + 1, reason },
      'delivery failed',
    );
  }

  private async remove(due: DueSubscription, reason: 'gone' | 'unreadable' | 'exhausted'): Promise<void> {
    await this.database.transact(due, (tx) => this.deliveries.removeSubscription(tx, due.id));
    countDelivery(due.transport, reason);
    log.info({ context: due.contextId, user: due.userId, id: due.id, reason }, 'subscription removed');
  }
}
