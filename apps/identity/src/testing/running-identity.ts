import { randomBytes } from 'node:crypto';
import { login as loginContract, type AdminPrincipal, type EdgeRequest, type Operation } from '@groupware/contracts';
import { SessionStore } from '@groupware/sessions';
import { runTestServices, type TestCall as AnyCall, type TestReply, type TestServices } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { service } from '../index';

export { codeOf } from '@groupware/test-kit';

/** A test call; by default by the master administrator. */
export interface TestCall extends Omit<AnyCall, 'edge' | 'files'> {
  readonly edge?: Partial<EdgeRequest>;
  readonly files?: { reference: string }[];
}

/** The identity service over the bus, with a database, a bus prefix and a data folder of its own. */
export interface RunningIdentity extends Pick<TestServices, 'dataDir' | 'sql' | 'close'> {
  readonly sessions: SessionStore;
  /** Calls an operation and answers its result, parsed. */
  call<T = any>(operation: Operation, call?: TestCall): Promise<T>;
  /** Calls an operation and answers the result with its metadata. */
  request(operation: Operation, call?: TestCall): Promise<TestReply>;
  /** Keys and values of the session store, as text. */
  stored(): Promise<string[]>;
  /** Logs in as a browser would. */
  login(name: string, password: string, parameters?: object, edge?: Partial<EdgeRequest>): Promise<TestReply>;
}

/** The master administrator. */
export const MASTER: AdminPrincipal = { kind: 'master', login: 'master' };

/** A browser at one address. */
export const createEdge = (parts: Partial<EdgeRequest> = {}): EdgeRequest => ({
  remoteAddress: '192.0.2.10',
  userAgent: 'Test/1.0',
  secure: false,
  host: 'localhost',
  cookies: {},
  headers: {},
  ...parts,
});

/** Starts the service; `properties` are values of the server scope. */
export async function startIdentity(
  environment: Record<string, string> = {},
  properties: Record<string, string> = {},
): Promise<RunningIdentity> {
  const key = environment.GROUPWARE_SECRET_KEY ?? randomBytes(32).toString('base64');
  const running = await runTestServices({
    services: [service],
    environment: {
      GROUPWARE_SECRET_KEY: key,
      // Cheap hashes: the tests do not depend on their cost.
      IDENTITY_HASH_MEMORY_KIB: '64',
      IDENTITY_HASH_PASSES: '1',
      GROUPWARE_LOG_LEVEL: process.env.GROUPWARE_LOG_LEVEL ?? 'silent',
      ...environment,
    },
    properties,
  });
  const redisUrl = running.environment.REDIS_URL!;
  const sessions = await SessionStore.connect({
    url: redisUrl,
    prefix: running.name,
    secretKeys: [Buffer.from(key, 'base64')],
  });
  const withRedis = async <T>(work: (redis: Redis, keys: string[]) => Promise<T>): Promise<T> => {
    const redis = new Redis(redisUrl);
    try {
      return await work(redis, await redis.keys(`${running.name}:*`));
    } finally {
      await redis.quit();
    }
  };
  const request = (operation: Operation, { edge, files, ...call }: TestCall = {}) =>
    running.request(operation, {
      principal: MASTER,
      ...call,
      files: files?.map((file) => ({ field: 'file', name: 'f', contentType: 'text/csv', sizeBytes: 1, ...file })),
      edge: createEdge(edge),
    });
  return {
    sessions,
    dataDir: running.dataDir,
    sql: running.sql,
    request,
    call: async (operation, call) => (await request(operation, call)).json,
    stored: () =>
      withRedis(async (redis, keys) => {
        const values = await Promise.all(keys.map((each) => redis.get(each).catch(() => '')));
        return [...keys, ...values.map((value) => value ?? '')];
      }),
    login: (name, password, parameters = {}, edge = {}) =>
      request(loginContract.login, {
        principal: { kind: 'anonymous' },
        query: parameters,
        body: { name, password },
        edge,
      }),
    close: async () => {
      await sessions.close();
      await running.close();
      await withRedis(async (redis, keys) => (keys.length > 0 ? redis.del(keys) : 0));
    },
  };
}
