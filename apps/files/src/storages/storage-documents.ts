import { createHash } from 'node:crypto';
import {
  FILE_RIGHTS,
  FileLimitErrors,
  FileReply,
  FileStorageErrors,
  InfostoreErrors,
  recordCheck,
  reply,
  RequestErrors,
  waiveCheck,
  type CatalogueError,
  type DocumentData,
  type DocumentReference,
  type EdgeRequest,
  type FileContentQuery,
  type Reply,
  type SaveAction,
  type UserPrincipal,
} from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { Clock, isKnown, isSameVersion, rangeOf } from '@groupware/service-kit';
import { ScanCheck } from '@groupware/stored-files';
import { VirusScanConfig } from '@groupware/virus-scan';
import { Inject, Injectable } from '@nestjs/common';
import { fileTypeFromBuffer } from 'file-type';
import { lookup } from 'mime-types';
import { repeatReference } from '../domain/document-id';
import { readVersionFields, type DocumentFields } from '../domain/document-input';
import { OPAQUE, resolveDelivery } from '../documents/document-delivery';
import { resolvePart } from '../documents/document-part';
import { DocumentUploads, type HashedFile } from '../documents/document-uploads';
import { documentColumns, expandColumns, orderText, UNKNOWN } from '../persistence/document.columns';
import { DocumentView, type RowRange } from '../views/document-view';
import { numberName } from '../domain/file-name';
import { StorageAccounts, type OpenedAccount } from './storage-accounts';
import {
  isPathName,
  isSendable,
  joinPath,
  nameOf,
  parentOf,
  parseStorageFileId,
  parseStorageFolderId,
  toStorageFileId,
  toStorageFolderId,
  type StorageAddress,
} from './storage-id';
import type { StorageEntry, StorageRequest } from './storage-kind';
import { StorageSettings } from './storage-settings';
import type { TransferSource, WrittenCopy } from './storage-transfers';
import { holdsPattern, listTree } from './storage-tree';

/** How a list is wanted. */
export interface StorageListQuery {
  readonly columns?: readonly string[];
  readonly sort?: string;
  readonly order?: string;
  readonly timezone?: string;
}

/** A file that was written, with what was done. */
interface WrittenFile {
  readonly opened: OpenedAccount;
  readonly path: string;
  readonly saveAction: SaveAction;
}

/** Bytes that tell the type of a picture, of sound or of film. */
const SNIFFED_BYTES = 4_100;
/** Most numbers that are tried for a name. */
const MAX_NUMBER = 1_000;

/** Files of storages elsewhere as documents: each has one version, and belongs to the user alone. */
@Injectable()
export class StorageDocuments {
  constructor(
    private readonly accounts: StorageAccounts,
    private readonly uploads: DocumentUploads,
    private readonly view: DocumentView,
    private readonly scans: ScanCheck,
    private readonly scanning: VirusScanConfig,
    private readonly settings: StorageSettings,
    private readonly clock: Clock,
    @Inject(FILES) private readonly store: FileStore,
  ) {}

  /** The files of a folder. @throws the errors of `infostore?action=all` */
  async listFolder(
    request: StorageRequest,
    folder: string,
    query: StorageListQuery,
    { from, maxRows }: RowRange,
    isWanted: (document: DocumentData) => boolean = () => true,
  ): Promise<Reply<unknown[][]>> {
    const { documents } = await this.readFolder(request, parseStorageFolderId(folder), query.timezone);
    return this.toRows(request, documents.filter(isWanted), query, { from, maxRows });
  }

  /** Files whose names hold a pattern, in a folder or also below it. @throws the errors of `infostore?action=search` */
  async search(
    request: StorageRequest,
    { folder, pattern, isDeep }: { readonly folder: string; readonly pattern: string; readonly isDeep: boolean },
    query: StorageListQuery,
    range: RowRange,
  ): Promise<Reply<unknown[][]>> {
    const isWanted = ({ filename = '' }: DocumentData): boolean => holdsPattern(filename, pattern);
    const address = parseStorageFolderId(folder);
    return this.toRows(request, await this.listBelow(request, address, isDeep, query.timezone, isWanted), query, range);
  }

