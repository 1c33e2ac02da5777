import { Injectable } from '@nestjs/common';
import { attachmentEvents, type AttachedFiles } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AttachmentRepository, type ObjectKey } from './persistence/attachment.repository';
import { StoredFileRepository } from './persistence/stored-file.repository';

/** What a removal did. */
export interface Detached {
  /** Contents whose bytes are to be removed after the commit. */
  readonly released: readonly string[];
  readonly stamp: number;
  /** What the object carries now; absent when nothing changed. */
  readonly state?: AttachedFiles;
}

/** Removes attachments and gives back their space. */
@Injectable()
export class Detachment {
  constructor(
    private readonly attachments: AttachmentRepository,
    private readonly contents: StoredFileRepository,
    private readonly clock: Clock,
  ) {}

  /** Removes some attachments of an object, or all of them. The bytes stay until the caller purges what was released. */
  async remove(tx: Transaction, object: ObjectKey, userId: number, ids?: readonly number[]): Promise<Detached> {
    const { stamp } = await this.contents.advance(tx, this.clock.now(), 0);
    const gone = await this.attachments.remove(tx, object, stamp, ids);
    if (gone.length === 0) return { released: [], stamp };
    const usedBytes = await this.contents.use(tx, -gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
    const released = await this.contents.release(tx, [...new Set(gone.map(({ reference }) => reference))], stamp);
    const { count, newest } = await this.attachments.stateOf(tx, object);
    const state = { module: object.module, object: object.attached, count, newest, revision: stamp, userId, usedBytes };
    await tx.publish(attachmentEvents['object.changed'], state);
    return { released, stamp, state };
  }
}
