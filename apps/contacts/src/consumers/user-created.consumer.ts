import { identityEvents, type DirectoryPerson, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { DefaultFolder } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { UserContacts } from '../users/user-contacts';

const created = identityEvents['user.created'];

/** The facts about a new user; no locale when the user is deleted again meanwhile. */
interface NewUser {
  readonly locale?: string;
  readonly persons: readonly DirectoryPerson[];
}

/** Gives a new user his default folder of contacts, and a place in the address book of all users. */
@Consumes(created)
export class UserCreatedConsumer implements Consumer<typeof created, NewUser> {
  constructor(
    private readonly directory: Directory,
    private readonly defaultFolder: DefaultFolder,
    private readonly users: UserContacts,
  ) {}

  async prepare(message: EventMessage<PayloadOf<typeof created>>): Promise<NewUser> {
    const { userId } = message.payload;
    const [entities, persons] = await Promise.all([
      this.directory.getEntities(message, [userId]),
      this.users.loadPersons(message, [userId]),
    ]);
    const user = entities.get(userId);
    return { persons, ...(user?.kind === 'user' && { locale: user.locale }) };
  }

  async handle(
    { payload }: EventMessage<PayloadOf<typeof created>>,
    tx: Transaction,
    { locale, persons }: NewUser,
  ): Promise<void> {
    if (locale !== undefined) await this.defaultFolder.ensureDefaultFolder(tx, payload.userId, locale);
    await this.users.store(tx, [payload.userId], persons);
  }
}
