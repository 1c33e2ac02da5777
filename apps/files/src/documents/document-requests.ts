import { Injectable } from '@nestjs/common';
import { InfostoreErrors, type FileNotification, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { FileClaims, StoredFiles, type Content, type ContextState, type ReservedRoom } from '@groupware/stored-files';
import type { StoredPermission } from '../domain/document';
import type { NamedDocument } from '../domain/document-id';
import {
  readSharedFields,
  readVersionFields,
  type DocumentFields,
  type SharedFields,
  type VersionFields,
} from '../domain/document-input';
import { FolderAccess, requireMayCreate } from '../folders/folder-access';
import { DocumentLocks } from './document-locks';
import { DocumentMedia } from './document-media';
import { DocumentNotices } from './document-notices';
import type { HashedFile } from './document-uploads';
import { DocumentWriter } from './document-writer';
import { PermissionInput } from './permission-input';
import type { Written, WrittenResult } from './written-document';

/** A request to write a document: read before the transaction. */
export interface DocumentRequest {
  readonly version: VersionFields;
  readonly shared: SharedFields;
  readonly permissions: StoredPermission[] | undefined;
  readonly file: HashedFile | undefined;
  /** Tells those who get rights. */
  readonly notice: FileNotification | undefined;
}

/** The reference of the file of a request, kept now; undefined without file, `again` when it must be claimed anew. */
export type ResolveReference = (tx: Transaction, state: ContextState) => Promise<string | undefined>;

/** Reads requests to write documents, and runs them with their files. */
@Injectable()
export class DocumentRequests {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly access: FolderAccess,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
    private readonly permissions: PermissionInput,
    private readonly notices: DocumentNotices,
    private readonly claims: FileClaims,
    private readonly files: StoredFiles,
    private readonly media: DocumentMedia,
  ) {}

  /** Reads the fields of a body. @param id of the document that they change */
  async read(
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

  /** Refuses what would be refused anyway before bytes are kept for it: nothing is written without a check. */
  async requireMayCreateIn(user: UserPrincipal, folderId: number): Promise<void> {
    const folders = await this.database.read(user, (db) => this.access.findFolders(db, user, [folderId]));
    requireMayCreate(folders.get(folderId), folderId);
  }

  /** Reserves the id of a document that is about to exist in a folder: its link names it. @throws IFO-0402 */
  async reserveId(user: UserPrincipal, folderId: number): Promise<number> {
    await this.requireMayCreateIn(user, folderId);
    const { nextId } = await this.database.transact(user, (tx) => this.writer.lockContext(tx, 1));
    return nextId;
  }

  /** Requires the right to write on a document that a file is for. @throws IFO-0300, IFO-0400, IFO-0403 */
  async requireMayWrite(user: UserPrincipal, named: NamedDocument): Promise<void> {
    const { access } = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    if (!access.mayWrite) throw InfostoreErrors.mustNotWrite(named.id);
  }

  /** Runs a write with the file of a request, kept where it is used; purges what it released. */
  async withFile(
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