  /** Rows of the files in a folder and below it that are wanted. @throws the errors of `infostore?action=search` */
  async findRows(
    request: StorageRequest,
    address: StorageAddress,
    query: StorageListQuery,
    range: RowRange,
    isWanted: (document: DocumentData) => boolean,
  ): Promise<unknown[][]> {
    return this.listRowsOf(
      request,
      await this.listBelow(request, address, true, query.timezone, isWanted),
      query,
      range,
    );
  }

  private async listBelow(
    request: StorageRequest,
    address: StorageAddress,
    isDeep: boolean,
    timezone: string | undefined,
    isWanted: (document: DocumentData) => boolean,
  ): Promise<DocumentData[]> {
    const zone = zoneOf(request.principal, timezone);
    const opened = await this.open(request, address);
    recordCheck(FILE_RIGHTS.read);
    const { treeDepth, treeFolders: maxFolders } = this.settings;
    const entries = await listTree(opened.connection, address.path, { depth: isDeep ? treeDepth : 0, maxFolders });
    if (!entries) throw FileStorageErrors.noSuchFolder(address.path || '/', opened.account.displayName);
    return entries
      .filter(({ isFolder }) => !isFolder)
      .map((entry) => toDocument(opened, entry, request.principal, zone))
      .filter((document) => isWanted(document) && isSendable(document.id!));
  }

  /**
   * Files that changed since a time. Such storages do not tell of deletions: a client that asks for these loads the folder anew.
   * @throws FILES-0002, the errors of `infostore?action=updates`
   */
  async listChanged(
    request: StorageRequest,
    folder: string,
    since: number,
    query: StorageListQuery & { readonly ignoresDeleted: boolean },
  ): Promise<Reply<unknown[]>> {
    const now = this.clock.now();
    const { documents } = await this.readFolder(request, parseStorageFolderId(folder), query.timezone);
    if (since > 0 && !query.ignoresDeleted) throw FileLimitErrors.resyncNeeded(folder, since, now);
    const changed = documents.filter(({ last_modified_utc: modified }) => since === 0 || modified! > since);
    return this.toRows(request, changed, query, { from: 0, maxRows: undefined });
  }

  private async toRows(
    request: StorageRequest,
    documents: readonly DocumentData[],
    query: StorageListQuery,
    range: RowRange,
  ): Promise<Reply<unknown[][]>> {
    const rows = await this.listRowsOf(request, documents, query, range);
    return reply<unknown[][]>(rows, { timestamp: this.clock.now() });
  }

  private async listRowsOf(
    request: StorageRequest,
    documents: readonly DocumentData[],
    query: StorageListQuery,
    { from, maxRows }: RowRange,
  ): Promise<unknown[][]> {
    const compare = toComparison(query);
    const most = await this.view.getMaxRows(request.principal);
    const sorted = [...documents].sort(compare);
    const listed = sorted.slice(from, maxRows === undefined ? undefined : from + maxRows);
    if (listed.length > most) throw FileLimitErrors.tooMany(most);
    return listed.map(toRow(query.columns));
  }

  /** Rows of files by id; those that are gone are left out. Each folder is asked for once. */
  async listRows(
    request: StorageRequest,
    ids: readonly string[],
    { columns, timezone }: StorageListQuery,
  ): Promise<ReadonlyMap<string, { readonly cells: unknown[]; readonly lastModified: number }>> {
    const toCells = toRow(columns);
    const folders = new Map<string, StorageAddress>();
    for (const id of ids) {
      const address = parseStorageFileId(id);
      const folder = { ...address, path: parentOf(address.path) };
      folders.set(toStorageFolderId(folder), folder);
    }
    const wanted = new Set(ids.map((id) => toStorageFileId(parseStorageFileId(id))));
    const rows = new Map<string, { cells: unknown[]; lastModified: number }>();
    for (const folder of folders.values()) {
      const { documents } = await this.readFolder(request, folder, timezone);
      for (const document of documents)
        if (wanted.has(document.id!))
          rows.set(document.id!, { cells: toCells(document), lastModified: document.last_modified_utc! });
    }
    return rows;
  }

