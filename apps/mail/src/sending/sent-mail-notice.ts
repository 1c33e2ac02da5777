import { mailboxEvents, type AddedPerson, type MailAddress, type UserPrincipal } from '@groupware/contracts';
import { normalizeAddress } from '@groupware/mail-content';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';

const log = Logger.for('mail');

/** Tells other modules of mails that were sent. */
@Injectable()
export class SentMailNotice {
  constructor(private readonly database: ModuleDatabase) {}

  /** Publishes whom a mail went to. The mail has left: a failure is noted alone. */
  async publish(user: UserPrincipal, recipients: readonly MailAddress[]): Promise<void> {
    try {
      await this.database.transact(user, async (tx) => {
        await tx.publish(mailboxEvents.sent, { userId: user.userId, recipients: toPeople(recipients) });
      });
    } catch (error) {
      log.error({ context: user.contextId, error: String(error) }, 'nobody learns that a mail was sent');
    }
  }
}

/** Each address once, with the first name that is told. */
export function toPeople(addresses: readonly MailAddress[]): AddedPerson[] {
  const byAddress = new Map<string, AddedPerson>();
  for (const [name, address] of addresses) {
    const key = normalizeAddress(address);
    if (byAddress.get(key)?.name === undefined) byAddress.set(key, { address, ...(name ? { name } : {}) });
  }
  return [...byAddress.values()];
}
