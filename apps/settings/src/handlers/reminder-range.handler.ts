import { reminder, reply, type CallOf, type Handler, type ReminderData } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Clock, Handles } from '@groupware/service-kit';
import { listOwners, Reminders, resolveZone, toReminderData } from '../reminders';

/** `reminder?action=range`: what the user is to be reminded of until a point in time, by all modules. */
@Handles(reminder.range)
export class ReminderRangeHandler implements Handler<typeof reminder.range> {
  constructor(
    private readonly caller: Caller,
    private readonly reminders: Reminders,
    private readonly clock: Clock,
  ) {}

  async handle(call: CallOf<typeof reminder.range>) {
    const { principal, query } = call;
    const now = this.clock.now();
    const view = { userId: principal.userId, zone: resolveZone(query.timezone, principal), now };
    const { answers, warnings } = await this.reminders.askOwners(
      call,
      listOwners(query.modules),
      async ([module, owner], options) => {
        const owned = await this.caller.call(owner.list, { ...options, query: { until: query.end ?? now } });
        return owned.map((each) => ({ due: each.alarm, data: toReminderData(each, module, view) }));
      },
    );
    const due = answers.flat().sort((a, b) => a.due - b.due || a.data.id - b.data.id);
    return reply<ReminderData[]>(
      due.map(({ data }) => data),
      { timestamp: now, warnings },
    );
  }
}
