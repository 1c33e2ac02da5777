import { Injectable } from '@nestjs/common';
import { InfostoreErrors, LOCK_TIMEOUT, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { StoredFiles, type ContextState } from '@groupware/stored-files';
import { isLockedFor, sumFiles, type Document, type DocumentVersion } from '../domain/document';
import type { NamedDocument } from '../domain/document-id';
import { DocumentRepository } from '../persistence/document.repository';
import { requireUnchanged } from './document-checks';
import { DocumentLocks } from './document-locks';
import { DocumentWriter } from './document-writer';

/** Latest end of a lock, ms UTC: what a client may still read as a date. */
const MAX_LOCK = 253_402_300_799_999;

/** Removes versions of documents, and locks documents. */
@Injectable()
export class DocumentVersions {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly documents: DocumentRepository,
    private readonly locks: DocumentLocks,
    private readonly writer: DocumentWriter,
    private readonly files: StoredFiles,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes versions; those that were not, all of them when another user keeps the document locked or it changed later.
   * @throws IFO-0300, IFO-0400, IFO-0406
   */
  async detach(
    user: UserPrincipal,
    named: NamedDocument,
    wanted: readonly number[],
    timestamp: number,
  ): Promise<{ readonly left: readonly number[]; readonly timestamp: number }> {
    const { released, ...result } = await this.database.transact(user, async (tx) => {
      const { document, access, state } = await this.locks.lockDocument(tx, user, named);
      if (!access.mayRemove) throw InfostoreErrors.mustNotDeleteVersion(document.id);
      const stays = document.lastModified > timestamp || isLockedFor(document, user.userId, this.clock.now());
      if (stays) return { left: wanted, timestamp: document.lastModified, released: [] };
      const known = new Set((await this.documents.listVersions(tx, document.id)).map(({ version }) => version));
      const left = wanted.filter((version) => !known.has(version));
      const gone = new Set(wanted.filter((version) => known.has(version)));
      if (gone.size === 0) return { left, timestamp: document.lastModified, released: [] };
      const released = await this.removeVersions(tx, user, document, gone, state);
      return { left, timestamp: state.stamp, released };
    });
    await this.files.abandonContents(user, released);
    return result;
  }

  /** Removes all versions. @throws IFO-0300, IFO-0400, IFO-0406, IFO-0415, IFO-1302 */
  async revert(user: UserPrincipal, named: NamedDocument, timestamp: number): Promise<number> {
    const { released, stamp } = await this.database.transact(user, async (tx) => {
      const { document, access, state } = await this.locks.lockDocument(tx, user, named);
      if (!access.mayRemove) throw InfostoreErrors.mustNotDeleteVersion(document.id);
      if (isLockedFor(document, user.userId, this.clock.now())) throw InfostoreErrors.locked(document.id);
      requireUnchanged(document, timestamp);
      const versions = await this.documents.listVersions(tx, document.id);
      if (versions.length === 0) return { released: [], stamp: document.lastModified };
      const all = new Set(versions.map(({ version }) => version));
      return { released: await this.removeVersions(tx, user, document, all, state), stamp: state.stamp };
    });
    await this.files.abandonContents(user, released);
    return stamp;
  }

  /** Locks a document for so long; the stamp of the change. @throws IFO-0300, IFO-0400, IFO-0415, IFO-0418 */
  async lock(user: UserPrincipal, named: NamedDocument, lengthMs: number | undefined): Promise<number> {
    const length = lengthMs ?? (await this.properties.get(LOCK_TIMEOUT, { contextId: user.contextId }));
    return this.database.transact(user, async (tx) => {
      const { document, access, state } = await this.locks.lockDocument(tx, user, named);
      if (!access.mayWrite) throw InfostoreErrors.mustNotLock(document.id);
      const now = this.clock.now();
      if (isLockedFor(document, user.userId, now)) throw InfostoreErrors.locked(document.id);
      const lock = { lockedBy: user.userId, lockedUntil: Math.min(now + length, MAX_LOCK) };
      return this.store(tx, user, document, { ...document, ...lock }, state);
    });
  }

  /** Ends the lock of a document; the stamp of the change. @throws IFO-0300, IFO-0400, IFO-0416, IFO-0417 */
  async unlock(user: UserPrincipal, named: NamedDocument): Promise<number> {
    return this.database.transact(user, async (tx) => {
      const { document, access, state, folders } = await this.locks.lockDocument(tx, user, named);
      if (!access.mayWrite) throw InfostoreErrors.mustNotUnlock(document.id);
      const mayEnd = document.createdBy === user.userId || folders.get(document.folderId)?.rights.admin === true;
      if (isLockedFor(document, user.userId, this.clock.now()) && !mayEnd)
        throw InfostoreErrors.lockOfAnother(document.id);
      return this.store(tx, user, document, { ...document, lockedBy: null, lockedUntil: null }, state);
    });
  }

  private async store(
    tx: Transaction,
    { userId }: UserPrincipal,
    before: Document,
    after: Document,
    state: ContextState,
  ): Promise<number> {
    return (await this.writer.update(tx, userId, { before, after }, state)).lastModified;
  }

  /** Removes versions; the highest one that remains becomes current, without any the document stays without file. */
  private async removeVersions(
    tx: Transaction,
    { userId }: UserPrincipal,
    document: Document,
    gone: ReadonlySet<number>,
    state: ContextState,
  ): Promise<string[]> {
    const versions = await this.documents.listVersions(tx, document.id);
    const remaining = versions.filter(({ version }) => !gone.has(version));
    const removed = versions.filter(({ version }) => gone.has(version));
    const current = gone.has(document.current.version)
      ? (remaining.at(-1) ?? withoutFile(document.current))
      : document.current;
    await this.writer.update(
      tx,
      userId,
      {
        before: { ...document, current },
        after: { ...document, versions: remaining.length, current },
        isNewVersion: current.version === 0,
      },
      state,
    );
    await this.documents.deleteVersions(tx, document.id, [...gone]);
    const { references, sizeBytes } = sumFiles(removed);
    return this.writer.release(tx, references, sizeBytes, state.stamp);
  }
}

/** A version without its file: what remains when it goes. */
const withoutFile = (version: DocumentVersion): DocumentVersion => ({
  ...version,
  version: 0,
  filename: null,
  comment: null,
  mimeType: null,
  sizeBytes: null,
  md5: null,
  reference: null,
});
