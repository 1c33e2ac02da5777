import { mailQuota, type CallOf, type Handler, type QuotaUsage } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailboxSpace } from '../connection/mailbox-space';

/** `usage`: the mailbox of a user who has mail. */
@Handles(mailQuota.usage)
export class UsageHandler implements Handler<typeof mailQuota.usage> {
  constructor(private readonly space: MailboxSpace) {}

  async handle({ principal, signal }: CallOf<typeof mailQuota.usage>): Promise<readonly QuotaUsage[]> {
    const user = principal.user!;
    if (!user.capabilities.includes('webmail')) return [];
    return [{ account_id: '0', ...(await this.space.measure(user, signal)) }];
  }
}
