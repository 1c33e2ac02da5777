import { Injectable } from '@nestjs/common';
import { FileErrors, filesEvents, type DocumentChange, type EventType } from '@groupware/contracts';
import { WithdrawalNotices } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { StoredFileRepository, type ContextState, type ReservedRoom } from '@groupware/stored-files';
import type { Document, DocumentVersion, StoredPermission } from '../domain/document';
import { DocumentRepository } from '../persistence/document.repository';
import type { Placement } from './document-trash';

/** A document that is about to exist; the writer gives id and stamps. */
export type NewDocument = Omit<Document, 'id' | 'created' | 'lastModified' | 'lastVersion' | 'versions'>;

/** Another state of a document. */
export interface ChangedDocument {
  readonly before: Document;
  readonly after: Document;
  /** Whether `after` has a version of its own, instead of another state of the current one. */
  readonly isNewVersion?: boolean;
  readonly permissions?: readonly StoredPermission[];
}

/** Writes documents with their stamps, names, tombstones, used space and events. */
@Injectable()
export class DocumentWriter {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly contents: StoredFileRepository,
    private readonly notices: WithdrawalNotices,
    private readonly clock: Clock,
  ) {}

  /**
   * Lets one transaction of the context at a time write documents. After folders are locked, and before documents are, so that
   * writers do not meet in a deadlock.
   */
  lockContext(tx: Transaction, ids = 0): Promise<ContextState> {
    return this.contents.advanceCounters(tx, this.clock.now(), ids);
  }

  /** A name that no other document of the folder bears. */
  async findFreeName(tx: Transaction, folderId: number, name: string, except = 0): Promise<string> {
    return this.documents.findFreeName(tx, folderId, name, except);
  }

  /** Stores a new document under a free name. `state` is that of {@link lockContext} with one id. */
  async create(tx: Transaction, created: NewDocument, { nextId, stamp }: ContextState): Promise<Document> {
    const { version } = created.current;
    const document: Document = {
      ...created,
      id: nextId,
      created: stamp,
      lastModified: stamp,
      lastVersion: version,
      versions: version > 0 ? 1 : 0,
      current: await this.withFreeName(tx, created.folderId, { ...created.current, created: stamp }, 0),
    };
    await this.documents.insert(tx, document);
    if (document.permissions.length > 0) await this.documents.replacePermissions(tx, document.id, document.permissions);
    await this.publish(tx, filesEvents['document.created'], document);
    return document;
  }

  /** Stores a change under a free name; returns the document as it is stored. */
  async update(
    tx: Transaction,
    userId: number,
    { before, after, isNewVersion, permissions }: ChangedDocument,
    { stamp }: Pick<ContextState, 'stamp'>,
  ): Promise<Document> {
    const current = await this.withFreeName(tx, after.folderId, after.current, after.id);
    const stored: Document = {
      ...after,
      current,
      modifiedBy: userId,
      lastModified: stamp,
      permissions: permissions ?? after.permissions,
    };
    if (isNewVersion) await this.documents.insertVersion(tx, stored.id, current);
    else if (current !== before.current) await this.documents.updateVersion(tx, stored.id, current);
    if (before.folderId !== stored.folderId) {
      await this.documents.insertTombstones(tx, [before], stamp);
      await this.documents.removeTombstones(tx, stored.folderId, [stored.id]);
    }
    await this.documents.update(tx, [stored]);
    if (permissions) await this.replacePermissions(tx, before, permissions, stamp);
    await this.publish(tx, filesEvents['document.changed'], stored, before);
    return stored;
  }

  /** Moves documents into a folder; `placements` tell what else changes, by the folders where they are. */
  async moveMany(
    tx: Transaction,
    userId: number,
    moved: readonly Document[],
    targetFolderId: number,
    placements: ReadonlyMap<number, Placement>,
    state: Pick<ContextState, 'stamp'>,
  ): Promise<void> {
    if (moved.length === 0) return;
    const names = moved.map(({ current }) => current.filename);
    const free = await this.documents.listFreeNames(tx, targetFolderId, names);
    // What needs another name, or loses rights, is written by itself.
    const isPlain = ({ permissions }: Document, index: number): boolean =>
      permissions.length === 0 && (names[index] === null || free.has(index));
    const plain = moved.filter(isPlain);
    await this.documents.insertTombstones(tx, plain, state.stamp);
    const ids = plain.map(({ id }) => id);
    await this.documents.removeTombstones(tx, targetFolderId, ids);
    const stored = plain.map((before) => ({
      ...before,
      ...placements.get(before.folderId)!.change,
      folderId: targetFolderId,
      modifiedBy: userId,
      lastModified: state.stamp,
    }));
    await this.documents.update(tx, stored);
    for (const [index, after] of stored.entries())
      await this.publish(tx, filesEvents['document.changed'], after, plain[index]);
    for (const before of moved.filter((document, index) => !isPlain(document, index))) {
      const { change, permissions } = placements.get(before.folderId)!;
      const after = { ...before, ...change, folderId: targetFolderId };
      await this.update(tx, userId, { before, after, ...(permissions && { permissions }) }, state);
    }
  }

  /** Deletes documents for good; the files that nothing uses any more, to be purged after the commit. */
  async remove(
    tx: Transaction,
    userId: number,
    removed: readonly Document[],
    { stamp }: Pick<ContextState, 'stamp'>,
  ): Promise<string[]> {
    if (removed.length === 0) return [];
    const ids = removed.map(({ id }) => id);
    const { references, bytes } = await this.documents.listFiles(tx, ids);
    await this.documents.insertTombstones(tx, removed, stamp);
    for (const { id, permissions } of removed)
      await this.documents.insertPermissionTombstones(tx, id, permissions, stamp);
    await this.documents.delete(tx, ids);
    await this.publishWithdrawals(
      tx,
      removed.flatMap(({ permissions }) => permissions),
      stamp,
    );
    for (const document of removed)
      await this.publish(
        tx,
        filesEvents['document.deleted'],
        { ...document, modifiedBy: userId, lastModified: stamp },
        document,
      );
    return this.release(tx, references, bytes, stamp);
  }

  /** Gives up files of versions that went; those that nothing uses any more, to be purged after the commit. */
  async release(tx: Transaction, references: readonly string[], bytes: number, stamp: number): Promise<string[]> {
    if (bytes > 0) await this.countBytes(tx, -bytes, stamp);
    return references.length > 0 ? this.contents.releaseUnused(tx, references, stamp) : [];
  }

  /** Counts bytes that a write adds. @throws FLS-0024 beyond the quota */
  async useBytes(
    tx: Transaction,
    bytes: number,
    { usedBytes, stamp }: ContextState,
    { quotaBytes, reservation }: ReservedRoom,
  ): Promise<void> {
    if (quotaBytes !== undefined && bytes > 0 && usedBytes + bytes > quotaBytes)
      throw FileErrors.quotaReached(quotaBytes);
    await this.countBytes(tx, bytes, stamp, reservation);
  }

  private async countBytes(tx: Transaction, bytes: number, stamp: number, reservation?: string): Promise<void> {
    const usedBytes = await this.contents.addUsedBytes(tx, bytes);
    await tx.publish(filesEvents['space.changed'], {
      usedBytes,
      revision: stamp,
      ...(reservation !== undefined && { reservation }),
    });
  }

  private async withFreeName(
    tx: Transaction,
    folderId: number,
    version: DocumentVersion,
    except: number,
  ): Promise<DocumentVersion> {
    if (version.filename === null) return version;
    const filename = await this.findFreeName(tx, folderId, version.filename, except);
    if (filename === version.filename) return version;
    return { ...version, filename, title: version.title === version.filename ? filename : version.title };
  }

  private async replacePermissions(
    tx: Transaction,
    before: Document,
    permissions: readonly StoredPermission[],
    stamp: number,
  ): Promise<void> {
    const gone = before.permissions.filter(
      ({ entity, group }) => !permissions.some((entry) => entry.entity === entity && entry.group === group),
    );
    await this.documents.insertPermissionTombstones(tx, before.id, gone, stamp);
    await this.documents.replacePermissions(tx, before.id, permissions);
    await this.publishWithdrawals(tx, gone, stamp);
  }

  /** Tells of users and guests who lost rights of their own: guests go with the last. */
  private async publishWithdrawals(
    tx: Transaction,
    gone: readonly Pick<StoredPermission, 'entity' | 'group'>[],
    stamp: number,
  ): Promise<void> {
    const entities = [...new Set(gone.flatMap(({ entity, group }) => (group ? [] : [entity])))];
    if (entities.length > 0) await this.notices.publishWithdrawn(tx, filesEvents['folders.withdrawn'], entities, stamp);
  }

  private publish(
    tx: Transaction,
    event: EventType<DocumentChange>,
    document: Document,
    before: Document = document,
  ): Promise<void> {
    const shared = [...document.permissions, ...before.permissions];
    return tx.publish(event, {
      id: document.id,
      folders: [...new Set([document.folderId, before.folderId])],
      users: [...new Set(shared.filter(({ group }) => !group).map(({ entity }) => entity))],
      by: document.modifiedBy,
      stamp: document.lastModified,
    });
  }
}
