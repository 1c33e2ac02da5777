import { chronosAvailability, type AvailableTimeData, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AvailabilityRepository } from '../persistence/availability.repository';

/** `chronos/availability?action=get`: the times at which the user is available. */
@Handles(chronosAvailability.get)
export class ChronosAvailabilityGetHandler implements Handler<typeof chronosAvailability.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly times: AvailabilityRepository,
  ) {}

  async handle({ principal }: CallOf<typeof chronosAvailability.get>): Promise<AvailableTimeData[]> {
    const times = await this.database.read(principal, (db) => this.times.listTimes(db, principal.userId));
    return times.map(({ position, uid, rrule, starts, ends, created, modified }) => ({
      ...{ id: position, user: principal.userId, uid, created, modified, start: starts, end: ends },
      ...(rrule && { rrule }),
    }));
  }
}
