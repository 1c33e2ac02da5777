import { randomUUID } from 'node:crypto';
import { chronosAvailability, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { resolveTimeZone } from '@groupware/recurrence';
import { Clock, Handles } from '@groupware/service-kit';
import { requireValidTime } from '../events/availability';
import { AvailabilityRepository } from '../persistence/availability.repository';

/** `chronos/availability?action=set`: replaces the times at which the user is available. */
@Handles(chronosAvailability.set)
export class ChronosAvailabilitySetHandler implements Handler<typeof chronosAvailability.set> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly times: AvailabilityRepository,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, body }: CallOf<typeof chronosAvailability.set>): Promise<object> {
    const userZone = resolveTimeZone(principal.timeZone) ?? 'UTC';
    const now = this.clock.now();
    const times = (body.availableTimes ?? []).map((time, index) => {
      requireValidTime(time, userZone);
      const { start, end, rrule } = time;
      return {
        ...{ position: index + 1, uid: randomUUID(), created: now, modified: now },
        ...{ starts: start!, ends: end!, rrule: rrule || null },
      };
    });
    await this.database.transact(principal, (tx) => this.times.replaceTimes(tx, principal.userId, times));
    return {};
  }
}
