import { Injectable } from '@nestjs/common';
import { InfostoreErrors, type UserPrincipal } from '@groupware/contracts';
import { LostRace, type Reader, type Transaction } from '@groupware/persistence';
import type { ContextState } from '@groupware/stored-files';
import type { Document } from '../domain/document';
import { SHARED_FILES, type NamedDocument } from '../domain/document-id';
import { FolderAccess, resolveAccess, type AccessedFolder, type DocumentAccess } from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { DocumentWriter } from './document-writer';

/** A document with what the user may do with it. */
export interface AccessedDocument {
  readonly document: Document;
  readonly access: DocumentAccess;
}

/** Whether a user sees what a document was before: guests with whom only the document is shared do not. */
export const seesFormerVersions = (user: UserPrincipal, { seenIn }: DocumentAccess): boolean =>
  !user.guest || seenIn !== SHARED_FILES;

/** Refuses versions before the current one to those who do not see them. @throws IFO-0400 */
export function requireMayReadVersion(
  user: UserPrincipal,
  { document, access }: AccessedDocument,
  version: number | undefined,
): void {
  const isCurrent = version === undefined || version === document.current.version;
  if (!isCurrent && !seesFormerVersions(user, access)) throw InfostoreErrors.notReadable(SHARED_FILES);
}

/** Documents and folders that stay as they are until the transaction ends. */
export interface LockedDocuments {
  /** By id; unknown ones are left out. */
  readonly documents: ReadonlyMap<number, AccessedDocument>;
  readonly folders: ReadonlyMap<number, AccessedFolder>;
  readonly state: ContextState;
}

/** Loads documents with what a user may do with them. */
@Injectable()
export class DocumentLocks {
  constructor(
    private readonly access: FolderAccess,
    private readonly documents: DocumentRepository,
    private readonly writer: DocumentWriter,
  ) {}

  /** A document that the user reads. @throws IFO-0300, IFO-0400 */
  async requireReadable(db: Reader, user: UserPrincipal, { id }: NamedDocument): Promise<AccessedDocument> {
    const [document] = await this.documents.listByIds(db, [id]);
    if (!document) throw InfostoreErrors.notFound(id);
    const folders = await this.access.findFolders(db, user, [document.folderId]);
    const access = resolveAccess(document, folders.get(document.folderId), user);
    if (!access.mayRead) throw InfostoreErrors.notReadable(document.folderId);
    return { document, access };
  }

  /**
   * Locks documents, their folders and further ones, and the context: in this order everywhere, so that writers wait for each
   * other instead of meeting in a deadlock.
   * @param ids so many new ids come with the state
   */
  async lockDocuments(
    tx: Transaction,
    user: UserPrincipal,
    ids: readonly number[],
    { folders: targets = [], newIds = 0 }: { readonly folders?: readonly number[]; readonly newIds?: number } = {},
  ): Promise<LockedDocuments> {
    const places = await this.documents.listPlaces(tx, ids);
    const folders = await this.access.lockFolders(tx, user, [...places.values(), ...targets]);
    const state = await this.writer.lockContext(tx, newIds);
    const documents = new Map<number, AccessedDocument>();
    for (const document of await this.documents.listByIds(tx, [...places.keys()])) {
      // Moved since the first look: its folder is not locked.
      if (document.folderId !== places.get(document.id)) throw new LostRace(`document ${document.id} moved`);
      documents.set(document.id, {
        document,
        access: resolveAccess(document, folders.get(document.folderId), user),
      });
    }
    return { documents, folders, state };
  }

  /** The same for one document that the user reads. @throws IFO-0300, IFO-0400 */
  async lockDocument(
    tx: Transaction,
    user: UserPrincipal,
    { id }: NamedDocument,
    options: { readonly folders?: readonly number[]; readonly newIds?: number } = {},
  ): Promise<LockedDocuments & AccessedDocument> {
    const locked = await this.lockDocuments(tx, user, [id], options);
    const found = locked.documents.get(id);
    if (!found) throw InfostoreErrors.notFound(id);
    if (!found.access.mayRead) throw InfostoreErrors.notReadable(found.document.folderId);
    return { ...locked, ...found };
  }
}
