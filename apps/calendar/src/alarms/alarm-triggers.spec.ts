import { occurrencesBetween, ZoneOffsets } from '@groupware/recurrence';
import fc from 'fast-check';
import { seriesOf } from '../domain/series';
import { appointment } from '../testing/appointment.builder';
import { clockOf, earliestClock, findNextTime, toAlarmedEvent } from './alarm-triggers';

const at = (text: string): number => Date.parse(`2020-${text}Z`);
/** Weekly on Mondays from 6 January 2020, 09:00 to 10:00 UTC. */
const weekly = appointment({ seriesId: 1, rule: 'FREQ=WEEKLY;COUNT=4' });
const next = (event: typeof weekly, trigger: object, untilMs = 0, zone = 'UTC') =>
  findNextTime(toAlarmedEvent(event), { trigger }, clockOf(zone), { untilMs });

describe('the next time of an alarm', () => {
  it.each([
    [{ duration: '-PT90S' }, '01-06T08:58:30'],
    [{ duration: 'PT0S', related: 'END' }, '01-06T10:00:00'],
    [{ duration: 'PT5M', related: 'END' }, '01-06T10:05:00'],
    [{ dateTime: '20200105T070000Z' }, '01-05T07:00:00'],
  ])('of a single event: %j', (trigger, time) => {
    expect(next(appointment(), trigger, 0)?.timeMs).toBe(at(time));
    expect(next(appointment(), trigger, at(time))).toBeUndefined();
  });

  it('of a series is that of the first occurrence after what is over, until none is left', () => {
    const trigger = { duration: '-PT90S' };
    const times = [];
    for (let over = 0; ;) {
      const found = next(weekly, trigger, over);
      if (!found) break;
      times.push(new Date(found.timeMs).toISOString());
      expect(found.localMs).toBe(found.timeMs + 90_000);
      over = found.timeMs;
    }
    expect(times).toEqual(['06', '13', '20', '27'].map((day) => `2020-01-${day}T08:58:30.000Z`));
  });

  it('skips occurrences that were deleted or are events of their own', () => {
    const rest = { ...weekly, exdates: [at('01-06T09:00')], changes: [at('01-13T09:00')] };
    expect(next(rest, { duration: 'PT0S', related: 'END' }, 0)?.timeMs).toBe(at('01-20T10:00'));
  });

  it('of whole days follows the zone of the user', () => {
    const day = { startMs: at('06-01T00:00'), endMs: at('06-02T00:00'), floating: true, fullTime: true };
    const trigger = { duration: '-PT30S' };
    expect(next(appointment(day), trigger, 0, 'Europe/Berlin')?.timeMs).toBe(at('05-31T21:59:30'));
    expect(next({ ...weekly, ...day }, trigger, at('05-31T21:59:30'), 'Europe/Berlin')?.timeMs).toBe(
      at('06-07T21:59:30'),
    );
  });

  it('is none for triggers that cannot be read, and none before the moment that is looked back to', () => {
    expect(next(appointment(), { duration: 'soon' }, 0)).toBeUndefined();
    expect(next(appointment(), { duration: 'PT1S' }, at('02-01T00:00'))).toBeUndefined();
  });

  it('of whole days is none twice, wherever the user has moved since he was told', () => {
    const day = { startMs: at('06-01T00:00'), endMs: at('06-02T00:00'), floating: true, fullTime: true };
    const event = toAlarmedEvent({ ...weekly, ...day });
    const find = (zone: string, notifiedMs: number | null) =>
      findNextTime(event, { trigger: { duration: 'PT0S' } }, clockOf(zone), { untilMs: 0, notifiedMs });
    const told = find('Asia/Tokyo', null)!;
    expect([told.timeMs, told.clockMs]).toEqual([at('05-31T15:00'), at('06-01T00:00')]);
    expect(find('America/Denver', told.clockMs)?.timeMs).toBe(at('06-08T06:00'));
  });
});

describe('the times of alarms on random clocks', () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'UTC'];
  const seconds = fc.integer({ min: -4 * 86_400, max: 4 * 86_400 });
  /** Around both changes of the clocks of a year. */
  const start = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2026, 11, 1) / 60_000 });
  const duration = (offset: number): string => `${offset < 0 ? '-' : ''}PT${Math.abs(offset)}S`;
  const series = fc.record({
    minute: start,
    length: fc.integer({ min: 0, max: 3 * 1440 }),
    zone: fc.constantFrom(...zones),
    userZone: fc.constantFrom(...zones),
    rule: fc.constantFrom('FREQ=DAILY;COUNT=20', 'FREQ=WEEKLY;BYDAY=SU,MO;COUNT=12', 'FREQ=MONTHLY;COUNT=6'),
    clock: fc.constantFrom('zoned', 'floating', 'days'),
    gone: fc.array(fc.nat(19), { maxLength: 4 }),
    offset: seconds,
    related: fc.constantFrom('START', 'END'),
  });

  it('are those of every occurrence that is left, each once and in order', () => {
    fc.assert(
      fc.property(series, ({ minute, length, zone, userZone, rule, clock, gone, offset, related }) => {
        const isDay = clock === 'days';
        const startMs = isDay ? Math.floor((minute * 60_000) / DAY) * DAY : minute * 60_000;
        const lengthMs = isDay ? (1 + (length % 3)) * DAY : length * 60_000;
        const event = appointment({
          ...{ seriesId: 1, rule, startMs, endMs: startMs + lengthMs, timeZone: isDay ? 'UTC' : zone },
          ...{ floating: clock !== 'zoned', fullTime: isDay },
        });
        const all = occurrencesBetween(seriesOf(event), startMs - DAY, startMs + 400 * DAY);
        const exdates = all.filter((_each, index) => gone.includes(index)).map(({ localMs }) => localMs);
        const toInstant = (ms: number) => (event.floating ? ZoneOffsets.forZone(userZone).localToInstant(ms) : ms);
        const expected = all
          .filter(({ localMs }) => !exdates.includes(localMs))
          .map((each) => toInstant(related === 'END' ? each.endMs : each.startMs) + offset * 1000);
        const base = toAlarmedEvent({ ...event, exdates });
        const alarm = { trigger: { duration: duration(offset), related } };
        const times = [];
        for (let notifiedMs: number | null = null; ;) {
          const earliest = findNextTime(base, alarm, earliestClock, { untilMs: 0, notifiedMs });
          const found = findNextTime(base, alarm, clockOf(userZone), { untilMs: 0, notifiedMs });
          if (!found) break;
          expect(event.floating ? earliest!.timeMs : found.timeMs).toBeLessThanOrEqual(found.timeMs);
          times.push(found.timeMs);
          notifiedMs = found.clockMs;
        }
        expect(times).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('begin after what is over, whatever the clocks do', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: -5, max: 30 }), ({ minute, length, zone, rule, offset, related }, days) => {
        const startMs = minute * 60_000;
        const event = appointment({
          ...{ seriesId: 1, rule, startMs, endMs: startMs + length * 60_000, timeZone: zone },
        });
        const untilMs = startMs + days * DAY;
        const expected = occurrencesBetween(seriesOf(event), startMs - DAY, startMs + 400 * DAY)
          .map((each) => (related === 'END' ? each.endMs : each.startMs) + offset * 1000)
          .filter((timeMs) => timeMs > untilMs);
        const alarm = { trigger: { duration: duration(offset), related } };
        expect(findNextTime(toAlarmedEvent(event), alarm, clockOf('UTC'), { untilMs })?.timeMs).toBe(expected[0]);
      }),
      { numRuns: 300 },
    );
  });
});
