import { Injectable } from '@nestjs/common';
import {
  FILE_RIGHTS,
  InfostoreErrors,
  recordCheck,
  waiveCheck,
  type DocumentReference,
  type RestoredDocument,
  type UserPrincipal,
} from '@groupware/contracts';
import { FolderTrash } from '@groupware/folders';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { StoredFiles, type ContextState } from '@groupware/stored-files';
import { isLockedFor, type Document } from '../domain/document';
import { findDocumentId, repeatReference, toDocumentId, type NamedDocument } from '../domain/document-id';
import { requireMayReceive } from '../folders/folder-access';
import { DocumentRepository } from '../persistence/document.repository';
import { FolderContentRepository } from '../persistence/folder-content.repository';
import { requireMayMove, requireUnchanged } from './document-checks';
import { DocumentLocks, type AccessedDocument, type LockedDocuments } from './document-locks';
import { DocumentTrash, type Placement } from './document-trash';
import { DocumentWriter } from './document-writer';

/** The outcome of a change of several documents. */
export interface SeveralResult {
  /** As the client named them. */
  readonly left: readonly DocumentReference[];
  readonly timestamp: number;
}

/** A document that several are made of, with its name in the request. */
interface Wanted {
  readonly reference: DocumentReference;
  readonly named: NamedDocument | undefined;
}

const toWanted = (reference: DocumentReference): Wanted => ({
  reference,
  named: reference.id === undefined ? undefined : findDocumentId(reference.id, reference.folder),
});
const idsOf = (wanted: readonly Wanted[]): number[] => wanted.flatMap(({ named }) => (named ? [named.id] : []));

