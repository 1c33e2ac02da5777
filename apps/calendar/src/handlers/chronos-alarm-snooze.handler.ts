import { chronosAlarms, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventAlarmChanges } from '../alarms/event-alarm-changes';
import { EventResults } from '../events/event-results';

/** `chronos/alarm?action=snooze`: acknowledges an alarm and lets it come again. */
@Handles(chronosAlarms.snooze)
export class ChronosAlarmSnoozeHandler implements Handler<typeof chronosAlarms.snooze> {
  constructor(
    private readonly alarms: EventAlarmChanges,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronosAlarms.snooze>) {
    const request = await this.results.prepare(principal, query);
    const changes = await this.alarms.acknowledge(principal, query, query.snoozeTime);
    return this.results.toReply(request, { changes });
  }
}
