import { chronosChanges, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttendeeAnswers } from '../events/attendee-answers';
import { EventResults } from '../events/event-results';

/** `chronos?action=updateAttendee`: the own answer and alarms; those of one occurrence make an event of it. */
@Handles(chronosChanges.updateAttendee)
export class ChronosUpdateAttendeeHandler implements Handler<typeof chronosChanges.updateAttendee> {
  constructor(
    private readonly answers: AttendeeAnswers,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosChanges.updateAttendee>) {
    const request = await this.results.prepare(principal, query);
    return this.results.toReply(request, await this.answers.storeAnswer(principal, query, body, request));
  }
}
