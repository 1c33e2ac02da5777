import { Injectable } from '@nestjs/common';
import {
  FILE_RIGHTS,
  FileErrors,
  FileStorageErrors,
  InfostoreErrors,
  MAX_FILE_VERSIONS,
  RequestErrors,
  waiveCheck,
  type FileNotification,
  type SaveAction,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { FileClaims, type Content, type ContextState, type ReservedRoom, StoredFiles } from '@groupware/stored-files';
import { lookup } from 'mime-types';
import { isLockedFor, sumFiles, type Document, type DocumentVersion, type StoredPermission } from '../domain/document';
import { SHARED_FILES, toDocumentId, type NamedDocument } from '../domain/document-id';
import {
  readSharedFields,
  readVersionFields,
  type DocumentFields,
  type SharedFields,
  type VersionFields,
} from '../domain/document-input';
import {
  FolderAccess,
  parseFileFolderId,
  parseTargetId,
  requireMayCreate,
  requireMayReceive,
  resolveAccess,
  type AccessedFolder,
} from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { DocumentGuests } from './document-guests';
import { DocumentLocks, requireMayReadVersion, type AccessedDocument } from './document-locks';
import { DocumentMedia } from './document-media';
import { DocumentNotices } from './document-notices';
import { DocumentQuota } from './document-quota';
import { DocumentUploads, type HashedFile } from './document-uploads';
import { DocumentTrash } from './document-trash';
import { DocumentWriter } from './document-writer';
import { PermissionInput } from './permission-input';

/** A request to write a document: read before the transaction. */
interface DocumentRequest {
  readonly version: VersionFields;
  readonly shared: SharedFields;
  readonly permissions: StoredPermission[] | undefined;
  readonly file: HashedFile | undefined;
  /** Tells those who get rights. */
  readonly notice: FileNotification | undefined;
}

/** How a document is created. */
interface CreateOptions {
  /** A file of the same name gets a version. */
  readonly triesVersion?: boolean;
  /** Scans for viruses also where uploads are not scanned. */
  readonly scans?: boolean;
}

/** How a file changes a document. */
interface UpdateOptions {
  /** The file takes the place of that of the current version. */
  readonly replaces?: boolean;
  /** The file continues one that the current version must still have. */
  readonly continues?: { readonly reference: string; readonly offset: number };
}

/** A written document. */
export interface WrittenResult {
  readonly id: string;
  readonly document: Document;
  readonly saveAction: SaveAction;
  readonly timestamp: number;
  /** Users, groups and guests who got rights on the document. */
  readonly newEntities: readonly number[];
}

/** Outcome of a write in a transaction: with files to be purged after the commit. */
interface Written {
  readonly result: WrittenResult;
  readonly released: readonly string[];
}

const EMPTY: DocumentVersion = {
  version: 0,
  createdBy: 0,
  created: 0,
  title: null,
  filename: null,
  url: null,
  description: null,
  comment: null,
  mimeType: null,
  sizeBytes: null,
  md5: null,
  reference: null,
};
const OPAQUE = 'application/octet-stream';
/** Capability of users whose documents keep few versions. */
const AUTODELETE = 'autodelete_file_versions';

/** Creates, changes and copies documents for users. */
@Injectable()
export class DocumentEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly access: FolderAccess,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
    private readonly places: DocumentTrash,
    private readonly quota: DocumentQuota,
    private readonly permissions: PermissionInput,
    private readonly guests: DocumentGuests,
    private readonly notices: DocumentNotices,
    private readonly claims: FileClaims,
    private readonly files: StoredFiles,
    private readonly uploads: DocumentUploads,
    private readonly media: DocumentMedia,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Creates a document. @throws the errors of `infostore?action=new` */
  async create(
    user: UserPrincipal,
    fields: DocumentFields,
    file: HashedFile | undefined,
    options: CreateOptions = {},
  ): Promise<WrittenResult> {
    return this.guests.withGuests(user, fields.object_permissions, undefined, (object_permissions) =>
      this.createWithKnown(user, { ...fields, object_permissions }, file, options),
    );
  }

  private async createWithKnown(
    user: UserPrincipal,
    fields: DocumentFields,
    file: HashedFile | undefined,
    { triesVersion = false, scans = false }: CreateOptions,
  ): Promise<WrittenResult> {
    if (!fields.folder_id) throw RequestErrors.missingParameter('folder_id');
    const folderId = parseTargetId(fields.folder_id);
    const request = await this.readRequest(user, fields, file);
    if (file && !request.version.filename) throw FileStorageErrors.nameMissing();
    if (file) {
      await this.requireMayCreateIn(user, folderId);
      await this.uploads.requireClean(user, file, scans);
    }
    const limit = await this.quota.getLimit(user);
    const maxVersions = triesVersion ? await this.getMaxVersions(user) : 0;
    return this.withFile(user, request, (tx, reference, room) =>
      this.createIn(tx, user, { folderId, limit, triesVersion, maxVersions }, request, reference, room),
    );
  }

  private async createIn(
    tx: Transaction,
    user: UserPrincipal,
    {
      folderId,
      limit,
      triesVersion,
      maxVersions,
    }: { folderId: number; limit: number; triesVersion: boolean; maxVersions: number },
    request: DocumentRequest,
    reference: ResolveReference,
    room: ReservedRoom,
  ): Promise<Written | undefined> {
    const { folders, state } = await this.locks.lockDocuments(tx, user, [], { folders: [folderId], newIds: 1 });
    const folder = requireMayCreate(folders.get(folderId), folderId);
    const bytes = await reference(tx, state);
    if (bytes === 'again') return undefined;
    const same = triesVersion ? await this.findWritable(tx, user, folder, request.version.filename) : undefined;
    if (same) return this.addVersion(tx, user, same, request, { bytes, state, room, replaces: false, maxVersions });
    const { file, version, shared, permissions } = request;
    const filename = version.filename ?? null;
    const document = await this.writer.create(
      tx,
      {
        folderId,
        createdBy: user.userId,
        modifiedBy: user.userId,
        categories: null,
        color: null,
        meta: null,
        lockedBy: null,
        lockedUntil: null,
        origin: null,
        originPath: null,
        ...shared,
        permissions: permissions ?? [],
        current: {
          ...EMPTY,
          createdBy: user.userId,
          ...version,
          filename,
          title: version.title ?? filename,
          ...(file && toContent(file, bytes, filename, version.mimeType)),
          version: file ? 1 : 0,
        },
      },
      state,
    );
    if (file) await this.writer.useBytes(tx, file.sizeBytes, state, room);
    await this.quota.requireRoomFor(tx, 1, limit);
    const saveAction = document.current.filename === filename ? 'none' : 'rename';
    return { result: toResult(document, resolveAccess(document, folder, user).seenIn, saveAction), released: [] };
  }

  /** Changes a document. @throws the errors of `infostore?action=update` */
  async update(
    user: UserPrincipal,
    named: NamedDocument,
    timestamp: number,
    fields: DocumentFields,
    file: HashedFile | undefined,
    options: UpdateOptions = {},
  ): Promise<WrittenResult> {
    return this.guests.withGuests(user, fields.object_permissions, named, (object_permissions) =>
      this.updateWithKnown(user, named, timestamp, { ...fields, object_permissions }, file, options),
    );
  }

  private async updateWithKnown(
    user: UserPrincipal,
    named: NamedDocument,
    timestamp: number,
    fields: DocumentFields,
    file: HashedFile | undefined,
    { replaces = false, continues }: UpdateOptions,
  ): Promise<WrittenResult> {
    const targetId = readTarget(fields);
    const request = await this.readRequest(user, fields, file, named.id);
    const switchTo = fields.version == null ? undefined : parseVersion(named.id, fields.version);
    if (file) {
      await this.requireMayWrite(user, named);
      await this.uploads.requireClean(user, file, false);
    }
    const maxVersions = file && !replaces ? await this.getMaxVersions(user) : 0;
    return this.withFile(user, request, async (tx, reference, room) => {
      const locked = await this.locks.lockDocument(tx, user, named, {
        folders: targetId === undefined ? [] : [targetId],
      });
      const { document, access, state } = locked;
      if (!access.mayWrite) throw InfostoreErrors.mustNotWrite(document.id);
      this.requireUnlocked(document, user);
      requireUnchanged(document, timestamp);
      if (continues && document.current.reference !== continues.reference)
        throw FileErrors.badOffset(continues.offset, document.current.filename, document.current.sizeBytes);
      if (request.permissions && !access.mayShare) throw InfostoreErrors.mustNotWrite(document.id);
      const bytes = await reference(tx, state);
      if (bytes === 'again') return undefined;
      const target = targetId === undefined || targetId === document.folderId ? undefined : targetId;
      if (target !== undefined) requireMayMove(locked, locked.folders.get(target), target);
      else waiveCheck(FILE_RIGHTS.create, 'the document stays in its folder');
      const placements =
        target === undefined ? undefined : await this.places.resolvePlacements(tx, [document.folderId], target);
      const placement = placements?.get(document.folderId);
      const moved = { ...locked, document: { ...document, ...placement?.change } };
      const wanted = placement?.permissions ? { ...request, permissions: placement.permissions } : request;
      if (file)
        return this.addVersion(tx, user, { ...moved, before: document }, wanted, {
          ...{ bytes, state, room, replaces, maxVersions },
        });
      return this.changeVersion(tx, user, { ...moved, before: document }, wanted, switchTo, state);
    });
  }

  /**
   * Continues the file of the current version; no version is made.
   * @param offset bytes that it has
   * @throws FLS-0019 when it has others, IFO-2102 when it has no file, the errors of `infostore?action=update`
   */
  async continueFile(
    user: UserPrincipal,
    named: NamedDocument,
    timestamp: number,
    fields: DocumentFields,
    more: HashedFile,
    offset: number,
  ): Promise<WrittenResult> {
    const before = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    if (!before.access.mayWrite) throw InfostoreErrors.mustNotWrite(named.id);
    const { reference, sizeBytes, filename, mimeType } = before.document.current;
    if (reference === null) {
      if (offset > 0) throw InfostoreErrors.offsetOfNew(offset);
      return this.update(user, named, timestamp, fields, more);
    }
    const badOffset = () => FileErrors.badOffset(offset, filename, sizeBytes);
    if (offset !== sizeBytes) throw badOffset();
    const file = { reference, name: '', contentType: mimeType ?? OPAQUE, sizeBytes };
    const whole = await this.uploads.storeContinued(user, file, more);
    try {
      return await this.update(user, named, timestamp, fields, whole, {
        replaces: true,
        continues: { reference, offset },
      });
    } finally {
      await this.uploads.discard(whole);
    }
  }

  /** Changes the current version, or makes another one the current one. */
  private async changeVersion(
    tx: Transaction,
    user: UserPrincipal,
    { document, before, access }: AccessedDocument & { readonly before: Document },
    { version, shared, permissions }: DocumentRequest,
    switchTo: number | undefined,
    state: ContextState,
  ): Promise<Written> {
    const isSwitch = switchTo !== undefined && switchTo !== document.current.version;
    requireMayReadVersion(user, { document, access }, switchTo);
    const chosen = isSwitch ? await this.documents.findVersion(tx, document.id, switchTo) : document.current;
    if (!chosen) throw FileStorageErrors.noSuchVersion(document.id, switchTo);
    if (version.filename === null && chosen.reference !== null) throw FileStorageErrors.nameMissing();
    const current = followName(chosen, version);
    const stored = await this.writer.update(
      tx,
      user.userId,
      {
        before: isSwitch ? { ...before, current: chosen } : before,
        after: { ...document, ...shared, current },
        ...(permissions && { permissions }),
      },
      state,
    );
    const saveAction = stored.current.filename === current.filename ? 'none' : 'rename';
    return { result: toResult(stored, seenIn(stored, before, access), saveAction, before.permissions), released: [] };
  }

  /** Gives a document a new version, or the current one another content. */
  private async addVersion(
    tx: Transaction,
    user: UserPrincipal,
    { document, before = document, access }: AccessedDocument & { readonly before?: Document },
    { version, shared, permissions, file }: DocumentRequest,
    {
      bytes,
      state,
      room,
      replaces,
      maxVersions,
    }: {
      bytes: string | undefined;
      state: ContextState;
      room: ReservedRoom;
      replaces: boolean;
      maxVersions: number;
    },
  ): Promise<Written> {
    const previous = document.current;
    const isReplaced = replaces && previous.version > 0;
    const isNewVersion = !isReplaced;
    const surplus = isNewVersion ? await this.listSurplus(tx, document, maxVersions) : [];
    const number = isReplaced ? previous.version : document.lastVersion + 1;
    const filename = version.filename ?? previous.filename;
    const current: DocumentVersion = {
      ...followName(previous, { ...version, ...(filename !== null && { filename }) }),
      ...toContent(file!, bytes, filename, version.mimeType),
      comment: version.comment ?? (isReplaced ? previous.comment : null),
      version: number,
      createdBy: user.userId,
      created: state.stamp,
    };
    const stored = await this.writer.update(
      tx,
      user.userId,
      {
        before,
        after: {
          ...document,
          ...shared,
          lastVersion: Math.max(document.lastVersion, number),
          versions: document.versions + (isNewVersion ? 1 : 0) - surplus.length,
          current,
        },
        isNewVersion,
        ...(permissions && { permissions }),
      },
      state,
    );
    if (isNewVersion && previous.version === 0) await this.documents.deleteVersions(tx, document.id, [0]);
    if (surplus.length > 0)
      await this.documents.deleteVersions(
        tx,
        document.id,
        surplus.map(({ version }) => version),
      );
    const gone = isReplaced && previous.reference !== null && previous.reference !== bytes ? [previous.reference] : [];
    const { references, sizeBytes } = sumFiles(surplus);
    const released = await this.writer.release(tx, [...new Set([...gone, ...references])], sizeBytes, state.stamp);
    const added = file!.sizeBytes - (isReplaced ? (previous.sizeBytes ?? 0) : 0);
    await this.writer.useBytes(tx, added, state, room);
    const saveAction = stored.current.filename === current.filename ? 'new_version' : 'rename';
    return { result: toResult(stored, seenIn(stored, before, access), saveAction, before.permissions), released };
  }

  /** The oldest versions, which go when one more comes. */
  private async listSurplus(tx: Transaction, document: Document, maxVersions: number): Promise<DocumentVersion[]> {
    const count = maxVersions > 0 ? document.versions + 1 - maxVersions : 0;
    return count > 0 ? (await this.documents.listVersions(tx, document.id)).slice(0, count) : [];
  }

  /** Most versions that documents keep when a user adds one; 0: all. */
  private async getMaxVersions({ contextId, userId, capabilities }: UserPrincipal): Promise<number> {
    if (!capabilities.includes(AUTODELETE)) return 0;
    return this.properties.get(MAX_FILE_VERSIONS, { contextId, userId });
  }

  /** Copies a document, with another file where one is given. @throws the errors of `infostore?action=copy` */
  async copy(
    user: UserPrincipal,
    named: NamedDocument,
    versionText: string | undefined,
    fields: DocumentFields,
    file: HashedFile | undefined,
  ): Promise<WrittenResult> {
    const targetId = fields.folder_id ? parseTargetId(fields.folder_id) : undefined;
    const request = await this.readRequest(user, fields, file);
    const wanted = versionText === undefined ? undefined : parseVersion(named.id, versionText);
    if (file) {
      const source = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
      await this.requireMayCreateIn(user, targetId ?? source.document.folderId);
      await this.uploads.requireClean(user, file, false);
    }
    const limit = await this.quota.getLimit(user);
    const copied = await this.withFile(user, request, async (tx, reference, room) => {
      const locked = await this.locks.lockDocument(tx, user, named, {
        newIds: 1,
        folders: targetId === undefined ? [] : [targetId],
      });
      const { document, state, folders } = locked;
      requireMayReadVersion(user, locked, wanted);
      const folderId = targetId ?? document.folderId;
      const folder = requireMayCreate(folders.get(folderId), folderId);
      const bytes = await reference(tx, state);
      if (bytes === 'again') return undefined;
      const source =
        wanted === undefined ? document.current : await this.documents.findVersion(tx, document.id, wanted);
      if (!source) throw FileStorageErrors.noSuchVersion(document.id, wanted);
      const filename = request.version.filename ?? source.filename;
      const current: DocumentVersion = {
        ...followName(source, { ...request.version, ...(filename !== null && { filename }) }),
        ...(file && toContent(file, bytes, filename, request.version.mimeType)),
        version: file || source.reference !== null ? 1 : 0,
        createdBy: user.userId,
      };
      const copied = await this.writer.create(
        tx,
        {
          folderId,
          createdBy: user.userId,
          modifiedBy: user.userId,
          categories: document.categories,
          color: document.color,
          meta: document.meta,
          ...request.shared,
          lockedBy: null,
          lockedUntil: null,
          origin: null,
          originPath: null,
          permissions: request.permissions ?? [],
          current,
        },
        state,
      );
      await this.writer.useBytes(tx, current.sizeBytes ?? 0, state, room);
      await this.quota.requireRoomFor(tx, 1, limit);
      const saveAction = copied.current.filename === filename ? 'none' : 'rename';
      return { result: toResult(copied, resolveAccess(copied, folder, user).seenIn, saveAction), released: [] };
    });
    if (!file) await this.media.note(user, copied.document);
    return copied;
  }

  /** Refuses what would be refused anyway before bytes are kept for it: nothing is written without a check. */
  async requireMayCreateIn(user: UserPrincipal, folderId: number): Promise<void> {
    const folders = await this.database.read(user, (db) => this.access.findFolders(db, user, [folderId]));
    requireMayCreate(folders.get(folderId), folderId);
  }

  private async requireMayWrite(user: UserPrincipal, named: NamedDocument): Promise<void> {
    const { access } = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    if (!access.mayWrite) throw InfostoreErrors.mustNotWrite(named.id);
  }

  private async readRequest(
    user: UserPrincipal,
    fields: DocumentFields,
    file: HashedFile | undefined,
    id?: number,
  ): Promise<DocumentRequest> {
    const named = file && fields.filename == null && file.name !== '' ? { ...fields, filename: file.name } : fields;
    const version = readVersionFields(named);
    const shared = readSharedFields(fields);
    return {
      version,
      shared,
      permissions: await this.permissions.readPermissions(user, fields.object_permissions, id),
      file,
      notice: fields.notification,
    };
  }

  private async findWritable(
    tx: Transaction,
    user: UserPrincipal,
    folder: AccessedFolder,
    filename: string | null | undefined,
  ): Promise<AccessedDocument | undefined> {
    const document = filename ? await this.documents.findByName(tx, folder.id, filename) : undefined;
    if (!document) return undefined;
    const access = resolveAccess(document, folder, user);
    return access.mayWrite && !isLockedFor(document, user.userId, this.clock.now()) ? { document, access } : undefined;
  }

  private requireUnlocked(document: Document, { userId }: UserPrincipal): void {
    if (isLockedFor(document, userId, this.clock.now())) throw InfostoreErrors.locked(document.id);
  }

  /** Runs a write with the file of a request, kept where it is used; purges what it released. */
  private async withFile(
    user: UserPrincipal,
    { file, notice }: Pick<DocumentRequest, 'file' | 'notice'>,
    write: (tx: Transaction, reference: ResolveReference, room: ReservedRoom) => Promise<Written | undefined>,
  ): Promise<WrittenResult> {
    const files = file ? [file] : [];
    const { result, released } = await this.claims.withFiles(user, files, (claimed, room) =>
      this.database.transact(user, async (tx) => {
        const written = await write(tx, this.toResolver(file, claimed), room);
        if (written && notice)
          await this.notices.publishNotice(tx, user, written.result.document, written.result.newEntities, notice);
        return written;
      }),
    );
    await this.files.abandonContents(user, released);
    if (file) await this.media.note(user, result.document);
    return result;
  }

  private toResolver(file: HashedFile | undefined, claimed: readonly Content[]): ResolveReference {
    return async (tx, state) => {
      if (!file) return undefined;
      const references = await this.claims.resolve(tx, [file], claimed, state);
      return references ? references.get(file.sha256) : 'again';
    };
  }
}

