import { Injectable } from '@nestjs/common';
import {
  FILE_RIGHTS,
  FileReply,
  FileStorageErrors,
  InfostoreErrors,
  localText,
  MAX_ARCHIVE_BYTES,
  recordCheck,
  RequestErrors,
  type ArchivedReference,
  type ArchiveEntry,
  type UserPrincipal,
} from '@groupware/contracts';
import { toArchiveNames } from '@groupware/file-store';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Properties } from '@groupware/service-kit';
import { ScanCheck } from '@groupware/stored-files';
import { parseDocumentId, SHARED_FILES } from '../domain/document-id';
import { FolderAccess, parseFileFolderId, resolveAccess, toReadable } from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { FolderContentRepository, type ArchivedDocument } from '../persistence/folder-content.repository';
import { parseVersion } from './version-content';
import { requireMayReadVersion } from './document-locks';

/** Folders below a folder are packed down to this level. */
const MAX_DEPTH = 64;

/** A folder on its way into an archive. */
interface PackedFolder {
  readonly title: string;
  /** ms UTC */
  readonly modified: number;
  readonly folders: PackedFolder[];
  readonly files: ArchivedDocument[];
}

/** Puts documents and folders into ZIP archives, which the gateway streams. */
@Injectable()
export class DocumentArchive {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly content: FolderContentRepository,
    private readonly access: FolderAccess,
    private readonly scans: ScanCheck,
    private readonly properties: Properties,
  ) {}

  /**
   * The archive of a folder, without what the user may not read; that of shared documents has those that are shared by themselves.
   * @throws the errors of `infostore?action=zipfolder`
   */
  async packFolder(user: UserPrincipal, folder: string, isDeep: boolean, scans: boolean): Promise<FileReply> {
    const id = parseFileFolderId(folder);
    const packed = await this.database.read(user, async (db) => {
      if (id === SHARED_FILES) return this.loadShared(db, user);
      await this.access.requireReadable(db, user, id);
      return (await this.loadFolders(db, user, [id], isDeep ? MAX_DEPTH : 0))[0]!;
    });
    return this.pack(user, `${packed.title.replace(/[\s\\/]+/g, '_')}.zip`, packed, scans);
  }

  /** The archive of documents and folders. @throws the errors of `infostore?action=zipdocuments` */
  async packSeveral(user: UserPrincipal, references: readonly ArchivedReference[], scans: boolean): Promise<FileReply> {
    const wanted = references.flatMap(({ id, folder, version }) => {
      if (id === undefined && folder === undefined) throw RequestErrors.missingParameter('id');
      if (id === undefined) return [];
      const named = parseDocumentId(id, folder);
      return [{ id: named.id, version: version === undefined ? 0 : parseVersion(named.id, version) }];
    });
    const folderIds = references.flatMap(({ id, folder }) =>
      id === undefined && folder !== undefined ? [parseFileFolderId(folder)] : [],
    );
    const packed = await this.database.read(user, async (db) => {
      const files = await this.loadDocuments(db, user, wanted);
      for (const id of folderIds) await this.access.requireReadable(db, user, id);
      return { title: '', modified: 0, files, folders: await this.loadFolders(db, user, folderIds, MAX_DEPTH) };
    });
    return this.pack(user, 'documents.zip', packed, scans);
  }

  /** Files of documents in the order asked for. @throws IFO-0300, IFO-0400, FILE_STORAGE-0039 */
  private async loadDocuments(
    db: Reader,
    user: UserPrincipal,
    wanted: readonly { readonly id: number; readonly version: number }[],
  ): Promise<ArchivedDocument[]> {
    const documents = await this.documents.listByIds(
      db,
      wanted.map(({ id }) => id),
    );
    const byId = new Map(documents.map((document) => [document.id, document]));
    const folders = await this.access.findFolders(
      db,
      user,
      documents.map(({ folderId }) => folderId),
    );
    for (const { id, version } of wanted) {
      const document = byId.get(id);
      if (!document) throw InfostoreErrors.notFound(id);
      const access = resolveAccess(document, folders.get(document.folderId), user);
      if (!access.mayRead) throw InfostoreErrors.notReadable(document.folderId);
      requireMayReadVersion(user, { document, access }, version || undefined);
    }
    const files = await this.content.listVersionFiles(db, wanted);
    const byVersion = new Map(files.map((file) => [`${file.id} ${file.asked}`, file]));
    return wanted.flatMap(({ id, version }) => {
      const file = byVersion.get(`${id} ${version}`);
      if (!file && version !== 0) throw FileStorageErrors.noSuchVersion(id, version);
      return file ? [file] : [];
    });
  }

  private async loadShared(db: Reader, user: UserPrincipal): Promise<PackedFolder> {
    recordCheck(FILE_RIGHTS.read);
    const title = localText('folder.infostore.shared', user.locale);
    return { title, modified: 0, folders: [], files: await this.content.listSharedFiles(db, user) };
  }

  /** Folders with what the user may read in and below them. */
  private async loadFolders(
    db: Reader,
    user: UserPrincipal,
    ids: readonly number[],
    depth: number,
  ): Promise<PackedFolder[]> {
    if (ids.length === 0) return [];
    const tree = await this.content.listTree(db, ids, depth);
    const accessed = await this.access.findFolders(
      db,
      user,
      tree.map(({ id }) => id),
    );
    const readable = toReadable([...accessed.values()]);
    const seen = new Set([...readable.all, ...readable.own]);
    const packed = new Map<number, PackedFolder>();
    const roots = new Map<number, PackedFolder>();
    for (const { id, parent, title, modified } of tree) {
      const above = packed.get(parent);
      if (packed.has(id) || !seen.has(id) || !(above ?? ids.includes(id))) continue;
      const folder = { title, modified, folders: [], files: [] };
      packed.set(id, folder);
      if (ids.includes(id)) roots.set(id, folder);
      else above!.folders.push(folder);
    }
    for (const file of await this.content.listFiles(db, readable, user.userId))
      packed.get(file.folderId)?.files.push(file);
    return [...roots.values()];
  }

  private async pack(user: UserPrincipal, name: string, packed: PackedFolder, scans: boolean): Promise<FileReply> {
    const files = [...listFiles(packed)];
    const most = await this.properties.get(MAX_ARCHIVE_BYTES, { contextId: user.contextId });
    const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    if (most > 0 && sizeBytes > most) throw FileStorageErrors.archiveTooLarge(most);
    if (scans) for (const file of files) await this.scans.requireClean(user, file);
    const archive = [...listEntries(packed, '')];
    return new FileReply({ reference: '', name, contentType: 'application/zip', archive });
  }
}

function* listFiles({ files, folders }: PackedFolder): Generator<ArchivedDocument> {
  yield* files;
  for (const folder of folders) yield* listFiles(folder);
}

/** Entries of an archive under names that are unique in their folder. */
function* listEntries({ files, folders }: PackedFolder, path: string): Generator<ArchiveEntry> {
  const names = toArchiveNames([...folders.map(({ title }) => title), ...files.map(({ name }) => name)]);
  for (const [index, folder] of folders.entries()) {
    const below = `${path}${names[index]!}/`;
    if (folder.files.length === 0 && folder.folders.length === 0)
      yield { reference: '', name: below, modified: folder.modified, sizeBytes: 0 };
    yield* listEntries(folder, below);
  }
  for (const [index, { reference, modified, sizeBytes }] of files.entries())
    yield { reference, name: `${path}${names[folders.length + index]!}`, modified, sizeBytes };
}
