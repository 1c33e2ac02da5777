import {
  FILE_RIGHTS,
  FileStorageErrors,
  InfostoreErrors,
  recordCheck,
  reply,
  waiveCheck,
  type CatalogueError,
  type DocumentReference,
  type Reply,
  type SaveAction,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { Clock } from '@groupware/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { lookup } from 'mime-types';
import { OPAQUE } from '../documents/document-delivery';
import { DocumentUploads, type HashedFile } from '../documents/document-uploads';
import { repeatReference } from '../domain/document-id';
import { readVersionFields, type DocumentFields } from '../domain/document-input';
import { numberName } from '../domain/file-name';
import { zoneOf } from '../domain/request-zone';
import { StorageAccounts, type OpenedAccount } from './storage-accounts';
import { toDocument } from './storage-document';
import {
  isPathName,
  joinPath,
  nameOf,
  parentOf,
  parseStorageFileId,
  parseStorageFolderId,
  toStorageFileId,
} from './storage-id';
import type { StorageEntry, StorageRequest } from './storage-kind';
import type { TransferSource, WrittenCopy } from './storage-transfers';

/** A file that was written, with what was done. */
interface WrittenFile {
  readonly opened: OpenedAccount;
  readonly path: string;
  readonly saveAction: SaveAction;
}

/** Most numbers that are tried for a name. */
const MAX_NUMBER = 1_000;

/** Writes files of storages elsewhere. */
@Injectable()
export class StorageDocuments {
  constructor(
    private readonly accounts: StorageAccounts,
    private readonly uploads: DocumentUploads,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** Stores a new file. @throws the errors of `infostore?action=new` */
  async create(
    request: StorageRequest,
    fields: DocumentFields,
    file: HashedFile | undefined,
    triesVersion: boolean,
  ): Promise<WrittenFile> {
    const address = parseStorageFolderId(fields.folder_id!);
    const opened = await this.accounts.open(request, address);
    recordCheck(FILE_RIGHTS.create);
    if (!file) throw FileStorageErrors.fileMissing(opened.account.displayName);
    const name = toName(fields.filename ?? file.name);
    const taken = await this.listNames(opened, address.path);
    await this.uploads.requireClean(request.principal, file, false);
    const upload = this.toUpload(file, fields, name);
    if (triesVersion && taken.get(name.toLowerCase()) === 'file') {
      const path = joinPath(address.path, name);
      await opened.connection.writeFile(path, upload, true);
      return { opened, path, saveAction: 'new_version' };
    }
    return this.withFreeName(opened, address.path, name, taken, (path) =>
      opened.connection.writeFile(path, upload, false),
    );
  }

  /** Stores a file that comes from another storage; its id. @throws the errors of `infostore?action=new` */
  async createFrom(
    request: StorageRequest,
    folder: string,
    fields: DocumentFields,
    { name, contentType, sizeBytes, open }: TransferSource,
  ): Promise<WrittenCopy> {
    const address = parseStorageFolderId(folder);
    const opened = await this.accounts.open(request, address);
    recordCheck(FILE_RIGHTS.create);
    // The length is told before the bytes.
    if (sizeBytes === undefined) throw FileStorageErrors.notSupported(opened.account.displayName);
    const wanted = toName(fields.filename ?? name);
    const type = fields.file_mimetype ?? contentType;
    const upload = { sizeBytes, contentType: type && type !== OPAQUE ? type : lookup(wanted) || OPAQUE, open };
    const taken = await this.listNames(opened, address.path);
    const written = await this.withFreeName(opened, address.path, wanted, taken, (path) =>
      opened.connection.writeFile(path, upload, false),
    );
    const entry = await opened.connection.findEntry(written.path);
    const isRenamed = written.saveAction === 'rename';
    return { id: toWrittenId(written), timestamp: entry?.modified ?? this.clock.now(), isRenamed };
  }

  /** Changes name, folder or bytes of a file. @throws the errors of `infostore?action=update` */
  async update(
    request: StorageRequest,
    id: string,
    timestamp: number,
    fields: DocumentFields,
    file: HashedFile | undefined,
  ): Promise<WrittenFile> {
    const found = await this.accounts.openFile(request, parseStorageFileId(id));
    recordCheck(FILE_RIGHTS.write);
    waiveCheck(FILE_RIGHTS.create, 'the account is the own one');
    requireUnchanged(id, found.entry, timestamp);
    const { path } = found.entry;
    const folder = fields.folder_id ? this.requireSameAccount(found, fields.folder_id) : parentOf(path);
    const name = fields.filename ? toName(fields.filename) : nameOf(path);
    const moved =
      joinPath(folder, name) === path
        ? { opened: found, path, saveAction: 'none' as const }
        : await this.moveTo(found, path, folder, name);
    if (!file) return moved;
    await this.uploads.requireClean(request.principal, file, false);
    await found.connection.writeFile(moved.path, this.toUpload(file, fields, name), true);
    return { ...moved, saveAction: 'new_version' };
  }

  /** Copies a file within its account. @throws the errors of `infostore?action=copy` */
  async copy(request: StorageRequest, id: string, fields: DocumentFields): Promise<WrittenFile> {
    const found = await this.accounts.openFile(request, parseStorageFileId(id));
    recordCheck(FILE_RIGHTS.create);
    const { path } = found.entry;
    const folder = fields.folder_id ? this.requireSameAccount(found, fields.folder_id) : parentOf(path);
    const name = fields.filename ? toName(fields.filename) : nameOf(path);
    const taken = await this.listNames(found, folder);
    return this.withFreeName(found, folder, name, taken, (to) => found.connection.copy(path, to));
  }

  /** Moves files within their account; those that are not there, or whose names are taken, stay. */
  async move(
    request: StorageRequest,
    references: readonly DocumentReference[],
    folder: string,
    renames: boolean,
  ): Promise<DocumentReference[]> {
    recordCheck(FILE_RIGHTS.remove);
    const left: DocumentReference[] = [];
    for (const reference of references) {
      const address = parseStorageFileId(reference.id ?? '');
      const opened = await this.accounts.open(request, address);
      const target = this.requireSameAccount(opened, folder);
      const entry = await opened.connection.findEntry(address.path);
      const name = nameOf(address.path);
      const isTaken = entry && !renames && (await opened.connection.findEntry(joinPath(target, name)));
      if (!entry || entry.isFolder || isTaken) left.push(repeatReference(reference));
      else if (joinPath(target, name) !== address.path) await this.moveTo(opened, address.path, target, name);
    }
    return left;
  }

  /** Moves one file within its account. @throws the errors of `GET infostore?action=move` */
  async moveOne(request: StorageRequest, id: string, folder: string, timestamp: number): Promise<string> {
    recordCheck(FILE_RIGHTS.remove);
    const written = await this.update(request, id, timestamp, { folder_id: folder }, undefined);
    return toWrittenId(written);
  }

  /** Deletes files for good; those that are not there or changed later stay. */
  async delete(
    request: StorageRequest,
    references: readonly DocumentReference[],
    timestamp: number,
  ): Promise<DocumentReference[]> {
    recordCheck(FILE_RIGHTS.remove);
    const left: DocumentReference[] = [];
    for (const reference of references) {
      const address = parseStorageFileId(reference.id!);
      const { connection } = await this.accounts.open(request, address);
      const entry = await connection.findEntry(address.path);
      const isMeant = entry && !entry.isFolder && entry.modified <= timestamp;
      if (!isMeant || !(await connection.remove(address.path, false))) left.push(repeatReference(reference));
    }
    return left;
  }

  /** The answer of a write: the id, or with `extendedResponse` the object and what was done with it. */
  async toReply(
    request: StorageRequest,
    written: WrittenFile,
    isExtended: boolean | undefined,
    warnings: readonly CatalogueError[] = [],
  ): Promise<Reply<string | object>> {
    const id = toWrittenId(written);
    const entry = await written.opened.connection.findEntry(written.path);
    const timestamp = entry?.modified ?? this.clock.now();
    const beside = { timestamp, ...(warnings.length > 0 && { warnings }) };
    if (!isExtended || !entry) return reply<string | object>(id, beside);
    const document = toDocument(written.opened, entry, request.principal, zoneOf(request.principal, undefined));
    return reply<string | object>({ ...document, save_action: written.saveAction }, beside);
  }

  /** Names in a folder, in small letters: not every system tells large ones apart. */
  private async listNames(
    { account, connection }: OpenedAccount,
    folder: string,
  ): Promise<Map<string, 'file' | 'folder'>> {
    const entries = await connection.listEntries(folder);
    if (!entries) throw FileStorageErrors.noSuchFolder(folder || '/', account.displayName);
    return new Map(entries.map(({ path, isFolder }) => [nameOf(path).toLowerCase(), isFolder ? 'folder' : 'file']));
  }

  private async moveTo(opened: OpenedAccount, path: string, folder: string, name: string): Promise<WrittenFile> {
    const taken = await this.listNames(opened, folder);
    // A name that only changes its letters is taken by the file itself.
    if (parentOf(path) === folder) taken.delete(nameOf(path).toLowerCase());
    return this.withFreeName(opened, folder, name, taken, (to) => opened.connection.move(path, to, false));
  }

  /** Writes under the first name that is free, also when another writer takes one meanwhile. */
  private async withFreeName(
    opened: OpenedAccount,
    folder: string,
    name: string,
    taken: ReadonlyMap<string, unknown>,
    write: (path: string) => Promise<boolean>,
  ): Promise<WrittenFile> {
    for (let number = 0; number < MAX_NUMBER; number++) {
      const free = numberName(name, number);
      const path = joinPath(folder, free);
      if (!taken.has(free.toLowerCase()) && (await write(path)))
        return { opened, path, saveAction: number === 0 ? 'none' : 'rename' };
    }
    throw FileStorageErrors.notSupported(opened.account.displayName);
  }

  /** The path of a folder of the same account. @throws FILE_STORAGE-0006 for another one, FILE_STORAGE-0031 */
  private requireSameAccount({ account }: OpenedAccount, folder: string): string {
    if (!folder.includes('://')) throw FileStorageErrors.notSupported(account.displayName);
    const address = parseStorageFolderId(folder);
    if (address.service !== account.service || address.account !== String(account.id))
      throw FileStorageErrors.notSupported(account.displayName);
    return address.path;
  }

  private toUpload(file: HashedFile, fields: DocumentFields, name: string) {
    const { mimeType } = readVersionFields({ file_mimetype: fields.file_mimetype ?? null });
    const known = [mimeType, file.contentType].find((type) => type && type !== OPAQUE);
    return {
      sizeBytes: file.sizeBytes,
      contentType: known ?? (lookup(name) || OPAQUE),
      open: () => this.store.read(file.reference),
    };
  }
}

const toWrittenId = ({ opened: { account }, path }: WrittenFile): string =>
  toStorageFileId({ service: account.service, account: String(account.id), path });

/** A name that a file may have here. @throws IFO-0100, IFO-2101, IFO-2103, FILE_STORAGE-0049, FILE_STORAGE-0067 */
function toName(text: string): string {
  // Old browsers send paths.
  const { filename } = readVersionFields({ filename: text.slice(text.lastIndexOf('\\') + 1) });
  if (!filename) throw FileStorageErrors.nameMissing();
  if (!isPathName(filename)) throw FileStorageErrors.onlyDots(filename);
  return filename;
}

/** @throws IFO-1302 */
function requireUnchanged(id: string, { modified }: StorageEntry, timestamp: number): void {
  if (modified > timestamp) throw InfostoreErrors.changedInTheMeantime(id, timestamp, modified);
}
