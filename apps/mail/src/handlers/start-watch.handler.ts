import { mailWatch, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailWatch } from '../watch/mail-watch';

/** `mail-watch.start`: a user begins to look. */
@Handles(mailWatch.start)
export class StartWatchHandler implements Handler<typeof mailWatch.start> {
  constructor(private readonly watch: MailWatch) {}

  async handle({ principal, ...call }: CallOf<typeof mailWatch.start>): Promise<undefined> {
    if (principal.user) await this.watch.start({ ...call, principal: principal.user });
  }
}
