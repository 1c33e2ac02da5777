import { Injectable } from '@nestjs/common';
import { FileStorageErrors, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import type { DocumentVersion } from '../domain/document';
import type { NamedDocument } from '../domain/document-id';
import type { DocumentFields } from '../domain/document-input';
import { parseTargetId, requireMayCreate, resolveAccess } from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { DocumentGuests } from './document-guests';
import { DocumentLocks, requireMayReadVersion } from './document-locks';
import { DocumentMedia } from './document-media';
import { DocumentQuota } from './document-quota';
import { DocumentRequests } from './document-requests';
import { DocumentTrash } from './document-trash';
import { DocumentUploads, type HashedFile } from './document-uploads';
import { DocumentWriter } from './document-writer';
import { followName, parseVersion, toContent } from './version-content';
import { toResult, type WrittenResult } from './written-document';

/** Copies documents for users. */
@Injectable()
export class DocumentCopier {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
    private readonly places: DocumentTrash,
    private readonly quota: DocumentQuota,
    private readonly guests: DocumentGuests,
    private readonly requests: DocumentRequests,
    private readonly uploads: DocumentUploads,
    private readonly media: DocumentMedia,
  ) {}

  /** Copies a document, with another file where one is given. @throws the errors of `infostore?action=copy` */
  async copy(
    user: UserPrincipal,
    named: NamedDocument,
    versionText: string | undefined,
    fields: DocumentFields,
    file: HashedFile | undefined,
  ): Promise<WrittenResult> {
    const reserve = async (): Promise<number> =>
      this.requests.reserveId(user, await this.findTarget(user, named, fields));
    return this.guests.withGuests(user, fields.object_permissions, { of: { reserve } }, (object_permissions, id) =>
      this.copyWithKnown(user, named, versionText, { ...fields, object_permissions }, { file, id }),
    );
  }

  /** The folder of a copy: that of the source where none is named. */
  private async findTarget(user: UserPrincipal, named: NamedDocument, { folder_id: folder }: DocumentFields) {
    const { document } = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    return folder ? parseTargetId(folder) : document.folderId;
  }

  /** @param id reserved for the copy where its permissions name its link */
  private async copyWithKnown(
    user: UserPrincipal,
    named: NamedDocument,
    versionText: string | undefined,
    fields: DocumentFields,
    { file, id }: { readonly file: HashedFile | undefined; readonly id: number | undefined },
  ): Promise<WrittenResult> {
    const targetId = fields.folder_id ? parseTargetId(fields.folder_id) : undefined;
    const request = await this.requests.read(user, fields, file, id);
    const wanted = versionText === undefined ? undefined : parseVersion(named.id, versionText);
    if (file) {
      await this.requests.requireMayCreateIn(user, await this.findTarget(user, named, fields));
      await this.uploads.requireClean(user, file, false);
    }
    const limit = await this.quota.getLimit(user);
    const copied = await this.requests.withFile(user, request, async (tx, reference, room) => {
      const locked = await this.locks.lockDocument(tx, user, named, {
        newIds: id === undefined ? 1 : 0,
        folders: targetId === undefined ? [] : [targetId],
      });
      const { document, state, folders } = locked;
      requireMayReadVersion(user, locked, wanted);
      const folderId = targetId ?? document.folderId;
      const folder = requireMayCreate(folders.get(folderId), folderId);
      await this.places.requireOutsideTrash(tx, folderId, request);
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
        id === undefined ? state : { ...state, nextId: id },
      );
      await this.writer.useBytes(tx, current.sizeBytes ?? 0, state, room);
      await this.quota.requireRoomFor(tx, 1, limit);
      const saveAction = copied.current.filename === filename ? 'none' : 'rename';
      return { result: toResult(copied, resolveAccess(copied, folder, user).seenIn, saveAction), released: [] };
    });
    if (!file) await this.media.note(user, copied.document);
    return copied;
  }
}
