import {
  dayOfYearAtMonth,
  isLeapYear,
  monthIndexOf,
  monthLength,
  monthStart,
  weekdayOf,
  yearOfMonth,
  yearStart,
} from './calendar-math';
import type { RuleDay } from './rule';

/** The day conditions of a rule after defaults from DTSTART were filled in; absent = no condition. */
export interface DayConditions {
  /** 1 = January. */
  readonly months?: readonly number[];
  readonly monthDays?: readonly number[];
  readonly yearDays?: readonly number[];
  readonly weekNumbers?: readonly number[];
  readonly days?: readonly RuleDay[];
  /** Whether numbers in `days` count within the year instead of the month (RFC 5545 §3.3.10, note 2). */
  readonly ordinalsOfYear: boolean;
  readonly weekStart: number;
}

interface WeekTable {
  readonly year: number;
  /** Day numbers on which week 1 begins: of the year before, this year and the two after it. */
  readonly firstWeeks: readonly number[];
}

/**
 * The days of a month that meet all conditions, as bits (bit 0 = the 1st). Every BY part about days only ever
 * keeps some days of the period, so one intersection per month answers both the "expand" and the "limit" column of the RFC's table.
 */
export class MonthDays {
  private readonly monthBits: number;
  private readonly plainDays: Int32Array | undefined;
  private readonly ordinals: readonly Required<RuleDay>[];
  private readonly positiveMonthDays: number;
  private readonly negativeMonthDays: readonly number[];
  private yearDayTables: [Uint8Array, Uint8Array] | undefined;
  private weekTable: WeekTable | undefined;
  private cachedMonth = NaN;
  private cachedBits = 0;
  private cachedFirst = NaN;
  private cachedEnd = NaN;

  constructor(private readonly conditions: DayConditions) {
    const { months, monthDays = [], days } = conditions;
    this.monthBits = months ? months.reduce((bits, month) => bits | (1 << (month - 1)), 0) : 0xfff;
    this.positiveMonthDays = monthDays.filter((d) => d > 0).reduce((bits, d) => bits | (1 << (d - 1)), 0);
    this.negativeMonthDays = monthDays.filter((d) => d < 0);
    const plain = days?.filter((d) => d.ordinal === undefined) ?? [];
    this.ordinals = (days?.filter((d) => d.ordinal !== undefined) ?? []) as Required<RuleDay>[];
    if (days) {
      this.plainDays = Int32Array.from({ length: 7 }, (_, first) =>
        plain.reduce((bits, d) => bits | everySeventhBit((d.weekday - first + 7) % 7), 0),
      );
    }
  }

  /** Whether any day can ever drop out. */
  get unconditional(): boolean {
    const { months, monthDays, yearDays, weekNumbers, days } = this.conditions;
    return !(months || monthDays || yearDays || weekNumbers || days);
  }

  /** Matching days of a month counted from year 0, as bits. */
  bits(monthIndex: number): number {
    if (monthIndex === this.cachedMonth) return this.cachedBits;
    const year = yearOfMonth(monthIndex);
    this.cachedMonth = monthIndex;
    this.cachedFirst = monthStart(monthIndex);
    this.cachedEnd = monthStart(monthIndex + 1);
    this.cachedBits = this.compute(year, monthIndex - year * 12);
    return this.cachedBits;
  }

  /** Whether a day meets all conditions. */
  has(day: number): boolean {
    if (!(day >= this.cachedFirst && day < this.cachedEnd)) this.bits(monthIndexOf(day));
    return ((this.cachedBits >>> (day - this.cachedFirst)) & 1) === 1;
  }

