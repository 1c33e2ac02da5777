import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { FolderHandover } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';

const deleting = identityEvents['user.deleting'];

/** Calendars of a user who is deleted: shared and public ones go to whoever was named, all others go. */
@Consumes(deleting)
export class FolderUserDeletingConsumer implements Consumer<typeof deleting> {
  constructor(
    private readonly directory: Directory,
    private readonly handover: FolderHandover,
  ) {}

  async handle(message: EventMessage<PayloadOf<typeof deleting>>, tx: Transaction): Promise<void> {
    const { userId, reassignTo } = message.payload;
    const heir =
      reassignTo === undefined ? undefined : (await this.directory.entities(message, [reassignTo])).get(reassignTo);
    await this.handover.userLeaves(tx, {
      userId,
      // Gone as well meanwhile: as if nobody had been named.
      ...(heir?.kind === 'user' && { heir: { userId: heir.id, email: heir.email } }),
    });
  }
}
