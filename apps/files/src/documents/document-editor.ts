import { Injectable } from '@nestjs/common';
import {
  FILE_RIGHTS,
  FileErrors,
  FileStorageErrors,
  InfostoreErrors,
  RequestErrors,
  waiveCheck,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import type { ReservedRoom } from '@groupware/stored-files';
import { isLockedFor, type Document } from '../domain/document';
import { SHARED_FILES, type NamedDocument } from '../domain/document-id';
import type { DocumentFields } from '../domain/document-input';
import {
  parseFileFolderId,
  parseTargetId,
  requireMayCreate,
  resolveAccess,
  type AccessedFolder,
} from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { requireMayMove, requireUnchanged } from './document-checks';
import { DocumentGuests } from './document-guests';
import { DocumentLocks, type AccessedDocument } from './document-locks';
import { DocumentQuota } from './document-quota';
import { DocumentRequests, type DocumentRequest, type ResolveReference } from './document-requests';
import { DocumentTrash } from './document-trash';
import { DocumentUploads, type HashedFile } from './document-uploads';
import { DocumentWriter } from './document-writer';
import { EMPTY_VERSION, OPAQUE, parseVersion, toContent } from './version-content';
import { VersionWriter } from './version-writer';
import { toResult, type Written, type WrittenResult } from './written-document';

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
  /** Zone of the ends of links; default: that of the user. */
  readonly timezone?: string | undefined;
}

