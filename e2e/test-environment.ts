import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadModules, moduleNamesOf } from '@groupware/host';
import { runServices, type RunningServices, type ServiceDefinition } from '@groupware/service-kit';
import { createDatabase, dropDatabases } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { expectAnswersKept } from './answer-models';
import { recordCoverage } from './coverage';
import { watchRest } from './rest-watch';
import { expectNoSecretInLogs, keepOutOfLogs, searchStore, watchEvents, watchLogs } from './secrets';

/** All modules in one process, with a database, a bus prefix and a Redis database of their own. */
export interface TestEnvironment {
  readonly publicUrl: string;
  readonly internalUrl: string;
  /** Credentials of the master administrator. */
  readonly master: { readonly login: string; readonly password: string };
  /** Credentials of cooperating services. */
  readonly service: { readonly login: string; readonly password: string };
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A product in the process of the test. */
export interface LocalTestEnvironment extends TestEnvironment {
  /** Sets server values of the configuration cascade, beside those of the start; those of the call before end. */
  setProperties(properties?: Record<string, string>): Promise<void>;
}

async function administrate(sql: string): Promise<void> {
  const client = new Database({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Names of databases and credentials for processes of a test, and the way to remove what they leave. */
export interface Environment {
  readonly variables: Record<string, string>;
  readonly master: TestEnvironment['master'];
  readonly service: TestEnvironment['service'];
  drop(): Promise<void>;
}

const createEmptyDatabase = (name: string): Promise<void> => administrate(`create database ${name}`);

/** Makes a database, empty by default, and the variables of a process that uses it. */
export async function createEnvironment(
  overrides: Record<string, string> = {},
  makeDatabase: (name: string) => Promise<void> = createEmptyDatabase,
): Promise<Environment> {
  const name = `world_${randomBytes(6).toString('hex')}`;
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-world-'));
  await makeDatabase(name);
  const database = new URL(process.env.DATABASE_URL!);
  database.pathname = `/${name}`;
  const redis = new URL(process.env.REDIS_URL!);
  redis.pathname = `/${Number(process.env.JEST_WORKER_ID ?? 1) % 16}`;
  const master = { login: 'master', password: 'master password' };
  const service = { login: 'service', password: 'service password' };
  const secretKey = Buffer.alloc(32, 7).toString('base64');
  const principalKey = randomBytes(32).toString('base64');
  keepOutOfLogs(master.password, service.password, secretKey, principalKey);
  return {
    master,
    service,
    variables: {
      DATABASE_URL: database.href,
      REDIS_URL: redis.href,
      NATS_URL: process.env.NATS_URL!,
      FILESTORE_URL: `file://${dataDir}/files`,
      DATA_DIR: dataDir,
      GROUPWARE_BUS_PREFIX: name,
      // Only the end of a world reads it: it is searched for secrets.
      GROUPWARE_LOG_LEVEL: process.env.GROUPWARE_LOG_LEVEL ?? 'info',
      GROUPWARE_TEST: 'true',
      GROUPWARE_DEMO: 'false',
      GROUPWARE_MASTER_LOGIN: master.login,
      GROUPWARE_MASTER_PASSWORD: master.password,
      GROUPWARE_REST_LOGIN: service.login,
      GROUPWARE_REST_PASSWORD: service.password,
      GROUPWARE_SECRET_KEY: secretKey,
      GROUPWARE_PRINCIPAL_KEY: principalKey,
      // No name server: nothing leaves this machine.
      GROUPWARE_OUTBOUND_DNS: '127.0.0.1:1',
      // No balancer in front; a test of leaving says otherwise.
      GROUPWARE_LEAVE_PAUSE_MS: '0',
      GROUPWARE_LEAVE_LINGER_MS: '0',
      // Every test makes users and logs in; a hash of the usual cost takes 29 ms.
      IDENTITY_HASH_MEMORY_KIB: '64',
      IDENTITY_HASH_PASSES: '1',
      PORT: '0',
      INTERNAL_PORT: '0',
      ...overrides,
    },
    drop: async () => {
      await dropDatabases(name);
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Every call that is done once for its key is made twice: whatever it did twice, or answered differently, fails the test. */
export const SENT_TWICE = { GROUPWARE_TEST_REPEATS: 'true' };

/**
 * Starts a world in this process; modules default to all, variables override its environment. Its end fails when a log,
 * an event or the session store held a secret that was used in it.
 */
export async function startTestEnvironment(
  options: {
    modules?: readonly string[];
    /** Services of the test itself, beside the modules. */
    services?: readonly ServiceDefinition[];
    variables?: Record<string, string>;
    /** Server values of the configuration cascade. */
    properties?: Record<string, string>;
  } = {},
): Promise<LocalTestEnvironment> {
  const services = [...(await loadModules(options.modules ?? moduleNamesOf({}))), ...(options.services ?? [])];
  const migrations = Object.fromEntries(
    services.flatMap((service) => (service.migrations ? [[service.name, service.migrations]] : [])),
  );
  const { variables, drop, ...credentials } = await createEnvironment(options.variables, (name) =>
    createDatabase(name, migrations),
  );
  const writeProperties = (more: Record<string, string>) => {
    const lines = Object.entries({ ...options.properties, ...more }).map(([key, value]) => `${key}=${value}\n`);
    fs.writeFileSync(variables.GROUPWARE_PROPERTIES_FILE!, lines.join(''));
  };
  if (options.properties) {
    variables.GROUPWARE_PROPERTIES_FILE = path.join(variables.DATA_DIR!, 'server.properties');
    writeProperties({});
  }
  watchLogs();
  let running: RunningServices;
  const endEvents = await watchEvents(variables);
  try {
    running = await runServices(services, variables);
  } catch (error) {
    await endEvents();
    await drop();
    throw error;
  }
  watchRest({ publicUrl: running.publicUrl ?? '', internalUrl: running.internalUrl });
  return {
    ...credentials,
    publicUrl: running.publicUrl ?? '',
    internalUrl: running.internalUrl,
    environment: variables,
    setProperties: async (properties = {}) => {
      writeProperties(properties);
      await running.reload();
    },
    close: async () => {
      await collect(variables);
      await running.close();
      await endEvents();
      await drop();
      judge();
    },
  };
}

/** Takes down what the tests saw, while the product still runs. */
async function collect(variables: Environment['variables']): Promise<void> {
  await recordCoverage();
  await searchStore(variables.REDIS_URL!, variables.GROUPWARE_BUS_PREFIX!);
}

/** Fails when something was seen that must not be. */
function judge(): void {
  expectNoSecretInLogs();
  expectAnswersKept();
}

let shared: Promise<LocalTestEnvironment> | undefined;

/**
 * The product with all modules, as it is by default, for specs that keep to contexts of their own and change nothing that holds
 * for others: those of one group share one product (see `tools/jest/groups.mjs`). Its `close` judges what the spec saw, as
 * that of {@link startTestEnvironment} does.
 */
export async function shareTestEnvironment(): Promise<TestEnvironment> {
  // The logins of all these specs come from one address.
  const start = () => startTestEnvironment({ variables: { GATEWAY_LOGINS_PER_MINUTE: '1000000' } });
  if (!('sharesTestEnvironment' in globalThis)) return start();
  const environment = await (shared ??= start());
  return {
    ...environment,
    close: async () => {
      await collect(environment.environment);
      judge();
    },
  };
}

/** Ends the product of a group: the files of groups call it. @public */
export async function endSharedTestEnvironment(): Promise<void> {
  const environment = shared;
  shared = undefined;
  await (await environment)?.close();
}
