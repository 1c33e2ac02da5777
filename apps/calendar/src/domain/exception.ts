import { type Occurrence, positionOf, ZoneOffsets } from '@groupware/recurrence';
import { type Appointment, ENDLESS, findAttendee, isSeries, type AppointmentContent } from './appointment';
import { applyAttendeeDelta, bringBack } from './attendee-list';
import { getEventRest, withRest } from './appointment-rest';
import { getIcalendarExtra, type IcalendarExtra, ICALENDAR_EXTRA } from './icalendar-extra';
import { dayOf, timeOfDay } from './local-days';
import { resetParticipation, type BookingReply, raisesSequence, requiresReconfirmation } from './reschedule';
import { hasOriginalStart, rangeEndOf, startLocalOf, wholeSeriesOf, withDeleted } from './series';

/** A change exception that so far is like its occurrence, with as many files. The id is given when it is stored. */
export const createException = (master: Appointment, occurrence: Occurrence): Appointment => ({
  ...master,
  id: 0,
  seriesId: master.id,
  recurrenceLocalMs: occurrence.localMs,
  position: occurrence.position ?? null,
  startMs: occurrence.startMs,
  endMs: occurrence.endMs,
  rangeEndMs: occurrence.endMs,
  rule: null,
  rdates: null,
  exdates: null,
  changes: null,
});

/** The exceptions in which a user takes no part, or no longer: in his view of the series they are deleted. */
export const listHiddenExceptions = (exceptions: readonly Appointment[], userId: number): Appointment[] =>
  exceptions.filter((each) => findAttendee(each, userId)?.hidden !== false);

/**
 * A series as appointments show it in a folder: of an invited user, the exceptions from which others took him are deleted
 * occurrences. Who took himself out is still among those of a changed one.
 */
export function toShownSeries(
  appointment: Appointment,
  exceptions: readonly Appointment[],
  folder: { readonly id: number; readonly calendarUser: number },
): Appointment {
  if (!isSeries(appointment) || appointment.folderId === folder.id) return appointment;
  const foreign = exceptions.filter((each) => !findAttendee(each, folder.calendarUser));
  return withDeleted(
    appointment,
    foreign.map(({ recurrenceLocalMs }) => recurrenceLocalMs!),
  );
}

/** Adds a local time to a sorted list without doubles. */
export const addLocalTime = (list: readonly number[] | null, localMs: number): number[] =>
  [...new Set([...(list ?? []), localMs])].sort((a, b) => a - b);

/** A list without a local time; null when nothing is left. */
export function removeLocalTime(list: readonly number[] | null, localMs: number): number[] | null {
  const rest = (list ?? []).filter((entry) => entry !== localMs);
  return rest.length > 0 ? rest : null;
}

/** `rangeEndMs` of an appointment after a change of its times or rule. */
export const withRangeEnd = (appointment: Appointment): Appointment => ({
  ...appointment,
  rangeEndMs: isSeries(appointment) ? Math.min(rangeEndOf(appointment), ENDLESS) : appointment.endMs,
});

/** A series and its exceptions after its rule or times changed. */
export interface ReconciledSeries {
  readonly master: Appointment;
  /** Exceptions that still have a place, before and after. */
  readonly kept: readonly { readonly before: Appointment; readonly after: Appointment }[];
  /** Exceptions without one. */
  readonly dropped: readonly Appointment[];
}

/** How exceptions follow their series. */
export interface FollowingOptions {
  /** Original starts move by so many ms on the clock of the series, instead of staying on their days. */
  readonly shiftMs?: number;
  /** Tells exceptions whose occurrence, by its original start, the change calls off. */
  readonly isCalledOff?: (exception: Appointment, localMs: number) => boolean;
  /** Attendees hidden in an exception are asked again where its time changes so that all are. */
  readonly asksHidden?: boolean;
}

/** Fields of files that follow the master's, too. */
const REST_FIELDS = [
  'status',
  'color',
  'url',
  'geo',
  'categories',
] as const satisfies readonly (keyof IcalendarExtra)[];
const SIMPLE = ['title', 'location', 'note', 'categories', 'shownAs', 'classification', 'color'] as const;

/**
 * Carries a changed master into its exceptions. An exception keeps its place when the series still has an occurrence on
 * its original day, or where a shift of the series brings it; values that equalled the old master's follow the new one's.
 */
