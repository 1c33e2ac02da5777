import { toCalendarTime, type CalendarEvent } from '@groupware/icalendar';
import { positionOf } from '@groupware/recurrence';
import type { AppointmentChanges, ChangedAppointment } from '../appointments/appointment-writer';
import type { Appointment } from '../domain/appointment';
import { withRangeEnd } from '../domain/exception';
import { toStore } from '../domain/new-appointment';
import { hasOccurrences } from '../domain/occurrence';
import { requiresReconfirmation } from '../domain/reschedule';
import { startLocalOf, wholeSeriesOf } from '../domain/series';
import { toInstant } from '../icalendar/from-event';
import { getIcalendarExtra, ICALENDAR_EXTRA, type SeriesPart, type StoredEvent } from '../domain/icalendar-extra';
import { originalStart } from '../icalendar/import-entries';
import { partUid, type Recurrence, recurrenceBefore, splitRanges } from '../icalendar/range-split';
import { toCalendarEvent, toAppointmentTime } from '../icalendar/to-event';
import { buildInvitedAttendees, toInvitedContent, type Invitee, applyUpdate, applySeriesUpdate } from './invitation';
import { createOccurrence, type OwnSeries, findPosition } from './own-appointments';
import { findSeriesPart, withRevision } from './scheduling-message';

/** Outcome of changing an occurrence and all that follow it. */
export interface SeriesSplit extends AppointmentChanges {
  /** The series of those that follow, not stored yet, which gets copies of the files; absent when nothing is left before it. */
  readonly part?: Appointment;
  /** The change is one from the first occurrence on. */
  readonly isWhole?: boolean;
  /** Exceptions that go along with it. */
  readonly moving: readonly ChangedAppointment[];
}

/** Splits a series before the occurrence that a message changes with all that follow; undefined when no rule says the rest. */
export async function splitSeries(
  own: OwnSeries,
  change: CalendarEvent,
  invitee: Invitee,
): Promise<SeriesSplit | undefined> {
  const { series } = own;
  const whole = toCalendarEvent(series, invitee.userId);
  const [head, rest] = await splitRanges([whole, change], invitee.timeZone);
  if (!head || !rest || rest === change) return undefined;
  const fromMs = originalStart(change, series);
  const [before, named, behind] = splitExceptions(own, fromMs);
  if (head === rest) {
    const part = findSeriesPart(series);
    const event = { ...rest, partOf: part && { ...part, shiftMs: part.shiftMs + shiftOf(change, series) } };
    const { changed, removed = [] } = applySeriesUpdate(series, behind, event, invitee);
    return { changed, removed: [...removed, ...named], moving: [], isWhole: true };
  }
  const part = createPart(series, change, { ...rest, ...toRootPart(rest.partOf!, findSeriesPart(series)) }, invitee);
  const moved = moveExceptions(part, behind, rest.partOf!.shiftMs);
  const changes = moved.map(({ after }) => after.recurrenceLocalMs!);
  const staying = new Set(moved.map(({ before: each }) => each));
  const stored = { ...part, changes: toNullableList(changes) };
  const removed = [...named, ...behind.filter((each) => !staying.has(each))];
  const ended = endSeries(own, head, fromMs, change, before);
  if (ended) return { part: toStore(stored), moving: moved, changed: [ended], removed };
  // Nothing is left before: the series goes on as the part, so that its files stay with it.
  const { id, seriesId, created, createdBy } = series;
  const goingOn = { before: series, after: { ...stored, id, seriesId, created, createdBy } };
  return { changed: [goingOn, ...moved], removed, moving: [] };
}

/** A series that ends before an occurrence; undefined when no rule says what is left. */
export function endBefore(own: OwnSeries, event: CalendarEvent): AppointmentChanges | undefined {
  const { series, exceptions } = own;
  const fromMs = originalStart(event, series);
  const head = recurrenceBefore(toCalendarEvent(series, series.owner), fromMs, series.timeZone);
  if (!head) return undefined;
  if (head === 'empty') return { removed: [series, ...exceptions] };
  const [before, named, behind] = splitExceptions(own, fromMs);
  const ended = endSeries(own, head, fromMs, event, before);
  return { changed: ended ? [ended] : [], removed: [...(ended ? [] : [series]), ...named, ...behind] };
}

