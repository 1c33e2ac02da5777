import {
  DAY_MS,
  MAX_LOCAL_MS,
  greatestCommonDivisor,
  monthIndexOf,
  monthStart,
  weekdayOf,
  yearOf,
} from './calendar-math';
import { MonthDays } from './month-days';
import { RecurrenceError } from './recurrence-error';
import type { RecurrenceRule } from './rule';
import type { StepBudget } from './step-budget';

type Unit = 'year' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second';

/** Taken once: in the inner loops even the look-up of a global counts. */
const { ceil, clz32, floor, max, min } = Math;

/** Seconds of the units below a day and of the day itself. */
const UNIT_SECONDS: Partial<Record<Unit, number>> = { day: 86_400, hour: 3_600, minute: 60, second: 1 };
/** After 400 years the calendar repeats exactly: so many periods of each unit. */
const CALENDAR_CYCLE: Partial<Record<Unit, number>> = { year: 400, month: 4_800, week: 20_871 };
/** One year of each of the 14 kinds (weekday of 1 January × leap year). */
const KINDS_OF_YEAR = [2001, 2002, 2003, 2009, 2010, 2005, 2006, 2000, 2004, 2008, 2012, 2016, 2020, 2024];

/**
 * The local times a rule generates from DTSTART on, without COUNT and UNTIL, in order and without time zones.
 *
 * Time is cut into periods (years, months, … seconds) that are numbered through; the rule takes every INTERVAL-th.
 * The set of one period is `days × times of day`, optionally cut down by BYSETPOS, and is never written out: its
 * n-th element is arithmetic. Any period can be looked at without its predecessors, so a window costs what lies in
 * it. Counting uses, in this order: equal sizes of all periods, sums over one cycle of the calendar, a walk.
 */
export class RuleSequence {
  private readonly unit: Unit;
  private readonly interval: number;
  private readonly base: number;
  private readonly monthDays: MonthDays;
  private readonly limitsDays: boolean;
  private readonly hours: readonly number[];
  private readonly minutes: readonly number[];
  private readonly seconds: readonly number[];
  /** Limits of units below a day: which hour, minute, second may stay. */
  private readonly hourLimit: readonly number[] | undefined;
  private readonly minuteLimit: readonly number[] | undefined;
  private readonly secondLimit: readonly number[] | undefined;
  private readonly timesPerDay: number;
  private readonly positions: readonly number[] | undefined;
  private readonly subSecondMs: number;
  /** The earliest time of a day, in ms from midnight or from the beginning of the period. */
  private readonly firstTimeMs: number;
  private readonly weekdays: readonly boolean[];
  private readonly weekShift: number;
  private readonly neverMatches: boolean;
  private readonly usesWeekNumbers: boolean;

  // The period looked at last.
  private days: number[] = [];
  private baseSecond = 0;
  private selected: number[] = [];
  private loaded = NaN;

  private sizeOfAll: number | undefined;
  private sizeKnown = false;
  /** sums[i] = elements in the first i periods of a calendar cycle. */
  private readonly sums: number[] = [0];

