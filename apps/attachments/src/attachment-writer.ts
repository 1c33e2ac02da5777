import { Injectable } from '@nestjs/common';
import {
  AttachmentErrors,
  attachmentEvents,
  QuotaErrors,
  type AttachedFiles,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { storeIdOf } from '@groupware/file-store';
import { Clock } from '@groupware/service-kit';
import type { ContextLimits } from './domain/write-limits';
import type { UploadedPart } from './domain/uploaded-parts';
import { AttachmentRepository } from './persistence/attachment.repository';
import { type Content, StoredFileRepository } from './persistence/stored-file.repository';

/** What limits a write. */
export interface WriteLimits extends ContextLimits {
  /** Most attachments of one object. */
  readonly maxPerObject: number;
  /** Room that is set aside in the file store; absent: the store has no limit. */
  readonly reservation?: string;
}

/** What was written. */
export interface Attached {
  /** In the order of the parts. */
  readonly ids: readonly number[];
  readonly stamp: number;
  readonly states: readonly AttachedFiles[];
}

/** Writes attachments whose contents are claimed: rows, counters and events in one transaction. */
@Injectable()
export class AttachmentWriter {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly attachments: AttachmentRepository,
    private readonly contents: StoredFileRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Attaches all parts or none. Undefined when a content that was known at the claim is gone meanwhile, or the context was
   * moved to another store: claim again.
   * @throws ATT-0001, QUOTA-0003, ATT-0418
   */
  write(
    user: UserPrincipal,
    parts: readonly UploadedPart[],
    claimed: readonly Content[],
    limits: WriteLimits,
  ): Promise<Attached | undefined> {
    return this.database.transact(user, async (tx) => {
      const size = parts.reduce((sum, { file }) => sum + file.sizeBytes, 0);
      const { nextId, stamp, usedBytes, storeId } = await this.contents.advance(tx, this.clock.now(), parts.length);
      if (limits.quotaBytes !== undefined && usedBytes + size > limits.quotaBytes)
        throw AttachmentErrors.quotaReached(limits.quotaBytes);
      await this.requireRoomFor(tx, parts.length, limits);
      if (storeId !== null && claimed.some(({ reference }) => storeIdOf(reference) !== storeId)) return undefined;
      const references = await this.settled(tx, parts, claimed, stamp);
      if (!references) return undefined;
      const used = await this.contents.use(tx, size);
      await this.attachments.insert(
        tx,
        user.userId,
        stamp,
        parts.map(({ file, ...part }, index) => ({
          id: nextId + index,
          module: part.module,
          attached: part.attached,
          fileName: part.fileName,
          contentType: part.contentType,
          rtf: part.rtf,
          sizeBytes: file.sizeBytes,
          reference: references.get(file.sha256!)!,
        })),
      );
      const states: AttachedFiles[] = [];
      for (const object of objectsOf(parts)) {
        const { count, newest } = await this.attachments.stateOf(tx, object);
        if (count > limits.maxPerObject)
          throw AttachmentErrors.invalid(`more than ${limits.maxPerObject} attachments (maxPerObject)`);
        const { module, attached } = object;
        const state = {
          module,
          object: attached,
          count,
          newest,
          revision: stamp,
          userId: user.userId,
          usedBytes: used,
          ...(limits.reservation === undefined ? {} : { reservation: limits.reservation }),
        };
        await tx.publish(attachmentEvents['object.changed'], state);
        states.push(state);
      }
      return { ids: parts.map((_part, index) => nextId + index), stamp, states };
    });
  }

  /** Counts what is there, under the lock of {@link StoredFileRepository.advance}, so nobody else adds meanwhile. */
  private async requireRoomFor(tx: Transaction, more: number, { maxInContext }: ContextLimits): Promise<void> {
    if (maxInContext < 0) return;
    const count = await this.attachments.count(tx);
    if (count + more > maxInContext) throw QuotaErrors.exceeded('attachments', count, maxInContext);
  }

  /** The contents to use by hash. The lock on the counters keeps others from taking or giving up any of them. */
  private async settled(
    tx: Transaction,
    parts: readonly UploadedPart[],
    claimed: readonly Content[],
    stamp: number,
  ): Promise<Map<string, string> | undefined> {
    const hashes = [...new Set(parts.map(({ file }) => file.sha256!))];
    const references = new Map((await this.contents.kept(tx, hashes)).map((each) => [each.sha256, each.reference]));
    // Somebody else may have brought the same content meanwhile: then ours is given up.
    const ours = claimed.filter(({ sha256 }) => !references.has(sha256));
    const kept = await this.contents.keep(
      tx,
      ours.map(({ reference }) => reference),
      stamp,
    );
    if (kept !== ours.length) return undefined;
    for (const { sha256, reference } of ours) references.set(sha256, reference);
    return hashes.every((hash) => references.has(hash)) ? references : undefined;
  }
}

/** The objects that parts name, each once. */
export function objectsOf(parts: readonly UploadedPart[]): UploadedPart[] {
  return [...new Map(parts.map((part) => [`${part.module}:${part.attached}`, part])).values()];
}
