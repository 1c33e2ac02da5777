import type { CalendarAddress } from '@groupware/contracts';
import type { CalendarEvent } from '@groupware/icalendar';
import { positionOf } from '@groupware/recurrence';
import { type Appointment, isException } from '../../domain/appointment';
import { wholeSeriesOf } from '../../domain/series';
import { createOccurrence } from '../own-appointments';
import { mapExternals, toComparable, toOrganizerEvent } from './outgoing-event';

/** An appointment before and after a change: created without the first, deleted without the second. */
export interface SchedulingChange {
  readonly before?: Appointment;
  readonly after?: Appointment;
  /** Its files are others now, and stored. */
  readonly hasOtherFiles?: boolean;
  /** Appointment whose files it is about to get copies of. */
  readonly filesOf?: number;
}

/** Everything that changed of an appointment or a series, and all that is stored of it now. */
export interface SchedulingGroup {
  readonly changes: readonly SchedulingChange[];
  readonly stored: readonly Appointment[];
  /** Lower-case mail address of the attendee whose answer the others are told. */
  readonly answerOf?: string;
}

/** A message before it gets its stamp. */
export interface DraftedMessage {
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY' | 'COUNTER' | 'DECLINECOUNTER';
  readonly template:
    | 'eventInvitation'
    | 'eventUpdate'
    | 'eventCancellation'
    | 'eventAccepted'
    | 'eventTentative'
    | 'eventDeclined'
    | 'eventDelegated'
    | 'eventDelegation'
    | 'eventCounter'
    | 'eventCounterDeclined';
  readonly recipients: readonly CalendarAddress[];
  readonly events: readonly CalendarEvent[];
  /** For each event, the appointment whose files go with it; null where none do. */
  readonly filesOf?: readonly (number | null)[];
  /** Appointment that the text of the mail is about. */
  readonly subject: Appointment;
}

/** The occurrence of a series that began at a local time, as an exception that is like it. */
export function findOccurrence(series: Appointment | undefined, localMs: number): Appointment | undefined {
  if (!series || (series.rule === null && series.rdates === null)) return undefined;
  const position = positionOf(wholeSeriesOf(series), localMs);
  return position === undefined ? undefined : createOccurrence(series, { localMs, position });
}

/** Days that a change deleted of a series. */
export function listNewExdates({ before, after }: SchedulingChange): readonly number[] {
  if (!before || !after) return [];
  const known = new Set(before.exdates);
  return (after.exdates ?? []).filter((local) => !known.has(local));
}

/** The change of the appointment or series itself. */
export const findMainChange = (changes: readonly SchedulingChange[]): SchedulingChange | undefined =>
  changes.find(({ before, after }) => !isException((after ?? before)!));

/** Messages of an organizer here to attendees elsewhere about one appointment or series (REQUEST, CANCEL; RFC 5546, section 3.2). */
export class OrganizerMessages {
  private readonly changes: readonly SchedulingChange[];
  private readonly main: SchedulingChange | undefined;
  private readonly before: Appointment | undefined;
  private readonly current: Appointment | undefined;
  private readonly exceptions: readonly Appointment[];
  private readonly changedExceptions: readonly SchedulingChange[];
  private readonly isChanged: boolean;
  private readonly answerOf: string | undefined;
  private readonly drafts = new Map<string, DraftedMessage & { readonly recipients: CalendarAddress[] }>();

  private readonly externals = new Map<Appointment, ReadonlyMap<string, CalendarAddress>>();

  constructor({ changes, stored, answerOf }: SchedulingGroup) {
    this.answerOf = answerOf;
    this.changes = changes;
    this.main = findMainChange(changes);
    this.current = stored.find((each) => !isException(each));
    this.before = this.main ? this.main.before : this.current;
    this.exceptions = stored.filter(isException);
    this.changedExceptions = changes.filter((each) => each !== this.main);
    this.isChanged = this.hasMainChanged();
  }

  /** Messages, each with all who get the same. */
  draft(): DraftedMessage[] {
    for (const [address, recipient] of this.listAddresses())
      if (address !== this.answerOf) this.draftFor(address, recipient);
    return [...this.drafts.values()];
  }

  /** All that an attendee attends, as it is now; nothing when he attends none of it. */
  draftAgain(recipient: CalendarAddress): DraftedMessage[] {
    const address = recipient.address.toLowerCase();
    const attends = (each: Appointment): boolean => this.externalsOf(each).has(address);
    const included = this.exceptions.filter(attends);
    if (this.current && attends(this.current)) {
      const excluded = this.exceptions.filter((each) => !attends(each));
      const exdates = excluded.map(({ recurrenceLocalMs }) => recurrenceLocalMs!);
      this.request(recipient, 'eventUpdate', [this.current, ...included], exdates);
    } else if (included.length > 0) this.request(recipient, 'eventUpdate', included);
    return [...this.drafts.values()];
  }

  private hasMainChanged(): boolean {
    const { before, after, hasOtherFiles } = this.main ?? {};
    if (!before || !after) return false;
    if (hasOtherFiles) return true;
    const isRestored = (before.exdates ?? []).some(
      (local) => !after.exdates?.includes(local) && !after.changes?.includes(local),
    );
    return isRestored || this.isOther(before, after);
  }

  /** True when attendees are told something else of an appointment than before. */
  private isOther(before: Appointment, after: Appointment): boolean {
    const withAnswers = this.answerOf !== undefined;
    return toComparable(before, withAnswers) !== toComparable(after, withAnswers);
  }

