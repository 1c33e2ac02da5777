import { chronosAlarms, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { EventAlarmChanges } from '../alarms/event-alarm-changes';
import { EventResults } from '../events/event-results';

/** `chronos/alarm?action=ack`: acknowledges an alarm. */
@Handles(chronosAlarms.ack)
export class ChronosAlarmAckHandler implements Handler<typeof chronosAlarms.ack> {
  constructor(
    private readonly alarms: EventAlarmChanges,
    private readonly results: EventResults,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronosAlarms.ack>) {
    const request = await this.results.prepare(principal, query);
    const changes = await this.alarms.acknowledge(principal, query);
    return this.results.toReply(request, { changes });
  }
}
