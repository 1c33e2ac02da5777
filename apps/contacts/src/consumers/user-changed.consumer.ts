import { identityEvents, type DirectoryPerson, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { UserContacts } from '../users/user-contacts';

const changed = identityEvents['user.changed'];

/** The contact of a user follows him. */
@Consumes(changed)
export class UserChangedConsumer implements Consumer<typeof changed, DirectoryPerson[]> {
  constructor(private readonly users: UserContacts) {}

  prepare(message: EventMessage<PayloadOf<typeof changed>>): Promise<DirectoryPerson[]> {
    return this.users.loadPersons(message, [message.payload.userId]);
  }

  handle(
    { payload }: EventMessage<PayloadOf<typeof changed>>,
    tx: Transaction,
    persons: DirectoryPerson[],
  ): Promise<void> {
    return this.users.store(tx, [payload.userId], persons);
  }
}
