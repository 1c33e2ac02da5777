import {
  chronosFreeBusy,
  FreeBusyRequestErrors,
  jsonText,
  MAX_FREE_BUSY_ATTENDEES,
  type CallOf,
  type FreeBusyAttendee,
  type Handler,
} from '@groupware/contracts';
import { Clock, Handles, Properties } from '@groupware/service-kit';
import { namedAttendees } from '../domain/attendee-input';
import { rangeOf } from '../domain/boundary';
import { FreeBusy } from '../free-busy';
import { resultsText } from '../result-text';

/** `chronos?action=freeBusy`: when attendees are busy. */
@Handles(chronosFreeBusy.freeBusy)
export class ChronosFreeBusyHandler implements Handler<typeof chronosFreeBusy.freeBusy> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosFreeBusy.freeBusy>) {
    const range = rangeOf(query.from, query.until, this.clock.now());
    if (body.attendees.length === 0) return [];
    const times = await this.freeBusy.times(principal, {
      attendees: namedAttendees(body.attendees.map(nameOf), this.properties.serverValue(MAX_FREE_BUSY_ATTENDEES)),
      range,
      merge: query.merge ?? false,
      except: /^\d{1,9}$/.test(query.maskId ?? '') ? Number(query.maskId) : undefined,
      asker: principal.userId,
    });
    return jsonText(resultsText(times, principal.locale));
  }
}

/** What an attendee of a body is known by. */
function nameOf({ entity, uri, email }: FreeBusyAttendee): string {
  const name = entity === undefined ? (email ?? uri) : String(entity);
  if (!name || name.includes(',')) throw FreeBusyRequestErrors.badAttendee(name ?? '');
  return name;
}
