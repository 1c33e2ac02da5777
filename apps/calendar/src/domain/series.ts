import { MAX_TIME } from '@groupware/contracts';
import {
  lastEndMs,
  parseRule,
  type Occurrence,
  occurrenceAt,
  occurrencesBetween,
  positionOf,
  RecurrenceError,
  type RdatePeriod,
  type RecurrenceRule,
  type Series,
  ZoneOffsets,
} from '@groupware/recurrence';
import { getIcalendarExtra } from './icalendar-extra';
import { ENDLESS, type Appointment } from './appointment';
import { dayOf } from './local-days';

/** Fields that the expansion of a series depends on. */
export type Recurring = Pick<
  Appointment,
  'startMs' | 'endMs' | 'timeZone' | 'fullTime' | 'floating' | 'rule' | 'rdates' | 'exdates'
> & {
  readonly changes?: readonly number[] | null;
  /** Those of `rdates` with another length; where they are not given apart, `extra` has them. */
  readonly rdatePeriods?: readonly RdatePeriod[] | null;
  /** The start in local ms, where the clocks skip it; where it is not given apart, `extra` has it. */
  readonly skippedStart?: number | null;
  readonly extra?: Appointment['extra'];
};

const rules = new Map<string, RecurrenceRule>();
const MAX_RULES = 5_000;

/** The rule of a stored text; equal texts share one object. */
export function parseStoredRule(text: string): RecurrenceRule {
  let rule = rules.get(text);
  if (!rule) {
    rule = parseRule(text);
    if (rules.size >= MAX_RULES) rules.clear();
    rules.set(text, rule);
  }
  return rule;
}

/** The zone in which occurrences are worked out. */
export const zoneOf = (recurring: Pick<Recurring, 'floating' | 'timeZone'>): string =>
  recurring.floating ? 'UTC' : recurring.timeZone;

/** Wall-clock time of the start, ms as if UTC. */
export function startLocalOf({
  floating,
  timeZone,
  startMs,
  extra = null,
  skippedStart = getIcalendarExtra({ extra }).skippedStart,
}: Pick<Recurring, 'floating' | 'timeZone' | 'startMs' | 'extra' | 'skippedStart'>): number {
  if (floating) return startMs;
  const zone = ZoneOffsets.forZone(timeZone);
  // One that does not lead to the start is of an earlier start.
  const isSkipped = typeof skippedStart === 'number' && zone.localToInstant(skippedStart) === startMs;
  return isSkipped ? skippedStart : zone.instantToLocal(startMs);
}

/** A local time of a series that begins with it, where the clocks skip it; undefined for all others. */
export function skippedStartAt({ floating, timeZone }: Pick<Recurring, 'floating' | 'timeZone'>, localMs: number) {
  if (floating) return undefined;
  const zone = ZoneOffsets.forZone(timeZone);
  return zone.instantToLocal(zone.localToInstant(localMs)) === localMs ? undefined : localMs;
}

/** True for an exception that begins when its occurrence does, on the clock of its series. */
export const hasOriginalStart = (
  { startMs, floating, recurrenceLocalMs }: Pick<Appointment, 'startMs' | 'floating' | 'recurrenceLocalMs'>,
  timeZone: string,
): boolean =>
  startMs === (floating ? recurrenceLocalMs : ZoneOffsets.forZone(timeZone).localToInstant(recurrenceLocalMs!));

/** The series as the recurrence engine takes it; deleted and changed occurrences are left out of expansions. */
export function seriesOf(recurring: Recurring): Series {
  return {
    rule: recurring.rule === null ? undefined : parseStoredRule(recurring.rule),
    startLocalMs: startLocalOf(recurring),
    timeZone: zoneOf(recurring),
    durationMs: recurring.endMs - recurring.startMs,
    allDay: recurring.fullTime,
    rdates: recurring.rdates ?? undefined,
    rdatePeriods: rdatePeriodsOf(recurring),
    exdates: recurring.changes?.length
      ? [...(recurring.exdates ?? []), ...recurring.changes]
      : (recurring.exdates ?? undefined),
  };
}

function rdatePeriodsOf({ rdates, rdatePeriods, extra = null }: Recurring): readonly RdatePeriod[] | undefined {
  if (!rdates?.length) return undefined;
  return rdatePeriods ?? getIcalendarExtra({ extra }).rdatePeriods?.filter(({ localMs }) => rdates.includes(localMs));
}

/** The series with those of its occurrences that were deleted or changed: positions count them. */
export const wholeSeriesOf = (recurring: Recurring): Series => seriesOf({ ...recurring, exdates: null, changes: null });

/** The series as it is shown to who takes no part in some of its exceptions: their occurrences are deleted for him. */
export function withDeleted<T extends Pick<Recurring, 'exdates' | 'changes'>>(series: T, locals: readonly number[]): T {
  if (locals.length === 0) return series;
  const changes = series.changes?.filter((local) => !locals.includes(local)) ?? null;
  return { ...series, exdates: [...(series.exdates ?? []), ...locals], changes };
}

/** End of the last occurrence, {@link ENDLESS} without one. */
export const rangeEndOf = (recurring: Recurring): number => lastEndMs(seriesOf(recurring)) ?? ENDLESS;

/** Original start of an occurrence: an instant, or a day or time on the clock of the series (ms as if UTC). */
export interface OriginalStart {
  readonly kind: 'instant' | 'local' | 'date';
  readonly ms: number;
}

/** Name of an occurrence by a client. */
export interface OccurrenceName {
  /** From 1. */
  readonly position?: number;
  /** Day of the original start (UTC midnight). */
  readonly day?: number;
  readonly original?: OriginalStart;
}

/** The occurrence a client names, whether deleted, changed or neither; undefined when the series has none such. */
export function findNamedOccurrence(series: Series, name: OccurrenceName): Occurrence | undefined {
  try {
    const occurrence = findOccurrence(series, name);
    return occurrence && occurrence.endMs <= MAX_TIME ? occurrence : undefined;
  } catch (error) {
    // No view shows a position that a rule reaches only beyond the step budget.
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

function findOccurrence(series: Series, name: OccurrenceName): Occurrence | undefined {
  if (name.position !== undefined) return occurrenceAt(series, name.position);
  const local = name.original ? localOf(series, name.original) : occurrenceOnDay(series, name.day);
  const position = local === undefined ? undefined : positionOf(series, local);
  return position === undefined ? undefined : occurrenceAt(series, position);
}

/** Local ms of the occurrence that an original start names, deleted ones included; it need not be one. */
export function localOf(series: Series, { kind, ms }: OriginalStart): number | undefined {
  if (kind === 'date' && !series.allDay) return occurrenceOnDay(series, ms);
  const local = kind === 'instant' ? ZoneOffsets.forZone(series.timeZone).instantToLocal(ms) : ms;
  if (series.allDay) return dayOf(local);
  if (kind !== 'instant' || positionOf(series, local) !== undefined) return local;
  // A time that the clocks skip is shown, and named, as the one after it.
  const whole = { ...series, exdates: undefined };
  return occurrencesBetween(whole, ms, ms + 1).find(({ startMs }) => startMs === ms)?.localMs ?? local;
}

/** Local ms of the occurrence that starts on a day, deleted ones included. */
function occurrenceOnDay(series: Series, named: number | undefined): number | undefined {
  if (named === undefined) return undefined;
  const day = dayOf(named);
  const usual = day + (series.startLocalMs - dayOf(series.startLocalMs));
  if (positionOf(series, usual) !== undefined) return usual;
  return series.rdates?.find((local) => dayOf(local) === day);
}
