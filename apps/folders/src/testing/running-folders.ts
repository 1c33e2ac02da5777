import { randomBytes } from 'node:crypto';
import path from 'node:path';
import {
  directory,
  eventCatalog,
  event,
  folderOwner,
  type CallOf,
  type CatalogueError,
  type DirectoryUser,
  type FolderModule,
  type Handler,
  type Operation,
  type UserPrincipal,
} from '@groupware/contracts';
import { directoryProvider } from '@groupware/directory';
import {
  createFolderTables,
  FolderModuleRules,
  folderHandlers,
  folderProviders,
  followFolderTables,
  type FolderEventPayload,
  type FolderSharedPayload,
} from '@groupware/folders';
import { Bus, Caller } from '@groupware/messaging';
import type { Reader } from '@groupware/persistence';
import {
  defineService,
  Handles,
  runServices,
  type RunningServices,
  type ServiceDefinition,
} from '@groupware/service-kit';
import { Client } from 'pg';
import { service } from '../index';

const people = new Map<number, DirectoryUser>();

/** A user of the fake directory, as principal. */
export function person(id: number, options: Partial<UserPrincipal> = {}): UserPrincipal {
  const principal: UserPrincipal = {
    kind: 'user',
    contextId: 1,
    userId: id,
    groups: [0],
    locale: 'en_US',
    timeZone: 'UTC',
    capabilities: ['tasks', 'contacts', 'edit_public_folders', 'read_create_shared_folders'],
    login: `u${id}`,
    displayName: `User ${id}`,
    email: `u${id}@example.com`,
    sessionId: `session ${id}`,
    ...options,
  };
  const { login: name, displayName, email, locale, timeZone, groups, capabilities } = principal;
  const more = { aliases: [email], enabled: true, isAdmin: false };
  people.set(id, { kind: 'user', id, name, displayName, email, locale, timeZone, groups, capabilities, ...more });
  return principal;
}

@Handles(directory.entities)
class EntitiesHandler implements Handler<typeof directory.entities> {
  async handle({ query }: CallOf<typeof directory.entities>) {
    return query.ids.flatMap((id) => people.get(id) ?? []);
  }
}
@Handles(directory.byAddress)
class ByAddressHandler implements Handler<typeof directory.byAddress> {
  async handle() {
    return [];
  }
}
@Handles(directory.properties)
class PropertiesHandler implements Handler<typeof directory.properties> {
  async handle() {
    return {};
  }
}
@Handles(directory.propertyOfUsers)
class PropertyOfUsersHandler implements Handler<typeof directory.propertyOfUsers> {
  async handle() {
    return {};
  }
}

/** A module that keeps folders and nothing else: all that `/folders` asks for. Folders named `full` hold something. */
function moduleWithFolders(module: FolderModule): ServiceDefinition {
  const contract = folderOwner(module);
  const events = eventCatalog(module, {
    'folder.created': event<FolderEventPayload>('A folder exists'),
    'folder.changed': event<FolderEventPayload>('A folder changed'),
    'folder.shared': event<FolderSharedPayload>('Somebody is to be told about a folder'),
    'folder.deleted': event<FolderEventPayload>('A folder is gone'),
  });
  class Rules extends FolderModuleRules {
    readonly module = module;
    readonly events = {
      created: events['folder.created'],
      changed: events['folder.changed'],
      shared: events['folder.shared'],
      deleted: events['folder.deleted'],
    };
    defaultTitle(): string {
      return `My ${module}`;
    }
    async undeletable(_db: Reader, folders: Parameters<FolderModuleRules['undeletable']>[1]) {
      return new Set(folders.filter(({ folder }) => folder.title === 'full').map(({ folder }) => folder.id));
    }
    async removeObjects(): Promise<void> {}
    async handOver(): Promise<void> {}
  }
  return defineService({
    name: module,
    contracts: [contract],
    directory: path.join(__dirname, 'nothing'),
    handlers: folderHandlers(contract),
    migrations: [createFolderTables(1763700000000), followFolderTables(1763700000001)],
    providers: [...folderProviders(Rules), directoryProvider(module)],
  });
}

/** The folders service with two modules that joined it by contract alone. */
export interface RunningFolders {
  /** The whole answer of an operation. */
  ask(
    operation: Operation,
    user: UserPrincipal,
    query?: object,
    body?: unknown,
  ): Promise<{ data: any; timestamp: number; warnings: string[] }>;
  sql<T = any>(text: string, params?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

/** Code of the error a call fails with; `none` when it succeeds. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: CatalogueError) => error.code ?? String(error),
  );

/** Starts the services with a database of their own. */
export async function runFolders(): Promise<RunningFolders> {
  const name = `folders_${randomBytes(6).toString('hex')}`;
  const server = new Client({ connectionString: process.env.DATABASE_URL });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  const environment = {
    DATABASE_URL: url.href,
    REDIS_URL: process.env.REDIS_URL!,
    NATS_URL: process.env.NATS_URL!,
    GROUPWARE_BUS_PREFIX: name,
    GROUPWARE_LOG_LEVEL: process.env.GROUPWARE_LOG_LEVEL ?? 'silent',
    GROUPWARE_TEST: 'true',
    INTERNAL_PORT: '0',
  };
  const bus = await Bus.connect({ url: environment.NATS_URL, prefix: name });
  const database = new Client({ connectionString: url.href });
  let running: RunningServices | undefined;
  const close = async () => {
    await running?.close();
    await bus.close();
    await database.end();
    await server.query(`drop database if exists ${name} with (force)`);
    await server.end();
  };
  try {
    await database.connect();
    const identity = defineService({
      name: 'identity',
      contracts: [directory],
      directory: path.join(__dirname, 'nothing'),
      handlers: [EntitiesHandler, ByAddressHandler, PropertiesHandler, PropertyOfUsersHandler],
    });
    running = await runServices(
      [identity, moduleWithFolders('tasks'), moduleWithFolders('contacts'), service],
      environment,
    );
  } catch (error) {
    await close();
    throw error;
  }
  const caller = new Caller(bus);
  return {
    ask: async (operation, principal, query = {}, body) => {
      const answer = await caller.request(operation, { principal, query, body } as never);
      const parts: Uint8Array[] = [];
      if (answer.body instanceof Uint8Array) parts.push(answer.body);
      else for await (const part of answer.body) parts.push(part);
      const text = Buffer.concat(parts).toString();
      const warnings = (answer.warnings ?? []).map(({ code }) => code);
      return { data: text === '' ? undefined : JSON.parse(text), timestamp: answer.timestamp ?? 0, warnings };
    },
    sql: async (text, params) => (await database.query(text, params)).rows,
    close,
  };
}
