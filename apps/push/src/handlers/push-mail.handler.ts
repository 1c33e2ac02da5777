import { PushErrors, pushInput, type CallOf, type Handler } from '@groupware/contracts';
import { FILES, type FileStore } from '@groupware/file-store';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles, Logger } from '@groupware/service-kit';
import { Inject } from '@nestjs/common';
import { PushedBody } from '../mail/pushed-body';
import { PushedMailConfig } from '../mail/pushed-mail.config';
import { PushedMailRepository } from '../mail/pushed-mail.repository';
import { SchedulingLoop } from '../mail/scheduling-loop';
import { readSchedulingMail, type SchedulingMail } from '../mail/scheduling-mail';
import { countMail } from '../push.metrics';

const log = Logger.for('push.mail');

/** `pushMail`: a mail server hands over a whole mail. What it says about appointments is queued. */
@Handles(pushInput.pushMail)
export class PushMailHandler implements Handler<typeof pushInput.pushMail> {
  constructor(
    @Inject(FILES) private readonly files: FileStore,
    private readonly database: ModuleDatabase,
    private readonly queue: PushedMailRepository,
    private readonly loop: SchedulingLoop,
    private readonly clock: Clock,
    private readonly config: PushedMailConfig,
  ) {}

  async handle({ files: [file] }: CallOf<typeof pushInput.pushMail>): Promise<undefined> {
    if (!file) throw PushErrors.badMail('there is none');
    const body = new PushedBody(this.files.read(file.reference));
    const mail = await readSchedulingMail(body.mail(), this.config.maxCalendarBytes);
    const { event, folder, user } = body.members;
    if (event !== undefined && event !== null && event !== 'messageNew')
      throw PushErrors.badMail('event is not messageNew');
    if (typeof folder !== 'string' || folder.trim() === '') throw PushErrors.badMail('the member folder is missing');
    if (user !== undefined && user !== null && typeof user !== 'string') throw PushErrors.badMail('user is no text');
    await this.queueMail(mail, user ?? null);
    return undefined;
  }

  private async queueMail({ calendar, isTooLarge, ...mail }: SchedulingMail, userName: string | null): Promise<void> {
    if (!calendar) {
      if (isTooLarge) log.info({ messageId: mail.messageId }, 'calendar part of a pushed mail is too large');
      return countMail(isTooLarge ? 'tooLarge' : 'noScheduling');
    }
    await this.database.acrossContexts('mails of all contexts wait in one queue', (db) =>
      this.queue.add(db, {
        userName: textOf(userName),
        messageId: textOf(mail.messageId),
        sender: textOf(mail.from),
        recipients: mail.recipients.map((address) => textOf(address)!),
        sentAt: mail.sentAtMs ?? null,
        method: calendar.method,
        calendar: textOf(calendar.text)!,
        createdAt: this.clock.now(),
      }),
    );
    countMail('queued');
    this.loop.poke();
  }
}

/** Postgres takes no NUL. */
const textOf = (text: string | null | undefined): string | null => text?.replaceAll('\u0000', '') ?? null;
