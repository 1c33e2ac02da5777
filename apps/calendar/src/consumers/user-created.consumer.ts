import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { DefaultFolder } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';

const created = identityEvents['user.created'];

/** Gives a new user his default calendar. */
@Consumes(created)
export class UserCreatedConsumer implements Consumer<typeof created> {
  constructor(
    private readonly directory: Directory,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  async handle(message: EventMessage<PayloadOf<typeof created>>, tx: Transaction): Promise<void> {
    const { userId } = message.payload;
    const user = (await this.directory.entities(message, [userId])).get(userId);
    // Gone again meanwhile.
    if (user?.kind !== 'user') return;
    await this.defaultFolder.ensure(tx, userId, user.locale);
  }
}
