import type { PoolClient } from 'pg';
import type { ConnectionWatch } from './connection-watch';
import { breaksConnection } from './failures';
import { StatementBatch } from './statement-batch';
import type { Statement, StatementResult } from './wire-statement';

/** How reads share connections. */
export interface SharingLimits {
  /** Round trips at the same time, not counting those that take longer than {@link readPatienceMs}. */
  readonly readConnections: number;
  /** Most statements of one round trip. */
  readonly readsTogether: number;
  /** After so long, ms, nobody waits any more for what another's statement holds up. */
  readonly readPatienceMs: number;
}

interface WaitingRead {
  readonly statement: Statement;
  readonly resolve: (result: StatementResult) => void;
  readonly reject: (error: unknown) => void;
}

/** One round trip. */
interface Trip {
  readonly reads: readonly WaitingRead[];
  /** Reads that have their result. */
  answered: number;
  isSlow: boolean;
}

/**
 * Statements outside of transactions. While few are asked for, each travels at once on a connection of its own. While many
 * are, they wait for one of a few connections, and those that wait travel together: few backends with full hands cost the
 * processors less than many, and one message less than several. They are reads: one may be sent twice.
 */
export class SharedReads {
  private readonly waiting: WaitingRead[] = [];
  /** Reads that another statement held up: they travel once more, before others and each by itself. */
  private readonly heldUp: WaitingRead[] = [];
  /** Round trips under way or about to begin, without slow ones. */
  private trips = 0;

  constructor(
    private readonly connections: ConnectionWatch,
    private readonly limits: SharingLimits,
  ) {}

  /** The result of a statement. Rejects with the error of the driver, also when no connection comes free in time. */
  read(statement: Statement): Promise<StatementResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ statement, resolve, reject });
      this.begin();
    });
  }

  private begin(): void {
    const isAsked = this.heldUp.length > 0 || this.waiting.length > 0;
    if (isAsked && this.trips < this.limits.readConnections) void this.travel();
  }

  /** Round trips on one connection, until nobody waits for them or somebody else waits for the connection. */
  private async travel(): Promise<void> {
    this.trips++;
    let client: PoolClient;
    try {
      client = await this.connections.connect();
    } catch (error) {
      this.trips--;
      if (this.trips === 0)
        for (const { reject } of [...this.heldUp.splice(0), ...this.waiting.splice(0)]) reject(error);
      return;
    }
    this.next(client);
  }

  /** A trip on a connection, and then the next one, until nobody waits for them or somebody else waits for the connection. */
  private next(client: PoolClient): void {
    const reads = this.take();
    if (reads.length === 0) return this.end(client);
    const trip: Trip = { reads, answered: 0, isSlow: false };
    const timer = setTimeout(() => this.slow(trip), this.limits.readPatienceMs);
    const batch = new StatementBatch(
      reads.map(({ statement }) => statement),
      (result) => reads[trip.answered++]!.resolve(result),
    );
    batch.callback = (error) => {
      clearTimeout(timer);
      if (error !== null) this.failed(trip, error);
      if (trip.isSlow || error !== null || this.connections.waitingCount > 0) this.end(client, trip.isSlow, error);
      else this.next(client);
    };
    this.connections.send(client, batch);
  }

  private end(client: PoolClient, isSlow = false, error?: unknown): void {
    client.release(breaksConnection(error));
    if (!isSlow) this.trips--;
    this.begin();
  }

  private failed({ reads, answered, isSlow }: Trip, error: unknown): void {
    // What was sent again has an end of its own.
    if (isSlow && reads.length > 1) return;
    reads[answered]!.reject(error);
    this.waiting.unshift(...reads.slice(answered + 1));
  }

  /** The share of one connection of the reads that wait. */
  private take(): WaitingRead[] {
    const { heldUp, waiting, limits } = this;
    if (heldUp.length > 0) return heldUp.splice(0, 1);
    const share = Math.ceil(waiting.length / limits.readConnections);
    return waiting.splice(0, Math.min(share, limits.readsTogether));
  }

  /** A trip that takes long is none of the few, and its statements, of which one is to blame, travel once more, each alone. */
  private slow(trip: Trip): void {
    trip.isSlow = true;
    this.trips--;
    if (trip.reads.length > 1) this.heldUp.push(...trip.reads.slice(trip.answered));
    this.begin();
  }
}
