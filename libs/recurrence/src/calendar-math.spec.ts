import {
  DAY_MS,
  dayOfYearAtMonth,
  monthIndexOf,
  monthLength,
  monthStart,
  weekdayOf,
  yearOf,
  yearStart,
} from './calendar-math';

describe('calendar arithmetic', () => {
  it('agrees with Date for days of all years from 1 to 9999', () => {
    const wrong: number[] = [];
    for (let day = -719_162; day < 2_932_896; day += 97) {
      const date = new Date(day * DAY_MS);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      const first = new Date(0);
      first.setUTCFullYear(year, month, 1);
      const right =
        yearOf(day) === year &&
        monthIndexOf(day) === year * 12 + month &&
        monthStart(year * 12 + month) * DAY_MS === first.getTime() &&
        yearStart(year) + dayOfYearAtMonth(year, month) === monthStart(year * 12 + month) &&
        weekdayOf(day) === date.getUTCDay() &&
        monthStart(year * 12 + month + 1) - monthStart(year * 12 + month) === monthLength(year, month);
      if (!right) wrong.push(day);
    }
    expect(wrong).toEqual([]);
  });

  it('finds the first and last day of every month', () => {
    const wrong: number[] = [];
    for (let month = 12; month < 9_999 * 12; month++) {
      if (monthIndexOf(monthStart(month)) !== month || monthIndexOf(monthStart(month + 1) - 1) !== month)
        wrong.push(month);
    }
    expect(wrong).toEqual([]);
  });
});
