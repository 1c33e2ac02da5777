import { Injectable } from '@nestjs/common';
import { Logger } from '@groupware/service-kit';
import { Purges } from './purges';

const EVERY_MS = 30_000;

/** Tries deferred items of purges again and again, until they are gone. */
@Injectable()
export class PurgeRetries {
  private readonly log = Logger.for('admin.crosscontext');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly purges: Purges) {}

  /** Begins to look for items that are due. */
  start(): void {
    this.timer = setInterval(() => {
      this.running = this.purges
        .retry()
        .catch((error: unknown) => this.log.warn({ error }, 'deferred shares were not tried again'));
    }, EVERY_MS);
    this.timer.unref();
  }

  /** Ends after the round under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }
}
