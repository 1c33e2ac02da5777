import {
  FILE_RIGHTS,
  FileLimitErrors,
  FileStorageErrors,
  FOLDER_RIGHTS,
  FolderErrors,
  MAX_FOLDERS,
  recordCheck,
  type CatalogueError,
  type ErrorFactory,
  type FolderKey,
  type OwnedFolderWritten,
} from '@groupware/contracts';
import { EntityCheck, FolderEditor, FolderRemoval, FolderRepository, type StoredFolder } from '@groupware/folders';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Clock, describeError, Logger, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import type { Document } from '../domain/document';
import { toDocumentId } from '../domain/document-id';
import { DocumentRepository } from '../persistence/document.repository';
import { StorageAccounts } from './storage-accounts';
import { joinPath, nameOf, parentOf, parseStorageFolderId, toStorageFileId, toStorageFolderId } from './storage-id';
import type { StorageEntry, StorageRequest } from './storage-kind';
import { toFolderName } from './storage-names';
import { StorageSettings } from './storage-settings';
import { listLosses, requireAccepted, StorageTransfers } from './storage-transfers';
import { createNamedFolder, listTree } from './storage-tree';

/** A move of a folder into another storage. */
export interface FolderTransfer {
  /** The number of a folder of the own storage, or the id of one elsewhere. */
  readonly id: FolderKey;
  readonly parent: FolderKey;
  /** The new name; absent: it keeps its own. */
  readonly title?: string | undefined;
  /** The folder is refused when it changed later, ms UTC. */
  readonly timestamp?: number | undefined;
  /** Number the name when it is taken. */
  readonly autorename?: boolean | undefined;
}

/** How losses are told. */
export interface LossRule {
  readonly ignoreWarnings: boolean | undefined;
  /** Refusal where something would be lost and that is not accepted. */
  readonly refusal: ErrorFactory;
}

/** Folders in their new storage. */
export interface TransferredFolders {
  readonly moved: readonly OwnedFolderWritten[];
  /** Losses in the new storage. */
  readonly warnings: readonly CatalogueError[];
}

/** A folder as it is found, with everything below it. */
interface SourceFolder {
  readonly key: FolderKey;
  readonly title: string;
  /** Folders below it: those above before those below. */
  readonly folders: readonly { readonly key: FolderKey; readonly parent: FolderKey; readonly title: string }[];
  readonly documents: readonly { readonly id: string; readonly folder: FolderKey }[];
  /** Warnings of a move into a storage elsewhere. */
  readonly losses: readonly CatalogueError[];
  /** Deletes it unless something in it changed. @throws FLD-1022 */
  readonly remove: () => Promise<void>;
  /** Whether all of it is still there after a removal that failed. */
  readonly isWhole: () => Promise<boolean>;
}

const log = Logger.for('files.storages');

/** Time for taking back what was copied when a move fails, ms. */
const CLEANING_MS = 10_000;

const isElsewhere = (key: FolderKey): key is string => typeof key === 'string';

/**
 * Moves folders with everything below them between the own storage and those elsewhere, and between these: they are made anew, their
 * files are copied as streams, and the old folder goes when all is there and nothing of it changed meanwhile.
 */
