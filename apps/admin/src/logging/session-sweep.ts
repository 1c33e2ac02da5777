import { Injectable } from '@nestjs/common';
import { SESSIONS_CLOSED, type SessionsClosed } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { Logger, Periodic } from '@groupware/service-kit';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import { LogTable } from './log-table';

/** Sessions that ran out are looked for so often, ms. */
const SWEEP_MS = 60_000;
const log = Logger.for('admin.logging');

/** Removes the log levels of sessions that ended: at once where they were closed, else within a minute. */
@Injectable()
export class SessionSweep {
  private readonly rounds = new Periodic(
    () => this.sweep(),
    (error) => log.warn({ error: String(error) }, 'levels of ended sessions were not swept'),
  );
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly table: LogTable,
    private readonly events: EventBus,
    private readonly changes: RuntimeChanges,
  ) {}

  /** Begins; runs until {@link stop}. */
  start(): void {
    this.stopListening = this.events.onBroadcast<SessionsClosed>(SESSIONS_CLOSED, () => this.rounds.requestRound());
    this.rounds.start(SWEEP_MS);
  }

  stop(): Promise<void> {
    this.stopListening?.();
    return this.rounds.stop();
  }

  private async sweep(): Promise<void> {
    if ((await this.table.removeEndedSessions()) > 0) this.changes.broadcastChange();
  }
}
