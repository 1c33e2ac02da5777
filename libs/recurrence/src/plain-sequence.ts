import { DAY_MS, MAX_LOCAL_MS, monthIndexOf, monthStart, weekdayOf } from './calendar-math';
import type { RecurrenceRule } from './rule';
import type { RuleSequence } from './rule-sequence';
import type { StepBudget } from './step-budget';

/** Questions that {@link RuleSequence} answers about a rule without COUNT and UNTIL. */
export type Sequence = Pick<RuleSequence, 'countable' | 'scan' | 'countBefore' | 'nth' | 'has'>;

/** The sequence of a rule whose n-th element is plain arithmetic: most of those in calendars. Undefined for others. */
export function plainSequence(rule: RecurrenceRule, startMs: number): Sequence | undefined {
  if (rule.byHour || rule.byMinute || rule.bySecond || rule.bySetPos || rule.byYearDay || rule.byWeekNo)
    return undefined;
  if (rule.frequency === 'DAILY' || rule.frequency === 'WEEKLY') return everySoManyDays(rule, startMs);
  if (rule.frequency === 'MONTHLY' || rule.frequency === 'YEARLY') return everySoManyMonths(rule, startMs);
  return undefined;
}

/** Elements that are found by their number, and numbers that are found by time. */
abstract class PlainSequence implements Sequence {
  readonly countable = true;
  /** Time of day of all elements, ms. */
  protected readonly timeMs: number;

  constructor(private readonly startMs: number) {
    this.timeMs = startMs - Math.floor(startMs / DAY_MS) * DAY_MS;
  }

  /** Element of an index from 0. */
  protected abstract at(index: number): number;
  /** Index of the first element that is not before a time from DTSTART to the end of time. */
  protected abstract indexFrom(localMs: number): number;

  scan(fromMs: number, toMs: number, steps: StepBudget, visit: (localMs: number) => boolean): void {
    const from = Math.max(fromMs, this.startMs);
    const to = Math.min(toMs, MAX_LOCAL_MS);
    if (to < from) return;
    for (let index = this.indexFrom(from); ; index++) {
      const element = this.at(index);
      if (element > to) return;
      steps.take();
      if (!visit(element)) return;
    }
  }

  countBefore(localMs: number): number {
    return localMs <= this.startMs ? 0 : this.indexFrom(Math.min(localMs, MAX_LOCAL_MS + 1));
  }

  nth(n: number): number | undefined {
    if (n < 1) return undefined;
    const element = this.at(n - 1);
    return element <= MAX_LOCAL_MS ? element : undefined;
  }

  has(localMs: number): boolean {
    return localMs >= this.startMs && localMs <= MAX_LOCAL_MS && this.at(this.indexFrom(localMs)) === localMs;
  }
}

/** Every day of every n-th one, or some days of every n-th week. */
class DaySequence extends PlainSequence {
  /** Days of the first period that lie before DTSTART. */
  private readonly skipped: number;

  /**
   * @param baseDay first day of the period that holds DTSTART
   * @param offsets days of a period, from 0, rising
   */
  constructor(
    startMs: number,
    private readonly baseDay: number,
    private readonly periodDays: number,
    private readonly offsets: readonly number[],
  ) {
    super(startMs);
    this.skipped = lowerBound(offsets, Math.floor(startMs / DAY_MS) - baseDay);
  }

  protected at(index: number): number {
    const { length } = this.offsets;
    const period = length === 1 ? index + this.skipped : Math.floor((index + this.skipped) / length);
    const offset = this.offsets[index + this.skipped - period * length]!;
    return (this.baseDay + period * this.periodDays + offset) * DAY_MS + this.timeMs;
  }

  protected indexFrom(localMs: number): number {
    const days = Math.ceil((localMs - this.timeMs) / DAY_MS) - this.baseDay;
    const period = Math.floor(days / this.periodDays);
    const within = lowerBound(this.offsets, days - period * this.periodDays);
    return period * this.offsets.length + within - this.skipped;
  }
}

const FIRST_MONTH_BEYOND = 10_000 * 12;

/** A day that every month has, in every n-th month. */
class MonthSequence extends PlainSequence {
  private readonly firstMonth: number;

  constructor(
    startMs: number,
    baseMonth: number,
    private readonly stepMonths: number,
    private readonly day: number,
  ) {
    super(startMs);
    this.firstMonth = this.inMonth(baseMonth) < startMs ? baseMonth + stepMonths : baseMonth;
  }

  protected at(index: number): number {
    return this.inMonth(this.firstMonth + index * this.stepMonths);
  }

  protected indexFrom(localMs: number): number {
    const months = monthIndexOf(Math.floor(localMs / DAY_MS)) - this.firstMonth;
    if (months < 0) return 0;
    const index = Math.floor(months / this.stepMonths);
    return this.at(index) < localMs ? index + 1 : index;
  }

  private inMonth(month: number): number {
    return month < FIRST_MONTH_BEYOND ? (monthStart(month) + this.day - 1) * DAY_MS + this.timeMs : Infinity;
  }
}

function everySoManyDays(rule: RecurrenceRule, startMs: number): Sequence | undefined {
  const { byDay, byMonth, byMonthDay, interval, weekStart } = rule;
  if (byMonth || byMonthDay) return undefined;
  const startDay = Math.floor(startMs / DAY_MS);
  if (rule.frequency === 'DAILY' && !byDay) return new DaySequence(startMs, startDay, interval, [0]);
  // Some days of every n-th day meet no week as a whole, unless n is 1.
  if (rule.frequency === 'DAILY' && interval !== 1) return undefined;
  const inWeek = (weekday: number): number => (weekday - weekStart + 7) % 7;
  const startOffset = inWeek(weekdayOf(startDay));
  const offsets = byDay ? byDay.map(({ weekday }) => inWeek(weekday)).sort((a, b) => a - b) : [startOffset];
  return new DaySequence(startMs, startDay - startOffset, 7 * interval, offsets);
}

/** Days after the 28th are for the general engine: not every month has them. */
const LAST_COMMON_DAY = 28;

function everySoManyMonths(rule: RecurrenceRule, startMs: number): Sequence | undefined {
  const { frequency, byDay, byMonth, byMonthDay, interval } = rule;
  if (byDay || (byMonthDay && byMonthDay.length > 1)) return undefined;
  const startDay = Math.floor(startMs / DAY_MS);
  const startMonth = monthIndexOf(startDay);
  const day = byMonthDay?.[0] ?? startDay - monthStart(startMonth) + 1;
  if (day < 1 || day > LAST_COMMON_DAY) return undefined;
  if (frequency === 'MONTHLY') return byMonth ? undefined : new MonthSequence(startMs, startMonth, interval, day);
  if ((byMonth && byMonth.length > 1) || (byMonthDay && !byMonth)) return undefined;
  const baseMonth = byMonth ? Math.floor(startMonth / 12) * 12 + byMonth[0]! - 1 : startMonth;
  return new MonthSequence(startMs, baseMonth, 12 * interval, day);
}

/** First index of a rising list whose value is not less. */
function lowerBound(rising: readonly number[], value: number): number {
  let index = 0;
  while (index < rising.length && rising[index]! < value) index++;
  return index;
}
