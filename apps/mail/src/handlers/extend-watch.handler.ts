import { mailWatch, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { MailWatch } from '../watch/mail-watch';

/** `mail-watch.extend`: users still look. */
@Handles(mailWatch.extend)
export class ExtendWatchHandler implements Handler<typeof mailWatch.extend> {
  constructor(private readonly watch: MailWatch) {}

  handle({ principal, query }: CallOf<typeof mailWatch.extend>): Promise<readonly number[]> {
    return this.watch.extend(principal.contextId, query.users);
  }
}