/** The reference of the file of a request, kept now; undefined without file, `again` when it must be claimed anew. */
type ResolveReference = (tx: Transaction, state: ContextState) => Promise<string | undefined>;

const toContent = (
  file: HashedFile,
  reference: string | undefined,
  filename: string | null,
  mimeType: string | null | undefined,
): Pick<DocumentVersion, 'sizeBytes' | 'md5' | 'reference' | 'mimeType'> => ({
  sizeBytes: file.sizeBytes,
  md5: file.md5,
  reference: reference ?? null,
  mimeType: resolveType(mimeType ?? file.contentType, filename),
});

/** The type of a file: browsers send none for what they do not know, so the name decides then. */
function resolveType(given: string, filename: string | null): string {
  const plain = given.split(';')[0]!.trim().toLowerCase();
  const isVague = plain === OPAQUE || plain === '' || /^(multipart|message)\//.test(plain);
  return isVague ? lookup(filename ?? '') || OPAQUE : given;
}

/** A version with other fields; a title that is the file name follows it. */
function followName(version: DocumentVersion, fields: VersionFields): DocumentVersion {
  const after = { ...version, ...fields };
  const follows = fields.title === undefined && version.title === version.filename;
  return follows ? { ...after, title: after.filename } : after;
}

/** The number of a version. @throws FILE_STORAGE-0039 for what is none */
export function parseVersion(id: number, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw FileStorageErrors.noSuchVersion(id, text);
  return Number(text);
}

