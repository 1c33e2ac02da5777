import { Injectable } from '@nestjs/common';
import { attachmentEvents, type AttachedFiles, type FileCopyRequest, type Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { StoredFileRepository } from '@groupware/stored-files';
import type { NotifiedFiles } from '../objects/attached-objects';
import { AttachmentRepository, type ObjectKey } from '../persistence/attachment.repository';
import { OwnerNotices } from './owner-notices';

/**
 * Gives new objects copies of the files of others. The contents are shared and need no room in the file store, so that no limit
 * refuses a copy; it counts as used space like any file.
 */
@Injectable()
export class AttachmentCopies {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly attachments: AttachmentRepository,
    private readonly contents: StoredFileRepository,
    private readonly notices: OwnerNotices,
    private readonly clock: Clock,
  ) {}

  /** Copies at once, or finds that it was done before; the owner of the new object knows of its files then. */
  async copyFiles(tenant: Tenant, module: number, request: FileCopyRequest): Promise<void> {
    const written = await this.database.transact(tenant, (tx) => this.writeCopies(tx, module, request));
    // The consumer of the event may have come first, and the owner not have heard of it yet.
    const state = written ?? (await this.findState(tenant, { module, attached: request.id }));
    if (state) await this.notices.notifyOwner(tenant, state);
  }

  /** Writes the copies in a transaction. Answers the files of the new object for {@link OwnerNotices}; undefined when nothing changed. */
  async writeCopies(
    tx: Transaction,
    module: number,
    { id: attached, from, files }: FileCopyRequest,
  ): Promise<AttachedFiles | undefined> {
    const wanted = new Set(files);
    const found = await this.attachments.listFiles(tx, module, [from]);
    const ids = found.map(({ id }) => id).filter((id) => !files || wanted.has(id));
    // The lock excludes another copy to the same object, and removals.
    const { nextId, stamp } = await this.contents.advanceCounters(tx, this.clock.now(), ids.length);
    const object = { module, attached };
    if (!(await this.attachments.noteCopy(tx, object))) return undefined;
    const sizes = await this.attachments.insertCopies(tx, object, { from, ids, firstId: nextId, stamp });
    if (sizes.length === 0) return undefined;
    const usedBytes = await this.contents.addUsedBytes(
      tx,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    const { count, newest } = await this.attachments.getObjectState(tx, object);
    const state = { module, object: attached, count, newest, revision: stamp, userId: 0, usedBytes };
    await tx.publish(attachmentEvents['object.changed'], state);
    return state;
  }

  /** Files of an object as of their newest change; undefined when it never had any. */
  private findState(tenant: Tenant, object: ObjectKey): Promise<NotifiedFiles | undefined> {
    const { module, attached } = object;
    return this.database.read(tenant, async (db) => {
      const revision = await this.attachments.findNewestChange(db, object);
      if (revision === 0) return undefined;
      return { module, object: attached, ...(await this.attachments.getObjectState(db, object)), revision, userId: 0 };
    });
  }
}
