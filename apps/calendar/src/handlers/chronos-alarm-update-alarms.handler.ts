import { chronosAlarms, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { AttendeeAnswers } from '../events/attendee-answers';
import { EventResults } from '../events/event-results';

/** `chronos/alarm?action=updateAlarms`: the alarms of the user. */
@Handles(chronosAlarms.updateAlarms)
export class ChronosAlarmUpdateAlarmsHandler implements Handler<typeof chronosAlarms.updateAlarms> {
  constructor(
    private readonly answers: AttendeeAnswers,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof chronosAlarms.updateAlarms>) {
    const request = await this.results.prepare(principal, query);
    return this.results.toReply(request, await this.answers.storeAnswer(principal, query, { alarms: body }, request));
  }
}