  private compute(year: number, month: number): number {
    if (((this.monthBits >> month) & 1) === 0) return 0;
    const length = monthLength(year, month);
    let bits = length === 31 ? 0x7fffffff : (1 << length) - 1;
    if (this.conditions.monthDays) bits &= this.monthDayBits(length);
    if (this.plainDays && bits !== 0) bits &= this.weekdayBits(year, month, length);
    if (this.conditions.yearDays && bits !== 0) bits &= this.yearDayBits(year, month, length);
    if (this.conditions.weekNumbers && bits !== 0) bits &= this.weekNumberBits(year, month, length);
    return bits;
  }

  private monthDayBits(length: number): number {
    let bits = this.positiveMonthDays;
    for (const d of this.negativeMonthDays) if (length + d >= 0) bits |= 1 << (length + d);
    return bits;
  }

  private weekdayBits(year: number, month: number, length: number): number {
    const newYear = yearStart(year);
    const daysBefore = dayOfYearAtMonth(year, month);
    const firstWeekday = weekdayOf(newYear + daysBefore);
    let bits = (this.plainDays as Int32Array)[firstWeekday]!;
    for (const { weekday, ordinal } of this.ordinals) {
      const index = this.conditions.ordinalsOfYear
        ? nthWeekday(weekdayOf(newYear), isLeapYear(year) ? 366 : 365, weekday, ordinal) - daysBefore
        : nthWeekday(firstWeekday, length, weekday, ordinal);
      if (index >= 0 && index < length) bits |= 1 << index;
    }
    return bits;
  }

  private yearDayBits(year: number, month: number, length: number): number {
    this.yearDayTables ??= [365, 366].map((size) => {
      const table = new Uint8Array(size);
      for (const d of this.conditions.yearDays ?? []) {
        const index = d > 0 ? d - 1 : size + d;
        if (index >= 0 && index < size) table[index] = 1;
      }
      return table;
    }) as [Uint8Array, Uint8Array];
    const table = this.yearDayTables[isLeapYear(year) ? 1 : 0];
    const daysBefore = dayOfYearAtMonth(year, month);
    let bits = 0;
    for (let i = 0; i < length; i++) if (table[daysBefore + i]) bits |= 1 << i;
    return bits;
  }

  private weekNumberBits(year: number, month: number, length: number): number {
    if (this.weekTable?.year !== year) {
      this.weekTable = { year, firstWeeks: [-1, 0, 1, 2].map((offset) => this.firstWeekOf(year + offset)) };
    }
    const { firstWeeks } = this.weekTable;
    const wanted = this.conditions.weekNumbers ?? [];
    const first = yearStart(year) + dayOfYearAtMonth(year, month);
    let bits = 0;
    for (let i = 0; i < length; i++) {
      const day = first + i;
      // The first and last days of a year can belong to a week of its neighbours.
      const own = day < firstWeeks[1]! ? 0 : day < firstWeeks[2]! ? 1 : 2;
      const week = (((day - firstWeeks[own]!) / 7) | 0) + 1;
      const total = (firstWeeks[own + 1]! - firstWeeks[own]!) / 7;
      if (wanted.includes(week) || wanted.includes(week - total - 1)) bits |= 1 << i;
    }
    return bits;
  }

  /** Day number on which week 1 begins: the first week with at least four days in the year. */
  private firstWeekOf(year: number): number {
    const newYear = yearStart(year);
    const intoWeek = (weekdayOf(newYear) - this.conditions.weekStart + 7) % 7;
    return intoWeek <= 3 ? newYear - intoWeek : newYear - intoWeek + 7;
  }
}

/** Index of the n-th weekday (n < 0: from the end) in a stretch of days, possibly outside of it. */
function nthWeekday(firstWeekday: number, length: number, weekday: number, ordinal: number): number {
  const first = (weekday - firstWeekday + 7) % 7;
  if (ordinal > 0) return first + 7 * (ordinal - 1);
  const last = first + 7 * Math.floor((length - 1 - first) / 7);
  return last + 7 * (ordinal + 1);
}

function everySeventhBit(first: number): number {
  let bits = 0;
  for (let i = first; i < 31; i += 7) bits |= 1 << i;
  return bits;
}