  /** One file. @throws the errors of `infostore?action=get` */
  async getDocument(request: StorageRequest, id: string, timezone: string | undefined): Promise<Reply<DocumentData>> {
    const found = await this.requireFile(request, parseStorageFileId(id));
    recordCheck(FILE_RIGHTS.read);
    return reply<DocumentData>(
      withoutNulls(toDocument(found, found.entry, request.principal, zoneOf(request.principal, timezone))),
      {
        timestamp: found.entry.modified,
      },
    );
  }

  /** The bytes of a file, whole or in part. @throws the errors of `infostore?action=document` */
  async openFile(request: StorageRequest, query: FileContentQuery, edge: EdgeRequest | undefined): Promise<FileReply> {
    const found = await this.requireFile(request, parseStorageFileId(query.id));
    recordCheck(FILE_RIGHTS.read);
    const { connection, entry } = found;
    const name = nameOf(entry.path);
    const type = typeOf(entry);
    const sniffed = /^(image|audio|video)\//.test(type) ? await this.sniff(found) : null;
    const { contentType, inline } = resolveDelivery(query, type, name, sniffed);
    const size = entry.sizeBytes;
    const part = size === undefined ? undefined : resolvePart(query, name, size);
    const etag = toEntityTag(query.id, entry, part);
    const options = {
      headers: {
        ETag: etag,
        ...(entry.modified > 0 && { 'Last-Modified': new Date(entry.modified).toUTCString() }),
      },
    };
    const file = { reference: '', name, contentType, inline };
    if (query.scan) return this.openScanned(request.principal, found, file, options);
    if (isKnown(edge?.headers['if-none-match'], etag)) return new FileReply(file, options, none());
    const isResumed = !part && isSameVersion(edge?.headers['if-range'], etag);
    const asked = isResumed && size !== undefined ? rangeOf(edge?.headers['range'], size) : undefined;
    const range = asked === 'unsatisfiable' ? undefined : asked;
    const wanted = part ? { start: part.start, end: part.start + part.length - 1 } : range;
    if (part?.length === 0) return new FileReply({ ...file, sizeBytes: 0 }, options, none());
    const sent = await connection.readFile(entry.path, wanted);
    if (!sent) throw FileStorageErrors.noSuchFile(name, found.account.displayName);
    // A server may send everything all the same.
    const isCut = wanted && !(sent.range?.start === wanted.start && sent.range.end === wanted.end);
    const skipped = sent.range?.start ?? 0;
    if (isCut && skipped > wanted.start) throw FileStorageErrors.notReachable(found.account.displayName);
    const bytes = isCut ? cutBytes(sent.bytes, wanted.start - skipped, wanted.end - wanted.start + 1) : sent.bytes;
    return new FileReply({ ...file, sizeBytes: part ? part.length : size, ...(range && { range }) }, options, bytes);
  }

