import {
  FREE_BUSY_RIGHTS,
  waiveCheck,
  chronosFreeBusy,
  FreeBusyRequestErrors,
  jsonText,
  MAX_FREE_BUSY_ATTENDEES,
  type CallOf,
  type FreeBusyAttendee,
  type Handler,
} from '@groupware/contracts';
import { Clock, Handles, Properties } from '@groupware/service-kit';
import { requireAtMost, parseAttendee, toUnknownAttendee, type AttendeeReference } from '../domain/attendee-input';
import { parseRange } from '../domain/boundary';
import { FreeBusy, type FreeBusyRequest } from '../lookup/free-busy';
import { toResultJson } from '../lookup/result-json';

/** `chronos?action=freeBusy`: busy times of attendees. */
@Handles(chronosFreeBusy.freeBusy)
export class ChronosFreeBusyHandler implements Handler<typeof chronosFreeBusy.freeBusy> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosFreeBusy.freeBusy>) {
    const range = parseRange(query.from, query.until, this.clock.now());
    if (body.attendees.length === 0) {
      waiveCheck(FREE_BUSY_RIGHTS.see, 'nobody is named');
      return [];
    }
    const question: FreeBusyRequest = {
      attendees: requireAtMost(body.attendees, this.properties.serverValue(MAX_FREE_BUSY_ATTENDEES)).map(
        parseBodyAttendee,
      ),
      range,
      merge: query.merge ?? false,
      except: /^\d{1,9}$/.test(query.maskId ?? '') ? Number(query.maskId) : undefined,
      requester: principal.userId,
    };
    const texts = await this.freeBusy.mapTimes(principal, question, (times) => toResultJson(times, principal.locale));
    return jsonText(`[${texts.join()}]`);
  }
}

/**
 * Parses an attendee of a body: by id (0 and null are none where an address is given), else by address. Another kind of
 * `uri` is an unknown attendee, which must not fail the others.
 */
function parseBodyAttendee({ entity, uri, email, cn, cuType }: FreeBusyAttendee): AttendeeReference {
  const text = email ?? uri;
  if (entity && entity > 0) return { text: String(entity), id: entity };
  if (!text && typeof entity === 'number') return { text: String(entity), id: entity };
  const named = text ? (parseAttendee(text) ?? toUnknownAttendee(text)) : undefined;
  if (!named) throw FreeBusyRequestErrors.badAttendee(text ?? '');
  return { ...named, name: cn ?? undefined, cuType: cuType ?? undefined };
}
