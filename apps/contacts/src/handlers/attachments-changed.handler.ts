import { contactAttachments, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachmentCounts } from '../contacts/attachment-counts';

/** `changed`: takes over how many files a contact carries, ahead of the event that says the same. */
@Handles(contactAttachments.changed)
export class AttachmentsChangedHandler implements Handler<typeof contactAttachments.changed> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly counts: AttachmentCounts,
  ) {}

  handle({ principal, query }: CallOf<typeof contactAttachments.changed>): Promise<boolean> {
    return this.database.transact(principal, (tx) =>
      this.counts.updateCount(tx, { ...query, newest: query.newest ?? null }),
    );
  }
}
