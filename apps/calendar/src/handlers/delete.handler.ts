import {
  calendar,
  reply,
  type AppointmentReference,
  type CallOf,
  type Handler,
  type RemainingAppointment,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { AppointmentTargets, requireDeletable, requireSeen } from '../appointment-target';
import { AppointmentWriter } from '../appointment-writer';
import { type Appointment, isSeries } from '../domain/appointment';
import { appointmentId } from '../domain/appointment-id';
import { folderOf, occurrenceName } from '../domain/appointment-reference';
import { Deletions } from '../domain/deletions';
import { namedOccurrence, wholeSeriesOf } from '../domain/series';
import { calendarFolderId } from '../folder-access';

/** `delete`: appointments, series and occurrences; all or, where one is refused, none. */
@Handles(calendar.delete)
export class DeleteHandler implements Handler<typeof calendar.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.delete>) {
    const items = body.map((reference) => ({
      reference,
      id: appointmentId(reference.id, principal.contextId),
      folderId: calendarFolderId(folderOf(reference)),
    }));
    if (items.length === 0) return reply<RemainingAppointment[]>([], {});
    const { remaining, stamp } = await this.database.transact(principal, async (tx) => {
      const { folders, appointments } = await this.targets.findMany(
        tx,
        principal,
        items.map(({ id }) => id),
        items.map(({ folderId }) => folderId),
      );
      const deletions = new Deletions(appointments);
      const remaining: RemainingAppointment[] = [];
      let stamp = 0;
      for (const { reference, id, folderId } of items) {
        const folder = folders.get(folderId)!;
        const appointment = deletions.find(id);
        requireSeen(appointment, id, folder, principal);
        if (appointment.lastModified > query.timestamp) {
          remaining.push(remainingOf(reference, appointment));
          stamp = Math.max(stamp, appointment.lastModified);
          continue;
        }
        const asAttendee = appointment.folderId !== folder.id;
        requireDeletable({ folder, appointment, asAttendee }, principal);
        const name = occurrenceName(reference);
        if (asAttendee) deletions.leave(appointment, folder.calendarUser, name);
        else deletions.remove(appointment, name);
      }
      const result = deletions.result();
      if (result.changed.length + result.removed.length > 0)
        stamp = (await this.writer.write(tx, principal.userId, result)).stamp;
      return { remaining, stamp };
    });
    return reply<RemainingAppointment[]>(remaining, stamp > 0 ? { timestamp: stamp } : {});
  }
}

/** What the client named, an occurrence by its number also where it named the day. */
function remainingOf(reference: AppointmentReference, appointment: Appointment): RemainingAppointment {
  const name = occurrenceName(reference);
  const byDay = name.position === undefined && name.day !== undefined && isSeries(appointment);
  const pos = byDay ? namedOccurrence(wholeSeriesOf(appointment), name)?.position : name.position;
  return { id: reference.id, folder: folderOf(reference), ...(pos !== undefined && { pos }) };
}
