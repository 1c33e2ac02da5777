import {
  FolderErrors,
  FOLDER_RIGHTS,
  recordCheck,
  type CatalogueError,
  type FolderModule,
  type OwnedFolder,
} from '@groupware/contracts';
import {
  effectiveRights,
  combineRights,
  EXTERNAL,
  isPersonal,
  parseRights,
  PERSONAL,
  type FolderKind,
} from './domain/rights';
import { formatFolderPath } from './domain/folder-path';
import type { SystemFolder } from './folder-module';
import type { FolderUser, GrantedRights, ScopedFolder, SeenFolder, StoredFolder } from './stored-folder';

const toKind = (folder: Pick<StoredFolder, 'type' | 'kind' | 'createdBy'>): FolderKind => ({
  type: folder.type,
  owner: folder.createdBy,
  isPersonal: isPersonal(folder),
  isExternal: folder.kind === EXTERNAL,
});

/** Resolves a user's permission bits on a folder; 0 when invisible. */
export const resolveRights = (folder: GrantedRights, user: FolderUser): number =>
  effectiveRights(folder.granted, toKind(folder), user);

/** The same from the stored permissions of a folder, for questions about many users. */
export const resolveStoredRights = (folder: StoredFolder, user: FolderUser): number =>
  effectiveRights(
    combineRights(
      folder.permissions
        .filter(({ entity, group }) => (group ? user.groups.includes(entity) : entity === user.userId))
        .map(({ bits }) => bits),
    ),
    toKind(folder),
    user,
  );

/** True when the user sees the folder. */
export const isVisible = (folder: GrantedRights, user: FolderUser): boolean =>
  parseRights(resolveRights(folder, user)).folder > 0;

/** The error for a folder that does not exist (FLD-0008) or that the user does not see (FLD-0003). */
export function findVisibilityError(
  folder: GrantedRights | undefined,
  id: number,
  user: FolderUser,
): CatalogueError | undefined {
  recordCheck(FOLDER_RIGHTS.see);
  if (!folder) return FolderErrors.notFound(id);
  return isVisible(folder, user) ? undefined : FolderErrors.notVisible(id, user.userId);
}

/** The folder, if it exists (FLD-0008) and the user sees it (FLD-0003). */
export function requireVisible<T extends GrantedRights>(folder: T | undefined, id: number, user: FolderUser): T {
  const error = findVisibilityError(folder, id, user);
  if (error) throw error;
  return folder!;
}

/** The folders that the user sees. */
export function filterVisible<T extends GrantedRights>(folders: readonly T[], user: FolderUser): T[] {
  recordCheck(FOLDER_RIGHTS.see);
  return folders.filter((folder) => isVisible(folder, user));
}

/** Whether the user administrates a folder. */
export function isAdministrator(folder: GrantedRights, user: FolderUser): boolean {
  recordCheck(FOLDER_RIGHTS.administer);
  return parseRights(resolveRights(folder, user)).admin;
}

const FOLDER_TYPE_SHARED = 3;

/** The parts that a module adds to its folders. */
export interface FolderExtras {
  readonly module: FolderModule;
  readonly capabilities: readonly string[];
}

/** A folder as its owner tells it to the folders service. */
export const toOwnedFolder = (
  { module, capabilities }: FolderExtras,
  folder: SeenFolder & Partial<ScopedFolder>,
  user: FolderUser,
): OwnedFolder => ({
  id: folder.id,
  parent: folder.parent,
  module,
  type: folder.type,
  title: folder.title,
  createdBy: folder.createdBy,
  modifiedBy: folder.modifiedBy,
  created: folder.created,
  lastModified: folder.lastModified,
  isDefault: folder.isDefault && folder.createdBy === user.userId,
  subscribed: folder.subscribed,
  changed: folder.changed,
  ownRights: resolveRights(folder, user),
  permissions: folder.permissions,
  capabilities,
  ...(folder.kind !== 0 && folder.kind !== EXTERNAL && { shownType: toShownType(folder, user) }),
  ...((folder.properties || folder.ownProperties) && {
    properties: { ...folder.properties, ...folder.ownProperties },
  }),
  ...(folder.meta && { meta: folder.meta }),
  ...(folder.originPath !== null && { origin: formatFolderPath(folder.originPath) }),
  ...(folder.usedForSync !== undefined && { usedForSync: folder.usedForSync }),
  ...(folder.isBelowVisible != null && {
    isBelowVisible: folder.isBelowVisible,
    hasSubfolders: folder.hasSubfolders ?? false,
    hasSubscribedSubfolders: folder.hasSubscribedSubfolders ?? false,
  }),
});

/** Type of a folder of a kind of its own: a personal one is private to its owner, and shared for others. */
const toShownType = ({ kind, createdBy }: StoredFolder, { userId }: FolderUser): number =>
  kind === PERSONAL && createdBy !== userId ? FOLDER_TYPE_SHARED : kind;

/** The same for a system folder: it has no owner and never changes. */
export const toOwnedSystemFolder = ({ module, capabilities }: FolderExtras, folder: SystemFolder): OwnedFolder => ({
  id: folder.id,
  parent: folder.parent,
  module,
  type: 2,
  ...(folder.type === 5 && { shownType: folder.type }),
  title: folder.title,
  createdBy: 0,
  modifiedBy: 0,
  created: 0,
  lastModified: 0,
  isDefault: folder.isStandard ?? false,
  subscribed: true,
  changed: 0,
  ownRights: folder.ownRights,
  permissions: folder.permissions,
  capabilities,
});
