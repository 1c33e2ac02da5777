import { sentMailEvents, type MailAddress, type SentMailRecipient, type UserPrincipal } from '@groupware/contracts';
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
    const byAddress = new Map<string, SentMailRecipient>();
    for (const [name, address] of recipients) {
      const key = normalizeAddress(address);
      if (byAddress.get(key)?.name === undefined) byAddress.set(key, { address, ...(name ? { name } : {}) });
    }
    try {
      await this.database.transact(user, async (tx) => {
        await tx.publish(sentMailEvents.sent, { userId: user.userId, recipients: [...byAddress.values()] });
      });
    } catch (error) {
      log.error({ context: user.contextId, error: String(error) }, 'nobody learns that a mail was sent');
    }
  }
}
