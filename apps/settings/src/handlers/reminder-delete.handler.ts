import {
  parseReminderId,
  reminder,
  ReminderErrors,
  reply,
  toReminderId,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { Handles } from '@groupware/service-kit';
import { listOwners, Reminders } from '../reminders';

/** `reminder?action=delete`: reminders the user has seen. */
@Handles(reminder.delete)
export class ReminderDeleteHandler implements Handler<typeof reminder.delete> {
  constructor(
    private readonly caller: Caller,
    private readonly reminders: Reminders,
  ) {}

  async handle(call: CallOf<typeof reminder.delete>) {
    const ids = call.body.map(({ id }) => {
      if (id == null) throw ReminderErrors.idMissing();
      return id;
    });
    const named = ids.map(parseReminderId);
    const { answers, warnings } = await this.reminders.askOwners(
      call,
      listOwners(named.map(({ module }) => module)),
      async ([module, owner], options) => {
        const own = named.filter((each) => each.module === module).map(({ id }) => id);
        const removed = await this.caller.call(owner.remove, { ...options, query: { ids: own } });
        return removed.map((id) => toReminderId(module, id));
      },
    );
    const gone = new Set(answers.flat());
    return reply<number[]>(
      ids.filter((id) => !gone.has(id)),
      { warnings },
    );
  }
}
