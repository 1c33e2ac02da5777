import {
  ALARM_MAIL_ENABLED,
  ALARM_MAIL_LIMIT,
  ALARM_MAIL_TIMEFRAME_MS,
  calendarEvents,
  type AlarmMail,
  type EventMessage,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { Clock, ConsumesBatches, Logger, Properties, type BatchConsumer } from '@groupware/service-kit';
import { MailQueue } from '../mail-queue';
import { MailRepository, type NewMail } from '../persistence/mail.repository';

const log = Logger.for('outgoing-mail');
const TEMPLATE = 'eventReminder';

/** Mails of one alarm, and how many the user may have at most within the timeframe; negative: any number. */
interface AlarmMails {
  readonly mails: readonly NewMail[];
  readonly most: number;
}

/** Mails users the alarms that they want by mail, in their language and on their clock. */
@ConsumesBatches(calendarEvents['alarm-mail.requested'])
export class AlarmMailRequestedConsumer implements BatchConsumer<ReadonlyMap<string, AlarmMails>> {
  constructor(
    private readonly directory: Directory,
    private readonly queue: MailQueue,
    private readonly stored: MailRepository,
    private readonly clock: Clock,
    private readonly properties: Properties,
  ) {}

  async prepare(messages: readonly EventMessage[]): Promise<ReadonlyMap<string, AlarmMails>> {
    const mails = new Map<string, AlarmMails>();
    for (const message of messages) {
      const { contextId, payload } = message;
      const owner = { contextId, userId: (payload as AlarmMail).userId };
      const most = await this.properties.get(ALARM_MAIL_LIMIT, owner);
      mails.set(message.id, { mails: await this.compose(message), most });
    }
    return mails;
  }

  async handleBatch(
    messages: readonly EventMessage[],
    tx: Transaction,
    mails: ReadonlyMap<string, AlarmMails>,
  ): Promise<void> {
    for (const { id } of messages) {
      const alarm = mails.get(id);
      if (alarm && (await this.isWithinLimit(tx, alarm))) await this.queue.enqueue(tx, alarm.mails);
    }
  }

  /** Whether a user may have another mail. */
  private async isWithinLimit(tx: Transaction, { mails: [mail], most }: AlarmMails): Promise<boolean> {
    if (!mail || most < 0) return true;
    const sinceMs = this.clock.now() - this.properties.serverValue(ALARM_MAIL_TIMEFRAME_MS);
    // Mails of a context are counted one transaction after the other.
    await this.stored.lockAllowance(tx);
    if ((await this.stored.countSince(tx, TEMPLATE, mail.address, sinceMs)) < most) return true;
    log.warn(
      { context: tx.contextId, most },
      'an alarm passes without a mail: its user had as many as the limit allows',
    );
    return false;
  }

  private async compose({ id, contextId, payload }: EventMessage): Promise<NewMail[]> {
    const { userId, summary, location, description, startMs, endMs, floating, wholeDays } = payload as AlarmMail;
    if (!(await this.properties.get(ALARM_MAIL_ENABLED, { contextId, userId }))) return [];
    const user = (await this.directory.getEntities({ contextId }, [userId])).get(userId);
    if (user?.kind !== 'user' || !user.enabled || user.email === '') return [];
    return this.queue.compose({
      key: `alarm ${id}`,
      template: TEMPLATE,
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
