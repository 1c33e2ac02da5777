import {
  calendarEvents,
  contactEvents,
  filesEvents,
  mailboxEvents,
  taskEvents,
  type EventMessage,
  type PayloadOf,
  type SharedKind,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import type { NewMail } from '../persistence/mail.repository';
import { ShareNotices } from '../share-notices';

/** Kind of the shared folder, by the name of the event. */
const KINDS: Readonly<Record<string, SharedKind>> = {
  [calendarEvents['folder.shared'].name]: 'calendar',
  [contactEvents['folder.shared'].name]: 'contacts',
  [filesEvents['folder.shared'].name]: 'infostore',
  [mailboxEvents['folder.shared'].name]: 'mail',
  [taskEvents['folder.shared'].name]: 'tasks',
};

type Payload = PayloadOf<(typeof calendarEvents | typeof mailboxEvents)['folder.shared']>;

/** Tells users by mail of folders that were shared with them. Guests get the address of the share with their invitation. */
@ConsumesBatches(
  calendarEvents['folder.shared'],
  contactEvents['folder.shared'],
  filesEvents['folder.shared'],
  mailboxEvents['folder.shared'],
  taskEvents['folder.shared'],
)
export class FolderSharedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
  constructor(
    private readonly notices: ShareNotices,
    private readonly queue: MailQueue,
  ) {}

  prepare(messages: readonly EventMessage[]): Promise<ReadonlyMap<string, readonly NewMail[]>> {
    return this.notices.composeEach(messages, ({ id, name, contextId, payload }) => {
      const { userId, entities, message, title } = payload as Payload;
      const shared = KINDS[name];
      return {
        ...{ key: `folder.shared ${id}`, template: 'folderShared', contextId, userId, entities, message, title },
        ...(shared && { shared }),
      };
    });
  }

  async handleBatch(
    messages: readonly EventMessage[],
    tx: Transaction,
    mails: ReadonlyMap<string, readonly NewMail[]>,
  ): Promise<void> {
    await this.queue.enqueue(
      tx,
      messages.flatMap(({ id }) => mails.get(id) ?? []),
    );
  }
}