@Injectable()
export class FolderTransfers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: StorageAccounts,
    private readonly transfers: StorageTransfers,
    private readonly folders: FolderRepository,
    private readonly documents: DocumentRepository,
    private readonly editor: FolderEditor,
    private readonly entities: EntityCheck,
    private readonly removal: FolderRemoval,
    private readonly settings: StorageSettings,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Moves folders. A fault takes the new folder back; the old one stays. @throws the errors of `folders?action=update` */
  async moveFolders(
    request: StorageRequest,
    wanted: readonly FolderTransfer[],
    { ignoreWarnings, refusal }: LossRule,
  ): Promise<TransferredFolders> {
    for (const right of [FOLDER_RIGHTS.see, FOLDER_RIGHTS.administer, FILE_RIGHTS.remove]) recordCheck(right);
    const found: { source: SourceFolder; transfer: FolderTransfer }[] = [];
    for (const transfer of wanted) found.push({ source: await this.openSource(request, transfer), transfer });
    const warnings = found.flatMap(({ source, transfer }) => (isElsewhere(transfer.parent) ? source.losses : []));
    requireAccepted(request.principal, warnings, ignoreWarnings, refusal);
    const moved: OwnedFolderWritten[] = [];
    for (const { source, transfer } of found) moved.push(await this.moveSource(request, source, transfer));
    return { moved, warnings };
  }

  /** Moves folders within a storage. @throws the errors of `folders?action=update` */
  async moveWithin(request: StorageRequest, wanted: readonly FolderTransfer[]): Promise<void> {
    const own: FolderTransfer[] = [];
    for (const transfer of wanted)
      if (isElsewhere(transfer.id)) await this.moveElsewhere(request, transfer.id, transfer);
      else own.push(transfer);
    if (own.length === 0) return;
    const user = request.principal;
    const seen = await this.database.read(user, (db) =>
      this.folders.listSubtrees(
        db,
        own.map(({ id }) => Number(id)),
      ),
    );
    const around = seen.flatMap(({ permissions }) => permissions);
    const entities = await this.entities.requireValidEntities(user, { around });
    await this.database.transact(user, async (tx) => {
      for (const { id, parent, autorename } of own)
        await this.editor.updateFolder(tx, user, { id, parent, autorename }, entities);
    });
  }

  private async moveElsewhere(request: StorageRequest, id: string, { parent }: FolderTransfer): Promise<void> {
    const address = parseStorageFolderId(id);
    const { path } = address;
    const target = parseStorageFolderId(String(parent)).path;
    const {
      connection,
      account: { displayName },
    } = await this.accounts.open(request, address);
    if (path === '') throw FileStorageErrors.notSupported(displayName);
    const to = joinPath(target, nameOf(path));
    if (to === path) return;
    if (`${to}/`.startsWith(`${path}/`)) throw FolderErrors.belowItself();
    if (!(await connection.move(path, to, true))) throw FolderErrors.nameTaken(nameOf(path), String(parent));
  }

  private async moveSource(
    request: StorageRequest,
    source: SourceFolder,
    { parent, title, autorename = false }: FolderTransfer,
  ): Promise<OwnedFolderWritten> {
    const root = await this.create(request, parent, title ?? source.title, autorename);
    let isRemoving = false;
    try {
      await this.copyInto(request, source, root.id);
      isRemoving = true;
      await source.remove();
    } catch (error) {
      // The copy of what is no longer whole stays.
      const isCopyOnly = isRemoving && !(await source.isWhole().catch(() => false));
      if (!isCopyOnly)
        await this.discard(request, root.id).catch((cause: unknown) =>
          log.warn({ folder: root.id, cause: describeError(cause) }, 'a copy of a folder that was not moved stays'),
        );
      throw error;
    }
    return root;
  }

  private async copyInto(request: StorageRequest, source: SourceFolder, root: FolderKey): Promise<void> {
    const places = new Map([[source.key, root]]);
    for (const { key, parent, title } of source.folders)
      places.set(key, (await this.create(request, places.get(parent)!, title, false)).id);
    for (const { id, folder } of source.documents)
      await this.transfers.copy(request, id, undefined, { folder_id: String(places.get(folder)!) });
  }

  private openSource(request: StorageRequest, { id, timestamp }: FolderTransfer): Promise<SourceFolder> {
    return isElsewhere(id) ? this.openElsewhere(request, id) : this.openOwn(request, id, timestamp);
  }

  /** A folder of the own storage that the user may delete, with all in it. */
  private async openOwn(request: StorageRequest, id: number, timestamp: number | undefined): Promise<SourceFolder> {
    const user = request.principal;
    const wanted = { ids: [id], timestamp, hardDelete: true, strict: true };
    const { tree, found } = await this.database.transact(user, async (tx) => {
      await this.removal.removeFolders(tx, user, { ...wanted, check: true });
      return this.readOwn(tx, id);
    });
    const root = tree.find((folder) => folder.id === id)!;
    const isShared = tree.some(({ permissions }) => permissions.some(({ entity }) => entity !== user.userId));
    const empty = found.find(({ current }) => current.filename === null);
    if (empty) throw FileStorageErrors.fileMissing(empty.current.title ?? String(empty.id));
    const former = describeOwn(tree, found);
    return {
      key: id,
      title: root.title,
      folders: tree.filter((folder) => folder !== root).map((folder) => ({ ...folder, key: folder.id })),
      documents: found.map(({ id: document, folderId }) => ({
        id: toDocumentId(folderId, document),
        folder: folderId,
      })),
      losses: [
        ...(isShared ? [FileStorageErrors.losesShares(root.title, id)] : []),
        ...found.flatMap((document) =>
          listLosses(document, document.current.filename!, toDocumentId(document.folderId, document.id)),
        ),
      ],
      remove: async () => {
        await this.database.transact(user, async (tx) => {
          // Locks the folders against other writers.
          await this.removal.removeFolders(tx, user, { ...wanted, check: true });
          const now = await this.readOwn(tx, id);
          if (describeOwn(now.tree, now.found) !== former) throw FolderErrors.changedInTheMeantime();
          await this.removal.removeFolders(tx, user, wanted);
        });
      },
      isWhole: async () => (await this.database.read(user, (db) => this.folders.listByIds(db, [id]))).length > 0,
    };
  }

  private async readOwn(
    db: Reader,
    id: number,
  ): Promise<{ readonly tree: readonly StoredFolder[]; readonly found: readonly Document[] }> {
    const { treeFolders, listEntries: most } = this.settings;
    const tree = await this.folders.listSubtrees(db, [id]);
    if (tree.length > treeFolders) throw FileLimitErrors.tooMany(treeFolders);
    const ids = tree.map((folder) => folder.id);
    const found = await this.documents.listByFolders(db, ids, most + 1);
    if (found.length > most) throw FileLimitErrors.tooMany(most);
    return { tree, found };
  }

  private async openElsewhere(request: StorageRequest, id: string): Promise<SourceFolder> {
    const address = parseStorageFolderId(id);
    const { path } = address;
    const { account, connection } = await this.accounts.open(request, address);
    if (path === '') throw FileStorageErrors.notSupported(account.displayName);
    const { treeFolders, listEntries: most } = this.settings;
    const list = async (): Promise<StorageEntry[]> => {
      // As deep as there are folders: what is not seen would be lost.
      const found = await listTree(connection, path, { depth: treeFolders, maxFolders: treeFolders });
      if (!found) throw FileStorageErrors.noSuchFolder(path, account.displayName);
      if (found.length > most) throw FileLimitErrors.tooMany(most);
      return found;
    };
    const keyOf = (place: string): string => toStorageFolderId({ ...address, path: place });
    const entries = await list();
    const former = describeEntries(entries);
    return {
      key: keyOf(path),
      title: nameOf(path),
      folders: entries
        .filter(({ isFolder }) => isFolder)
        .map((entry) => ({ key: keyOf(entry.path), parent: keyOf(parentOf(entry.path)), title: nameOf(entry.path) })),
      documents: entries
        .filter(({ isFolder }) => !isFolder)
        .map((entry) => ({
          id: toStorageFileId({ ...address, path: entry.path }),
          folder: keyOf(parentOf(entry.path)),
        })),
      losses: [],
      remove: async () => {
        if (describeEntries(await list()) !== former) throw FolderErrors.changedInTheMeantime();
        if (!(await connection.remove(path, true))) throw FileStorageErrors.noSuchFolder(path, account.displayName);
      },
      isWhole: async () => describeEntries(await list()) === former,
    };
  }

  private async create(
    request: StorageRequest,
    parent: FolderKey,
    title: string,
    autorename: boolean,
  ): Promise<OwnedFolderWritten> {
    if (isElsewhere(parent)) {
      const address = parseStorageFolderId(parent);
      const { connection } = await this.accounts.open(request, address);
      const path = await createNamedFolder(connection, address.path, toFolderName(title), autorename);
      if (path === undefined) throw FolderErrors.nameTaken(title, parent);
      const entry = await connection.findEntry(path);
      return { id: toStorageFolderId({ ...address, path }), lastModified: entry?.modified ?? this.clock.now() };
    }
    const user = request.principal;
    const [above] = await this.database.read(user, (db) => this.folders.listByIds(db, [parent]));
    const entities = await this.entities.requireValidEntities(user, { around: above?.permissions });
    const maxFolders = await this.properties.get(MAX_FOLDERS, user);
    return this.database.transact(user, (tx) =>
      this.editor.createFolder(tx, user, { parent, title, autorename }, { maxFolders, entities }),
    );
  }

  /** Removes a folder that was made for nothing, also when the request has no time left. */
  private async discard({ principal }: StorageRequest, id: FolderKey): Promise<void> {
    if (!isElsewhere(id)) {
      const wanted = { ids: [id], hardDelete: true };
      await this.database.transact(principal, (tx) => this.removal.removeFolders(tx, principal, wanted));
      return;
    }
    const address = parseStorageFolderId(id);
    const deadline = this.clock.now() + CLEANING_MS;
    const request = { principal, deadline, signal: AbortSignal.timeout(CLEANING_MS) };
    const { connection } = await this.accounts.open(request, address);
    await connection.remove(address.path, true);
  }
}

/** Differs when anything in a tree is another one. */
const describeOwn = (tree: readonly StoredFolder[], documents: readonly Document[]): string =>
  JSON.stringify([
    tree.map(({ id, parent, lastModified }) => [id, parent, lastModified]).sort(),
    documents.map(({ id, folderId, lastModified }) => [id, folderId, lastModified]),
  ]);

const describeEntries = (entries: readonly StorageEntry[]): string =>
  JSON.stringify(
    entries
      .map(({ path, isFolder, sizeBytes, modified, tag }) => [
        path,
        isFolder,
        ...(isFolder ? [] : [sizeBytes, modified, tag]),
      ])
      .sort(),
  );
