import {
  calendarEvents,
  userConfig,
  type AttendeeNotice,
  type DirectoryUser,
  type EventMessage,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import { OutgoingMailConfig } from '../outgoing-mail.config';
import { countMails } from '../outgoing-mail.metrics';
import type { NewMail } from '../persistence/mail.repository';

/** Settings by which users say what they want to be told by mail. */
const WISHES: Readonly<Record<AttendeeNotice['reason'], string>> = {
  change: 'modules/calendar/notifyNewModifiedDeleted',
  answerToOrganizer: 'modules/calendar/notifyAcceptedDeclinedAsCreator',
  answerToAttendee: 'modules/calendar/notifyAcceptedDeclinedAsParticipant',
};

/**
 * Mails users what became of events that they attend, as far as they wish it, in their language. They are told by push in any
 * case: without a mail server such a notice is counted and not kept.
 */
@ConsumesBatches(calendarEvents['notice.requested'])
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

  private async compose({ id, contextId, payload }: EventMessage): Promise<NewMail[]> {
    const { userId, users, reason, template, values } = payload as AttendeeNotice;
    if (!this.config.isConfigured) {
      countMails('notConfigured', users.length);
      return [];
    }
    const tenant = { contextId };
    const wishes = await this.caller.call(userConfig.ofUsers, {
      principal: { kind: 'internal', service: 'outgoing-mail', contextId },
      query: { path: WISHES[reason], ids: [...users] },
    });
    const wanted = users.filter((user) => wishes[user] === true);
    if (wanted.length === 0) return [];
    const known = await this.directory.getEntities(tenant, [userId, ...wanted]);
    const sender = known.get(userId);
    const told = wanted
      .flatMap((user) => known.get(user) ?? [])
      .filter((each): each is DirectoryUser => each.kind === 'user' && each.enabled && each.email !== '');
    return this.queue.compose({
      key: `notice ${id}`,
      template,
      values: { ...values, sender: sender?.displayName ?? '' },
      recipients: told.map(({ email, displayName, locale }) => ({ address: email, name: displayName, locale })),
      ...(sender?.kind === 'user' && { replyTo: sender.email }),
    });
  }
}