export function reconcileExceptions(
  before: Appointment,
  after: Appointment,
  exceptions: readonly Appointment[],
  bookingReply?: BookingReply,
  { shiftMs, isCalledOff, asksHidden }: FollowingOptions = {},
): ReconciledSeries {
  const series = wholeSeriesOf(after);
  const usualTime = timeOfDay(startLocalOf(after));
  const place = (localMs: number): { localMs: number; position: number } | undefined => {
    const candidates = shiftMs === undefined ? [dayOf(localMs) + usualTime, localMs] : [localMs + shiftMs];
    for (const candidate of candidates) {
      const position = positionOf(series, candidate);
      if (position !== undefined) return { localMs: candidate, position };
    }
    return undefined;
  };
  const kept: { before: Appointment; after: Appointment }[] = [];
  const dropped: Appointment[] = [];
  const taken = new Set<number>();
  for (const exception of exceptions) {
    const found = place(exception.recurrenceLocalMs!);
    if (!found || taken.has(found.localMs) || isCalledOff?.(exception, found.localMs)) dropped.push(exception);
    else {
      taken.add(found.localMs);
      kept.push({
        before: exception,
        after: {
          ...inheritFromMaster(before, after, exception, found.localMs, { bookingReply, asksHidden }),
          recurrenceLocalMs: found.localMs,
          position: found.position,
        },
      });
    }
  }
  const exdates = [...new Set((after.exdates ?? []).map((local) => place(local)?.localMs))].filter(
    (local): local is number => local !== undefined && !taken.has(local),
  );
  return {
    master: {
      ...after,
      exdates: exdates.length > 0 ? exdates.sort((a, b) => a - b) : null,
      changes: taken.size > 0 ? [...taken].sort((a, b) => a - b) : null,
    },
    kept,
    dropped,
  };
}

/** An exception with the new values of its master where it had no values of its own. */
function inheritFromMaster(
  before: Appointment,
  after: Appointment,
  exception: Appointment,
  localMs: number,
  { bookingReply, asksHidden = false }: { bookingReply: BookingReply | undefined; asksHidden: boolean | undefined },
): Appointment {
  const changes: Partial<Record<(typeof SIMPLE)[number], unknown>> = {};
  for (const field of SIMPLE)
    if (exception[field] === before[field] && after[field] !== before[field]) changes[field] = after[field];
  const moved = {
    ...exception,
    ...inheritTimes(before, after, exception, localMs),
    ...inheritRest(before, after, exception),
  };
  const isMoved = requiresReconfirmation(exception, moved);
  const listed = applyAttendeeDelta(exception.attendees, before.attendees, after.attendees);
  const attendees = bringBack(listed, before.attendees, after.attendees, asksHidden && isMoved);
  const next = { ...moved, ...(changes as Partial<AppointmentContent>), attendees };
  return {
    ...next,
    attendees: isMoved ? resetParticipation(attendees, exception.owner, exception, bookingReply) : attendees,
    sequence: raisesSequence(exception, next) ? exception.sequence + 1 : exception.sequence,
  };
}

function inheritRest(before: Appointment, after: Appointment, exception: Appointment): Pick<Appointment, 'extra'> {
  const [old, next, own] = [before, after, exception].map(getIcalendarExtra) as [
    IcalendarExtra,
    IcalendarExtra,
    IcalendarExtra,
  ];
  const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
  const changed = REST_FIELDS.filter((field) => !same(old[field], next[field]) && same(own[field], old[field]));
  const rest = { ...own, ...Object.fromEntries(changed.map((field) => [field, next[field]])) };
  const extra = changed.length === 0 ? exception.extra : { ...exception.extra, [ICALENDAR_EXTRA]: rest };
  const { attendeePrivileges } = getEventRest(after);
  // They are those of the whole series.
  if (getEventRest(before).attendeePrivileges === attendeePrivileges) return { extra };
  return { extra: withRest({ extra }, { event: { attendeePrivileges } }) };
}

function inheritTimes(
  before: Appointment,
  after: Appointment,
  exception: Appointment,
  localMs: number,
): Partial<Appointment> {
  const untouched =
    hasOriginalStart(exception, exception.timeZone) &&
    exception.endMs - exception.startMs === before.endMs - before.startMs &&
    exception.fullTime === before.fullTime;
  if (!untouched) return {};
  const startMs = after.floating ? localMs : ZoneOffsets.forZone(after.timeZone).localToInstant(localMs);
  return {
    fullTime: after.fullTime,
    floating: after.floating,
    timeZone: after.timeZone,
    startMs,
    endMs: startMs + (after.endMs - after.startMs),
    rangeEndMs: startMs + (after.endMs - after.startMs),
  };
}
