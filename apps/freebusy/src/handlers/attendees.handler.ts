import { freeBusyRest, jsonText, type CallOf, type Handler } from '@groupware/contracts';
import { Clock, Handles } from '@groupware/service-kit';
import { Contexts } from '../contexts';
import { namedAttendees } from '../domain/attendee-input';
import { rangeOf } from '../domain/boundary';
import { FreeBusy } from '../free-busy';
import { resultText } from '../result-text';

/** Most attendees of one administrative question (API page "Administrative free/busy"). */
const MAX_ATTENDEES = 200;

/** `/preliminary/chronos/v1/freebusy/{context}`: when attendees are busy, for cooperating services. */
@Handles(freeBusyRest.attendees)
export class AttendeesHandler implements Handler<typeof freeBusyRest.attendees> {
  constructor(
    private readonly freeBusy: FreeBusy,
    private readonly contexts: Contexts,
    private readonly clock: Clock,
  ) {}

  async handle({ query }: CallOf<typeof freeBusyRest.attendees>) {
    const { context } = query;
    const attendees = namedAttendees(query.attendees, MAX_ATTENDEES);
    const range = rangeOf(query.from, query.until, this.clock.now());
    const tenant = await this.contexts.tenant(context);
    const question = { attendees, range, merge: query.merge ?? true };
    return jsonText(`[${(await this.freeBusy.answers(tenant, question, (times) => resultText(times))).join()}]`);
  }
}
