import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock, Consumes, type Consumer } from '@groupware/service-kit';
import { StoredFileRepository, StoredFiles } from '@groupware/stored-files';
import { ExpiredFiles } from '../managed/expired-files';
import { ManagedFileRepository } from '../managed/managed-file.repository';

const deleting = identityEvents['context.deleting'];

/** Deletes all attachments of a removed context. */
@Consumes(deleting)
export class ContextDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly contents: StoredFileRepository,
    private readonly files: StoredFiles,
    private readonly clock: Clock,
    private readonly managed: ManagedFileRepository,
    private readonly expired: ExpiredFiles,
  ) {}

  async handle(message: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    // The lock serializes this with concurrent uploads.
    await this.contents.advanceCounters(tx, this.clock.now(), 0);
    const managed = await this.managed.removeAll(tx);
    for (const table of ['attachment', 'copied_object', 'tombstone', 'scan_result'])
      await tx.run(`delete from ${table} where context_id = $1`);
    const rows = await tx.rows('select reference from stored_file where context_id = $1');
    const released = await this.contents.releaseUnused(
      tx,
      rows.map(([reference]) => reference as string),
      this.clock.now(),
    );
    await tx.run('delete from context_state where context_id = $1');
    tx.afterCommit(() => {
      void this.files.abandonContents({ contextId: message.contextId }, released);
      void this.expired.removeBytes(managed);
    });
  }
}
