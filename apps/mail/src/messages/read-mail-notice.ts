import { Injectable } from '@nestjs/common';
import {
  COLLECT_ADDRESSES,
  COLLECT_ON_READING,
  mailboxEvents,
  type MailData,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger, Properties } from '@groupware/service-kit';
import { toPeople } from '../sending/sent-mail-notice';

/** Most people of one mail that are told of. */
const MAX_PEOPLE = 100;
const log = Logger.for('mail');

/** Tells other modules of people in mails that a user reads for the first time. */
@Injectable()
export class ReadMailNotice {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: Properties,
  ) {}

  /** Publishes who wrote a mail and to whom, where the user wants to know them. Reading never fails by it. */
  async publish(user: UserPrincipal, { from = [], to = [], cc = [] }: MailData): Promise<void> {
    try {
      const wants = await Promise.all(
        [COLLECT_ADDRESSES, COLLECT_ON_READING].map((key) => this.properties.get(key, user)),
      );
      if (!wants.every(Boolean)) return;
      const people = toPeople([...from, ...to, ...cc]).slice(0, MAX_PEOPLE);
      if (people.length === 0) return;
      await this.database.transact(user, (tx) => tx.publish(mailboxEvents.read, { userId: user.userId, people }));
    } catch (error) {
      log.error({ context: user.contextId, error: String(error) }, 'nobody learns whose mail was read');
    }
  }
}
