import { AppointmentErrors } from '@groupware/contracts';
import { type Appointment, findAttendee, isException, isSeries } from './appointment';
import { removeUser } from './appointment-edit';
import { namesOccurrence } from './appointment-reference';
import { createException, addLocalTime, removeLocalTime } from './exception';
import { describeOccurrence, hasOccurrences, requireKnownOccurrence, requireSeries } from './occurrence';
import { isInvitedCopy } from './organizer';
import { findNamedOccurrence, type OccurrenceName, seriesOf } from './series';
import { seriesBefore } from './series-cut';

/** Changes of a deletion to write. */
export interface DeletionChanges {
  readonly created: readonly Appointment[];
  readonly changed: readonly { readonly before: Appointment; readonly after: Appointment }[];
  readonly removed: readonly Appointment[];
  /** Ids by which {@link DeletionPlan.takeTouched} names those that are created, in the same order. */
  readonly newIds: readonly number[];
}

/**
 * Appointments as they become while one call deletes one thing after the other: whatever it deletes, it is written at
 * once at the end. Exceptions that come into being have ids below zero until then.
 */
export class DeletionPlan {
  private readonly stored: ReadonlyMap<number, Appointment>;
  private readonly now: Map<number, Appointment>;
  private readonly members = new Map<number, Set<number>>();
  private lastId = 0;
  private touched = new Set<number>();

  /** @param stored what the call names, with all exceptions of series and the series of exceptions */
  constructor(stored: readonly Appointment[]) {
    this.stored = new Map(stored.map((each) => [each.id, each]));
    this.now = new Map();
    for (const each of stored) this.set(each);
    this.touched.clear();
  }

  /** The appointment, unless it is gone. */
  findAppointment(id: number): Appointment | undefined {
    return this.now.get(id);
  }

  /** The appointment as it was before the call. */
  findStored(id: number): Appointment | undefined {
    return this.stored.get(id);
  }

  /** The exception that stands for the occurrence that is named; the appointment itself where none does. */
  findNamed(appointment: Appointment, name: OccurrenceName): Appointment {
    if (!isSeries(appointment) || !namesOccurrence(name)) return appointment;
    const occurrence = findNamedOccurrence(seriesOf(appointment), name);
    const isMeant = ({ recurrenceLocalMs }: Appointment): boolean => recurrenceLocalMs === occurrence?.localMs;
    return this.exceptionsOf(appointment.id).find(isMeant) ?? appointment;
  }

  /** Ids of what has been changed, with the series of exceptions, created (below zero) or deleted since the last time this was asked. */
  takeTouched(): ReadonlySet<number> {
    const { touched } = this;
    this.touched = new Set();
    return touched;
  }

  /** Ends a series before one of its occurrences; all of it goes with the first one. */
  endSeries(series: Appointment, name: OccurrenceName): void {
    requireSeries(series);
    const { localMs } = requireKnownOccurrence(series, name);
    const gone = this.exceptionsOf(series.id).filter((each) => each.recurrenceLocalMs! >= localMs);
    for (const each of gone) this.drop(each.id);
    const head = seriesBefore(series, localMs);
    if (head && (this.exceptionsOf(series.id).length > 0 || hasOccurrences(head))) this.setShortened(head);
    else for (const each of [...this.exceptionsOf(series.id), series]) this.drop(each.id);
  }

  /** Deletes an appointment, a series, or one occurrence; the series goes with its last one. */
  deleteAppointment(appointment: Appointment, name: OccurrenceName): void {
    if (isException(appointment)) return this.removeException(appointment);
    if (!namesOccurrence(name)) {
      for (const each of [...this.exceptionsOf(appointment.id), appointment]) this.drop(each.id);
      return;
    }
    this.excludeOccurrence(appointment, this.requireUnchanged(appointment, name).localMs);
  }

  /** Takes a user out who was invited, of everything or of one occurrence. */
  withdrawUser(appointment: Appointment, userId: number, name: OccurrenceName): void {
    const out = (each: Appointment): void => this.set({ ...each, attendees: removeUser(each.attendees, userId) });
    if (isException(appointment)) return out(appointment);
    if (!namesOccurrence(name)) {
      const exceptions = this.exceptionsOf(appointment.id);
      return [appointment, ...exceptions.filter((each) => findAttendee(each, userId)?.hidden === false)].forEach(out);
    }
    const occurrence = this.requireUnchanged(appointment, name);
    this.set({ ...appointment, changes: addLocalTime(appointment.changes, occurrence.localMs) });
    out({ ...createException(appointment, occurrence), id: (this.lastId -= 1) });
  }

  /** All that is to be written. */
  toChanges(): DeletionChanges {
    const present = [...this.now.values()];
    const fresh = present.filter(({ id }) => id < 0);
    return {
      newIds: fresh.map(({ id }) => id),
      created: fresh.map((each) => ({ ...each, id: 0 })),
      changed: present.flatMap((after) => {
        const before = this.stored.get(after.id);
        return before && before !== after ? [{ before, after }] : [];
      }),
      removed: [...this.stored.values()].filter(({ id }) => !this.now.has(id)),
    };
  }

  /** A change exception goes: its occurrence is deleted from the series. */
  private removeException(exception: Appointment): void {
    const localMs = exception.recurrenceLocalMs!;
    this.drop(exception.id);
    const series = this.now.get(exception.seriesId!);
    if (series) this.excludeOccurrence({ ...series, changes: removeLocalTime(series.changes, localMs) }, localMs);
  }

  private excludeOccurrence(series: Appointment, localMs: number): void {
    const after = { ...series, exdates: addLocalTime(series.exdates, localMs) };
    if (this.exceptionsOf(series.id).length > 0 || hasOccurrences(after)) this.setShortened(after);
    else this.drop(series.id);
  }

  /** The occurrence of a series that a client names, unless an exception stands for it (APP-0074). */
  private requireUnchanged(series: Appointment, name: OccurrenceName) {
    requireSeries(series);
    const occurrence = requireKnownOccurrence(series, name);
    if (series.changes?.includes(occurrence.localMs)) throw AppointmentErrors.unknownPosition(describeOccurrence(name));
    return occurrence;
  }

  private exceptionsOf(seriesId: number): Appointment[] {
    return [...(this.members.get(seriesId) ?? [])].flatMap((id) => this.now.get(id) ?? []);
  }

  /** A series that lost occurrences: one revision for the whole call, and none where an organizer elsewhere counts them. */
  private setShortened(series: Appointment): void {
    const next = this.stored.get(series.id)!.sequence + 1;
    this.set(isInvitedCopy(series) ? series : { ...series, sequence: Math.max(series.sequence, next) });
  }

  private drop(id: number): void {
    this.now.delete(id);
    this.touched.add(id);
  }

  private set(appointment: Appointment): void {
    this.now.set(appointment.id, appointment);
    this.touched.add(appointment.id);
    if (!isException(appointment)) return;
    this.touched.add(appointment.seriesId!);
    const members = this.members.get(appointment.seriesId!) ?? new Set();
    this.members.set(appointment.seriesId!, members.add(appointment.id));
  }
}
