import { AppointmentErrors, CalendarErrors, type AppointmentData, type CatalogueError } from '@groupware/contracts';
import {
  firstOccurrence,
  formatRule,
  RecurrenceError,
  ruleFromFields,
  type RecurrenceRule,
  validateSeries,
} from '@groupware/recurrence';
import { dayOf } from './local-days';
import { seriesOf, startLocalOf, zoneOf, type Recurring } from './series';

/** Recurrence fields as a client sends them. */
export type RecurrenceInput = Pick<
  AppointmentData,
  'recurrence_type' | 'interval' | 'days' | 'day_in_month' | 'month' | 'until' | 'occurrences'
>;

const FIELDS = ['interval', 'days', 'day_in_month', 'month', 'until', 'occurrences'] as const;
const ALL_DAYS = 127;

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** True when a body says anything about recurrence. */
export const mentionsRecurrence = (input: RecurrenceInput): boolean =>
  isGiven(input.recurrence_type) || FIELDS.some((field) => isGiven(input[field]));

/** True when a body says how something repeats. */
export const hasRule = ({ recurrence_type, ...input }: RecurrenceInput): boolean =>
  Boolean(recurrence_type) || FIELDS.some((field) => Boolean(input[field]));

/** Refuses recurrence fields that are missing, wrong or too many for the type. */
export function requireRecurrence(input: RecurrenceInput): void {
  const type = input.recurrence_type ?? 0;
  if (type === 0) {
    const extra = FIELDS.filter((field) => isGiven(input[field]));
    if (extra.length > 0) throw AppointmentErrors.recurrenceWithoutType(extra.join(', '));
    return;
  }
  if (![1, 2, 3, 4].includes(type)) throw AppointmentErrors.badRecurrenceType(type);
  if (!isGiven(input.interval) || input.interval! < 1) throw AppointmentErrors.intervalMissing();
  if (type === 4 && input.interval !== 1) throw AppointmentErrors.badInterval(input.interval);
  if (isGiven(input.until) && isGiven(input.occurrences)) throw AppointmentErrors.untilAndOccurrences();
  if (isGiven(input.occurrences) && input.occurrences! < 1)
    throw CalendarErrors.badData('occurrences', 'must be 1 or more');
  if (type === 2 && input.days === 0) throw AppointmentErrors.weekdayMissing();
  if (isGiven(input.days) && (input.days! < 1 || input.days! > ALL_DAYS)) throw AppointmentErrors.badDays(input.days);
  const extra = superfluousFields(type).filter((field) => isGiven(input[field]));
  if (extra.length > 0) throw AppointmentErrors.superfluousRecurrence(extra.join(', '));
  if (type < 3) return;
  if (!isGiven(input.day_in_month)) throw AppointmentErrors.dayInMonthMissing();
  const highest = isGiven(input.days) ? 5 : 31;
  if (input.day_in_month! < 1 || input.day_in_month! > highest)
    throw AppointmentErrors.badDayInMonth(input.day_in_month);
  if (type < 4) return;
  if (!isGiven(input.month) || input.month! < 0 || input.month! > 11)
    throw AppointmentErrors.badMonth(input.month ?? 'none');
}

const superfluousFields = (type: number): readonly (typeof FIELDS)[number][] =>
  type === 1 ? ['days', 'day_in_month', 'month'] : type === 2 ? ['day_in_month', 'month'] : type === 3 ? ['month'] : [];

/** A series with its start moved to the first occurrence. */
export interface SeriesStart {
  readonly rule: string;
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The rule that checked fields stand for, and the times of its first occurrence: the start of a series is always an
 * occurrence. APP-0086 when the series ends before that.
 */
export function seriesFromFields(
  input: RecurrenceInput,
  times: Pick<Recurring, 'startMs' | 'endMs' | 'timeZone' | 'fullTime' | 'floating'>,
): SeriesStart {
  const startLocalMs = startLocalOf(times);
  if (isGiven(input.until) && dayOf(input.until!) < dayOf(startLocalMs)) throw AppointmentErrors.untilBeforeStart();
  const rule = mapRecurrenceErrors(() =>
    ruleFromFields(
      { ...input, recurrence_type: input.recurrence_type! },
      { fullTime: times.fullTime, timeZone: zoneOf(times), startLocalMs },
    ),
  );
  return moveToFirstOccurrence(rule, times);
}

/** Moves the start of a series to the first occurrence of its rule. */
export function moveToFirstOccurrence(
  rule: RecurrenceRule,
  times: Pick<Recurring, 'startMs' | 'endMs' | 'timeZone' | 'fullTime' | 'floating'>,
): SeriesStart {
  const text = formatRule(rule);
  const series = seriesOf({ ...times, rule: text, rdates: null, exdates: null });
  return mapRecurrenceErrors(() => {
    validateSeries(series);
    const first = firstOccurrence(series);
    if (!first) throw AppointmentErrors.untilBeforeStart();
    return { rule: text, startMs: first.startMs, endMs: first.endMs };
  });
}

/** Error for a rule that cannot be used. */
export const toRuleError = (error: RecurrenceError): CatalogueError =>
  (error.code === 'TOO_COMPLEX' ? CalendarErrors.unsupportedRule : CalendarErrors.badRule)(error.message).with({
    cause: error,
  });

/** Runs something that asks the recurrence engine: invalid rules are CAL-4002, those too complex for it CAL-4223. */
export function mapRecurrenceErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecurrenceError) throw toRuleError(error);
    throw error;
  }
}
