import { Injectable } from '@nestjs/common';
import { Logger, Periodic } from '@groupware/service-kit';
import { Purges } from './purges';

const EVERY_MS = 30_000;

/**
 * Tries deferred items of purges again as long as a service that they need is unavailable. One that fails otherwise is given up:
 * logged, counted, and left to the next purge.
 */
@Injectable()
export class PurgeRetries {
  private readonly log = Logger.for('admin.crosscontext');
  private readonly rounds: Periodic = new Periodic(
    () => this.purges.retryDeferred(() => this.rounds.isStopped),
    (error) => this.log.warn({ error }, 'deferred shares were not tried again'),
  );

  constructor(private readonly purges: Purges) {}

  /** Begins to look for items that are due. */
  start(): void {
    this.rounds.start(EVERY_MS);
  }

  /** Looks for items that are due now. */
  requestRound(): void {
    this.rounds.requestRound();
  }

  /** Ends after the item under way. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }
}
