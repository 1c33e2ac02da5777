import {
  FILE_RIGHTS,
  FileLimitErrors,
  FileStorageErrors,
  recordCheck,
  reply,
  type DocumentData,
  type Reply,
} from '@groupware/contracts';
import { Clock, collatorOf } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { zoneOf } from '../domain/request-zone';
import { documentColumns, expandColumns, orderText, UNKNOWN } from '../persistence/document.columns';
import { DocumentView, type RowRange } from '../views/document-view';
import { StorageAccounts } from './storage-accounts';
import { toDocument } from './storage-document';
import {
  isSendable,
  parentOf,
  parseStorageFileId,
  parseStorageFolderId,
  toStorageFileId,
  toStorageFolderId,
  type StorageAddress,
} from './storage-id';
import type { StorageRequest } from './storage-kind';
import { StorageSettings } from './storage-settings';
import { holdsPattern, listTree } from './storage-tree';

/** How a list is wanted. */
export interface StorageListQuery {
  readonly columns?: readonly string[];
  readonly sort?: string;
  readonly order?: string;
  readonly timezone?: string;
}

/** Lists files of storages elsewhere as documents. */
@Injectable()
export class StorageListing {
  constructor(
    private readonly accounts: StorageAccounts,
    private readonly view: DocumentView,
    private readonly settings: StorageSettings,
    private readonly clock: Clock,
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
    const found = await this.accounts.openFile(request, parseStorageFileId(id));
    recordCheck(FILE_RIGHTS.read);
    return reply<DocumentData>(toDocument(found, found.entry, request.principal, zoneOf(request.principal, timezone)), {
      timestamp: found.entry.modified,
    });
  }

  private async listBelow(
    request: StorageRequest,
    address: StorageAddress,
    isDeep: boolean,
    timezone: string | undefined,
    isWanted: (document: DocumentData) => boolean,
  ): Promise<DocumentData[]> {
    const zone = zoneOf(request.principal, timezone);
    const opened = await this.accounts.open(request, address);
    recordCheck(FILE_RIGHTS.read);
    const { treeDepth, treeFolders: maxFolders } = this.settings;
    const entries = await listTree(opened.connection, address.path, { depth: isDeep ? treeDepth : 0, maxFolders });
    if (!entries) throw FileStorageErrors.noSuchFolder(address.path || '/', opened.account.displayName);
    return entries
      .filter(({ isFolder }) => !isFolder)
      .map((entry) => toDocument(opened, entry, request.principal, zone))
      .filter((document) => isWanted(document) && isSendable(document.id!));
  }

  private async readFolder(
    request: StorageRequest,
    address: StorageAddress,
    timezone: string | undefined,
  ): Promise<{ readonly documents: DocumentData[] }> {
    const zone = zoneOf(request.principal, timezone);
    const opened = await this.accounts.open(request, address);
    recordCheck(FILE_RIGHTS.read);
    const entries = await opened.connection.listEntries(address.path);
    if (!entries) throw FileStorageErrors.noSuchFolder(address.path || '/', opened.account.displayName);
    const documents = entries
      .filter(({ isFolder }) => !isFolder)
      .map((entry) => toDocument(opened, entry, request.principal, zone))
      .filter(({ id }) => isSendable(id!));
    return { documents };
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
    const compare = toComparison(query, request.principal.locale);
    const most = await this.view.getMaxRows(request.principal);
    const sorted = [...documents].sort(compare);
    const listed = sorted.slice(from, maxRows === undefined ? undefined : from + maxRows);
    if (listed.length > most) throw FileLimitErrors.tooMany(most);
    return listed.map(toRow(query.columns));
  }
}

/** Makes rows of the columns that are asked for. @throws SVL-0010 */
function toRow(columns: readonly string[] | undefined): (document: DocumentData) => unknown[] {
  const properties = expandColumns(columns).map((column) =>
    column === UNKNOWN ? undefined : (documentColumns.field(column).property as keyof DocumentData),
  );
  return (document) => properties.map((property) => (property === undefined ? null : (document[property] ?? null)));
}

/** The order of a list: by id unless something else is asked; what has no value comes first. @throws SVL-0010 */
function toComparison(
  { sort, order }: StorageListQuery,
  locale: string,
): (one: DocumentData, other: DocumentData) => number {
  // It knows which columns have an order.
  orderText({ sort, order }, locale);
  const collator = collatorOf(locale);
  const property = (sort ? documentColumns.field(sort).property : 'id') as keyof DocumentData;
  const sign = order?.toLowerCase() === 'desc' ? -1 : 1;
  return (one, other) => {
    const [a, b] = [one[property], other[property]];
    if (a == null || b == null) return sign * (Number(a != null) - Number(b != null));
    const difference = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
    return sign * difference || collator.compare(one.id!, other.id!);
  };
}
