import { freebusy, FreeBusyRequestErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, toJsonList } from '@groupware/service-kit';
import { parseAttendee } from '../domain/attendee-input';
import { createRange } from '../domain/boundary';
import { toLegacyPeriod } from '../domain/legacy-period';
import { FreeBusy } from '../lookup/free-busy';

/** `freebusy?action=get`: busy times of one attendee, for older clients. */
@Handles(freebusy.get)
export class GetHandler implements Handler<typeof freebusy.get> {
  constructor(private readonly freeBusy: FreeBusy) {}

  async handle({ principal, query }: CallOf<typeof freebusy.get>) {
    const named = parseAttendee(query.participant);
    if (!named) throw FreeBusyRequestErrors.badAttendee(query.participant);
    const [times] = await this.freeBusy.getTimes(principal, {
      attendees: [named],
      range: createRange(query.from, query.until),
      merge: query.merged ?? false,
      requester: principal.userId,
      identify: !query.merged,
    });
    const { periods = [], warning } = times!;
    const details = await this.freeBusy.loadDetails(principal, [times!]);
    return reply(toJsonList(periods.map((period) => toLegacyPeriod(period, details))), {
      warnings: warning ? [warning] : [],
    });
  }
}
