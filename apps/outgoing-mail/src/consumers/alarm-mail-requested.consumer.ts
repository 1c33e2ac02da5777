import { ALARM_MAIL_ENABLED, calendarEvents, type AlarmMail, type EventMessage } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, Properties, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import type { NewMail } from '../persistence/mail.repository';

/** Mails users the alarms that they want by mail, in their language and on their clock. */
@ConsumesBatches(calendarEvents['alarm-mail.requested'])
export class AlarmMailRequestedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
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
    for (const { id } of messages) await this.queue.enqueue(tx, mails.get(id) ?? []);
  }

  private async compose({ id, contextId, payload }: EventMessage): Promise<NewMail[]> {
    const { userId, summary, location, description, startMs, endMs, floating, wholeDays } = payload as AlarmMail;
    if (!(await this.properties.get(ALARM_MAIL_ENABLED, { contextId, userId }))) return [];
    const user = (await this.directory.getEntities({ contextId }, [userId])).get(userId);
    if (user?.kind !== 'user' || !user.enabled || user.email === '') return [];
    return this.queue.compose({
      key: `alarm ${id}`,
      template: 'eventReminder',
      values: {
        sender: user.displayName,
        ...(summary !== null && { summary }),
        ...(location !== null && { location }),
        ...(description && { description }),
        ...{ startMs, endMs, wholeDays },
        ...(!floating && { timeZone: user.timeZone }),
      },
      recipients: [{ address: user.email, name: user.displayName, locale: user.locale }],
    });
  }
}