/** Creates and changes documents for users. */
@Injectable()
export class DocumentEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
    private readonly versions: VersionWriter,
    private readonly places: DocumentTrash,
    private readonly quota: DocumentQuota,
    private readonly guests: DocumentGuests,
    private readonly requests: DocumentRequests,
    private readonly uploads: DocumentUploads,
    private readonly clock: Clock,
  ) {}

  /** Creates a document. @throws the errors of `infostore?action=new` */
  async create(
    user: UserPrincipal,
    fields: DocumentFields,
    file: HashedFile | undefined,
    options: CreateOptions = {},
  ): Promise<WrittenResult> {
    const reserve = async (): Promise<number> => this.requests.reserveId(user, requireTarget(fields));
    return this.guests.withGuests(user, fields.object_permissions, { of: { reserve } }, (object_permissions, id) =>
      this.createWithKnown(user, { ...fields, object_permissions }, file, { ...options, id }),
    );
  }

  private async createWithKnown(
    user: UserPrincipal,
    fields: DocumentFields,
    file: HashedFile | undefined,
    { triesVersion = false, scans = false, id }: CreateOptions & { readonly id?: number | undefined },
  ): Promise<WrittenResult> {
    const folderId = requireTarget(fields);
    const request = await this.requests.read(user, fields, file, id);
    if (file && !request.version.filename) throw FileStorageErrors.nameMissing();
    if (file) {
      await this.requests.requireMayCreateIn(user, folderId);
      await this.uploads.requireClean(user, file, scans);
    }
    const limit = await this.quota.getLimit(user);
    const maxVersions = triesVersion ? await this.versions.getMaxVersions(user) : 0;
    return this.requests.withFile(user, request, (tx, reference, room) =>
      this.createIn(tx, user, { folderId, limit, triesVersion, maxVersions, id }, request, reference, room),
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
      id,
    }: { folderId: number; limit: number; triesVersion: boolean; maxVersions: number; id: number | undefined },
    request: DocumentRequest,
    reference: ResolveReference,
    room: ReservedRoom,
  ): Promise<Written | undefined> {
    const { folders, state } = await this.locks.lockDocuments(tx, user, [], {
      ...{ folders: [folderId], newIds: id === undefined ? 1 : 0 },
    });
    const folder = requireMayCreate(folders.get(folderId), folderId);
    await this.places.requireOutsideTrash(tx, folderId, request);
    const bytes = await reference(tx, state);
    if (bytes === 'again') return undefined;
    const same = triesVersion ? await this.findWritable(tx, user, folder, request.version.filename) : undefined;
    // The link is one of the new document.
    if (same && id !== undefined) throw InfostoreErrors.invalid('a link needs a document of its own');
    if (same)
      return this.versions.addVersion(tx, user, same, request, { bytes, state, room, replaces: false, maxVersions });
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
          ...EMPTY_VERSION,
          createdBy: user.userId,
          ...version,
          filename,
          title: version.title ?? filename,
          ...(file && toContent(file, bytes, filename, version.mimeType)),
          version: file ? 1 : 0,
        },
      },
      id === undefined ? state : { ...state, nextId: id },
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
    const target = { of: named, timezone: options.timezone };
    return this.guests.withGuests(user, fields.object_permissions, target, (object_permissions) =>
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
    const request = await this.requests.read(user, fields, file, named.id);
    const switchTo = fields.version == null ? undefined : parseVersion(named.id, fields.version);
    if (file) {
      await this.requests.requireMayWrite(user, named);
      await this.uploads.requireClean(user, file, false);
    }
    const maxVersions = file && !replaces ? await this.versions.getMaxVersions(user) : 0;
    return this.requests.withFile(user, request, async (tx, reference, room) => {
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
      await this.places.requireOutsideTrash(tx, target ?? document.folderId, request, document.permissions);
      const placements =
        target === undefined ? undefined : await this.places.resolvePlacements(tx, [document.folderId], target);
      const placement = placements?.get(document.folderId);
      const moved = { ...locked, document: { ...document, ...placement?.change } };
      const wanted = placement?.permissions ? { ...request, permissions: placement.permissions } : request;
      if (file)
        return this.versions.addVersion(tx, user, { ...moved, before: document }, wanted, {
          ...{ bytes, state, room, replaces, maxVersions },
        });
      return this.versions.changeVersion(tx, user, { ...moved, before: document }, wanted, switchTo, state);
    });
  }

  /**
   * Continues the file of the current version, which has as many bytes as the offset says; no version is made.
   * @throws FLS-0019 when it has others, IFO-2102 when it has no file, the errors of `infostore?action=update`
   */
  async continueFile(
    user: UserPrincipal,
    named: NamedDocument,
    timestamp: number,
    fields: DocumentFields,
    more: HashedFile,
    { offset, timezone }: { readonly offset: number; readonly timezone?: string | undefined },
  ): Promise<WrittenResult> {
    const before = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    if (!before.access.mayWrite) throw InfostoreErrors.mustNotWrite(named.id);
    const { reference, sizeBytes, filename, mimeType } = before.document.current;
    if (reference === null) {
      if (offset > 0) throw InfostoreErrors.offsetOfNew(offset);
      return this.update(user, named, timestamp, fields, more, { timezone });
    }
    const badOffset = () => FileErrors.badOffset(offset, filename, sizeBytes);
    if (offset !== sizeBytes) throw badOffset();
    const file = { reference, name: '', contentType: mimeType ?? OPAQUE, sizeBytes };
    const whole = await this.uploads.storeContinued(user, file, more);
    try {
      return await this.update(user, named, timestamp, fields, whole, {
        replaces: true,
        continues: { reference, offset },
        timezone,
      });
    } finally {
      await this.uploads.discard(whole);
    }
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
}

/** The folder that the body of a new document names. @throws SVL-0002 */
function requireTarget({ folder_id: folder }: DocumentFields): number {
  if (!folder) throw RequestErrors.missingParameter('folder_id');
  return parseTargetId(folder);
}

/** The folder that a body names; undefined for the one of documents that are shared by themselves, where these stay. */
function readTarget({ folder_id: folder }: DocumentFields): number | undefined {
  if (!folder) return undefined;
  return parseFileFolderId(folder) === SHARED_FILES ? undefined : parseTargetId(folder);
}
