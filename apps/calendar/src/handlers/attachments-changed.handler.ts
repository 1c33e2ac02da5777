import { calendarAttachments, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AttachmentCounts } from '../appointments/attachment-counts';

/** `changed`: takes over how many files an appointment carries, ahead of the event that says the same. */
@Handles(calendarAttachments.changed)
export class AttachmentsChangedHandler implements Handler<typeof calendarAttachments.changed> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly counts: AttachmentCounts,
  ) {}

  handle({ principal, query }: CallOf<typeof calendarAttachments.changed>): Promise<boolean> {
    return this.database.transact(principal, (tx) =>
      this.counts.updateCount(tx, { ...query, newest: query.newest ?? null }),
    );
  }
}
