import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { DefaultFolder } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';

const created = identityEvents['user.created'];

/** Gives a new user his default folder of contacts. */
@Consumes(created)
export class UserCreatedConsumer implements Consumer<typeof created, string | undefined> {
  constructor(
    private readonly directory: Directory,
    private readonly defaultFolder: DefaultFolder,
  ) {}

  /** The locale of the user; undefined when he is gone again meanwhile. */
  async prepare(message: EventMessage<PayloadOf<typeof created>>): Promise<string | undefined> {
    const { userId } = message.payload;
    const user = (await this.directory.getEntities(message, [userId])).get(userId);
    return user?.kind === 'user' ? user.locale : undefined;
  }

  async handle(
    { payload }: EventMessage<PayloadOf<typeof created>>,
    tx: Transaction,
    locale: string | undefined,
  ): Promise<void> {
    if (locale !== undefined) await this.defaultFolder.ensureDefaultFolder(tx, payload.userId, locale);
  }
}
