import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  FileErrors,
  filesEvents,
  localText,
  MAX_FILE_UPLOAD,
  quota,
  SYSTEM_FOLDERS,
  UploadErrors,
  type ExceededLimit,
  type FolderCounts,
  type GrantedFolder,
  type PlannedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import {
  EDIT_PUBLIC_FOLDERS,
  FolderModuleRules,
  RANK,
  toBits,
  type CountedFolder,
  type FolderKind,
  type FolderUser,
  type Handover,
  type ObjectRemoval,
  type RankedFolder,
  type StoredFolder,
  type SystemFolder,
} from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { DocumentTrash } from '../documents/document-trash';
import { DocumentWriter } from '../documents/document-writer';
import { SHARED_FILES } from '../domain/document-id';
import { toFolderTitle } from '../domain/folder-title';
import { DocumentRepository } from '../persistence/document.repository';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import { FOLDER_CAPABILITIES } from '../storages/own-storage';
import { StorageAccountRepository } from '../storages/account.repository';

const BATCH = 500;
const SEE = toBits({ folder: RANK.see, read: RANK.none, write: RANK.none, remove: RANK.none, admin: false });
const SEE_AND_MAKE = toBits({
  folder: RANK.createSubfolders,
  read: RANK.none,
  write: RANK.none,
  remove: RANK.none,
  admin: false,
});

/** Rules of folders of files for the folder kit. */
@Injectable()
export class FileFolderRules extends FolderModuleRules {
  readonly module = 'infostore';
  readonly events = filesEvents;
  override readonly hasTrash = true;
  override readonly guestsWrite = true;
  override readonly hasPersonalFolders = true;
  /** Several users may administrate one: it is of the type of public folders, wherever it stands. */
  override readonly defaultPlace = { parent: SYSTEM_FOLDERS.userInfostore, type: 2 } as const;

  constructor(
    private readonly content: FolderContentRepository,
    private readonly documents: DocumentRepository,
    private readonly writer: DocumentWriter,
    private readonly places: DocumentTrash,
    private readonly contents: StoredFileRepository,
    private readonly files: StoredFiles,
    private readonly accounts: StorageAccountRepository,
    private readonly clock: Clock,
    private readonly properties: Properties,
    private readonly caller: Caller,
  ) {
    super();
  }

