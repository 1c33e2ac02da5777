import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { AdminPrincipal, CatalogueError, EdgeRequest, Operation, Principal } from '@groupware/contracts';
import { Bus, Caller, type RawReply } from '@groupware/messaging';
import { runServices, type RunningServices } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { service } from '../index';

/** The identity service over the bus, with a database, a bus prefix and a data folder of its own. */
export interface RunningIdentity {
  readonly sessions: SessionStore;
  readonly dataDir: string;
  /** Calls an operation and answers its result, parsed. */
  call<T = any>(operation: Operation, call?: TestCall): Promise<T>;
  /** The same with what travels beside the result. */
  request(operation: Operation, call?: TestCall): Promise<RawReply & { json: any }>;
  /** Runs a statement on the schema of the service. */
  sql<T = any>(text: string, params?: unknown[]): Promise<T[]>;
  /** Keys and values of the session store, as text. */
  stored(): Promise<string[]>;
  /** Logs in as a browser would. */
  login(
    name: string,
    password: string,
    parameters?: object,
    edge?: Partial<EdgeRequest>,
  ): Promise<RawReply & { json: any }>;
  close(): Promise<void>;
}

/** A call, as far as a test cares. */
export interface TestCall {
  readonly principal?: Principal;
  readonly query?: object;
  readonly body?: unknown;
  readonly edge?: Partial<EdgeRequest>;
  readonly files?: { reference: string }[];
  readonly idempotencyKey?: string;
}

/** The master administrator. */
export const MASTER: AdminPrincipal = { kind: 'master', login: 'master' };

/** A browser at one address. */
export const edgeOf = (parts: Partial<EdgeRequest> = {}): EdgeRequest => ({
  remoteAddress: '192.0.2.10',
  userAgent: 'Test/1.0',
  secure: false,
  host: 'localhost',
  cookies: {},
  headers: {},
  ...parts,
});

/** Code of the error a call fails with; `none` when it succeeds. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: CatalogueError) => error.code,
  );

/** JSON, or the text of another kind of answer. */
function parsed(text: string): any {
  if (text === '' || text.startsWith('<')) return text || undefined;
  return JSON.parse(text);
}

/** Starts the service; `properties` are values of the server scope. */
export async function runIdentity(
  environment: Record<string, string> = {},
  properties: Record<string, string> = {},
): Promise<RunningIdentity> {
  const name = `identity_${randomBytes(6).toString('hex')}`;
  const server = new Client({ connectionString: process.env.DATABASE_URL });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'identity-'));
  const propertyFile = path.join(dataDir, 'server.properties');
  await writeFile(
    propertyFile,
    Object.entries(properties)
      .map((pair) => pair.join('='))
      .join('\n'),
  );
  const env = {
    GROUPWARE_PROPERTIES_FILE: propertyFile,
    DATABASE_URL: url.href,
    REDIS_URL: process.env.REDIS_URL!,
    NATS_URL: process.env.NATS_URL!,
    GROUPWARE_BUS_PREFIX: name,
    GROUPWARE_SECRET_KEY: randomBytes(32).toString('base64'),
    GROUPWARE_LOG_LEVEL: 'silent',
    GROUPWARE_TEST: 'true',
    INTERNAL_PORT: '0',
    DATA_DIR: dataDir,
    // Cheap hashes: the tests are about what is hashed, not about how long it takes.
    IDENTITY_HASH_MEMORY_KIB: '64',
    IDENTITY_HASH_PASSES: '1',
    ...environment,
  };
  let running: RunningServices | undefined;
  const bus = await Bus.connect({ url: env.NATS_URL, prefix: name });
  const sessions = await SessionStore.connect({
    url: env.REDIS_URL,
    prefix: name,
    secretKeys: [Buffer.from(env.GROUPWARE_SECRET_KEY, 'base64')],
  });
  const database = new Client({ connectionString: url.href });
  const close = async () => {
    await running?.close();
    await bus.close();
    await sessions.close();
    await database.end();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
    const redis = new Redis(env.REDIS_URL);
    const keys = await redis.keys(`${name}:*`);
    if (keys.length > 0) await redis.del(keys);
    await redis.quit();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await database.connect();
    running = await runServices([service], env);
    await database.query('set search_path to identity');
  } catch (error) {
    await close();
    throw error;
  }
  const caller = new Caller(bus);
  const outgoing = ({ edge, ...call }: TestCall = {}) => ({
    principal: MASTER as Principal,
    ...call,
    files: call.files?.map((file) => ({ field: 'file', name: 'f', contentType: 'text/csv', sizeBytes: 1, ...file })),
    edge: edgeOf(edge),
  });
  const request = async (operation: Operation, call?: TestCall) => {
    const answer = await caller.request(operation, outgoing(call));
    const bytes = answer.body as Uint8Array;
    return { ...answer, json: parsed(Buffer.from(bytes).toString()) };
  };
  return {
    sessions,
    dataDir,
    request,
    call: async (operation, call) => (await request(operation, call)).json,
    sql: async (text, params) => (await database.query(text, params)).rows,
    stored: async () => {
      const redis = new Redis(env.REDIS_URL);
      try {
        const keys = await redis.keys(`${name}:*`);
        const values = await Promise.all(keys.map((key) => redis.get(key).catch(() => '')));
        return [...keys, ...values.map((value) => value ?? '')];
      } finally {
        await redis.quit();
      }
    },
    login: async (login, password, parameters = {}, edge = {}) => {
      const contracts = await import('@groupware/contracts');
      return request(contracts.login.login, {
        principal: { kind: 'anonymous' },
        query: parameters,
        body: { name: login, password },
        edge,
      });
    },
    close,
  };
}
