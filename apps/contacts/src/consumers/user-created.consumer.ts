import {
  identityEvents,
  type DirectoryPerson,
  type DirectoryUser,
  type EventMessage,
  type PayloadOf,
} from '@groupware/contracts';
import { FolderUserCreations } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { UserContacts } from '../users/user-contacts';

const created = identityEvents['user.created'];

/** Data of a new user; no user when deleted again meanwhile. */
interface NewUser {
  readonly user?: DirectoryUser | undefined;
  readonly persons: readonly DirectoryPerson[];
}

/** Gives a new user the default folder of contacts, and a place in the address book of all users. */
@Consumes(created)
export class UserCreatedConsumer implements Consumer<typeof created, NewUser> {
  constructor(
    private readonly folders: FolderUserCreations,
    private readonly users: UserContacts,
  ) {}

  async prepare(message: EventMessage<PayloadOf<typeof created>>): Promise<NewUser> {
    const [user, persons] = await Promise.all([
      this.folders.prepare(message),
      this.users.loadPersons(message, [message.payload.userId]),
    ]);
    return { user, persons };
  }

  async handle(
    message: EventMessage<PayloadOf<typeof created>>,
    tx: Transaction,
    { user, persons }: NewUser,
  ): Promise<void> {
    await this.folders.handle(message, tx, user);
    await this.users.store(tx, [message.payload.userId], persons);
  }
}