  constructor(
    rule: RecurrenceRule,
    private readonly startMs: number,
    allDay: boolean,
  ) {
    const startDay = floor(startMs / DAY_MS);
    const timeOfDay = startMs - startDay * DAY_MS;
    this.subSecondMs = timeOfDay % 1000;
    const startSecond = floor(timeOfDay / 1000);
    const start = {
      hour: floor(startSecond / 3600),
      minute: floor(startSecond / 60) % 60,
      second: startSecond % 60,
    };
    let unit = unitOf(rule);
    if (allDay && (unit === 'hour' || unit === 'minute' || unit === 'second')) {
      throw new RecurrenceError('INVALID_RULE', `FREQ=${rule.frequency} needs a time of day`);
    }
    let { interval } = rule;
    // RFC 5545: BYHOUR, BYMINUTE and BYSECOND are ignored when DTSTART is a date.
    let hours = allDay ? undefined : rule.byHour;
    let minutes = allDay ? undefined : rule.byMinute;
    let seconds = allDay ? undefined : rule.bySecond;

    // A rule below the day that fits evenly into the next unit is the same as one of that unit with a list of times.
    if (!rule.bySetPos) {
      const lift = (list: readonly number[] | undefined, digit: number, radix: number): number[] | undefined => {
        const fits = radix % interval === 0;
        if (!fits && interval % radix !== 0) return undefined;
        const reached = fits ? multiplesFrom(digit % interval, interval, radix) : [digit];
        interval = fits ? 1 : interval / radix;
        return list ? reached.filter((value) => list.includes(value)) : reached;
      };
      if (unit === 'second') {
        const lifted = lift(seconds, start.second, 60);
        if (lifted) [unit, seconds] = ['minute', lifted];
      }
      if (unit === 'minute') {
        const lifted = lift(minutes, start.minute, 60);
        if (lifted) [unit, minutes] = ['hour', lifted];
      }
      if (unit === 'hour') {
        const lifted = lift(hours, start.hour, 24);
        if (lifted) [unit, hours] = ['day', lifted];
      }
    }

    const monthDays = new MonthDays(dayConditions(rule, startDay));
    this.monthDays = monthDays;
    // Days with conditions, one by one, are the days of every month that meet them: months can be counted by cycle.
    if (unit === 'day' && interval === 1 && !rule.bySetPos && !monthDays.unconditional) unit = 'month';

    const below = { hour: 1, minute: 2, second: 3 }[unit as string] ?? 0;
    this.hourLimit = below >= 1 ? hours : undefined;
    this.minuteLimit = below >= 2 ? minutes : undefined;
    this.secondLimit = below >= 3 ? seconds : undefined;
    this.hours = below >= 1 ? [0] : (hours ?? [start.hour]);
    this.minutes = below >= 2 ? [0] : (minutes ?? [start.minute]);
    this.seconds = below >= 3 ? [0] : (seconds ?? [start.second]);
    this.timesPerDay = this.hours.length * this.minutes.length * this.seconds.length;
    this.limitsDays = !monthDays.unconditional;
    this.unit = unit;
    this.firstTimeMs = (this.hours[0]! * 3600 + this.minutes[0]! * 60 + this.seconds[0]!) * 1000 + this.subSecondMs;
    this.interval = interval;
    this.positions = rule.bySetPos;
    this.usesWeekNumbers = rule.byWeekNo !== undefined;
    this.weekShift = (((rule.weekStart - 4) % 7) + 7) % 7;
    const wanted = rule.byDay?.map((d) => d.weekday) ?? [weekdayOf(startDay)];
    this.weekdays = Array.from({ length: 7 }, (_, i) => wanted.includes((rule.weekStart + i) % 7));
    this.base = this.periodOf(startMs);
    this.neverMatches = this.timesPerDay === 0 || !this.reachesWeekdayAndTime(rule.byDay && wanted);
  }

  /** Whether the number of elements before any time is known without walking from DTSTART. */
  get countable(): boolean {
    return this.constantSize() !== undefined || CALENDAR_CYCLE[this.unit] !== undefined;
  }

  /** Calls `visit` with every element in [fromMs, toMs] until it returns false; `visit` must not use the sequence. */
  scan(fromMs: number, toMs: number, steps: StepBudget, visit: (localMs: number) => boolean): void {
    if (this.neverMatches) return;
    const from = max(fromMs, this.startMs);
    const to = min(toMs, MAX_LOCAL_MS);
    if (to < from) return;
    const lastPeriod = this.periodOf(to);
    const firstPeriod = this.periodOf(from);
    let period = this.align(firstPeriod);
    while (period <= lastPeriod) {
      steps.take();
      const size = this.load(period);
      for (let i = period === firstPeriod ? this.lowerBound(size, from) : 0; i < size; i++) {
        const element = this.at(i);
        if (element > to) return;
        steps.take();
        if (!visit(element)) return;
      }
      period = this.next(period, to, steps);
    }
  }

  /** How many elements lie in [DTSTART, localMs). */
  countBefore(localMs: number, steps: StepBudget): number {
    if (this.neverMatches || localMs <= this.startMs) return 0;
    const limit = min(localMs, MAX_LOCAL_MS + 1);
    if (!this.countable) {
      let count = 0;
      this.scan(this.startMs, limit - 1, steps, () => ++count > 0);
      return count;
    }
    const period = this.periodOf(limit);
    const index = ceil((period - this.base) / this.interval);
    const aligned = this.base + index * this.interval === period;
    const partial = aligned ? this.lowerBound(this.load(period), limit) : 0;
    return this.sumBefore(index, steps) + partial - this.skippedAtStart();
  }