/** The change of a named occurrence of a series as one of all of a part that begins later. */
export async function createPartChange(
  part: Appointment,
  series: Appointment,
  named: CalendarEvent,
  timeZone: string,
): Promise<StoredEvent | undefined> {
  const { uid, fromMs } = findSeriesPart(part)!;
  const shiftMs = shiftOf(named, series) + (findSeriesPart(series)?.shiftMs ?? 0);
  const start = toCalendarTime(part, fromMs + shiftMs);
  const end = toAppointmentTime(part, toInstant(start) + toInstant(named.end) - toInstant(named.start));
  const recurrenceId = toCalendarTime(part, startLocalOf(part));
  const change = { ...named, uid: part.uid, recurrenceId, start, end };
  const [head, rest] = await splitRanges([toCalendarEvent(part, part.owner), change], timeZone);
  return head && head === rest ? { ...rest, partOf: { uid, fromMs, shiftMs } } : undefined;
}

/** Exceptions with the id of the part into which they go. */
export const moveIntoPart = (
  moving: readonly ChangedAppointment[],
  part: Appointment | undefined,
): ChangedAppointment[] =>
  part ? moving.map(({ before, after }) => ({ before, after: { ...after, seriesId: part.id } })) : [];

/** Exceptions before an occurrence, that of the occurrence itself, and those behind. */
function splitExceptions({ exceptions }: OwnSeries, fromMs: number): [Appointment[], Appointment[], Appointment[]] {
  const where = (fits: (localMs: number) => boolean) =>
    exceptions.filter(({ recurrenceLocalMs }) => fits(recurrenceLocalMs!));
  return [where((local) => local < fromMs), where((local) => local === fromMs), where((local) => local > fromMs)];
}

/** The part of a series before an occurrence; undefined when all of it was deleted earlier. */
function endSeries(
  { series }: OwnSeries,
  head: Recurrence,
  fromMs: number,
  event: CalendarEvent,
  before: readonly Appointment[],
): ChangedAppointment | undefined {
  const extra = withRevision(series, event);
  const after = withRangeEnd({
    ...series,
    rule: head.rrule ?? null,
    rdates: toNullableList(head.rdates),
    exdates: toNullableList(head.exdates),
    changes: toNullableList((series.changes ?? []).filter((local) => local < fromMs)),
    extra: { ...extra, [ICALENDAR_EXTRA]: { ...getIcalendarExtra({ extra }), rdatePeriods: head.rdatePeriods } },
  });
  return before.length > 0 || hasOccurrences(after) ? { before: series, after } : undefined;
}

/** The series from an occurrence on: colour and alarm stay, the answer does unless people have to answer again. */
function createPart(series: Appointment, change: CalendarEvent, event: StoredEvent, invitee: Invitee): Appointment {
  const occurrence = createOccurrence(series, findPosition(series, change)!);
  const next = applyUpdate(occurrence, toInvitedContent(event, invitee), []);
  const isMoved = requiresReconfirmation(occurrence, { ...next, rule: null, rangeEndMs: next.endMs });
  return withRangeEnd({
    ...next,
    attendees: buildInvitedAttendees(event, invitee, series, isMoved),
    id: -1,
    seriesId: -1,
    recurrenceLocalMs: null,
    position: null,
  });
}

/** Exceptions that have a place in a part of their series. */
function moveExceptions(part: Appointment, exceptions: readonly Appointment[], shiftMs: number): ChangedAppointment[] {
  const series = wholeSeriesOf(part);
  return exceptions.flatMap((before) => {
    const recurrenceLocalMs = before.recurrenceLocalMs! + shiftMs;
    const position = positionOf(series, recurrenceLocalMs);
    if (position === undefined) return [];
    const extra = { ...before.extra, [ICALENDAR_EXTRA]: { ...getIcalendarExtra(before), recurrenceId: undefined } };
    return [{ before, after: { ...before, uid: part.uid, recurrenceLocalMs, position, extra } }];
  });
}

/** A part of a part as one of the series that the organizer knows. */
function toRootPart(part: SeriesPart, of: SeriesPart | undefined): Pick<StoredEvent, 'uid' | 'partOf'> {
  const root = of ? { uid: of.uid, fromMs: part.fromMs - of.shiftMs, shiftMs: part.shiftMs + of.shiftMs } : part;
  return { uid: partUid(root), partOf: root };
}

/** Shift of the named occurrence by a change, ms in the clock of the series. */
const shiftOf = (change: CalendarEvent, series: Appointment): number =>
  startLocalOf({ ...series, startMs: toInstant(change.start) }) - originalStart(change, series);

const toNullableList = (list: readonly number[]): readonly number[] | null => (list.length > 0 ? list : null);
