import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { FolderHandover, FolderUserDeletions, type Handover } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes } from '@groupware/service-kit';
import { UserContacts } from '../users/user-contacts';

const deleting = identityEvents['user.deleting'];

/** Folders of contacts of a user who is deleted go as in the kit; the user leaves the address book of all users, too. */
@Consumes(deleting)
export class FolderUserDeletingConsumer extends FolderUserDeletions {
  constructor(
    directory: Directory,
    handover: FolderHandover,
    private readonly users: UserContacts,
  ) {
    super(directory, handover);
  }

  override async handle(
    message: EventMessage<PayloadOf<typeof deleting>>,
    tx: Transaction,
    heir: Handover['heir'],
  ): Promise<void> {
    await super.handle(message, tx, heir);
    await this.users.store(tx, [message.payload.userId], []);
  }
}
