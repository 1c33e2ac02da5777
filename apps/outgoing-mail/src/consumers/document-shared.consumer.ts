import { filesEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import type { NewMail } from '../persistence/mail.repository';
import { ShareNotices } from '../share-notices';

type Payload = PayloadOf<(typeof filesEvents)['document.shared']>;

/** Tells users by mail of documents that are shared with them. */
@ConsumesBatches(filesEvents['document.shared'])
export class DocumentSharedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
  constructor(
    private readonly notices: ShareNotices,
    private readonly queue: MailQueue,
  ) {}

  prepare(messages: readonly EventMessage[]): Promise<ReadonlyMap<string, readonly NewMail[]>> {
    return this.notices.composeEach(messages, ({ id, contextId, payload }) => {
      const { userId, entities, message, title } = payload as Payload;
      return {
        ...{ key: `document.shared ${id}`, template: 'documentShared', shared: 'document' },
        ...{ contextId, userId, entities, message, title },
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
