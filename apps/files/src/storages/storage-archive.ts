import {
  FILE_RIGHTS,
  FileReply,
  FileStorageErrors,
  MAX_ARCHIVE_BYTES,
  recordCheck,
  type ArchivedReference,
} from '@groupware/contracts';
import { createArchive, toArchiveNames, type ArchivedFile } from '@groupware/file-store';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { StorageAccounts } from './storage-accounts';
import { isStorageId, nameOf, parentOf, parseStorageFileId, parseStorageFolderId } from './storage-id';
import type { StorageConnection, StorageEntry, StorageRequest } from './storage-kind';
import { StorageSettings } from './storage-settings';
import { listTree } from './storage-tree';

/** Puts files and folders of storages elsewhere into ZIP archives, which are streamed while their bytes come. */
@Injectable()
export class StorageArchive {
  constructor(
    private readonly accounts: StorageAccounts,
    private readonly settings: StorageSettings,
    private readonly properties: Properties,
  ) {}

  /** The archive of a folder. @throws the errors of `infostore?action=zipfolder` */
  async packFolder(request: StorageRequest, id: string, isDeep: boolean, scans: boolean): Promise<FileReply> {
    const address = parseStorageFolderId(id);
    const { account, connection } = await this.accounts.open(request, address);
    const files = await this.listFolder(connection, account.displayName, address.path, '', isDeep);
    const title = address.path === '' ? account.displayName : nameOf(address.path);
    return this.pack(request, `${title.replace(/[\s\\/]+/g, '_')}.zip`, files, scans);
  }

  /** The archive of files and folders, none of the own storage. @throws the errors of `infostore?action=zipdocuments` */
  async packSeveral(
    request: StorageRequest,
    references: readonly ArchivedReference[],
    scans: boolean,
  ): Promise<FileReply> {
    const names = toArchiveNames(references.map(({ id, folder }) => toName(id, folder)));
    const files: ArchivedFile[] = [];
    for (const [index, { id, folder }] of references.entries()) {
      const isFile = id !== undefined;
      const named = id ?? folder ?? '';
      if (!isStorageId(named)) throw FileStorageErrors.notSupported(named);
      const address = isFile ? parseStorageFileId(named) : parseStorageFolderId(named);
      const { account, connection } = await this.accounts.open(request, address);
      const { displayName } = account;
      if (!isFile) {
        files.push(...(await this.listFolder(connection, displayName, address.path, `${names[index]!}/`, true)));
        continue;
      }
      const entry = await connection.findEntry(address.path);
      if (!entry || entry.isFolder) throw FileStorageErrors.noSuchFile(address.path, displayName);
      files.push(toArchived(connection, displayName, entry, names[index]!));
    }
    return this.pack(request, 'documents.zip', files, scans);
  }

  /** Files of a folder and below it, under names that are unique in their folder; empty folders for themselves. */
  private async listFolder(
    connection: StorageConnection,
    displayName: string,
    path: string,
    prefix: string,
    isDeep: boolean,
  ): Promise<ArchivedFile[]> {
    const { treeDepth, treeFolders: maxFolders } = this.settings;
    const entries = await listTree(connection, path, { depth: isDeep ? treeDepth : 0, maxFolders });
    if (!entries) throw FileStorageErrors.noSuchFolder(path || '/', displayName);
    const below = new Map<string, StorageEntry[]>();
    for (const entry of entries) {
      const folder = parentOf(entry.path);
      const some = below.get(folder) ?? [];
      some.push(entry);
      below.set(folder, some);
    }
    const places = new Map([[path, prefix]]);
    const files: ArchivedFile[] = [];
    for (const [folder, some] of below) {
      const place = places.get(folder)!;
      const names = toArchiveNames(some.map((entry) => nameOf(entry.path)));
      for (const [index, entry] of some.entries()) {
        const name = `${place}${names[index]!}`;
        if (!entry.isFolder) files.push(toArchived(connection, displayName, entry, name));
        else if (isDeep) {
          places.set(entry.path, `${name}/`);
          if (!below.has(entry.path)) files.push(toEmptyFolder(`${name}/`, entry.modified));
        }
      }
    }
    if (entries.length === 0 && prefix !== '') files.push(toEmptyFolder(prefix, 0));
    return files;
  }

  private async pack(
    { principal }: StorageRequest,
    name: string,
    files: readonly ArchivedFile[],
    scans: boolean,
  ): Promise<FileReply> {
    recordCheck(FILE_RIGHTS.read);
    // Its bytes are not here before they are sent.
    if (scans) throw FileStorageErrors.notSupported(name);
    const most = await this.properties.get(MAX_ARCHIVE_BYTES, { contextId: principal.contextId });
    const sizeBytes = files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0);
    if (most > 0 && sizeBytes > most) throw FileStorageErrors.archiveTooLarge(most);
    return new FileReply({ reference: '', name, contentType: 'application/zip' }, {}, createArchive(files));
  }
}

const toEmptyFolder = (name: string, modified: number): ArchivedFile => ({ name, modified, open: none });

const toArchived = (
  connection: StorageConnection,
  displayName: string,
  { path, modified, sizeBytes }: StorageEntry,
  name: string,
): ArchivedFile => ({
  name,
  modified,
  ...(sizeBytes !== undefined && { sizeBytes }),
  async *open() {
    const sent = await connection.readFile(path);
    // Half an archive must not look like a whole one.
    if (!sent) throw FileStorageErrors.noSuchFile(path, displayName);
    yield* sent.bytes;
  },
});

function toName(id: string | undefined, folder: string | undefined): string {
  if (id !== undefined) return isStorageId(id) ? nameOf(parseStorageFileId(id).path) : id;
  return isStorageId(folder) ? nameOf(parseStorageFolderId(folder).path) : (folder ?? '');
}

async function* none(): AsyncGenerator<Uint8Array> {
  // A folder has no bytes.
}
