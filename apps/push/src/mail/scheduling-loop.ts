import {
  AUTO_PROCESS_SCHEDULING,
  AUTO_PROCESS_TIMEFRAME_DAYS,
  calendarScheduling,
  CatalogueError,
  type SchedulingOutcome,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Logger, Periodic, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { pauseAfter } from '../domain/pause-after';
import { NoticeRepository } from '../persistence/notice.repository';
import { countMail } from '../push.metrics';
import { MailOwners, type MailOwner } from './mail-owners';
import { PushedMailConfig } from './pushed-mail.config';
import { PushedMailRepository, type PushedMail } from './pushed-mail.repository';

const POLL_MS = 1_000;
/** Mails taken at a time. */
const TAKEN = 10;
/** A mail that is held for longer was held by a dead process, ms. */
const HOLD_MS = 120_000;
const DAY_MS = 86_400_000;
/** So long a mail that was applied is known, ms: older ones are usually too old to be applied. */
const NOTED_MS = 28 * DAY_MS;
const log = Logger.for('push.mail');

/** Hands queued scheduling mails to the calendar, at least once; the calendar takes repetitions for what they are. */
@Injectable()
export class SchedulingLoop {
  private readonly rounds = new Periodic(
    () => this.work(),
    (error) => log.warn({ error: String(error) }, 'pushed mails wait'),
  );

  constructor(
    private readonly database: ModuleDatabase,
    private readonly queue: PushedMailRepository,
    private readonly notices: NoticeRepository,
    private readonly owners: MailOwners,
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly clock: Clock,
    private readonly config: PushedMailConfig,
  ) {}

  /** Begins to work. */
  start(): void {
    this.rounds.start(POLL_MS);
  }

  /** Ends after the mails under way. */
  stop(): Promise<void> {
    return this.rounds.stop();
  }

  /** Looks for mails now. */
  poke(): void {
    this.rounds.requestRound();
  }

  private async work(): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const mails = await this.database.acrossContexts('mails of all contexts wait in one queue', (db) =>
        this.queue.take(db, now, now + HOLD_MS, TAKEN),
      );
      for (const mail of mails) await this.process(mail);
      if (mails.length < TAKEN || this.rounds.isStopped) return;
    }
  }

  private async process(mail: PushedMail): Promise<void> {
    try {
      const owners = await this.owners.of(mail);
      if (owners.length === 0) countMail('unknownUser');
      for (const owner of owners) countMail(await this.apply(mail, owner));
    } catch (error) {
      const isOver = this.clock.now() - mail.createdAt > this.config.lifeMs;
      log.warn({ id: mail.id, attempts: mail.attempts, isOver, error: String(error) }, 'pushed mail not applied');
      if (!isOver) {
        const again = Math.round(this.clock.now() + pauseAfter(mail.attempts - 1, this.config.retryMs));
        return this.database.acrossContexts('mails of all contexts wait in one queue', (db) =>
          this.queue.postpone(db, mail.id, again),
        );
      }
      countMail('givenUp');
    }
    await this.database.acrossContexts('mails of all contexts wait in one queue', (db) =>
      this.queue.remove(db, mail.id),
    );
  }

  private async apply(mail: PushedMail, owner: MailOwner): Promise<SchedulingOutcome | 'duplicate' | 'old' | 'never'> {
    const mode = await this.properties.get(AUTO_PROCESS_SCHEDULING, owner);
    if (mode === 'never') return 'never';
    const days = await this.properties.get(AUTO_PROCESS_TIMEFRAME_DAYS, owner);
    const now = this.clock.now();
    if (days > 0 && mail.sentAt !== null && mail.sentAt < now - days * DAY_MS) return 'old';
    const key = mail.messageId === null ? undefined : `scheduling ${mail.messageId}`;
    if (key && (await this.database.read(owner, (db) => this.notices.hasMail(db, owner.userId, key))))
      return 'duplicate';
    const outcome = await this.hand(mail, owner, mode === 'always');
    if (key)
      await this.database.transact(owner, (tx) => this.notices.noteMail(tx, owner.userId, key, now + NOTED_MS, now));
    return outcome;
  }

  /** Hands a mail over: one that can never be applied is done with; any other failure is tried again. */
  private async hand(mail: PushedMail, owner: MailOwner, anySender: boolean): Promise<SchedulingOutcome> {
    const { userId, contextId } = owner;
    try {
      return await this.caller.call(calendarScheduling.receive, {
        principal: { kind: 'internal', service: 'push', contextId },
        query: { user: userId, method: mail.method, sender: mail.sender ?? undefined, anySender, text: mail.calendar },
      });
    } catch (error) {
      if (!(error instanceof CatalogueError) || !['USER_INPUT', 'PERMISSION_DENIED'].includes(error.entry.category))
        throw error;
      log.info({ context: contextId, user: userId, code: error.code }, 'pushed mail means nothing here');
      return 'ignored';
    }
  }
}
