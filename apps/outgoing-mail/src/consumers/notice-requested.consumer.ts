import {
  calendarEvents,
  taskEvents,
  userConfig,
  type DirectoryUser,
  type EventMessage,
  type ParticipantNotice,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import { OutgoingMailConfig } from '../outgoing-mail.config';
import { countMails } from '../outgoing-mail.metrics';
import type { NewMail } from '../persistence/mail.repository';

const DEFAULT_LOCALE = 'en_US';
/** Settings by which users say what they want to be told by mail. */
const WISHES: Readonly<Record<ParticipantNotice['reason'], string>> = {
  change: 'notifyNewModifiedDeleted',
  answerToOrganizer: 'notifyAcceptedDeclinedAsCreator',
  answerToAttendee: 'notifyAcceptedDeclinedAsParticipant',
};

/**
 * Mails those who take part in events and tasks what became of them: users as far as they wish it, in their language, others in
 * that of the user who acts. Users are told by push in any case: without a mail server a notice is counted and not kept.
 */
@ConsumesBatches(calendarEvents['notice.requested'], taskEvents['notice.requested'])
export class NoticeRequestedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
  constructor(
    private readonly directory: Directory,
    private readonly caller: Caller,
    private readonly queue: MailQueue,
    private readonly config: OutgoingMailConfig,
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

  private async compose({ id, name, contextId, payload }: EventMessage): Promise<NewMail[]> {
    const { userId, users, guest, people = [], reason, template, values } = payload as ParticipantNotice;
    if (!this.config.isConfigured) {
      countMails('notConfigured', users.length + people.length);
      return [];
    }
    const module = name === taskEvents['notice.requested'].name ? 'tasks' : 'calendar';
    const wanted = await this.listWilling(contextId, users, `modules/${module}/${WISHES[reason]}`);
    if (wanted.length === 0 && people.length === 0) return [];
    const known = await this.directory.getEntities({ contextId }, [userId, ...wanted]);
    const sender = known.get(userId);
    const told = wanted
      .flatMap((user) => known.get(user) ?? [])
      .filter((each): each is DirectoryUser => each.kind === 'user' && each.enabled && each.email !== '');
    const locale = sender?.kind === 'user' ? sender.locale : DEFAULT_LOCALE;
    return this.queue.compose({
      key: `notice ${id}`,
      template,
      values: { ...values, sender: guest ? (guest.name ?? guest.address) : (sender?.displayName ?? '') },
      recipients: [
        ...told.map((user) => ({ address: user.email, name: user.displayName, locale: user.locale })),
        ...people.map((person) => ({ ...person, locale })),
      ],
      ...(guest ? { replyTo: guest.address } : sender?.kind === 'user' && { replyTo: sender.email }),
    });
  }

  private async listWilling(contextId: number, users: readonly number[], path: string): Promise<number[]> {
    if (users.length === 0) return [];
    const wishes = await this.caller.call(userConfig.ofUsers, {
      principal: { kind: 'internal', service: 'outgoing-mail', contextId },
      query: { paths: [path], ids: [...users] },
    });
    return users.filter((user) => wishes[path]?.[user] === true);
  }
}