  /** Stores a new file. @throws the errors of `infostore?action=new` */
  async create(
    request: StorageRequest,
    fields: DocumentFields,
    file: HashedFile | undefined,
    triesVersion: boolean,
  ): Promise<WrittenFile> {
    const address = parseStorageFolderId(fields.folder_id!);
    const opened = await this.open(request, address);
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
    const opened = await this.open(request, address);
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

  /** A file that goes into another storage. @throws FILE_STORAGE-0008, FILE_STORAGE-0026 */
  async openSource(request: StorageRequest, id: string): Promise<Omit<TransferSource, 'mayRemove'>> {
    const { account, connection, entry } = await this.requireFile(request, parseStorageFileId(id));
    recordCheck(FILE_RIGHTS.read);
    return {
      name: nameOf(entry.path),
      contentType: typeOf(entry),
      sizeBytes: entry.sizeBytes,
      modified: entry.modified,
      async *open() {
        const sent = await connection.readFile(entry.path);
        if (!sent) throw FileStorageErrors.noSuchFile(entry.path, account.displayName);
        yield* sent.bytes;
      },
      async remove() {
        const now = await connection.findEntry(entry.path);
        if (!now || !isUnchanged(now, entry)) return false;
        return connection.remove(entry.path, false, now.tag);
      },
    };
  }

  /** Changes name, folder or bytes of a file. @throws the errors of `infostore?action=update` */
  async update(
    request: StorageRequest,
    id: string,
    timestamp: number,
    fields: DocumentFields,
    file: HashedFile | undefined,
  ): Promise<WrittenFile> {
    const found = await this.requireFile(request, parseStorageFileId(id));
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
    const found = await this.requireFile(request, parseStorageFileId(id));
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
      const opened = await this.open(request, address);
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
      const { connection } = await this.open(request, address);
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
    const document = withoutNulls(
      toDocument(written.opened, entry, request.principal, zoneOf(request.principal, undefined)),
    );
    return reply<string | object>({ ...document, save_action: written.saveAction }, beside);
  }

  private open(request: StorageRequest, { service, account }: StorageAddress): Promise<OpenedAccount> {
    return this.accounts.open(request, service, account);
  }

  private async requireFile(
    request: StorageRequest,
    address: StorageAddress,
  ): Promise<OpenedAccount & { readonly entry: StorageEntry }> {
    const opened = await this.open(request, address);
    const entry = await opened.connection.findEntry(address.path);
    if (!entry || entry.isFolder) throw FileStorageErrors.noSuchFile(address.path, opened.account.displayName);
    return { ...opened, entry };
  }

  private async readFolder(
    request: StorageRequest,
    address: StorageAddress,
    timezone: string | undefined,
  ): Promise<{ readonly documents: DocumentData[] }> {
    const zone = zoneOf(request.principal, timezone);
    const opened = await this.open(request, address);
    recordCheck(FILE_RIGHTS.read);
    const entries = await opened.connection.listEntries(address.path);
    if (!entries) throw FileStorageErrors.noSuchFolder(address.path || '/', opened.account.displayName);
    const documents = entries
      .filter(({ isFolder }) => !isFolder)
      .map((entry) => toDocument(opened, entry, request.principal, zone))
      .filter(({ id }) => isSendable(id!));
    return { documents };
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

  /** The type that the first bytes of a file tell. */
  private async sniff({ connection, entry }: OpenedAccount & { readonly entry: StorageEntry }): Promise<string | null> {
    if (entry.sizeBytes === 0) return null;
    const head = await connection.readFile(entry.path, { start: 0, end: SNIFFED_BYTES - 1 });
    const parts: Uint8Array[] = [];
    for await (const part of cutBytes(head?.bytes ?? none(), 0, SNIFFED_BYTES)) parts.push(part);
    return (await fileTypeFromBuffer(Buffer.concat(parts)))?.mime ?? null;
  }

  /** A file that was scanned before its first byte is sent. @throws ANTIVIRUS-0001, ANTIVIRUS-0002, ANTIVIRUS-0003 */
  private async openScanned(
    user: UserPrincipal,
    { account, connection, entry }: OpenedAccount & { readonly entry: StorageEntry },
    file: { readonly name: string; readonly contentType: string; readonly inline: boolean },
    options: ConstructorParameters<typeof FileReply>[1],
  ): Promise<FileReply> {
    const { contextId } = user;
    const { name } = file;
    const sent = await connection.readFile(entry.path);
    if (!sent) throw FileStorageErrors.noSuchFile(name, account.displayName);
    const stored = await this.store.write(sent.bytes, { maxBytes: this.scanning.maxBytes, contextId });
    try {
      await this.scans.requireClean(user, { name, ...stored });
    } catch (error) {
      await this.store.discard(stored.reference).catch(() => undefined);
      throw error;
    }
    const { reference, sizeBytes } = stored;
    return new FileReply({ ...file, reference, sizeBytes, temporary: true }, options);
  }
}

const toWrittenId = ({ opened: { account }, path }: WrittenFile): string =>
  toStorageFileId({ service: account.service, account: String(account.id), path });

/** The type of a file: what the storage says, unless that says nothing. */
function typeOf({ path, mimeType }: StorageEntry): string {
  const said = mimeType?.split(';')[0]!.trim();
  return said && said !== OPAQUE ? said : lookup(nameOf(path)) || OPAQUE;
}

function toDocument(
  { account }: OpenedAccount,
  entry: StorageEntry,
  user: UserPrincipal,
  zone: ZoneOffsets,
): DocumentData {
  const address = { service: account.service, account: String(account.id) };
  const shift = (time: number): number => time + zone.offsetAt(time);
  const name = nameOf(entry.path);
  return Object.assign(Object.create(null) as DocumentData, {
    id: toStorageFileId({ ...address, path: entry.path }),
    folder_id: toStorageFolderId({ ...address, path: parentOf(entry.path) }),
    created_by: String(user.userId),
    modified_by: String(user.userId),
    creation_date: shift(entry.created ?? entry.modified),
    last_modified: shift(entry.modified),
    last_modified_utc: entry.modified,
    sequence_number: entry.modified,
    title: name,
    filename: name,
    file_mimetype: typeOf(entry),
    file_size: entry.sizeBytes,
    version: '1',
    current_version: true,
    number_of_versions: 1,
    locked_until: 0,
    shareable: false,
  });
}

const withoutNulls = (document: DocumentData): DocumentData => ({ ...document });

/** Makes rows of the columns that are asked for. @throws SVL-0010 */
function toRow(columns: readonly string[] | undefined): (document: DocumentData) => unknown[] {
  const properties = expandColumns(columns).map((column) =>
    column === UNKNOWN ? undefined : (documentColumns.field(column).property as keyof DocumentData),
  );
  return (document) => properties.map((property) => (property === undefined ? null : (document[property] ?? null)));
}

const collator = new Intl.Collator();

/** The order of a list: by id unless something else is asked; what has no value comes first. @throws SVL-0010 */
function toComparison({ sort, order }: StorageListQuery): (one: DocumentData, other: DocumentData) => number {
  // It knows which columns have an order.
  orderText(sort, order);
  const property = (sort ? documentColumns.field(sort).property : 'id') as keyof DocumentData;
  const sign = order?.toLowerCase() === 'desc' ? -1 : 1;
  return (one, other) => {
    const [a, b] = [one[property], other[property]];
    if (a == null || b == null) return sign * (Number(a != null) - Number(b != null));
    const difference = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
    return sign * difference || collator.compare(one.id!, other.id!);
  };
}

function zoneOf({ timeZone }: UserPrincipal, parameter: string | undefined): ZoneOffsets {
  const zone = resolveTimeZone(parameter || timeZone);
  if (!zone && parameter) throw RequestErrors.badParameter('timezone', parameter);
  return ZoneOffsets.forZone(zone ?? 'UTC');
}

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

/** Whether a file has the same bytes as before: times of storages have seconds only, so they alone do not tell. */
const isUnchanged = (now: StorageEntry, before: StorageEntry): boolean =>
  !now.isFolder && now.modified === before.modified && now.sizeBytes === before.sizeBytes && now.tag === before.tag;

/** Tells versions of the bytes of a file, and parts of them, apart. */
function toEntityTag(
  id: string,
  { tag, modified, sizeBytes }: StorageEntry,
  part: { readonly start: number; readonly length: number } | undefined,
): string {
  const text = JSON.stringify([id, tag, modified, sizeBytes, part]);
  return `"${createHash('sha256').update(text).digest('hex').slice(0, 40)}"`;
}

/** A part of a stream; its source ends with it. */
async function* cutBytes(bytes: AsyncIterable<Uint8Array>, start: number, length: number): AsyncGenerator<Uint8Array> {
  let at = 0;
  const end = start + length;
  for await (const piece of bytes) {
    const from = Math.max(0, start - at);
    const to = Math.min(piece.length, end - at);
    if (from < to) yield piece.subarray(from, to);
    at += piece.length;
    if (at >= end) return;
  }
}

async function* none(): AsyncGenerator<Uint8Array> {
  // Nothing to send.
}
