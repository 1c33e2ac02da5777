import {
  calendar,
  reply,
  type AppointmentReference,
  type CallOf,
  type Handler,
  type RemainingAppointment,
  APPOINTMENT_RIGHTS,
  waiveCheck,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, pauseAfterTurn } from '@groupware/service-kit';
import { AppointmentTargets, requireDeletable, requireReadable } from '../appointments/appointment-target';
import { AppointmentWriter } from '../appointments/appointment-writer';
import { changedFor } from '../domain/alarm-change';
import { type Appointment, isSeries } from '../domain/appointment';
import { parseAppointmentId } from '../domain/appointment-id';
import { requireFolder, parseOccurrenceName } from '../domain/appointment-reference';
import { DeletionPlan } from '../domain/deletions';
import { resolveRequestZone } from '../domain/request-zone';
import { findNamedOccurrence, wholeSeriesOf } from '../domain/series';
import { FeedRefusal } from '../feeds/feed-refusal';
import { isSeenIn, parseCalendarFolderId } from '../folders/folder-access';
import { SchedulingOutbox } from '../scheduling/outgoing/scheduling-outbox';

/** `delete`: appointments, series and occurrences; all or, where one is refused, none. */
@Handles(calendar.delete)
export class DeleteHandler implements Handler<typeof calendar.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly writer: AppointmentWriter,
    private readonly outbox: SchedulingOutbox,
    private readonly refusal: FeedRefusal,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.delete>) {
    // No time is read or answered, but a zone that does not exist is refused as everywhere.
    resolveRequestZone(query.timezone, principal.timeZone);
    await this.refusal.requireOwnCalendars(principal, ...body.map(requireFolder));
    const items = body.map((reference) => ({
      reference,
      id: parseAppointmentId(reference.id, principal.contextId),
      folderId: parseCalendarFolderId(requireFolder(reference)),
    }));
    if (items.length === 0) {
      waiveCheck(APPOINTMENT_RIGHTS.read, 'nothing is named');
      waiveCheck(APPOINTMENT_RIGHTS.remove, 'nothing is named');
      return reply<RemainingAppointment[]>([], {});
    }
    const { remaining, stamp } = await this.database.transact(principal, async (tx) => {
      const { folders, appointments } = await this.targets.lockTargets(
        tx,
        principal,
        items.map(({ id }) => id),
        items.map(({ folderId }) => folderId),
      );
      const deletions = new DeletionPlan(appointments);
      const remaining: RemainingAppointment[] = [];
      let stamp = 0;
      for (const { reference, id, folderId } of items) {
        const turn = pauseAfterTurn();
        if (turn) await turn;
        const folder = folders.get(folderId)!;
        requireReadable(deletions.findStored(id), id, folder, principal);
        const appointment = deletions.findAppointment(id);
        // It went with something that was named before, as exceptions go with their series.
        if (!appointment || !isSeenIn(appointment, folder)) continue;
        if (changedFor(appointment, folder.calendarUser) > query.timestamp) {
          remaining.push(remainingOf(reference, appointment));
          stamp = Math.max(stamp, appointment.lastModified);
          continue;
        }
        const asAttendee = appointment.folderId !== folder.id;
        requireDeletable({ folder, appointment, asAttendee }, principal);
        const name = parseOccurrenceName(reference);
        if (asAttendee) deletions.withdrawUser(appointment, folder.calendarUser, name);
        else deletions.deleteAppointment(appointment, name);
      }
      const result = deletions.toChanges();
      if (result.changed.length + result.removed.length > 0) {
        const written = await this.writer.writeChanges(tx, principal.userId, result);
        stamp = written.stamp;
        await this.outbox.announce(tx, principal, { ...written, removed: result.removed }, { scope: 'all' });
      } else waiveCheck(APPOINTMENT_RIGHTS.remove, 'everything stays');
      return { remaining, stamp };
    });
    return reply<RemainingAppointment[]>(remaining, stamp > 0 ? { timestamp: stamp } : {});
  }
}

/** The appointment as the client named it; an occurrence by its position, also where the client named the day. */
function remainingOf(reference: AppointmentReference, appointment: Appointment): RemainingAppointment {
  const name = parseOccurrenceName(reference);
  const byDay = name.position === undefined && name.day !== undefined && isSeries(appointment);
  const pos = byDay ? findNamedOccurrence(wholeSeriesOf(appointment), name)?.position : name.position;
  return { id: reference.id, folder: requireFolder(reference), ...(pos !== undefined && { pos }) };
}
