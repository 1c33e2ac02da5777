import { Injectable } from '@nestjs/common';
import { attachmentEvents, type AttachedFiles } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { StoredFileRepository } from '@groupware/stored-files';
import { AttachmentRepository, type ObjectKey } from '../persistence/attachment.repository';

/** Result of a removal. */
export interface DetachResult {
  /** Contents to purge after the commit. */
  readonly released: readonly string[];
  readonly stamp: number;
  /** Remaining attachments of the object; absent when nothing changed. */
  readonly state?: AttachedFiles;
}

/** Removes attachments and frees their space. */
@Injectable()
export class AttachmentRemover {
  constructor(
    private readonly attachments: AttachmentRepository,
    private readonly contents: StoredFileRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes some or all attachments of an object. The bytes stay until the caller purges the released contents.
   * @param announce whether participants of the object are told, as nothing else of it changes
   */
  async removeAttachments(
    tx: Transaction,
    object: ObjectKey,
    userId: number,
    ids?: readonly number[],
    announce = false,
  ): Promise<DetachResult> {
    const { stamp } = await this.contents.advanceCounters(tx, this.clock.now(), 0);
    const gone = await this.attachments.delete(tx, object, stamp, ids);
    if (gone.length === 0) return { released: [], stamp };
    const usedBytes = await this.contents.addUsedBytes(tx, -gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    const released = await this.contents.releaseUnused(tx, [...new Set(gone.map(({ reference }) => reference))], stamp);
    const { count, newest } = await this.attachments.getObjectState(tx, object);
    const { module, attached } = object;
    const state = {
      module,
      object: attached,
      count,
      newest,
      revision: stamp,
      userId,
      usedBytes,
      ...(announce && { announce }),
    };
    await tx.publish(attachmentEvents['object.changed'], state);
    return { released, stamp, state };
  }
}
