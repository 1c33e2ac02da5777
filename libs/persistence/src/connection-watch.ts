import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import type { StatementBatch } from './statement-batch';

/** How silent connections are found. */
export interface WatchLimits {
  /** A connection that owes an answer and brought nothing for so long is looked after, ms. */
  readonly silenceMs: number;
  /** After so long, ms, it is given up whatever the server says. */
  readonly giveUpMs: number;
}

/** A batch that waits for its answer. */
interface Sent {
  readonly at: number;
  /** What the connection had brought when it was looked at last. */
  bytesRead: number;
  /** When that changed last. */
  heardAt: number;
}

/** Longest wait of a look at the server, ms. */
const LOOK_TIMEOUT_MS = 2_000;

const prefix = randomBytes(4).toString('hex');
let connections = 0;

/** A client whose connection has a name of its own in `pg_stat_activity`; behind a pooler its process id would not do. */
export class NamedClient extends Client {
  /** Value of `application_name`. */
  readonly connectionName: string;

  constructor(config: ClientConfig = {}) {
    const connectionName = `${config.application_name ?? 'groupware'} ${prefix}-${(connections += 1).toString(36)}`;
    super({ ...config, application_name: connectionName });
    this.connectionName = connectionName;
  }
}

/**
 * Finds connections whose other end fell silent without a word: after a fail-over behind one address, or when a box between
 * forgot them. TCP notices that after minutes. A connection that owes an answer is looked up in `pg_stat_activity` on a new
 * connection: a backend that is still at work keeps it, whatever its statement takes; otherwise it is ended, together with a
 * backend that still holds locks for it, and those that are older are used no more.
 */
export class ConnectionWatch {
  private readonly sent = new Map<PoolClient, Sent>();
  private readonly madeAt = new WeakMap<PoolClient, number>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private faultAt = -1;

  constructor(
    private readonly pool: Pool,
    private readonly limits: WatchLimits,
    private readonly onProblem: (what: string, error: unknown) => void,
  ) {
    pool.on('connect', (client) => this.madeAt.set(client, performance.now()));
    pool.on('remove', (client) => this.sent.delete(client));
  }

  /** A connection of the pool that is not older than the last fault. */
  async connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.pool.connect();
      if ((this.madeAt.get(client) ?? 0) >= this.faultAt) return client;
      client.release(true);
    }
  }

  /** Callers that wait for a connection. */
  get waitingCount(): number {
    return this.pool.waitingCount;
  }

  /** Sends a batch whose callback is set, and watches the connection until it is answered. */
  send(client: PoolClient, batch: StatementBatch): void {
    const { callback } = batch;
    const now = performance.now();
    this.sent.set(client, { at: now, bytesRead: bytesReadBy(client), heardAt: now });
    batch.callback = (error, results) => {
      this.sent.delete(client);
      callback?.(error, results);
    };
    this.timer ??= setInterval(() => void this.look(), this.limits.silenceMs / 3).unref();
    client.query(batch as never);
  }

  /** Ends the watch. */
  close(): void {
    clearInterval(this.timer);
    this.sent.clear();
  }

  /** Looks after connections that have been silent for too long. */
  private async look(): Promise<void> {
    if (this.isLooking) return;
    const silent = this.silentOnes(performance.now());
    if (silent.length === 0) return;
    this.isLooking = true;
    try {
      const working = await this.namesAtWork(silent.map(({ client }) => nameOf(client)));
      // What was answered meanwhile is no concern any more.
      const lost = silent.filter(
        ({ client, sent }) =>
          this.sent.get(client) === sent &&
          bytesReadBy(client) === sent.bytesRead &&
          (!working.has(nameOf(client)) || performance.now() - sent.at > this.limits.giveUpMs),
      );
      if (lost.length > 0) this.end(lost.map(({ client }) => client));
    } catch (error) {
      // The server cannot be asked, so nothing is known about its connections: their statements have limits of their own.
      this.onProblem('silent database connections could not be looked after', error);
    } finally {
      this.isLooking = false;
    }
  }

  private silentOnes(now: number): { client: PoolClient; sent: Sent }[] {
    return [...this.sent].flatMap(([client, sent]) => {
      const bytesRead = bytesReadBy(client);
      if (bytesRead !== sent.bytesRead) Object.assign(sent, { bytesRead, heardAt: now });
      return now - sent.heardAt >= this.limits.silenceMs ? [{ client, sent }] : [];
    });
  }

  /**
   * Names of connections whose backend is at work for them. Backends of the others are ended: they wait for statements that
   * will not come, and may hold locks.
   */
  private async namesAtWork(names: readonly string[]): Promise<Set<string>> {
    const look = new Client({
      ...this.pool.options,
      connectionTimeoutMillis: LOOK_TIMEOUT_MS,
      query_timeout: LOOK_TIMEOUT_MS,
      statement_timeout: LOOK_TIMEOUT_MS,
    });
    look.on('error', () => undefined);
    try {
      await look.connect();
      const { rows } = await look.query<{ name: string; works: boolean }>({
        text: `select application_name as name,
                 case when state = 'active' and wait_event is distinct from 'ClientWrite' then true
                 else not pg_terminate_backend(pid) end as works
               from pg_stat_activity where application_name = any($1)`,
        values: [names],
      });
      return new Set(rows.filter(({ works }) => works).map(({ name }) => name));
    } finally {
      look.end().catch(() => undefined);
    }
  }

  private end(clients: readonly PoolClient[]): void {
    this.faultAt = performance.now();
    this.onProblem('database connections fell silent', new Error(`${clients.length} were ended`));
    for (const client of clients) client.connection.stream.destroy();
  }
}

/** pg types the stream as any duplex one; it is a socket, with TLS or without. */
const bytesReadBy = (client: PoolClient): number => (client.connection.stream as Socket).bytesRead;

const nameOf = (client: PoolClient): string =>
  (client as PoolClient & Pick<NamedClient, 'connectionName'>).connectionName;
