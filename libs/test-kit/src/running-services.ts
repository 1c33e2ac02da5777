import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { CatalogueError, EdgeRequest, Operation, Principal, UploadedFile as File } from '@groupware/contracts';
import { Bus, Caller, type RawReply } from '@groupware/messaging';
import { runServices, type RunningServices, type ServiceDefinition } from '@groupware/service-kit';
import { Pool } from 'pg';
import { dropDatabases } from './drop-databases';
import { createDatabase } from './test-database';
import { postgresUrl } from './test-servers';

/** A call, as far as a test cares. */
export interface TestCall {
  readonly principal?: Principal;
  readonly query?: object;
  readonly body?: unknown;
  readonly files?: readonly File[];
  readonly edge?: EdgeRequest;
  readonly idempotencyKey?: string;
  /** When the caller gives up, ms UTC. */
  readonly deadline?: number;
}

/** An answer with its body parsed: JSON, or the text of another kind of answer. */
export type TestReply = RawReply & { readonly json: any };

/** Services over the bus, with a database, a bus prefix and a data folder of their own. */
export interface TestServices {
  /** Prefix of subjects, streams and keys. */
  readonly name: string;
  readonly environment: Record<string, string>;
  readonly dataDir: string;
  /** Calls an operation and answers its result. */
  call<T = any>(operation: Operation, call: TestCall): Promise<T>;
  /** The same with what travels beside the result. */
  request(operation: Operation, call: TestCall): Promise<TestReply>;
  /** Runs a statement on the schema of the first service. */
  sql<T = any>(text: string, params?: unknown[]): Promise<T[]>;
  /** Stops the services and removes what they stored. `last` sees the database when no service writes any more. */
  close(last?: () => Promise<void>): Promise<void>;
}

/** Options of the services that a test runs. */
export interface TestServiceOptions {
  /** The service that is tested comes first. */
  readonly services: readonly ServiceDefinition[];
  readonly environment?: Record<string, string>;
  /** Values of the server scope of the configuration cascade. */
  readonly properties?: Record<string, string>;
}

/** Starts services. */
export async function runTestServices(options: TestServiceOptions): Promise<TestServices> {
  const schema = options.services[0]!.name.replaceAll('-', '_');
  const name = `${schema}_${randomBytes(6).toString('hex')}`;
  await createDatabase(
    name,
    Object.fromEntries(options.services.flatMap((each) => (each.migrations ? [[each.name, each.migrations]] : []))),
  );
  const url = Object.assign(new URL(postgresUrl()), { pathname: `/${name}` }).href;
  const dataDir = await mkdtemp(path.join(os.tmpdir(), `${schema}-`));
  const environment: Record<string, string> = {
    DATABASE_URL: url,
    REDIS_URL: process.env.REDIS_URL!,
    NATS_URL: process.env.NATS_URL!,
    GROUPWARE_BUS_PREFIX: name,
    GROUPWARE_LOG_LEVEL: process.env.GROUPWARE_LOG_LEVEL ?? 'silent',
    GROUPWARE_TEST: 'true',
    INTERNAL_PORT: '0',
    DATA_DIR: dataDir,
    FILESTORE_URL: `file://${dataDir}/files`,
    GROUPWARE_SECRET_KEY: randomBytes(32).toString('base64'),
    GROUPWARE_PRINCIPAL_KEY: randomBytes(32).toString('base64'),
    ...(options.properties ? { GROUPWARE_PROPERTIES_FILE: await propertiesFile(dataDir, options.properties) } : {}),
    ...options.environment,
  };
  const bus = await Bus.connect({
    url: environment.NATS_URL!,
    prefix: name,
    // In the place of the gateway.
    principals: { signing: Buffer.from(environment.GROUPWARE_PRINCIPAL_KEY!, 'base64') },
  });
  const database = new Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 4 });
  // Connections that are just being closed when the database goes.
  database.on('error', () => undefined);
  let running: RunningServices | undefined;
  const close = async (last?: () => Promise<void>) => {
    await running?.close();
    try {
      await last?.();
    } finally {
      await bus.close();
      await database.end();
      await dropDatabases(name);
      await rm(dataDir, { recursive: true, force: true });
    }
  };
  try {
    running = await runServices(options.services, environment);
  } catch (error) {
    await close();
    throw error;
  }
  const caller = new Caller(bus);
  const request = async (operation: Operation, call: TestCall): Promise<TestReply> => {
    const answer = await caller.request(operation, call as never);
    const parts: Uint8Array[] = [];
    if (answer.body instanceof Uint8Array) parts.push(answer.body);
    else for await (const part of answer.body) parts.push(part);
    return { ...answer, json: parseText(Buffer.concat(parts).toString()) };
  };
  return {
    name,
    environment,
    dataDir,
    request,
    call: async (operation, call) => (await request(operation, call)).json,
    sql: async (text, params) => (await database.query(text, params)).rows,
    close,
  };
}

/** Makes a handler of rejections that passes over errors of one code, and throws all others. */
export const passOver =
  (code: string) =>
  (error: { readonly code?: string }): undefined => {
    if (error.code !== code) throw error;
  };

/** Code of the error a call fails with; `none` when it succeeds. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: CatalogueError) => error.code ?? String(error),
  );

async function propertiesFile(folder: string, values: Record<string, string>): Promise<string> {
  const file = path.join(folder, 'server.properties');
  const lines = Object.entries(values).map((pair) => pair.join('='));
  await writeFile(file, lines.join('\n'));
  return file;
}

function parseText(text: string): unknown {
  return text === '' || text.startsWith('<') ? text || undefined : JSON.parse(text);
}
