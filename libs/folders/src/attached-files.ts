import { Injectable, type Type } from '@nestjs/common';
import type {
  AttachedFiles,
  attachmentEvents,
  AttachmentOwner,
  CallOf,
  EventMessage,
  PayloadOf,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { type Consumer, Handles } from '@groupware/service-kit';

type FilesChanged = (typeof attachmentEvents)['object.changed'];

/** The files of one object of a module. */
export type FilesOfObject = Omit<AttachedFiles, 'module' | 'usedBytes'>;

/** Stores how many files an object carries: a module extends it and provides the subclass under this name. */
export abstract class AttachmentCounts {
  /** Module id of attachments. */
  abstract readonly module: number;
  /** Takes over a state unless a newer one is there. Answers `last_modified` of the object then; 0 when there is no such object. */
  abstract updateCount(tx: Transaction, files: FilesOfObject): Promise<number>;
}

/** Takes over how many files objects carry: a module extends it as a consumer of `attachments.object.changed`. */
@Injectable()
export class AttachmentsChanged implements Consumer<FilesChanged> {
  constructor(private readonly counts: AttachmentCounts) {}

  async handle({ payload }: EventMessage<PayloadOf<FilesChanged>>, tx: Transaction): Promise<void> {
    if (payload.module === this.counts.module) await this.counts.updateCount(tx, payload);
  }
}

/** Handler of `changed`, ahead of the event that says the same: pass it to `defineService({ handlers })`. */
export function attachmentsChangedHandler(contract: AttachmentOwner): Type {
  @Handles(contract.changed)
  class AttachmentsChangedHandler {
    constructor(
      private readonly database: ModuleDatabase,
      private readonly counts: AttachmentCounts,
    ) {}

    handle({ principal, query }: CallOf<AttachmentOwner['changed']>): Promise<number> {
      return this.database.transact(principal, (tx) =>
        this.counts.updateCount(tx, { ...query, newest: query.newest ?? null }),
      );
    }
  }
  return AttachmentsChangedHandler;
}