  /** The n-th element, n from 1; `undefined` when it does not exist before the year 10000. */
  nth(n: number, steps: StepBudget): number | undefined {
    if (this.neverMatches || n < 1) return undefined;
    let found: number | undefined;
    if (!this.countable) {
      let count = 0;
      this.scan(this.startMs, MAX_LOCAL_MS, steps, (local) => {
        if (++count === n) found = local;
        return found === undefined;
      });
      return found;
    }
    const wanted = n - 1 + this.skippedAtStart();
    const index = this.indexHolding(wanted, steps);
    if (index === undefined) return undefined;
    const period = this.base + index * this.interval;
    if (period > this.periodOf(MAX_LOCAL_MS)) return undefined;
    const before = this.sumBefore(index, steps);
    this.load(period);
    found = this.at(wanted - before);
    return found <= MAX_LOCAL_MS ? found : undefined;
  }

  /** Whether a local time is an element. */
  has(localMs: number): boolean {
    if (this.neverMatches || localMs < this.startMs || localMs > MAX_LOCAL_MS) return false;
    const period = this.periodOf(localMs);
    if ((period - this.base) % this.interval !== 0) return false;
    const size = this.load(period);
    const i = this.lowerBound(size, localMs);
    return i < size && this.at(i) === localMs;
  }

  /**
   * Whether an interval of days or less ever meets a wanted weekday at a wanted time: the hours, minutes or seconds of
   * a week it can reach repeat. A walk would notice a missing one only after thousands of years.
   */
  private reachesWeekdayAndTime(wanted: readonly number[] | undefined): boolean {
    const unitSeconds = UNIT_SECONDS[this.unit];
    if (unitSeconds === undefined || !(wanted || this.hourLimit || this.minuteLimit || this.secondLimit)) return true;
    const perWeek = (7 * 86_400) / unitSeconds;
    const step = greatestCommonDivisor(perWeek, this.interval);
    for (let i = ((this.base % step) + step) % step; i < perWeek; i += step) {
      const second = i * unitSeconds;
      const day = floor(second / 86_400);
      if ((!wanted || wanted.includes(weekdayOf(day))) && this.timePasses(second - day * 86_400)) return true;
    }
    return false;
  }

  // --- periods -------------------------------------------------------------------------------------------------

  private periodOf(localMs: number): number {
    const day = floor(localMs / DAY_MS);
    switch (this.unit) {
      case 'year':
        return yearOf(day);
      case 'month':
        return monthIndexOf(day);
      case 'week':
        return floor((day - this.weekShift) / 7);
      default:
        return floor(localMs / 1000 / (UNIT_SECONDS[this.unit] as number));
    }
  }

  /** First period of the rule at or after a period. */
  private align(period: number): number {
    if (period <= this.base) return this.base;
    return this.base + ceil((period - this.base) / this.interval) * this.interval;
  }

  /** Works out the set of a period and returns its size. */
  private load(period: number): number {
    if (period !== this.loaded) {
      this.loaded = period;
      this.days.length = 0;
      this.baseSecond = 0;
      this.loadDays(period);
      if (this.positions) this.select(this.positions);
    }
    return this.positions ? this.selected.length : this.days.length * this.timesPerDay;
  }

  private loadDays(period: number): void {
    const { days } = this;
    switch (this.unit) {
      case 'year':
        for (let month = period * 12; month < period * 12 + 12; month++) this.loadMonth(month);
        return;
      case 'month':
        this.loadMonth(period);
        return;
      case 'week': {
        const first = period * 7 + this.weekShift;
        for (let i = 0; i < 7; i++) if (this.weekdays[i] && this.passes(first + i)) days.push(first + i);
        return;
      }
      default: {
        const second = period * (UNIT_SECONDS[this.unit] as number);
        const day = floor(second / 86_400);
        this.baseSecond = second - day * 86_400;
        if (this.passes(day) && this.timePasses(this.baseSecond)) days.push(day);
      }
    }
  }

  private loadMonth(monthIndex: number): void {
    let bits = this.monthDays.bits(monthIndex);
    if (bits === 0) return;
    const first = monthStart(monthIndex);
    while (bits !== 0) {
      const lowest = bits & -bits;
      this.days.push(first + 31 - clz32(lowest));
      bits ^= lowest;
    }
  }

