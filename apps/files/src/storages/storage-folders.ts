import {
  CatalogueError,
  FileStorageErrors,
  FOLDER_RIGHTS,
  FolderErrors,
  isStorageFolderId,
  recordCheck,
  SYSTEM_FOLDERS,
  waiveCheck,
  type FolderKey,
  type OwnedFolder,
  type OwnedFolderChange,
  type OwnedFolderListing,
  type OwnedFolderWritten,
  type OwnedPermission,
  type RefusedFolder,
  type ServicePrincipal,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  ALL_RIGHTS,
  ExternalFolders,
  RANK,
  requireActingUser,
  toBits,
  toRefused,
  type OwnerCall,
} from '@groupware/folders';
import { Injectable } from '@nestjs/common';
import { FolderTransfers } from './folder-transfers';
import { StorageAccounts, type OpenedAccount } from './storage-accounts';
import {
  isSendable,
  joinPath,
  nameOf,
  parentOf,
  parseStorageFolderId,
  storageOf,
  toStorageFolderId,
  type StorageAddress,
} from './storage-id';
import type { StorageEntry, StorageRequest } from './storage-kind';
import { toFolderName } from './storage-names';
import { createNamedFolder } from './storage-tree';

/** The root of an account takes files and folders, but is no folder to rename or delete. */
const ROOT_RIGHTS = toBits({
  folder: RANK.createSubfolders,
  read: RANK.all,
  write: RANK.all,
  remove: RANK.all,
  admin: false,
});

/** Answers of accounts about their folders. */
type AccountNames = Pick<OpenedAccount['account'], 'id' | 'service' | 'displayName'>;

type Call = { readonly principal: ServicePrincipal } & Pick<StorageRequest, 'deadline' | 'signal'>;

/** Folders of storages elsewhere as part of the folder tree: below the root of files, each account with its own root. */
@Injectable()
export class StorageFolders extends ExternalFolders {
  constructor(
    private readonly accounts: StorageAccounts,
    private readonly transfers: FolderTransfers,
  ) {
    super();
  }

  async listVisible(call: OwnerCall<'visible'>, part: OwnedFolderListing): Promise<readonly OwnedFolder[]> {
    const { below, paths, ids, since, shared } = part;
    waiveCheck(FOLDER_RIGHTS.see, 'folders of the own accounts only');
    if (since !== undefined || shared) return [];
    const request = toRequest(call);
    if (isExternal(below)) return this.listBelow(this.accounts.toQuick(request), below);
    const named = below === undefined ? (paths ?? ids) : undefined;
    if (named) return this.listNamed(this.accounts.toQuick(request), named.filter(isExternal), paths !== undefined);
    if (below !== undefined && Number(below) !== SYSTEM_FOLDERS.infostore) return [];
    const found = await this.accounts.listRoots(request);
    return found.map(({ account, error }) => ({
      ...toRoot(account, request.principal),
      ...(error && { accountError: error }),
    }));
  }

  async getFolder(call: OwnerCall<'get'>): Promise<OwnedFolder> {
    const request = toRequest(call);
    const address = parseKey(call.query.id);
    const { account, connection } = await this.accounts.open(request, address);
    recordCheck(FOLDER_RIGHTS.see);
    // Asked also for the root, so that opening an account tells its fault.
    const entry = await connection.findEntry(address.path);
    if (!entry?.isFolder) throw FileStorageErrors.noSuchFolder(address.path || '/', account.displayName);
    return toOwnedFolder(account, entry, request.principal);
  }

  async createFolder(call: OwnerCall<'create'>): Promise<OwnedFolderWritten> {
    const { parent, title, permissions, autorename } = call.query;
    const request = toRequest(call);
    const address = parseKey(parent);
    const name = toFolderName(title);
    const opened = await this.accounts.open(request, address);
    recordCheck(FOLDER_RIGHTS.createInside);
    requireOwnRights(request.principal, permissions, opened.account.displayName);
    const path = await createNamedFolder(opened.connection, address.path, name, autorename ?? false);
    if (path === undefined) throw FolderErrors.nameTaken(name, String(parent));
    return this.toWritten(opened, path);
  }

