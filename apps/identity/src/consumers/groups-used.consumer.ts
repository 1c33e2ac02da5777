import { calendarEvents, type EventMessage, type PayloadOf } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Consumes, type Consumer } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';

type Event = (typeof calendarEvents)['groups.used'];

/** Counts the groups that users invite: a search offers them first. */
@Consumes(calendarEvents['groups.used'])
export class GroupsUsedConsumer implements Consumer<Event> {
  constructor(private readonly groups: GroupRepository) {}

  handle({ payload }: EventMessage<PayloadOf<Event>>, tx: Transaction): Promise<void> {
    return this.groups.countUses(tx, payload.userId, payload.groupIds);
  }
}
