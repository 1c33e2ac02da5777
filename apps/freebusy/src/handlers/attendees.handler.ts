import { freeBusyRest, type CallOf, type Handler } from '@groupware/contracts';
import { Clock, Handles, joinToJson, TextPieces } from '@groupware/service-kit';
import { Contexts } from '../lookup/contexts';
import { parseAttendees } from '../domain/attendee-input';
import { parseRange } from '../domain/boundary';
import { FreeBusy, type FreeBusyRequest } from '../lookup/free-busy';
import { writeResultJson } from '../lookup/result-json';

/** Maximum attendees of an administrative request (API page "Administrative free/busy"). */
const MAX_ATTENDEES = 200;

/** `/preliminary/chronos/v1/freebusy/{context}`: busy times of attendees, for cooperating services. */
@Handles(freeBusyRest.attendees)
export class AttendeesHandler implements Handler<typeof freeBusyRest.attendees> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly contexts: Contexts,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof freeBusyRest.attendees>) {
    const { context } = query;
    const attendees = parseAttendees(query.attendees, MAX_ATTENDEES);
    const range = parseRange(query.from, query.until, this.clock.now());
    const tenant = await this.contexts.requireTenant(context);
    const question: FreeBusyRequest = { attendees, range, merge: query.merge ?? true };
    const results = await this.freeBusy.mapTimes(tenant, question, async (times) => {
      const json = new TextPieces();
      await writeResultJson(json, times);
      return json;
    });
    return joinToJson(results);
  }
}
