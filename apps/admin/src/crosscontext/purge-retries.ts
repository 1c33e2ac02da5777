import { Injectable } from '@nestjs/common';
import { Logger, Periodic } from '@groupware/service-kit';
import { Purges } from './purges';

const EVERY_MS = 30_000;

/** Tries deferred items of purges again and again, until they are gone. */
@Injectable()
export class PurgeRetries {
  private readonly log = Logger.for('admin.crosscontext');
  private readonly rounds = new Periodic(
    () => this.purges.retryDeferred(),
    (error) => this.log.warn({ error }, 'deferred shares were not tried again'),
  );

  constructor(private readonly purges: Purges) {}

  /** Begins to look for items that are due. */
  start(): void {
    this.rounds.start(EVERY_MS);
  }

  /** Ends after the round under way. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }
}
