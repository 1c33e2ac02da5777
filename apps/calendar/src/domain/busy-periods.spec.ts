import { ExpansionBudget } from '@groupware/recurrence';
import { listBusyTimes } from './busy-periods';
import { seriesOf } from './series';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('times of a floating series', () => {
  it('begin and end when the clocks of whoever attends show it, also in the night in which they change', () => {
    // Thirty hours from eight in the evening, on three days; New York loses an hour in the night to 14 March 2027.
    const startMs = Date.UTC(2027, 2, 12, 20);
    const times = {
      startMs,
      endMs: startMs + 30 * HOUR,
      timeZone: 'America/New_York',
      fullTime: false,
      floating: true,
    };
    const series = seriesOf({ ...times, rule: 'FREQ=DAILY;COUNT=3', rdates: null, exdates: null });
    const range = { startMs: startMs - 5 * DAY, endMs: startMs + 9 * DAY };
    const found = listBusyTimes(
      series,
      { floating: true, zone: 'America/New_York' },
      range,
      100,
      new ExpansionBudget(1_000),
    );
    expect(found.map(({ startMs: from, endMs: until }) => [(from - startMs) / HOUR, (until - from) / HOUR])).toEqual([
      // Two in the morning is a time that those clocks leave out.
      [5, 30],
      [29, 29],
      [52, 30],
    ]);
    const within = { startMs: startMs + 36 * HOUR, endMs: startMs + 52 * HOUR };
    expect(
      listBusyTimes(series, { floating: true, zone: 'America/New_York' }, within, 100, new ExpansionBudget(1_000)),
    ).toEqual([found[1]]);
  });
});
