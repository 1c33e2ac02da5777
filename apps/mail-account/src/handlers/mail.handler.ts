import { mailSpace, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailboxSpace } from '../connection/mailbox-space';

/** `quota?action=mail`: the space of the mailbox of the primary account. */
@Handles(mailSpace.mail)
export class MailHandler implements Handler<typeof mailSpace.mail> {
  constructor(private readonly space: MailboxSpace) {}

  handle({ principal, signal }: CallOf<typeof mailSpace.mail>) {
    return this.space.measure(principal, signal);
  }
}
