import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { quoteIdentifier, type CompleteDatabaseSettings } from '../database-settings';
import { HostFinder } from './host-finder';
import { NamedClient, nameOf, type NamedClientConfig } from './named-client';
import { valueTypes } from './value-types';

/** A connection on which nothing happens is probed by TCP after so long, ms. */
export const KEEP_ALIVE_MS = 5_000;

/** Settings of a pool for an address, which may have several hosts. */
export function poolFor(address: string): PoolConfig & NamedClientConfig {
  const hosts = new HostFinder(address);
  return { Client: NamedClient, connectionString: hosts.firstUrl, ...(hosts.hasSeveral && { hosts }) };
}

/** Connections to one schema. */
export interface SchemaPool {
  readonly pool: Pool;
  /** Settings that each transaction makes for itself, as the pooler gives its sessions away in between; empty without one. */
  readonly localSettings: (client: PoolClient) => string;
}

/**
 * Options of sessions without a pooler. What changes something needs a `begin` that says so: where it failed, what was sent
 * behind it is refused. Behind a pooler nothing finds a table without its `begin`.
 */
const sessionOptions = (searchPath: string): string =>
  `-c search_path=${searchPath} -c jit=off -c default_transaction_read_only=on`;

/**
 * Makes the connections to a schema. Without a pooler they begin with what they need: the place of the tables, limits, and no
 * JIT (compiling costs more than any of our short statements).
 */
export function openPool(
  settings: CompleteDatabaseSettings,
  module: string,
  schema: string,
  onProblem: (what: string, error: unknown) => void,
): SchemaPool {
  const searchPath = `${quoteIdentifier(schema)},public`;
  const limits = {
    statement_timeout: settings.statementTimeoutMs,
    lock_timeout: settings.lockTimeoutMs,
    idle_in_transaction_session_timeout: settings.idleTransactionTimeoutMs,
  };
  const isPooled = settings.pooler !== 'none';
  const applicationName = `${settings.applicationName} ${module}`;
  const config: PoolConfig & NamedClientConfig = {
    ...poolFor(settings.url),
    max: settings.poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    idleTimeoutMillis: settings.idleConnectionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: valueTypes,
    pipeline: true,
    // Connections must not keep a process alive that has nothing else to do.
    allowExitOnIdle: true,
    ...(isPooled ? {} : { ...limits, options: sessionOptions(searchPath) }),
  };
  const pool = new Pool(config);
  pool.on('error', (error) => onProblem('an idle database connection broke', error));
  // A connection that breaks while it is checked out emits an error; unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const locals = Object.entries({ ...limits, search_path: searchPath, jit: 'off' })
    .map(([name, value]) => `; set local ${name} = ${value}`)
    .join('');
  return {
    pool,
    // The name leads to the backend that works for the connection at the moment.
    localSettings: (client) => (isPooled ? `${locals}; set local application_name = '${nameOf(client)}'` : ''),
  };
}
