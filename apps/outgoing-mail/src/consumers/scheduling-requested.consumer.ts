import { calendarEvents, type EventMessage, type OutgoingScheduling } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { Transaction } from '@groupware/persistence';
import { ConsumesBatches, type BatchConsumer } from '@groupware/service-kit';
import { MailFiles } from '../files/mail-files';
import { MailQueue } from '../mail-queue';
import { OutgoingMailConfig } from '../outgoing-mail.config';
import type { NewMail } from '../persistence/mail.repository';

const DEFAULT_LOCALE = 'en_US';

/** Sends scheduling messages of calendars: one mail for each recipient, in the language of who caused it. */
@ConsumesBatches(calendarEvents['scheduling.requested'])
export class SchedulingRequestedConsumer implements BatchConsumer<ReadonlyMap<string, readonly NewMail[]>> {
  constructor(
    private readonly directory: Directory,
    private readonly queue: MailQueue,
    private readonly files: MailFiles,
    private readonly config: OutgoingMailConfig,
  ) {}

  async prepare(messages: readonly EventMessage[]): Promise<ReadonlyMap<string, readonly NewMail[]>> {
    const mails = await Promise.all(
      messages.map(async (message) => [message.id, await this.compose(message)] as const),
    );
    return new Map(mails);
  }

  async handleBatch(
    messages: readonly EventMessage[],
    tx: Transaction,
    mails: ReadonlyMap<string, readonly NewMail[]>,
  ): Promise<void> {
    for (const { id } of messages) await this.queue.enqueue(tx, mails.get(id) ?? []);
  }

  private async compose(message: EventMessage): Promise<NewMail[]> {
    const { userId, from, recipients, method, calendar, filesOf, template, values } =
      message.payload as OutgoingScheduling;
    const events = (filesOf ?? []).filter((event) => event !== null);
    const entity = (await this.directory.getEntities({ contextId: message.contextId }, [userId])).get(userId);
    const locale = entity?.kind === 'user' ? entity.locale : DEFAULT_LOCALE;
    return this.queue.compose({
      key: `scheduling ${message.id}`,
      template,
      values,
      recipients: recipients.map((recipient) => ({ ...recipient, locale })),
      calendar: { method, text: calendar, filesOf },
      files: await this.files.choose(message, [...new Set(events)]),
      ...(this.config.fromUsers ? { from } : { replyTo: from.address }),
    });
  }
}
