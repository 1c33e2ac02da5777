import {
  FREE_BUSY_RIGHTS,
  waiveCheck,
  chronosFreeBusy,
  FreeBusyRequestErrors,
  MAX_FREE_BUSY_ATTENDEES,
  type CallOf,
  type FreeBusyAttendee,
  type Handler,
} from '@groupware/contracts';
import { Handles, joinToJson, pauseAfterTurn, Properties, TextPieces } from '@groupware/service-kit';
import { requireAtMost, parseAttendee, toUnknownAttendee, type AttendeeReference } from '../domain/attendee-input';
import { parseEventRange } from '../domain/boundary';
import { FreeBusy, type AttendeeTimes, type FreeBusyRequest } from '../lookup/free-busy';
import { createEventTexts, writeChronosResultJson, type EventTexts } from '../lookup/result-json';

/** `chronos?action=freeBusy`: busy times of attendees. */
@Handles(chronosFreeBusy.freeBusy)
export class ChronosFreeBusyHandler implements Handler<typeof chronosFreeBusy.freeBusy> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly properties: Properties,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosFreeBusy.freeBusy>) {
    const range = parseEventRange(query.from, query.until);
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
      ofEvents: true,
    };
    const write = async (times: AttendeeTimes, textOf?: EventTexts): Promise<TextPieces> => {
      const json = new TextPieces();
      await writeChronosResultJson(json, times, principal.locale, textOf);
      return json;
    };
    if (merge) return joinToJson(await this.freeBusy.mapTimes(principal, question, (times) => write(times)));
    const times = await this.freeBusy.getTimes(principal, question);
    const textOf = createEventTexts(await this.freeBusy.loadDetails(principal, times));
    const results: TextPieces[] = [];
    for (const each of times) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      results.push(await write(each, textOf));
    }
    return joinToJson(results);
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
