import {
  APPOINTMENT_RIGHTS,
  chronos,
  jsonText,
  recordCheck,
  reply,
  type CallOf,
  type EventData,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { listUnanswered } from '../events/event-answers';
import { parseEventOrder } from '../events/event-order';
import { parseEventRange } from '../events/event-range';
import { EventReader } from '../events/event-reader';
import { AppointmentRepository } from '../persistence/appointment.repository';
import { EventRepository } from '../persistence/event.repository';

/** `chronos?action=needsAction`: events that the user has not answered. */
@Handles(chronos.needsAction)
export class ChronosNeedsActionHandler implements Handler<typeof chronos.needsAction> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly events: EventRepository,
    private readonly appointments: AppointmentRepository,
    private readonly reader: EventReader,
  ) {}

  async handle({ principal, query }: CallOf<typeof chronos.needsAction>) {
    const request = await this.reader.prepare(principal, query);
    const range = parseEventRange(query, request.zone)!;
    const order = parseEventOrder(query);
    // Only invitations of the user himself are looked at.
    recordCheck(APPOINTMENT_RIGHTS.read);
    const { found, masters } = await this.database.read(principal, async (db) => {
      const found = await this.events.listUnanswered(db, principal.userId, range, request.limit + 1);
      const series = found.flatMap(({ id, seriesId }) => (seriesId !== null && seriesId !== id ? [seriesId] : []));
      return { found, masters: await this.appointments.listByIds(db, [...new Set(series)]) };
    });
    const waiting = listUnanswered(found, masters, principal.userId);
    const texts = await this.reader.writeEvents(request, waiting, { range, expand: false, order });
    return reply<EventData[]>(jsonText(`[${texts.join()}]`), {});
  }
}