  private passes(day: number): boolean {
    return !this.limitsDays || this.monthDays.has(day);
  }

  private timePasses(secondOfDay: number): boolean {
    const hour = floor(secondOfDay / 3600);
    const minute = floor(secondOfDay / 60) % 60;
    return (
      (this.hourLimit?.includes(hour) ?? true) &&
      (this.minuteLimit?.includes(minute) ?? true) &&
      (this.secondLimit?.includes(secondOfDay % 60) ?? true)
    );
  }

  /** BYSETPOS: turns positions in the set into indices. */
  private select(positions: readonly number[]): void {
    const size = this.days.length * this.timesPerDay;
    const chosen = positions.map((p) => (p > 0 ? p - 1 : size + p)).filter((i) => i >= 0 && i < size);
    this.selected = [...new Set(chosen)].sort((a, b) => a - b);
  }

  /** Element of the loaded period, index from 0. */
  private at(index: number): number {
    let i = this.positions ? this.selected[index]! : index;
    if (this.timesPerDay === 1) return this.days[i]! * DAY_MS + this.baseSecond * 1000 + this.firstTimeMs;
    const day = this.days[floor(i / this.timesPerDay)]!;
    i %= this.timesPerDay;
    const second = this.seconds[i % this.seconds.length]!;
    i = floor(i / this.seconds.length);
    const minute = this.minutes[i % this.minutes.length]!;
    const hour = this.hours[floor(i / this.minutes.length)]!;
    return day * DAY_MS + (this.baseSecond + hour * 3600 + minute * 60 + second) * 1000 + this.subSecondMs;
  }

  /** First index in the loaded period whose element is not before a time. */
  private lowerBound(size: number, localMs: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < localMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The period to look at after this one; passes over stretches that a condition rules out as a whole. */
  private next(period: number, to: number, steps: StepBudget): number {
    const following = period + this.interval;
    const unitSeconds = UNIT_SECONDS[this.unit];
    if (unitSeconds === undefined || this.days.length > 0) return following;
    const second = period * unitSeconds;
    const day = floor(second / 86_400);
    let reached: number;
    if (!this.passes(day)) {
      reached = this.nextPassingDay(day + 1, to, steps) * 86_400;
    } else {
      const ofDay = second - day * 86_400;
      const hour = floor(ofDay / 3600);
      const minute = floor(ofDay / 60) % 60;
      if (this.hourLimit && !this.hourLimit.includes(hour)) {
        reached = day * 86_400 + nextOf(this.hourLimit, hour, 24) * 3600;
      } else if (this.minuteLimit && !this.minuteLimit.includes(minute)) {
        reached = day * 86_400 + hour * 3600 + nextOf(this.minuteLimit, minute, 60) * 60;
      } else {
        reached = second + 1;
      }
    }
    return max(following, this.align(ceil(reached / unitSeconds)));
  }

  private nextPassingDay(day: number, to: number, steps: StepBudget): number {
    const lastDay = floor(to / DAY_MS);
    let month = monthIndexOf(day);
    let first = monthStart(month);
    let bits = (this.monthDays.bits(month) >>> (day - first)) << (day - first);
    while (bits === 0) {
      steps.take();
      first = monthStart(++month);
      if (first > lastDay) return lastDay + 1;
      bits = this.monthDays.bits(month);
    }
    return first + 31 - clz32(bits & -bits);
  }

  // --- counting ------------------------------------------------------------------------------------------------

  /** Elements of the first period that lie before DTSTART and so do not exist. */
  private skippedAtStart(): number {
    return this.lowerBound(this.load(this.base), this.startMs);
  }

  /** Elements in the first `periods` periods of the rule, those before DTSTART included. */
  private sumBefore(periods: number, steps: StepBudget): number {
    const size = this.constantSize();
    if (size !== undefined) return periods * size;
    const cycle = this.cycleLength();
    const rest = periods % cycle;
    this.extendSums(periods >= cycle ? cycle : rest, steps);
    return (periods >= cycle ? floor(periods / cycle) * this.sums[cycle]! : 0) + this.sums[rest]!;
  }

  /** Index of the period that holds element `wanted` (from 0, those before DTSTART included). */
  private indexHolding(wanted: number, steps: StepBudget): number | undefined {
    const size = this.constantSize();
    if (size !== undefined) return size === 0 ? undefined : floor(wanted / size);
    const cycle = this.cycleLength();
    let known = this.sums.length - 1;
    while (known < cycle && this.sums[known]! <= wanted) this.extendSums(min(cycle, ++known), steps);
    let rounds = 0;
    let rest = wanted;
    if (known >= cycle && this.sums[cycle]! <= wanted) {
      const perCycle = this.sums[cycle]!;
      if (perCycle === 0) return undefined;
      rounds = floor(wanted / perCycle);
      rest = wanted % perCycle;
    }
    // The last period whose sum before it does not exceed the element.
    let low = 0;
    let high = this.sums.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sums[middle + 1]! > rest) high = middle;
      else low = middle + 1;
    }
    return rounds * cycle + low;
  }

  private extendSums(periods: number, steps: StepBudget): void {
    while (this.sums.length <= periods) {
      steps.take();
      const index = this.sums.length - 1;
      this.sums.push(this.sums[index]! + this.load(this.base + index * this.interval));
    }
  }

  private cycleLength(): number {
    const cycle = CALENDAR_CYCLE[this.unit] as number;
    return cycle / greatestCommonDivisor(cycle, this.interval);
  }

  /** The size that every period of the rule has, if they are all equal. */
  private constantSize(): number | undefined {
    if (!this.sizeKnown) {
      this.sizeKnown = true;
      this.sizeOfAll = this.findConstantSize();
    }
    return this.sizeOfAll;
  }

  private findConstantSize(): number | undefined {
    if (this.unit !== 'year' && this.unit !== 'month') {
      const limited = this.limitsDays || this.hourLimit || this.minuteLimit || this.secondLimit;
      return limited ? undefined : this.load(this.base);
    }
    // Which week the first days of January belong to depends on the year before, too.
    if (this.usesWeekNumbers) return undefined;
    let size: number | undefined;
    for (const year of KINDS_OF_YEAR) {
      for (let month = 0; month < (this.unit === 'year' ? 1 : 12); month++) {
        const found = this.load(this.unit === 'year' ? year : year * 12 + month);
        if (size !== undefined && size !== found) return undefined;
        size = found;
      }
    }
    return size;
  }
}