  /** One error for each file above the limit of uploads, and one when all together need more than the context has left. */
  override async exceededLimits(user: UserPrincipal, files: readonly PlannedFile[]): Promise<ExceededLimit[]> {
    const limit = this.properties.serverValue(MAX_FILE_UPLOAD);
    const tooLarge = limit > 0 ? files.filter(({ size = 0 }) => size > limit) : [];
    const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0);
    const space = await this.caller.call(quota.filestore, { principal: user });
    const isFull = space.quota >= 0 && bytes > 0 && space.use + bytes > space.quota;
    return [
      ...tooLarge.map(({ size }) => UploadErrors.tooLarge(size, limit)),
      ...(isFull ? [FileErrors.quotaReached(space.quota)] : []),
    ].map(({ entry, params }) => ({ error: entry.key, params }));
  }

  /** Personal folders stand side by side, so they are named after their owners. */
  defaultTitle(locale: string, displayName?: string): string {
    return toFolderTitle(displayName ?? '') || localText('folder.files', locale);
  }

  override readonly capabilities: readonly string[] = FOLDER_CAPABILITIES;

  override async listSystemFolders(_db: Reader, user: UserPrincipal, locale: string): Promise<readonly SystemFolder[]> {
    const root = (id: number, parent: number, name: 'root' | 'shared' | 'public', bits = SEE): SystemFolder => ({
      id,
      parent,
      title: localText(`folder.infostore.${name}`, locale),
      type: 5,
      ownRights: bits,
      permissions: [{ entity: ALL_USERS, group: true, bits }],
    });
    const mayPublish = user.capabilities.includes(EDIT_PUBLIC_FOLDERS);
    const { infostore, userInfostore, publicInfostore } = SYSTEM_FOLDERS;
    return [
      root(infostore, SYSTEM_FOLDERS.root, 'root'),
      root(userInfostore, infostore, 'shared'),
      root(publicInfostore, infostore, 'public', mayPublish ? SEE_AND_MAKE : SEE),
    ];
  }

  override async placeBelow(systemFolder: number, user: FolderUser): Promise<FolderKind | undefined> {
    const mayPublish = user.capabilities.includes(EDIT_PUBLIC_FOLDERS);
    return systemFolder === SYSTEM_FOLDERS.publicInfostore && mayPublish ? { type: 2, owner: user.userId } : undefined;
  }

  override countObjects(
    db: Reader,
    folders: readonly CountedFolder[],
    user: FolderUser,
  ): Promise<ReadonlyMap<number, FolderCounts>> {
    return this.content.countReadable(db, folders, user.userId);
  }

  undeletable(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>> {
    return this.content.listUndeletable(db, folders, user.userId);
  }

  override listLocked(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>> {
    return this.content.listLocked(db, folders, user.userId, this.clock.now());
  }

  override async listGrantedObjects(db: Reader, entities: readonly number[]): Promise<readonly GrantedFolder[]> {
    const granted = await this.documents.listGranted(db, entities);
    return granted.map(({ entity, id }) => ({ entity, folder: SHARED_FILES, item: id }));
  }

  override async removeContext(tx: Transaction): Promise<void> {
    const { stamp } = await this.writer.lockContext(tx);
    const references = await this.documents.removeContext(tx);
    const released = await this.contents.releaseUnused(tx, references, stamp);
    await this.accounts.deleteByContext(tx);
    await tx.run('delete from context_state where context_id = $1');
    this.purgeAfterCommit(tx, released);
  }

  async removeObjects(
    tx: Transaction,
    folders: readonly RankedFolder[],
    { userId, trashId }: ObjectRemoval,
  ): Promise<void> {
    const ids = folders.map(({ folder }) => folder.id);
    const places = trashId === undefined ? undefined : await this.places.listPlaces(tx, ids);
    const open = places ? ids.filter((id) => !places.get(id)?.inTrash) : [];
    const target = trashId ?? 0;
    const placements = await this.places.resolvePlacements(tx, open, target);
    const released: string[] = [];
    const state = await this.writer.lockContext(tx);
    for (;;) {
      const some = await this.documents.listDeletable(tx, folders, userId, BATCH);
      if (some.length === 0) break;
      const trashed = some.filter(({ folderId }) => placements.has(folderId));
      await this.writer.moveMany(tx, userId, trashed, target, placements, state);
      const gone = some.filter(({ folderId }) => !placements.has(folderId));
      released.push(...(await this.writer.remove(tx, userId, gone, state)));
      await tx.flush();
    }
    this.purgeAfterCommit(tx, released);
  }

  /** Documents that are shared by themselves stay where they are, so that their ids stay valid. */
  override async keepShared(
    tx: Transaction,
    folders: readonly StoredFolder[],
    { userId }: Handover,
  ): Promise<ReadonlySet<number>> {
    const state = await this.writer.lockContext(tx);
    const kept = await this.documents.listFoldersOfShared(
      tx,
      folders.map(({ id }) => id),
      userId,
    );
    const released: string[] = [];
    for (;;) {
      const some = await this.documents.listUnshared(tx, kept, userId, BATCH);
      if (some.length === 0) break;
      released.push(...(await this.writer.remove(tx, userId, some, state)));
      await tx.flush();
    }
    this.purgeAfterCommit(tx, released);
    return new Set(kept);
  }

  override async endObjectShares(tx: Transaction, folderIds: readonly number[], userId: number): Promise<void> {
    const state = await this.writer.lockContext(tx);
    for (;;) {
      const some = await this.documents.listShared(tx, folderIds, BATCH);
      if (some.length === 0) break;
      for (const document of some)
        await this.writer.update(tx, userId, { before: document, after: document, permissions: [] }, state);
      await tx.flush();
    }
  }

  override async permissionsChanged(tx: Transaction, folderIds: readonly number[]): Promise<void> {
    const { stamp } = await this.writer.lockContext(tx);
    await this.documents.recordAccessChange(tx, folderIds, stamp);
  }

  override async groupChanged(tx: Transaction, groupId: number): Promise<void> {
    const { stamp } = await this.writer.lockContext(tx);
    await this.documents.recordGroupChange(tx, groupId, stamp);
  }

  async handOver(tx: Transaction, folders: readonly StoredFolder[], { userId, heir }: Handover): Promise<void> {
    const { stamp } = await this.writer.lockContext(tx);
    await this.content.removeUser(tx, userId, stamp);
    await this.accounts.deleteByUser(tx, userId);
    if (!heir) return;
    await this.content.replaceAuthor(tx, userId, heir.userId, stamp);
    const ids = folders.map(({ id }) => id);
    await this.content.replaceSharer(tx, ids, userId, heir.userId);
  }

  /** The sweep completes what is interrupted here. */
  private purgeAfterCommit(tx: Transaction, released: readonly string[]): void {
    const { contextId } = tx;
    tx.afterCommit(() => void this.files.abandonContents({ contextId }, released));
  }
}
