import { AppointmentErrors } from '@groupware/contracts';
import { type Appointment, attendeeOf, isException } from './appointment';
import { withoutUser } from './appointment-edit';
import { namesOccurrence } from './appointment-reference';
import { exceptionOf, withLocal, withoutLocal } from './exception';
import { describeOccurrence, hasOccurrences, requireKnownOccurrence, requireSeries } from './occurrence';
import type { OccurrenceName } from './series';

/** What a call leaves to be written. */
export interface DeletionResult {
  readonly created: readonly Appointment[];
  readonly changed: readonly { readonly before: Appointment; readonly after: Appointment }[];
  readonly removed: readonly Appointment[];
}

/**
 * Appointments as they become while one call deletes one thing after the other: whatever it deletes, it is written at
 * once at the end. Exceptions that come into being have ids below zero until then.
 */
export class Deletions {
  private readonly stored: ReadonlyMap<number, Appointment>;
  private readonly now: Map<number, Appointment>;
  private readonly members = new Map<number, Set<number>>();
  private lastId = 0;

  /** @param stored what the call names, with all exceptions of series and the series of exceptions */
  constructor(stored: readonly Appointment[]) {
    this.stored = new Map(stored.map((each) => [each.id, each]));
    this.now = new Map();
    for (const each of stored) this.set(each);
  }

  /** The appointment, unless it is gone. */
  find(id: number): Appointment | undefined {
    return this.now.get(id);
  }

  /** Deletes an appointment, a series, or one occurrence; the series goes with its last one. */
  remove(appointment: Appointment, name: OccurrenceName): void {
    if (isException(appointment)) return this.removeException(appointment);
    if (!namesOccurrence(name)) {
      for (const each of [...this.exceptionsOf(appointment.id), appointment]) this.now.delete(each.id);
      return;
    }
    this.shorten(appointment, this.unchanged(appointment, name).localMs);
  }

  /** Takes a user out who was invited, of everything or of one occurrence. */
  leave(appointment: Appointment, userId: number, name: OccurrenceName): void {
    const out = (each: Appointment): void => this.set({ ...each, attendees: withoutUser(each.attendees, userId) });
    if (isException(appointment)) return out(appointment);
    if (!namesOccurrence(name)) {
      const exceptions = this.exceptionsOf(appointment.id);
      return [appointment, ...exceptions.filter((each) => attendeeOf(each, userId)?.hidden === false)].forEach(out);
    }
    const occurrence = this.unchanged(appointment, name);
    this.set({ ...appointment, changes: withLocal(appointment.changes, occurrence.localMs) });
    out({ ...exceptionOf(appointment, occurrence), id: (this.lastId -= 1) });
  }

  /** All that is to be written. */
  result(): DeletionResult {
    const present = [...this.now.values()];
    return {
      created: present.filter(({ id }) => id < 0).map((each) => ({ ...each, id: 0 })),
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
    this.now.delete(exception.id);
    const series = this.now.get(exception.seriesId!);
    if (series) this.shorten({ ...series, changes: withoutLocal(series.changes, localMs) }, localMs);
  }

  private shorten(series: Appointment, localMs: number): void {
    const after = { ...series, exdates: withLocal(series.exdates, localMs) };
    if (this.exceptionsOf(series.id).length > 0 || hasOccurrences(after)) this.set(after);
    else this.now.delete(series.id);
  }

  /** The occurrence of a series that a client names, unless an exception stands for it (APP-0074). */
  private unchanged(series: Appointment, name: OccurrenceName) {
    requireSeries(series);
    const occurrence = requireKnownOccurrence(series, name);
    if (series.changes?.includes(occurrence.localMs)) throw AppointmentErrors.unknownPosition(describeOccurrence(name));
    return occurrence;
  }

  private exceptionsOf(seriesId: number): Appointment[] {
    return [...(this.members.get(seriesId) ?? [])].flatMap((id) => this.now.get(id) ?? []);
  }

  private set(appointment: Appointment): void {
    this.now.set(appointment.id, appointment);
    if (!isException(appointment)) return;
    const members = this.members.get(appointment.seriesId!) ?? new Set();
    this.members.set(appointment.seriesId!, members.add(appointment.id));
  }
}
