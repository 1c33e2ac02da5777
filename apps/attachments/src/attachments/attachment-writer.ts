import { Injectable } from '@nestjs/common';
import {
  AttachmentErrors,
  attachmentEvents,
  QuotaErrors,
  type AttachedFiles,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { type Content, FileClaims, StoredFileRepository } from '@groupware/stored-files';
import type { ContextLimits } from '../domain/write-limits';
import type { UploadedPart } from '../domain/uploaded-parts';
import { AttachmentRepository } from '../persistence/attachment.repository';

/** Limits of a write, and how it is told. */
export interface WriteLimits extends ContextLimits {
  /** Nothing else of the objects changes: their participants are to be told. */
  readonly announce?: boolean;
  /** Most attachments of one object. */
  readonly maxPerObject: number;
  /** Reserved space in the file store; absent: the store is unlimited. */
  readonly reservation?: string;
}

/** Result of a write. */
export interface AttachResult {
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
    private readonly claims: FileClaims,
  ) {}

  /**
   * Attaches all parts or none; undefined when a known content was removed or the context moved to another store since
   * the claim: claim again.
   * @throws ATT-0001, QUOTA-0003, ATT-0418
   */
  writeAttachments(
    user: UserPrincipal,
    parts: readonly UploadedPart[],
    claimed: readonly Content[],
    limits: WriteLimits,
  ): Promise<AttachResult | undefined> {
    return this.database.transact(user, async (tx) => {
      const size = parts.reduce((sum, { file }) => sum + file.sizeBytes, 0);
      const state = await this.contents.advanceCounters(tx, this.clock.now(), parts.length);
      const { nextId, stamp, usedBytes } = state;
      if (limits.quotaBytes !== undefined && usedBytes + size > limits.quotaBytes)
        throw AttachmentErrors.quotaReached(limits.quotaBytes);
      await this.requireCapacity(tx, parts.length, limits);
      const files = parts.map(({ file }) => file);
      const references = await this.claims.resolve(tx, files, claimed, state);
      if (!references) return undefined;
      const used = await this.contents.addUsedBytes(tx, size);
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
      for (const object of listObjects(parts)) {
        const { count, newest } = await this.attachments.getObjectState(tx, object);
        if (count > limits.maxPerObject)
          throw AttachmentErrors.invalid(`more than ${limits.maxPerObject} attachments (maxPerObject)`);
        const { module, attached } = object;
        const changed = {
          module,
          object: attached,
          count,
          newest,
          revision: stamp,
          userId: user.userId,
          usedBytes: used,
          ...(limits.announce && { announce: true }),
          ...(limits.reservation === undefined ? {} : { reservation: limits.reservation }),
        };
        await tx.publish(attachmentEvents['object.changed'], changed);
        states.push(changed);
      }
      return { ids: parts.map((_part, index) => nextId + index), stamp, states };
    });
  }

  /**
   * Requires capacity, under the lock of {@link StoredFileRepository.advanceCounters}, which excludes concurrent
   * additions.
   */
  private async requireCapacity(tx: Transaction, more: number, { maxInContext }: ContextLimits): Promise<void> {
    if (maxInContext < 0) return;
    const count = await this.attachments.count(tx);
    if (count + more > maxInContext) throw QuotaErrors.exceeded('attachments', count, maxInContext);
  }
}

/** Lists the distinct objects of parts. */
export function listObjects(parts: readonly UploadedPart[]): UploadedPart[] {
  return [...new Map(parts.map((part) => [`${part.module}:${part.attached}`, part])).values()];
}
