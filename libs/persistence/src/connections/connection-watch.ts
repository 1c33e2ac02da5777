import type { Socket } from 'node:net';
import type { Pool, PoolClient, QueryArrayConfig, QueryConfig } from 'pg';
import { NamedClient, nameOf } from './named-client';
import type { StatementResult } from './statement';

/** How silent connections are found. */
export interface WatchLimits {
  /** A connection that owes an answer and brought nothing for so long is looked up, ms. */
  readonly silenceMs: number;
  /** After so long, ms, it is given up whatever the server says. */
  readonly giveUpMs: number;
}

/** Statements of a connection without an answer. */
interface Pending {
  /** Statements without an answer. */
  count: number;
  /** When the oldest of them was the next one to be answered. */
  since: number;
  /** Bytes that the connection had brought at the last look. */
  bytesRead: number;
  /** When that changed last. */
  heardAt: number;
}

/** Gets the result of a statement, or its error. */
export type ResultCallback = (error: Error | null, result: StatementResult) => void;

/** Longest wait of a look at the server, ms. */
const LOOK_TIMEOUT_MS = 2_000;

/**
 * Finds connections whose other end fell silent without a word: after a fail-over behind one address, or when a box between
 * forgot them. TCP notices that after minutes. A connection that owes an answer is looked up in `pg_stat_activity` on a new
 * connection: a backend that is still at work keeps it, whatever its statement takes; otherwise it is ended, together with a
 * backend that still holds locks for it, and those that are older are used no more. Pauses of this process are not counted: the
 * answer may have come meanwhile.
 */
export class ConnectionWatch {
  private readonly pending = new Map<PoolClient, Pending>();
  private readonly createdAt = new WeakMap<PoolClient, number>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private faultAt = -1;
  /** Time of {@link now} at the last review, and when that was. */
  private countedMs = 0;
  private reviewedAt = performance.now();

  private readonly intervalMs: number;

  constructor(
    private readonly pool: Pool,
    private readonly limits: WatchLimits,
    private readonly onProblem: (what: string, error: unknown) => void,
  ) {
    this.intervalMs = limits.silenceMs / 3;
    pool.on('connect', (client) => this.createdAt.set(client, performance.now()));
    pool.on('remove', (client) => this.pending.delete(client));
  }

  /** A connection of the pool that is not older than the last fault. */
  async connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.pool.connect();
      if ((this.createdAt.get(client) ?? 0) >= this.faultAt) return client;
      client.release(true);
    }
  }

  /** Sends a statement behind those that are under way, and watches the connection until it is answered. */
  query(client: PoolClient, query: QueryConfig | QueryArrayConfig, callback: ResultCallback): void {
    this.expectAnswer(client);
    let isAnswered = false;
    client.query(query, (error: Error | null, result: StatementResult) => {
      // pg tells twice of values that it cannot send: at once, and when the server is ready again.
      if (isAnswered) return;
      isAnswered = true;
      this.noteAnswer(client);
      callback(error, result);
    });
    this.timer ??= setInterval(() => void this.reviewConnections(), this.intervalMs).unref();
  }

  /** Time in which this process ran, ms: what it does not hear in a pause of its own, others may have said. */
  private get now(): number {
    return this.countedMs + Math.min(performance.now() - this.reviewedAt, this.intervalMs);
  }

  /** Ends the watch. */
  close(): void {
    clearInterval(this.timer);
    this.pending.clear();
  }

  private expectAnswer(client: PoolClient): void {
    const pending = this.pending.get(client);
    if (pending) {
      pending.count++;
      return;
    }
    const { now } = this;
    this.pending.set(client, { count: 1, since: now, bytesRead: bytesReadBy(client), heardAt: now });
  }

  private noteAnswer(client: PoolClient): void {
    const pending = this.pending.get(client);
    if (!pending) return;
    if (--pending.count === 0) this.pending.delete(client);
    else pending.since = this.now;
  }

  /** Looks after connections that have been silent for too long. */
  private async reviewConnections(): Promise<void> {
    this.countedMs = this.now;
    this.reviewedAt = performance.now();
    if (this.isLooking) return;
    const silent = this.listSilent(this.now);
    if (silent.length === 0) return;
    this.isLooking = true;
    try {
      await this.withLook(async (look) => {
        const working = await listNamesAtWork(
          look,
          silent.map(({ client }) => nameOf(client)),
        );
        // Connections that answered meanwhile are no concern any more.
        const lost = silent.filter(
          ({ client, pending, since }) =>
            this.pending.get(client) === pending &&
            pending.since === since &&
            bytesReadBy(client) === pending.bytesRead &&
            (!working.has(nameOf(client)) || this.now - since > this.limits.giveUpMs),
        );
        if (lost.length === 0) return;
        const clients = lost.map(({ client }) => client);
        this.endConnections(clients);
        await endIdleBackends(look, clients.map(nameOf));
      });
    } catch (error) {
      // The server cannot be asked, so nothing is known about its connections: their statements have limits of their own.
      this.onProblem('silent database connections could not be looked after', error);
    } finally {
      this.isLooking = false;
    }
  }

  private listSilent(now: number): { client: PoolClient; pending: Pending; since: number }[] {
    return [...this.pending].flatMap(([client, pending]) => {
      const bytesRead = bytesReadBy(client);
      if (bytesRead !== pending.bytesRead) Object.assign(pending, { bytesRead, heardAt: now });
      const silentSince = Math.max(pending.heardAt, pending.since);
      return now - silentSince >= this.limits.silenceMs ? [{ client, pending, since: pending.since }] : [];
    });
  }

  /** Asks the server on a connection of its own. */
  private async withLook(work: (look: NamedClient) => Promise<void>): Promise<void> {
    const look = new NamedClient({
      ...this.pool.options,
      connectionTimeoutMillis: LOOK_TIMEOUT_MS,
      query_timeout: LOOK_TIMEOUT_MS,
    });
    look.on('error', () => undefined);
    try {
      await look.connect();
      await work(look);
    } finally {
      look.end().catch(() => undefined);
    }
  }

  private endConnections(clients: readonly PoolClient[]): void {
    this.faultAt = performance.now();
    this.onProblem('database connections fell silent', new Error(`${clients.length} were ended`));
    for (const client of clients) client.connection.stream.destroy();
  }
}

/** pg types the stream as any duplex one; it is a socket, with TLS or without. */
const bytesReadBy = (client: PoolClient): number => (client.connection.stream as Socket).bytesRead;

/** A backend that runs a statement, rather than waiting for a client to send one or to take its answer. */
const IS_AT_WORK = `state = 'active' and wait_event is distinct from 'ClientWrite'`;

/** Names of connections whose backend is at work for them. */
async function listNamesAtWork(look: NamedClient, names: readonly string[]): Promise<Set<string>> {
  const { rows } = await look.query<{ name: string }>({
    text: `select application_name as name from pg_stat_activity where application_name = any($1) and ${IS_AT_WORK}`,
    values: [names],
  });
  return new Set(rows.map(({ name }) => name));
}

/** Ends the backends of connections that were given up: they wait for statements that will not come, and may hold locks. */
async function endIdleBackends(look: NamedClient, names: readonly string[]): Promise<void> {
  await look.query({
    text: `select pg_terminate_backend(pid) from pg_stat_activity where application_name = any($1) and (${IS_AT_WORK}) is not true`,
    values: [names],
  });
}
