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
import { Clock, Handles, isTurnOver, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { requireAtMost, parseAttendee, toUnknownAttendee, type AttendeeReference } from '../domain/attendee-input';
import { parseRange } from '../domain/boundary';
import { FreeBusy, type FreeBusyRequest } from '../lookup/free-busy';
import { createEventTexts, toChronosResultJson } from '../lookup/result-json';

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
    const merge = query.merge ?? false;
    const question: FreeBusyRequest = {
      attendees: requireAtMost(body.attendees, this.properties.serverValue(MAX_FREE_BUSY_ATTENDEES)).map(
        parseBodyAttendee,
      ),
      range,
      merge,
      except: /^\d{1,9}$/.test(query.maskId ?? '') ? Number(query.maskId) : undefined,
      requester: principal.userId,
      // Periods that were merged belong to no event.
      identify: !merge,
    };
    const { locale } = principal;
    if (merge) {
      const texts = await this.freeBusy.mapTimes(principal, question, (times) => toChronosResultJson(times, locale));
      return jsonText(`[${texts.join()}]`);
    }
    const times = await this.freeBusy.getTimes(principal, question);
    const details = await this.freeBusy.loadDetails(
      principal,
      times.flatMap(({ periods = [] }) => periods),
    );
    const textOf = createEventTexts(details);
    const texts: string[] = [];
    for (const each of times) {
      if (isTurnOver()) await yieldToEventLoop();
      texts.push(toChronosResultJson(each, locale, textOf));
    }
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
