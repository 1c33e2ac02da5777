import path from 'node:path';
import {
  eventCatalog,
  event,
  folderOwner,
  SYSTEM_FOLDERS,
  type FolderModule,
  type FoldersWithdrawn,
  type Operation,
  type UserPrincipal,
} from '@groupware/contracts';
import { directoryProvider } from '@groupware/directory';
import {
  createFolderTables,
  EDIT_PUBLIC_FOLDERS,
  FolderModuleRules,
  folderHandlers,
  folderProviders,
  createFolderTracking,
  VIEWER_RIGHTS,
  createFolderDetails,
  createFolderIndexes,
  type CountedFolder,
  type FolderKind,
  type FolderUser,
  type SystemFolder,
  type FolderEventPayload,
  type FolderSharedPayload,
} from '@groupware/folders';
import type { Reader } from '@groupware/persistence';
import { defineService, type ServiceDefinition } from '@groupware/service-kit';
import { fakeDirectory, person as anybody, runTestServices, type TestServices } from '@groupware/test-kit';
import { service } from '../index';

export { codeOf } from '@groupware/test-kit';

/** Creates the principal of a fake directory user with both modules. */
export const createUser = (id: number, options: Partial<UserPrincipal> = {}): UserPrincipal =>
  anybody(id, {
    capabilities: ['tasks', 'contacts', 'edit_public_folders', 'read_create_shared_folders'],
    ...options,
  });

/** Defines a module with folders only. Folders named `full` are not empty. */
function defineFolderModule(module: FolderModule): ServiceDefinition {
  const contract = folderOwner(module);
  const events = eventCatalog(module, {
    'folder.created': event<FolderEventPayload>('A folder exists'),
    'folder.changed': event<FolderEventPayload>('A folder changed'),
    'folder.shared': event<FolderSharedPayload>('Somebody is to be told about a folder'),
    'folder.deleted': event<FolderEventPayload>('A folder is gone'),
    'folders.withdrawn': event<FoldersWithdrawn>('Somebody lost the last right'),
  });
  class Rules extends FolderModuleRules {
    readonly module = module;
    readonly events = events;
    defaultTitle(): string {
      return `My ${module}`;
    }
    async undeletable(_db: Reader, folders: Parameters<FolderModuleRules['undeletable']>[1]) {
      return new Set(folders.filter(({ folder }) => folder.title === 'full').map(({ folder }) => folder.id));
    }
    override readonly hasTrash = module === 'infostore';
    override readonly hasPersonalFolders = module === 'infostore';
    override readonly defaultPlace =
      module === 'infostore' ? ({ parent: 10, type: 2 } as const) : ({ parent: 1, type: 1 } as const);
    override async placeBelow(systemFolder: number, user: FolderUser): Promise<FolderKind | undefined> {
      const mayPublish = user.capabilities.includes(EDIT_PUBLIC_FOLDERS);
      return systemFolder === SYSTEM_FOLDERS.publicInfostore && mayPublish
        ? { type: 2, owner: user.userId }
        : undefined;
    }
    async removeObjects(): Promise<void> {}
    async handOver(): Promise<void> {}
    override async listSystemFolders(): Promise<SystemFolder[]> {
      const permissions = [{ entity: 0, group: true, bits: VIEWER_RIGHTS }];
      const book = { title: 'Everybody', parent: 2, type: 2, ownRights: VIEWER_RIGHTS, permissions } as const;
      const root = { type: 5, ownRights: VIEWER_RIGHTS, permissions } as const;
      if (module === 'contacts') return [{ id: SYSTEM_FOLDERS.globalAddressBook, ...book }];
      if (module !== 'infostore') return [];
      return [
        { id: SYSTEM_FOLDERS.infostore, parent: 0, title: 'Files', ...root },
        { id: SYSTEM_FOLDERS.userInfostore, parent: 9, title: 'My files', ...root },
        { id: SYSTEM_FOLDERS.publicInfostore, parent: 9, title: 'Public files', ...root },
      ];
    }
    // Each folder holds as many objects as the length of its id tells.
    override async countObjects(_db: Reader, folders: readonly CountedFolder[]) {
      return new Map(folders.map(({ id }) => [id, { total: String(id).length, unread: 1 }]));
    }
  }
  return defineService({
    name: module,
    contracts: [contract],
    directory: path.join(__dirname, 'nothing'),
    handlers: folderHandlers(contract),
    migrations: [
      createFolderTables(1763700000000),
      createFolderTracking(1763700000001),
      createFolderDetails(1763700000002),
      createFolderIndexes(1763700000003),
    ],
    providers: [...folderProviders(Rules), directoryProvider(module)],
  });
}

/** The folders service with two modules connected by contract alone. */
export interface RunningFolders extends Pick<TestServices, 'sql' | 'close'> {
  /** Calls an operation; answers the whole response. */
  ask(
    operation: Operation,
    user: UserPrincipal,
    query?: object,
    body?: unknown,
  ): Promise<{ data: any; timestamp: number; warnings: string[] }>;
}

/** Starts the services with a database of their own. */
export async function startFolders(): Promise<RunningFolders> {
  const { request, sql, close } = await runTestServices({
    services: [
      service,
      fakeDirectory,
      ...(['tasks', 'contacts', 'infostore'] as const).map((module) => defineFolderModule(module)),
    ],
  });
  return {
    ask: async (operation, principal, query = {}, body) => {
      const answer = await request(operation, { principal, query, body });
      const warnings = (answer.warnings ?? []).map(({ code }) => code);
      return { data: answer.json, timestamp: answer.timestamp ?? 0, warnings };
    },
    sql,
    close,
  };
}
