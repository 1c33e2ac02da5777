import { identityEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { FolderHandover } from '@groupware/folders';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { UserContacts } from '../users/user-contacts';

const deleting = identityEvents['user.deleting'];

/** The user who gets the folders. */
interface Heir {
  readonly userId: number;
  readonly email: string;
}

/** Folders of contacts of a user who is deleted: shared and public ones go to the named heir, all others are deleted. */
@Consumes(deleting)
export class FolderUserDeletingConsumer implements Consumer<typeof deleting, Heir | undefined> {
  constructor(
    private readonly directory: Directory,
    private readonly handover: FolderHandover,
    private readonly users: UserContacts,
  ) {}

  /** The heir; undefined without one, and when he was deleted meanwhile. */
  async prepare(message: EventMessage<PayloadOf<typeof deleting>>): Promise<Heir | undefined> {
    const { reassignTo } = message.payload;
    if (reassignTo === undefined) return undefined;
    const heir = (await this.directory.getEntities(message, [reassignTo])).get(reassignTo);
    return heir?.kind === 'user' ? { userId: heir.id, email: heir.email } : undefined;
  }

  async handle(
    { payload }: EventMessage<PayloadOf<typeof deleting>>,
    tx: Transaction,
    heir: Heir | undefined,
  ): Promise<void> {
    await this.handover.handOverUser(tx, { userId: payload.userId, ...(heir && { heir }) });
    await this.users.store(tx, [payload.userId], []);
  }
}
