import { errorObject, freebusy, MAX_FREE_BUSY_ATTENDEES, type CallOf, type Handler } from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { namedAttendees } from '../domain/attendee-input';
import { checkedRange } from '../domain/boundary';
import { olderForm } from '../domain/older-form';
import { FreeBusy } from '../free-busy';

/** `freebusy?action=list`: when several are busy, for older clients. */
@Handles(freebusy.list)
export class ListHandler implements Handler<typeof freebusy.list> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof freebusy.list>) {
    const range = checkedRange(query.from, query.until);
    if (body.length === 0) return {};
    const times = await this.freeBusy.times(principal, {
      attendees: namedAttendees(body, this.properties.serverValue(MAX_FREE_BUSY_ATTENDEES)),
      range,
      merge: query.merged ?? false,
      asker: principal.userId,
    });
    return Object.fromEntries(
      times.map(({ named, periods = [], warning }) => [
        named.text,
        { data: periods.map(olderForm), ...(warning && { warnings: [errorObject(warning, principal.locale)] }) },
      ]),
    );
  }
}