  async updateFolder(call: OwnerCall<'update'>): Promise<OwnedFolderWritten> {
    const { id, parent, title, permissions } = call.query;
    const request = toRequest(call);
    for (const right of [FOLDER_RIGHTS.see, FOLDER_RIGHTS.administer]) recordCheck(right);
    if (parent !== undefined && storageOf(String(id)) !== storageOf(String(parent)))
      return this.transferFolder(request, call.query, parent);
    const address = parseKey(id);
    const target = parent === undefined ? undefined : parseKey(parent);
    const opened = await this.accounts.open(request, address);
    const { displayName } = opened.account;
    requireOwnRights(request.principal, permissions, displayName);
    const name = title === undefined ? nameOf(address.path) : toFolderName(title);
    if (address.path === '' && (target || title !== undefined)) throw FileStorageErrors.notSupported(displayName);
    const to = joinPath(target?.path ?? parentOf(address.path), name);
    if (to === address.path || address.path === '') {
      await requireFolder(opened, address.path);
      return this.toWritten(opened, address.path);
    }
    if (`${to}/`.startsWith(`${address.path}/`)) throw FolderErrors.belowItself();
    if (!(await opened.connection.move(address.path, to, true)))
      throw FolderErrors.nameTaken(name, String(parent ?? parentOf(address.path)));
    return this.toWritten(opened, to);
  }

  /** Moves a folder into another storage. Rights of others belong to no change of the storage. @throws FILE_STORAGE-0058 */
  private async transferFolder(
    request: StorageRequest,
    { id, title, timestamp, autorename, ignoreWarnings, permissions }: OwnedFolderChange,
    parent: FolderKey,
  ): Promise<OwnedFolderWritten> {
    requireOwnRights(request.principal, permissions, String(parent));
    const { moved, warnings } = await this.transfers.moveFolders(
      request,
      [{ id, parent, title, timestamp, autorename }],
      { ignoreWarnings, refusal: FileStorageErrors.abortedByWarnings },
    );
    return { ...moved[0]!, warnings: warnings.map(({ entry, params }) => ({ error: entry.key, params })) };
  }

  removeFolders(call: OwnerCall<'remove'>, ids: readonly string[]): Promise<readonly RefusedFolder[]> {
    const request = toRequest(call);
    recordCheck(FOLDER_RIGHTS.administer);
    return collectRefused(ids, async (id) => {
      const address = parseStorageFolderId(id);
      const opened = await this.accounts.open(request, address);
      if (address.path === '') throw FileStorageErrors.notSupported(opened.account.displayName);
      if (call.query.check) return void (await requireFolder(opened, address.path));
      if (!(await opened.connection.remove(address.path, true)))
        throw FileStorageErrors.noSuchFolder(address.path, opened.account.displayName);
    });
  }

  clearFolders(call: OwnerCall<'clear'>, ids: readonly string[]): Promise<readonly RefusedFolder[]> {
    const request = toRequest(call);
    recordCheck(FOLDER_RIGHTS.removeObjects);
    return collectRefused(ids, async (id) => {
      const address = parseStorageFolderId(id);
      const opened = await this.accounts.open(request, address);
      const entries = await opened.connection.listEntries(address.path);
      if (!entries) throw FileStorageErrors.noSuchFolder(address.path, opened.account.displayName);
      for (const { path, isFolder } of entries) if (!isFolder) await opened.connection.remove(path, false);
    });
  }

  /** A folder, those above it, and those directly below it. */
  private async listBelow(request: StorageRequest, id: string): Promise<OwnedFolder[]> {
    const address = parseStorageFolderId(id);
    const opened = await this.accounts.open(request, address);
    const entries = await opened.connection.listEntries(address.path);
    if (!entries) throw FileStorageErrors.noSuchFolder(address.path || '/', opened.account.displayName);
    const folders = entries.filter(({ isFolder }) => isFolder);
    return [
      ...listPath(opened.account, address.path, request.principal),
      ...folders.map((entry) => toOwnedFolder(opened.account, entry, request.principal)),
    ].filter(({ id: key }) => isSendable(String(key)));
  }

