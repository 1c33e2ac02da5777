import {
  calendarEvents,
  contactEvents,
  SHARE_NOTIFY_INTERNAL,
  type DirectoryEntity,
  type DirectoryUser,
  type EventMessage,
  type MailRecipient,
  type PayloadOf,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, Properties, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import type { NewMail } from '../persistence/mail.repository';

type Payload = PayloadOf<(typeof calendarEvents)['folder.shared']>;

/** Tells users by mail of folders that were shared with them. Guests get the address of the share with their invitation. */
@ConsumesBatches(calendarEvents['folder.shared'], contactEvents['folder.shared'])
export class FolderSharedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
  constructor(
    private readonly directory: Directory,
    private readonly queue: MailQueue,
    private readonly properties: Properties,
  ) {}

  async prepare(messages: readonly EventMessage[]): Promise<ReadonlyMap<string, readonly NewMail[]>> {
    const mails = new Map<string, readonly NewMail[]>();
    for (const message of messages) mails.set(message.id, await this.compose(message));
    return mails;
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

  private async compose(message: EventMessage): Promise<NewMail[]> {
    const { userId, entities, message: text } = message.payload as Payload;
    const tenant = { contextId: message.contextId };
    if (!(await this.properties.get(SHARE_NOTIFY_INTERNAL, { ...tenant, userId }))) return [];
    const known = await this.directory.getEntities(tenant, [userId, ...entities]);
    const sender = known.get(userId);
    if (sender?.kind !== 'user') return [];
    const named = entities.flatMap((id) => known.get(id) ?? []);
    const members = await this.directory.getEntities(tenant, named.flatMap(listMembers));
    const users = [...named, ...members.values()].filter(
      (entity): entity is DirectoryUser => entity.kind === 'user' && entity.enabled && entity.id !== userId,
    );
    return this.queue.compose({
      key: `folder.shared ${message.id}`,
      template: 'folderShared',
      values: { sender: sender.displayName, ...(text ? { message: text } : {}) },
      recipients: users.filter(({ email }) => email !== '').map(toRecipient),
      replyTo: sender.email,
    });
  }
}

const listMembers = (entity: DirectoryEntity): readonly number[] => (entity.kind === 'group' ? entity.members : []);

const toRecipient = ({ email, displayName, locale }: DirectoryUser): MailRecipient => ({
  address: email,
  name: displayName,
  locale,
});