/** Moves documents between folders, into the trash and out of it, and deletes them. */
@Injectable()
export class DocumentPlaces {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly content: FolderContentRepository,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
    private readonly trash: FolderTrash,
    private readonly places: DocumentTrash,
    private readonly files: StoredFiles,
    private readonly clock: Clock,
  ) {}

  /** Moves one document; its id that is valid from now on. @throws the errors of `GET infostore?action=move` */
  async moveOne(
    user: UserPrincipal,
    named: NamedDocument,
    target: number,
    timestamp: number,
  ): Promise<{ readonly id: string; readonly timestamp: number }> {
    const stored = await this.database.transact(user, async (tx) => {
      const locked = await this.locks.lockDocument(tx, user, named, { folders: [target] });
      this.requireUnlocked(locked.document, user);
      requireUnchanged(locked.document, timestamp);
      requireMayMove(locked, locked.folders.get(target), target);
      const placements = await this.places.resolvePlacements(tx, [locked.document.folderId], target);
      return this.place(tx, user, locked.document, placements.get(locked.document.folderId)!, locked.state);
    });
    return { id: toDocumentId(stored.folderId, stored.id), timestamp: stored.lastModified };
  }

  /** Moves documents; those that are not there, or whose names are taken, stay. @throws the errors of `PUT infostore?action=move` */
  async move(
    user: UserPrincipal,
    references: readonly DocumentReference[],
    target: number,
    renames: boolean,
  ): Promise<SeveralResult> {
    const wanted = references.map(toWanted);
    return this.database.transact(user, async (tx) => {
      const locked = await this.locks.lockDocuments(tx, user, idsOf(wanted), { folders: [target] });
      if (locked.documents.size === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is there to move');
      for (const each of locked.documents.values()) {
        if (!each.access.mayRead) throw InfostoreErrors.notReadable(each.document.folderId);
        requireMayMove(each, locked.folders.get(target), target);
        this.requireUnlocked(each.document, user);
      }
      const left: DocumentReference[] = [];
      const sources = [...locked.documents.values()].map(({ document }) => document.folderId);
      const placements = await this.places.resolvePlacements(tx, sources, target);
      for (const { reference, named } of wanted) {
        const found = named && locked.documents.get(named.id);
        if (!found || !(await this.hasFreeName(tx, found.document, target, renames))) {
          left.push(repeatReference(reference));
          continue;
        }
        if (found.document.folderId !== target)
          await this.place(tx, user, found.document, placements.get(found.document.folderId)!, locked.state);
      }
      return { left, timestamp: locked.state.stamp };
    });
  }

  private async hasFreeName(tx: Transaction, document: Document, target: number, renames: boolean): Promise<boolean> {
    const { filename } = document.current;
    if (renames || filename === null) return true;
    return (await this.writer.findFreeName(tx, target, filename, document.id)) === filename;
  }

  /**
   * Moves documents into the trash of the user, or deletes them where that is asked for or they are in a trash already; those
   * that are not there or changed later stay. @throws IFO-0400, IFO-0415, IFO-0445
   */
  async delete(
    user: UserPrincipal,
    references: readonly DocumentReference[],
    timestamp: number,
    isHard: boolean,
  ): Promise<SeveralResult> {
    const wanted = references.map(toWanted);
    if (wanted.length === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is named');
    const { released, ...result } = await this.database.transact(user, async (tx) => {
      const trashId = isHard ? undefined : await this.ensureTrash(tx, user, idsOf(wanted));
      const locked = await this.locks.lockDocuments(tx, user, idsOf(wanted), {
        folders: trashId === undefined ? [] : [trashId],
      });
      recordCheck(FILE_RIGHTS.remove);
      for (const { document, access } of locked.documents.values()) {
        if (!access.mayRead) throw InfostoreErrors.notReadable(document.folderId);
        if (!access.mayRemove) throw InfostoreErrors.mustNotDelete(document.id);
        this.requireUnlocked(document, user);
      }
      const isGone = ({ named }: Wanted): boolean => {
        const found = named && locked.documents.get(named.id);
        return found !== undefined && found.document.lastModified <= timestamp;
      };
      const left = wanted.filter((each) => !isGone(each)).map(({ reference }) => repeatReference(reference));
      const gone = [...locked.documents.values()]
        .map(({ document }) => document)
        .filter(({ lastModified }) => lastModified <= timestamp);
      const released = await this.removeOrTrash(tx, user, gone, trashId, locked);
      return { left, timestamp: locked.state.stamp, released };
    });
    await this.files.abandonContents(user, released);
    return result;
  }

  /** The trash of a user. Guests have none: theirs is that of the owner of the folders. @throws IFO-0445 for several owners */
  private async ensureTrash(tx: Transaction, user: UserPrincipal, ids: readonly number[]): Promise<number | undefined> {
    if (!user.guest) return this.trash.ensureTrash(tx, user);
    const owners = await this.content.listOwners(tx, ids);
    const [owner, second] = owners;
    if (second !== undefined) throw InfostoreErrors.mustNotDelete(ids[0]!);
    return owner === undefined ? undefined : this.trash.ensureTrash(tx, { userId: owner, locale: user.locale });
  }

  private async removeOrTrash(
    tx: Transaction,
    user: UserPrincipal,
    gone: readonly Document[],
    trashId: number | undefined,
    { state }: LockedDocuments,
  ): Promise<string[]> {
    if (trashId === undefined) return this.writer.remove(tx, user.userId, gone, state);
    const sources = gone.map(({ folderId }) => folderId);
    // The trash itself is one, and so is what stands in it.
    const places = await this.places.listPlaces(tx, sources);
    const isTrashed = ({ folderId }: Document): boolean => places.get(folderId)?.inTrash ?? false;
    const open = gone.filter((document) => !isTrashed(document));
    const placements = await this.places.resolvePlacements(tx, sources, trashId);
    await this.writer.moveMany(tx, user.userId, open, trashId, placements, state);
    return this.writer.remove(tx, user.userId, gone.filter(isTrashed), state);
  }

  /** Brings documents back from the trash to where they were. @throws IFO-0300 for what is in no trash, IFO-0400, IFO-0404, IFO-0421 */
  async restore(
    user: UserPrincipal,
    references: readonly DocumentReference[],
  ): Promise<{ readonly restored: readonly RestoredDocument[]; readonly timestamp: number }> {
    const wanted = references.map(toWanted);
    if (wanted.length === 0) waiveCheck(FILE_RIGHTS.remove, 'nothing is named');
    return this.database.transact(user, async (tx) => {
      const targets = await this.resolveOrigins(tx, user, wanted);
      const locked = await this.locks.lockDocuments(tx, user, idsOf(wanted), { folders: [...targets.values()] });
      const restored: RestoredDocument[] = [];
      for (const { reference, named } of wanted) {
        const found = named && locked.documents.get(named.id);
        const target = named && targets.get(named.id);
        if (!found || target === undefined) throw InfostoreErrors.notFound(reference.id ?? '');
        requireRestorable(found);
        // A document may be changed in the trash: it returns as a new one would come.
        requireMayReceive(locked.folders.get(target), target);
        const placement = { change: { folderId: target, origin: null, originPath: null } };
        await this.place(tx, user, found.document, placement, locked.state);
        const path = await this.content.listPath(tx, target);
        restored.push({
          id: reference.id!,
          path: path.map(({ id, title }) => ({ id: String(id), title })),
        });
      }
      return { restored, timestamp: locked.state.stamp };
    });
  }

  /** Folders for documents of the trash, made again where they are missing. Before the context is locked. */
  private async resolveOrigins(
    tx: Transaction,
    user: UserPrincipal,
    wanted: readonly Wanted[],
  ): Promise<ReadonlyMap<number, number>> {
    const targets = new Map<number, number>();
    for (const { id, folderId, origin, originPath } of await this.documents.listByIds(tx, idsOf(wanted))) {
      const places = await this.places.listPlaces(tx, [folderId, ...(origin === null ? [] : [origin])]);
      if (!places.get(folderId)?.inTrash) continue;
      const place = origin === null ? undefined : places.get(origin);
      const path = origin === null ? await this.places.findThrownPath(tx, folderId) : (originPath ?? '');
      if (origin !== null && place && !place.inTrash) targets.set(id, origin);
      else if (path !== undefined) targets.set(id, await this.trash.ensurePath(tx, user, path));
    }
    return targets;
  }

  private place(
    tx: Transaction,
    { userId }: UserPrincipal,
    before: Document,
    { change, permissions }: Placement,
    state: ContextState,
  ): Promise<Document> {
    const after = { ...before, ...change };
    return this.writer.update(tx, userId, { before, after, ...(permissions && { permissions }) }, state);
  }

  private requireUnlocked(document: Document, { userId }: UserPrincipal): void {
    if (isLockedFor(document, userId, this.clock.now())) throw InfostoreErrors.locked(document.id);
  }
}

function requireRestorable({ document, access }: AccessedDocument): void {
  if (!access.mayRead) throw InfostoreErrors.notReadable(document.folderId);
  if (!access.mayRemove) throw InfostoreErrors.mustNotDeleteInSource(document.folderId);
}