  private async listNamed(
    request: StorageRequest,
    ids: readonly string[],
    withPaths: boolean,
  ): Promise<readonly OwnedFolder[]> {
    const found = await Promise.all(
      ids.map(async (id) => {
        const address = parseStorageFolderId(id);
        const opened = await this.accounts.open(request, address);
        const folder = toOwnedFolder(opened.account, await requireFolder(opened, address.path), request.principal);
        const above = withPaths && address.path !== '';
        return [...(above ? listPath(opened.account, parentOf(address.path), request.principal) : []), folder];
      }),
    );
    return found.flat();
  }

  private async toWritten({ account, connection }: OpenedAccount, path: string): Promise<OwnedFolderWritten> {
    const entry = await connection.findEntry(path);
    return { id: toId(account, path), lastModified: entry?.modified ?? 0 };
  }
}

const isExternal = (key: FolderKey | undefined): key is string => typeof key === 'string' && isStorageFolderId(key);

/** The address of a folder between modules. @throws FILE_STORAGE-0031 */
const parseKey = (key: FolderKey): StorageAddress => parseStorageFolderId(String(key));

function toRequest({ principal, deadline, signal }: Call): StorageRequest {
  recordCheck(FOLDER_RIGHTS.useModule);
  return { principal: requireActingUser(principal), deadline, signal };
}

/** Refuses rights for others: the storage keeps none. @throws FILE_STORAGE-0058 */
function requireOwnRights(
  user: UserPrincipal,
  permissions: readonly OwnedPermission[] | undefined,
  name: string,
): void {
  const isOwn = ({ entity, group }: OwnedPermission): boolean => entity === user.userId && !group;
  if (permissions && !permissions.every(isOwn)) throw FileStorageErrors.noPermissions(name);
}

async function requireFolder({ account, connection }: OpenedAccount, path: string): Promise<StorageEntry> {
  const entry = path === '' ? { path, isFolder: true, modified: 0 } : await connection.findEntry(path);
  if (!entry?.isFolder) throw FileStorageErrors.noSuchFolder(path, account.displayName);
  return entry;
}

async function collectRefused(
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<readonly RefusedFolder[]> {
  const refused: RefusedFolder[] = [];
  for (const id of ids)
    try {
      await work(id);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      refused.push(toRefused(id, error));
    }
  return refused;
}

const toId = ({ id, service }: AccountNames, path: string): string =>
  toStorageFolderId({ service, account: String(id), path });

/** A folder and those above it, without asking: their names stand in the path. */
function listPath(account: AccountNames, path: string, user: UserPrincipal): OwnedFolder[] {
  const folders = [toRoot(account, user)];
  const names = path === '' ? [] : path.split('/');
  for (const index of names.keys())
    folders.push(
      toOwnedFolder(account, { path: names.slice(0, index + 1).join('/'), isFolder: true, modified: 0 }, user),
    );
  return folders;
}

const toRoot = (account: AccountNames, user: UserPrincipal): OwnedFolder => ({
  ...toCommon(user, ROOT_RIGHTS, 0),
  id: toId(account, ''),
  parent: SYSTEM_FOLDERS.infostore,
  title: account.displayName,
});

const toOwnedFolder = (account: AccountNames, { path, modified }: StorageEntry, user: UserPrincipal): OwnedFolder =>
  path === ''
    ? toRoot(account, user)
    : {
        ...toCommon(user, ALL_RIGHTS, modified),
        id: toId(account, path),
        parent: toId(account, parentOf(path)),
        title: nameOf(path),
      };

const toCommon = ({ userId }: UserPrincipal, rights: number, modified: number) =>
  ({
    module: 'infostore',
    type: 1,
    createdBy: userId,
    modifiedBy: userId,
    created: modified,
    lastModified: modified,
    changed: modified,
    ownRights: rights,
    permissions: [{ entity: userId, group: false, bits: rights }],
    isDefault: false,
    subscribed: true,
    capabilities: [],
    isBelowVisible: true,
    // The storage is asked for them when they are shown.
    hasSubfolders: true,
    hasSubscribedSubfolders: true,
  }) as const;
