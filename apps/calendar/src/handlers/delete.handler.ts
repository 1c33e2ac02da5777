import {
  AppointmentErrors,
  calendar,
  reply,
  type AppointmentReference,
  type CallOf,
  type Handler,
  type RemainingAppointment,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { type AppointmentTarget, AppointmentTargets, requireDeletable } from '../appointment-target';
import { type AppointmentChanges, AppointmentWriter } from '../appointment-writer';
import { type Appointment, attendeeOf, isException, isSeries } from '../domain/appointment';
import { withoutUser } from '../domain/appointment-edit';
import { appointmentId } from '../domain/appointment-id';
import { folderOf, namesOccurrence, occurrenceName } from '../domain/appointment-reference';
import { exceptionOf, withLocal, withoutLocal } from '../domain/exception';
import { hasOccurrences, requireKnownOccurrence } from '../domain/occurrence';
import { calendarFolderId } from '../folder-access';
import { AppointmentRepository } from '../persistence/appointment.repository';

/** `delete`: appointments, series and occurrences; all or, where one is refused, none. */
@Handles(calendar.delete)
export class DeleteHandler implements Handler<typeof calendar.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly targets: AppointmentTargets,
    private readonly appointments: AppointmentRepository,
    private readonly writer: AppointmentWriter,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof calendar.delete>) {
    const { remaining, stamp } = await this.database.transact(principal, async (tx) => {
      const remaining: RemainingAppointment[] = [];
      // Changes of this very call must not make its later items look changed.
      const touched = new Set<number>();
      let stamp = 0;
      for (const reference of body) {
        const target = await this.targets.find(
          tx,
          principal,
          appointmentId(reference.id, principal.contextId),
          calendarFolderId(folderOf(reference)),
        );
        const { id, seriesId, lastModified } = target.appointment;
        if (lastModified > query.timestamp && !touched.has(id) && !touched.has(seriesId ?? -1)) {
          remaining.push(named(reference));
          stamp = Math.max(stamp, lastModified);
          continue;
        }
        const written = await this.writer.write(
          tx,
          principal.userId,
          await this.changes(tx, principal, target, reference),
        );
        stamp = Math.max(stamp, written.stamp);
        touched.add(id).add(seriesId ?? id);
      }
      return { remaining, stamp };
    });
    return reply<RemainingAppointment[]>(remaining, stamp > 0 ? { timestamp: stamp } : {});
  }

  private async changes(
    tx: Transaction,
    user: UserPrincipal,
    target: AppointmentTarget,
    reference: AppointmentReference,
  ): Promise<AppointmentChanges> {
    const name = occurrenceName(reference);
    const { appointment, exceptions, asAttendee, folder } = target;
    if (asAttendee) return leaving(target, folder.calendarUser, reference);
    requireDeletable(target, user);
    if (isException(appointment)) return this.withoutException(tx, appointment);
    if (!isSeries(appointment)) return { removed: [appointment] };
    if (!namesOccurrence(name)) return { removed: [...exceptions, appointment] };

    const occurrence = requireKnownOccurrence(appointment, name);
    if (appointment.changes?.includes(occurrence.localMs)) throw AppointmentErrors.unknownPosition(name.position ?? '');
    return shortened(appointment, exceptions, occurrence.localMs);
  }

  /** A change exception goes: its occurrence is deleted from the series. */
  private async withoutException(tx: Transaction, exception: Appointment): Promise<AppointmentChanges> {
    const master = await this.appointments.find(tx, exception.seriesId!);
    if (!master) return { removed: [exception] };
    const others = (await this.appointments.exceptions(tx, master.id)).filter(({ id }) => id !== exception.id);
    const { changed, removed } = shortened(
      { ...master, changes: withoutLocal(master.changes, exception.recurrenceLocalMs!) },
      others,
      exception.recurrenceLocalMs!,
      master,
    );
    return { changed, removed: [...(removed ?? []), exception] };
  }
}

/** The series without one more occurrence; the whole series goes with its last one. */
function shortened(
  master: Appointment,
  exceptions: readonly Appointment[],
  localMs: number,
  before: Appointment = master,
): AppointmentChanges {
  const after = { ...master, exdates: withLocal(master.exdates, localMs) };
  if (exceptions.length === 0 && !hasOccurrences(after)) return { removed: [before] };
  return { changed: [{ before, after }] };
}

/** Somebody who was invited takes himself out, of everything or of one occurrence. */
function leaving(target: AppointmentTarget, userId: number, reference: AppointmentReference): AppointmentChanges {
  const { appointment, exceptions } = target;
  const without = (before: Appointment): { before: Appointment; after: Appointment } => ({
    before,
    after: { ...before, attendees: withoutUser(before.attendees, userId) },
  });
  const name = occurrenceName(reference);
  if (!isSeries(appointment)) return { changed: [without(appointment)] };
  if (!namesOccurrence(name)) {
    const takesPart = (each: Appointment): boolean => attendeeOf(each, userId)?.hidden === false;
    return { changed: [appointment, ...exceptions.filter(takesPart)].map(without) };
  }
  const occurrence = requireKnownOccurrence(appointment, name);
  if (appointment.changes?.includes(occurrence.localMs)) throw AppointmentErrors.unknownPosition(name.position ?? '');
  return {
    created: [without(exceptionOf(appointment, occurrence)).after],
    changed: [
      { before: appointment, after: { ...appointment, changes: withLocal(appointment.changes, occurrence.localMs) } },
    ],
  };
}

const named = (reference: AppointmentReference): RemainingAppointment => {
  const { position } = occurrenceName(reference);
  return { id: reference.id, folder: folderOf(reference), ...(position !== undefined && { pos: position }) };
};