function unitOf(rule: RecurrenceRule): Unit {
  const units: Record<RecurrenceRule['frequency'], Unit> = {
    SECONDLY: 'second',
    MINUTELY: 'minute',
    HOURLY: 'hour',
    DAILY: 'day',
    WEEKLY: 'week',
    MONTHLY: 'month',
    YEARLY: 'year',
  };
  return units[rule.frequency];
}

/** Fills in from DTSTART what the rule leaves open (RFC 5545 §3.3.10, "information not contained in the rule"). */
function dayConditions(rule: RecurrenceRule, startDay: number): ConstructorParameters<typeof MonthDays>[0] {
  const { frequency, byDay, byMonthDay, byYearDay, byWeekNo, byMonth, weekStart } = rule;
  const given = {
    months: byMonth,
    monthDays: byMonthDay,
    yearDays: byYearDay,
    weekNumbers: byWeekNo,
    days: frequency === 'WEEKLY' ? undefined : byDay,
    ordinalsOfYear: frequency === 'YEARLY' && byMonth === undefined,
    weekStart,
  };
  if (byDay || byMonthDay || byYearDay || (frequency !== 'MONTHLY' && frequency !== 'YEARLY')) return given;
  if (byWeekNo) return { ...given, days: [{ weekday: weekdayOf(startDay) as 0 | 1 | 2 | 3 | 4 | 5 | 6 }] };
  const startMonth = monthIndexOf(startDay);
  const monthDays = [startDay - monthStart(startMonth) + 1];
  if (frequency === 'MONTHLY' || byMonth) return { ...given, monthDays };
  return { ...given, monthDays, months: [(((startMonth % 12) + 12) % 12) + 1] };
}

function multiplesFrom(first: number, step: number, end: number): number[] {
  const values: number[] = [];
  for (let value = first; value < end; value += step) values.push(value);
  return values;
}

/** Next value of a sorted list after `value`, or `end`. */
function nextOf(sorted: readonly number[], value: number, end: number): number {
  return sorted.find((candidate) => candidate > value) ?? end;
}
