import {
  calendarEvents,
  contactEvents,
  filesEvents,
  taskEvents,
  type EventMessage,
  type PayloadOf,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import type { NewMail } from '../persistence/mail.repository';
import { ShareNotices } from '../share-notices';

type Payload = PayloadOf<(typeof calendarEvents)['folder.shared']>;

/** Tells users by mail of folders that were shared with them. Guests get the address of the share with their invitation. */
@ConsumesBatches(
  calendarEvents['folder.shared'],
  contactEvents['folder.shared'],
  filesEvents['folder.shared'],
  taskEvents['folder.shared'],
)
export class FolderSharedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
  constructor(
    private readonly notices: ShareNotices,
    private readonly queue: MailQueue,
  ) {}

  prepare(messages: readonly EventMessage[]): Promise<ReadonlyMap<string, readonly NewMail[]>> {
    return this.notices.composeEach(messages, ({ id, contextId, payload }) => {
      const { userId, entities, message } = payload as Payload;
      return { key: `folder.shared ${id}`, template: 'folderShared', contextId, userId, entities, message };
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
