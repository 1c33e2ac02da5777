import { appointment } from '../testing/appointment.builder';
import type { Appointment } from './appointment';
import { withRangeEnd } from './exception';
import { requiresReconfirmation } from './reschedule';

const HOUR = 3_600_000;
const single = appointment();
const series = (rule: string, fields: Partial<Appointment> = {}): Appointment =>
  withRangeEnd(appointment({ seriesId: 1, rule, ...fields }));
const daily = series('FREQ=DAILY;INTERVAL=2;UNTIL=20200131T000000Z');

describe('people answer again', () => {
  it.each<[string, Appointment, Appointment]>([
    ['an earlier start', single, { ...single, startMs: single.startMs - HOUR }],
    ['a later end', single, { ...single, endMs: single.endMs + HOUR, rangeEndMs: single.rangeEndMs + HOUR }],
    ['a first rule', single, series('FREQ=DAILY;COUNT=3')],
    ['a later end of a rule', daily, series('FREQ=DAILY;INTERVAL=2;UNTIL=20200229T000000Z')],
    ['no end of a rule', daily, series('FREQ=DAILY;INTERVAL=2')],
    ['a shorter interval', daily, series('FREQ=DAILY;INTERVAL=1;UNTIL=20200131T000000Z')],
    ['an interval between', daily, series('FREQ=DAILY;INTERVAL=3;UNTIL=20200131T000000Z')],
    ['another kind of rule', daily, series('FREQ=WEEKLY;BYDAY=MO;UNTIL=20200131T000000Z')],
  ])('after %s', (_name, before, after) => {
    expect(requiresReconfirmation(before, after)).toBe(true);
  });

  it.each<[string, Appointment, Appointment]>([
    ['nothing new', daily, daily],
    ['a later start', single, { ...single, startMs: single.startMs + HOUR / 2 }],
    ['an earlier end', single, { ...single, endMs: single.endMs - HOUR / 2 }],
    ['fewer occurrences', daily, series('FREQ=DAILY;INTERVAL=2;COUNT=3')],
    ['every other occurrence', daily, series('FREQ=DAILY;INTERVAL=4;UNTIL=20200131T000000Z')],
    ['the same rule in another order', daily, series('UNTIL=20200131T000000Z;INTERVAL=2;FREQ=DAILY')],
    ['a rule that goes', daily, single],
  ])('not after %s', (_name, before, after) => {
    expect(requiresReconfirmation(before, after)).toBe(false);
  });
});