/** The folder that a body names; undefined for the one of documents that are shared by themselves, where these stay. */
function readTarget({ folder_id: folder }: DocumentFields): number | undefined {
  if (!folder) return undefined;
  return parseFileFolderId(folder) === SHARED_FILES ? undefined : parseTargetId(folder);
}

/** Refuses a document that changed after the client read it (IFO-1302). */
export function requireUnchanged({ id, lastModified }: Document, timestamp: number): void {
  if (lastModified > timestamp) throw InfostoreErrors.changedInTheMeantime(id, timestamp, lastModified);
}

/** Refuses a move without the right to delete in the source (IFO-0421) or to create in the target (IFO-0404). */
export function requireMayMove(
  { document, access }: AccessedDocument,
  target: AccessedFolder | undefined,
  targetId: number,
): void {
  requireMayReceive(target, targetId);
  if (!access.mayRemove) throw InfostoreErrors.mustNotDeleteInSource(document.folderId);
}

/** Folder in which the user sees a document after a change: as before, or its new one. */
const seenIn = (after: Document, before: Document, access: AccessedDocument['access']): number =>
  access.seenIn === before.folderId ? after.folderId : access.seenIn;

const toResult = (
  document: Document,
  folder: number,
  saveAction: SaveAction,
  before: readonly StoredPermission[] = [],
): WrittenResult => ({
  id: toDocumentId(folder, document.id),
  document,
  saveAction,
  timestamp: document.lastModified,
  newEntities: document.permissions
    .filter(({ entity, group }) => !before.some((entry) => entry.entity === entity && entry.group === group))
    .map(({ entity }) => entity),
});