  private listAddresses(): Map<string, CalendarAddress> {
    const all = [this.before, this.current, ...this.exceptions];
    for (const { before, after } of this.changedExceptions) all.push(before, after);
    return new Map(all.flatMap((each) => (each ? [...mapExternals(each)] : [])));
  }

  /** Read once for all of many attendees. */
  private externalsOf(appointment: Appointment): ReadonlyMap<string, CalendarAddress> {
    const known = this.externals.get(appointment) ?? mapExternals(appointment);
    this.externals.set(appointment, known);
    return known;
  }

  private draftFor(address: string, recipient: CalendarAddress): void {
    const attends = (each: Appointment | undefined): boolean =>
      each !== undefined && this.externalsOf(each).has(address);
    const [attended, isAttending] = [attends(this.before), attends(this.current)];
    if (attended && !isAttending) {
      const remaining = this.exceptions.filter(attends);
      if (remaining.length === 0) this.cancelWhole(recipient);
      else this.request(recipient, 'eventUpdate', remaining);
      return;
    }
    if (isAttending && (!attended || this.isChanged)) {
      const [included, excluded] = [this.exceptions.filter(attends), this.exceptions.filter((each) => !attends(each))];
      const exdates = excluded.map(({ recurrenceLocalMs }) => recurrenceLocalMs!);
      this.request(recipient, attended ? 'eventUpdate' : 'eventInvitation', [this.current!, ...included], exdates);
      return;
    }
    this.draftOccurrences(recipient, attends, attended);
  }

  private draftOccurrences(
    recipient: CalendarAddress,
    attends: (each: Appointment | undefined) => boolean,
    isAttending: boolean,
  ): void {
    const requested: Appointment[] = [];
    const cancelled: Appointment[] = [];
    let isNew = true;
    for (const { before, after, hasOtherFiles } of this.changedExceptions) {
      const base = before ?? findOccurrence(this.before, after!.recurrenceLocalMs!);
      const [attended, stays] = [attends(base), attends(after)];
      if (stays && (!attended || hasOtherFiles || this.isOther(base!, after!))) {
        requested.push(after!);
        isNew &&= !attended;
      } else if (attended && !stays) cancelled.push(base!);
    }
    const gone = new Set(cancelled.map(({ recurrenceLocalMs }) => recurrenceLocalMs));
    for (const local of this.main && isAttending ? listNewExdates(this.main) : []) {
      const occurrence = gone.has(local) ? undefined : findOccurrence(this.before, local);
      // An exception that he did not attend was none of his.
      if (occurrence && !this.changedExceptions.some(({ before }) => before?.recurrenceLocalMs === local))
        cancelled.push(occurrence);
    }
    if (requested.length > 0) this.request(recipient, isNew ? 'eventInvitation' : 'eventUpdate', requested);
    if (cancelled.length > 0) this.cancelOccurrences(recipient, cancelled);
  }

  private request(
    recipient: CalendarAddress,
    template: DraftedMessage['template'],
    appointments: readonly Appointment[],
    exdates: readonly number[] = [],
  ): void {
    const key = `REQUEST ${template} ${appointments.map(({ id }) => id).join()} ${exdates.join()}`;
    this.add(key, recipient, () => ({
      method: 'REQUEST',
      template,
      subject: appointments[0]!,
      events: appointments.map((each) => {
        const event = toOrganizerEvent(each, isException(each) ? this.current : undefined);
        const all = [...new Set([...event.exdates, ...exdates])].sort((a, b) => a - b);
        return isException(each) ? event : { ...event, exdates: all };
      }),
      filesOf: appointments.map((each) => this.findFilesOf(each)),
    }));
  }

  /** The appointment whose files go with one: what gets copies of those of another has none of its own yet. */
  private findFilesOf(appointment: Appointment): number | null {
    if (appointment.attachments > 0) return appointment.id;
    const change = this.changes.find(({ after }) => after?.id === appointment.id);
    if (!change || change.before || change.hasOtherFiles) return null;
    return change.filesOf ?? (isException(appointment) && this.current?.attachments ? this.current.id : null);
  }

  /** All of it is off for an attendee. */
  private cancelWhole(recipient: CalendarAddress): void {
    const before = this.before!;
    const sequence = this.current ? Math.max(this.current.sequence, before.sequence) : before.sequence + 1;
    this.add('CANCEL', recipient, () => ({
      method: 'CANCEL',
      template: 'eventCancellation',
      subject: before,
      events: [{ ...toOrganizerEvent(before, undefined), sequence, status: 'CANCELLED' }],
    }));
  }

  private cancelOccurrences(recipient: CalendarAddress, occurrences: readonly Appointment[]): void {
    const master = this.current ?? this.before;
    const key = `CANCEL ${occurrences.map(({ recurrenceLocalMs }) => recurrenceLocalMs).join()}`;
    this.add(key, recipient, () => ({
      method: 'CANCEL',
      template: 'eventCancellation',
      subject: occurrences[0]!,
      events: occurrences.map((each) => ({
        ...toOrganizerEvent(each, this.before ?? this.current),
        sequence: Math.max(each.id > 0 ? each.sequence + 1 : 0, master?.sequence ?? 0),
        status: 'CANCELLED',
      })),
    }));
  }

  private add(key: string, recipient: CalendarAddress, create: () => Omit<DraftedMessage, 'recipients'>): void {
    const known = this.drafts.get(key);
    if (known) known.recipients.push(recipient);
    else this.drafts.set(key, { ...create(), recipients: [recipient] });
  }
}
