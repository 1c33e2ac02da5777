import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  directory,
  type CallOf,
  type CatalogueError,
  type DirectoryEntity,
  type DirectoryUser,
  type Handler,
  type Operation,
  type Principal,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { Bus, Caller, type RawReply } from '@groupware/messaging';
import { defineService, Handles, runServices, type RunningServices } from '@groupware/service-kit';
import { Client } from 'pg';
import { service } from '../index';

/** People of every context of the tests. */
const people = new Map<number, DirectoryEntity>();

/** A user of the fake directory, as principal. */
export function person(id: number, options: Partial<UserPrincipal> = {}): UserPrincipal {
  const principal: UserPrincipal = {
    kind: 'user',
    contextId: 1,
    userId: id,
    groups: [0],
    locale: 'en_US',
    timeZone: 'UTC',
    capabilities: ['calendar', 'edit_public_folders', 'read_create_shared_folders'],
    login: `u${id}`,
    displayName: `User ${id}`,
    email: `u${id}@example.com`,
    sessionId: `session ${id}`,
    ...options,
  };
  people.set(id, {
    kind: 'user',
    id,
    name: principal.login,
    displayName: principal.displayName,
    email: principal.email,
    aliases: [principal.email],
    locale: principal.locale,
    timeZone: principal.timeZone,
    groups: principal.groups,
    enabled: true,
    isAdmin: false,
    capabilities: principal.capabilities,
  } as DirectoryUser);
  return principal;
}

/** Adds a group or resource to the fake directory. */
export const entity = (added: DirectoryEntity): number => {
  people.set(added.id, added);
  return added.id;
};

@Handles(directory.entities)
class EntitiesHandler implements Handler<typeof directory.entities> {
  async handle({ query }: CallOf<typeof directory.entities>) {
    return query.ids.flatMap((id) => people.get(id) ?? []);
  }
}
@Handles(directory.byAddress)
class ByAddressHandler implements Handler<typeof directory.byAddress> {
  async handle({ query }: CallOf<typeof directory.byAddress>) {
    return query.addresses.flatMap((address) => {
      const found = [...people.values()].find((candidate) => 'email' in candidate && candidate.email === address);
      return found && found.kind !== 'group' ? [{ address, entity: found }] : [];
    });
  }
}
/** Values of the configuration cascade, for all owners. */
export const propertyValues: Record<string, string> = {};
@Handles(directory.properties)
class PropertiesHandler implements Handler<typeof directory.properties> {
  async handle() {
    return propertyValues;
  }
}
@Handles(directory.propertyOfUsers)
class PropertyOfUsersHandler implements Handler<typeof directory.propertyOfUsers> {
  async handle({ query }: CallOf<typeof directory.propertyOfUsers>) {
    const value = propertyValues[query.key];
    return value === undefined ? {} : Object.fromEntries(query.ids.map((id) => [id, value]));
  }
}

/** The calendar service over the bus, with a fake directory and a database of its own. */
export interface RunningCalendar {
  request(operation: Operation, call: TestCall): Promise<RawReply & { json: any }>;
  /** The parsed result. */
  call<T = any>(operation: Operation, call: TestCall): Promise<T>;
  sql<T = any>(text: string, params?: unknown[]): Promise<T[]>;
  readonly dataDir: string;
  readonly environment: Record<string, string>;
  close(): Promise<void>;
}

/** A call, as far as a test cares. */
export interface TestCall {
  readonly principal: Principal;
  readonly query?: object;
  readonly body?: unknown;
  readonly files?: readonly UploadedFile[];
  readonly deadline?: number;
}

/** Code of the error a call fails with; `none` when it succeeds. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: CatalogueError) => error.code ?? String(error),
  );

/** Ids of appointments whose `participants`, `users` or `confirmations` differ from their attendees. */
async function lyingCopies(database: Client): Promise<number[]> {
  // Nobody has counted the rows of a database this young; plans for empty tables are slow with thousands.
  await database.query('analyze appointment, attendee');
  const list = (entry: string, condition: string) => `coalesce((
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(${entry})) order by t.position)
    from attendee t where t.context_id = a.context_id and t.appointment_id = a.id and ${condition}), '[]')`;
  const person = `case when t.type = 5 then t.mail end, 'display_name', case when t.type = 5 then t.display_name end`;
  const { rows } = await database.query<{ id: number }>(`select a.id from appointment a where
    a.participants::jsonb <> ${list(`'id', t.entity, 'type', t.type, 'mail', ${person}`, 't.listed')}
    or a.users::jsonb <> ${list(`'id', t.entity, 'confirm', t.confirm, 'confirmmessage', t.message`, 't.type = 1 and not t.hidden')}
    or a.confirmations::jsonb <> ${list(
      `'type', t.type, 'mail', t.mail, 'display_name', t.display_name, 'status', t.confirm, 'message', t.message`,
      't.type = 5',
    )}`);
  return rows.map(({ id }) => id);
}

/** Starts the service. */
export async function runCalendar(environment: Record<string, string> = {}): Promise<RunningCalendar> {
  const name = `calendar_${randomBytes(6).toString('hex')}`;
  const server = new Client({ connectionString: process.env.DATABASE_URL });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'calendar-'));
  const env: Record<string, string> = {
    DATABASE_URL: url.href,
    REDIS_URL: process.env.REDIS_URL!,
    NATS_URL: process.env.NATS_URL!,
    GROUPWARE_BUS_PREFIX: name,
    GROUPWARE_LOG_LEVEL: process.env.GROUPWARE_LOG_LEVEL ?? 'silent',
    GROUPWARE_TEST: 'true',
    INTERNAL_PORT: '0',
    DATA_DIR: dataDir,
    FILESTORE_URL: `file://${dataDir}/files`,
    ...environment,
  };
  const bus = await Bus.connect({ url: env.NATS_URL!, prefix: name });
  const database = new Client({ connectionString: url.href });
  let running: RunningServices | undefined;
  const close = async () => {
    await running?.close();
    const lies = running ? await lyingCopies(database) : [];
    await bus.close();
    await database.end();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
    await rm(dataDir, { recursive: true, force: true });
    if (lies.length > 0)
      throw new Error(`appointments that tell something else than their attendees: ${lies.join(', ')}`);
  };
  try {
    await database.connect();
    const identity = defineService({
      name: 'identity',
      contracts: [directory],
      directory: path.join(__dirname, 'nothing'),
      handlers: [EntitiesHandler, ByAddressHandler, PropertiesHandler, PropertyOfUsersHandler],
    });
    running = await runServices([identity, service], env);
    await database.query('set search_path to calendar');
  } catch (error) {
    await close();
    throw error;
  }
  const caller = new Caller(bus);
  const request = async (operation: Operation, call: TestCall) => {
    const answer = await caller.request(operation, call as never);
    const chunks: Uint8Array[] = [];
    if (answer.body instanceof Uint8Array) chunks.push(answer.body);
    else for await (const chunk of answer.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    return { ...answer, json: bytes.length === 0 ? undefined : JSON.parse(bytes.toString()) };
  };
  return {
    dataDir,
    environment: env,
    request,
    call: async (operation, call) => (await request(operation, call)).json,
    sql: async (text, params) => (await database.query(text, params)).rows,
    close,
  };
}
