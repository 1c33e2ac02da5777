import { freebusy, FreeBusyRequestErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { namedAttendee } from '../domain/attendee-input';
import { checkedRange } from '../domain/boundary';
import { olderForm } from '../domain/older-form';
import { FreeBusy } from '../free-busy';

/** `freebusy?action=get`: when somebody is busy, for older clients. */
@Handles(freebusy.get)
export class GetHandler implements Handler<typeof freebusy.get> {
  constructor(private readonly freeBusy: FreeBusy) {}

  async handle({ principal, query }: CallOf<typeof freebusy.get>) {
    const named = namedAttendee(query.participant);
    if (!named) throw FreeBusyRequestErrors.badAttendee(query.participant);
    const [times] = await this.freeBusy.times(principal, {
      attendees: [named],
      range: checkedRange(query.from, query.until),
      merge: query.merged ?? false,
      asker: principal.userId,
    });
    const { periods = [], warning } = times!;
    return reply(periods.map(olderForm), { warnings: warning ? [warning] : [] });
  }
}
