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
import { limited, namedAttendee, unknownAttendee, type NamedAttendee } from '../domain/attendee-input';
import { rangeOf } from '../domain/boundary';
import { FreeBusy } from '../free-busy';
import { resultText } from '../result-text';

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
    const question = {
      attendees: limited(body.attendees, this.properties.serverValue(MAX_FREE_BUSY_ATTENDEES)).map(namedIn),
      range,
      merge: query.merge ?? false,
      except: /^\d{1,9}$/.test(query.maskId ?? '') ? Number(query.maskId) : undefined,
      asker: principal.userId,
    };
    const texts = await this.freeBusy.answers(principal, question, (times) => resultText(times, principal.locale));
    return jsonText(`[${texts.join()}]`);
  }
}

/**
 * What an attendee of a body is known by: his id (0 and null are none where an address is given), else an address. A `uri`
 * of another kind is somebody unknown, who must not spoil the answer for the others.
 */
function namedIn({ entity, uri, email }: FreeBusyAttendee): NamedAttendee {
  const text = email ?? uri;
  if (entity && entity > 0) return { text: String(entity), id: entity };
  if (!text && typeof entity === 'number') return { text: String(entity), id: entity };
  const named = text ? (namedAttendee(text) ?? unknownAttendee(text)) : undefined;
  if (!named) throw FreeBusyRequestErrors.badAttendee(text ?? '');
  return named;
}
