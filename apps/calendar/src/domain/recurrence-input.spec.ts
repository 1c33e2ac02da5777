import { RecurrenceError } from '@groupware/recurrence';
import { mapRecurrenceErrors, requireRecurrence, seriesFromFields } from './recurrence-input';

const times = {
  startMs: Date.UTC(2020, 0, 6, 9),
  endMs: Date.UTC(2020, 0, 6, 10),
  timeZone: 'UTC',
  fullTime: false,
  floating: false,
};

describe('recurrence fields', () => {
  it.each([
    ['APP-0096', { recurrence_type: 0, interval: 1 }],
    ['APP-0109', { recurrence_type: 5, interval: 1 }],
    ['APP-0087', { recurrence_type: 1 }],
    ['APP-0087', { recurrence_type: 1, interval: 0 }],
    ['APP-0055', { recurrence_type: 4, interval: 2, day_in_month: 1, month: 1 }],
    ['APP-0095', { recurrence_type: 1, interval: 1, until: 1, occurrences: 1 }],
    ['CAL-4006', { recurrence_type: 1, interval: 1, occurrences: 0 }],
    ['APP-0056', { recurrence_type: 2, interval: 1, days: 128 }],
    ['APP-0089', { recurrence_type: 2, interval: 1, days: 0 }],
    ['APP-0097', { recurrence_type: 1, interval: 1, days: 2 }],
    ['APP-0097', { recurrence_type: 2, interval: 1, day_in_month: 2 }],
    ['APP-0097', { recurrence_type: 3, interval: 1, day_in_month: 2, month: 2 }],
    ['APP-0090', { recurrence_type: 3, interval: 1, days: 2 }],
    ['APP-0042', { recurrence_type: 3, interval: 1, days: 2, day_in_month: 6 }],
    ['APP-0042', { recurrence_type: 3, interval: 1, day_in_month: 32 }],
    ['APP-0064', { recurrence_type: 4, interval: 1, day_in_month: 2 }],
    ['APP-0064', { recurrence_type: 4, interval: 1, day_in_month: 2, month: 12 }],
  ])('%s for %j', (code, fields) => {
    expect(() => requireRecurrence(fields)).toThrow(code);
  });

  it.each([
    ['CAL-4002', 'INVALID_RULE'],
    ['CAL-4223', 'TOO_COMPLEX'],
  ] as const)('%s for what the engine calls %s', (code, reason) => {
    const refuse = () => {
      throw new RecurrenceError(reason, 'FREQ=NEVER');
    };
    expect(() => mapRecurrenceErrors(refuse)).toThrow(code);
  });

  it('moves the start to the first occurrence', () => {
    const series = seriesFromFields({ recurrence_type: 2, interval: 1, days: 8 }, times);
    expect(series).toMatchObject({ startMs: Date.UTC(2020, 0, 8, 9), endMs: Date.UTC(2020, 0, 8, 10) });
  });

  it('refuses a series that ends before it starts, or before its first occurrence', () => {
    expect(() => seriesFromFields({ recurrence_type: 1, interval: 1, until: Date.UTC(2020, 0, 5) }, times)).toThrow(
      'APP-0086',
    );
    expect(() =>
      seriesFromFields({ recurrence_type: 2, interval: 1, days: 8, until: Date.UTC(2020, 0, 7) }, times),
    ).toThrow('APP-0086');
  });

  it('includes the day of until whole, in the zone of the series', () => {
    const inTokyo = {
      ...times,
      timeZone: 'Asia/Tokyo',
      startMs: Date.UTC(2020, 0, 6, 14),
      endMs: Date.UTC(2020, 0, 6, 15),
    };
    expect(seriesFromFields({ recurrence_type: 1, interval: 1, until: Date.UTC(2020, 0, 7) }, inTokyo).rule).toContain(
      'UNTIL=20200107T145959Z',
    );
  });
});
