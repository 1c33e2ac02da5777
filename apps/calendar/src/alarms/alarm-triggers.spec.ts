import { appointment } from '../testing/appointment.builder';
import { findNextTime } from './alarm-triggers';

const at = (text: string): number => Date.parse(`2020-${text}Z`);
/** Weekly on Mondays from 6 January 2020, 09:00 to 10:00 UTC. */
const weekly = appointment({ seriesId: 1, rule: 'FREQ=WEEKLY;COUNT=4' });
const next = (event: typeof weekly, trigger: object, doneUntil?: number, zone = 'UTC') =>
  findNextTime(event, { trigger, ...(doneUntil === undefined ? {} : { doneUntil }) }, zone, 0);

describe('the next time of an alarm', () => {
  it.each([
    [{ duration: '-PT90S' }, '01-06T08:58:30'],
    [{ duration: 'PT0S', related: 'END' }, '01-06T10:00:00'],
    [{ duration: 'PT5M', related: 'END' }, '01-06T10:05:00'],
    [{ dateTime: '20200105T070000Z' }, '01-05T07:00:00'],
  ])('of a single event: %j', (trigger, time) => {
    expect(next(appointment(), trigger, 0)).toEqual({ timeMs: at(time) });
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
    expect(findNextTime(appointment(), { trigger: { duration: 'PT1S' } }, 'UTC', at('02-01T00:00'))).toBeUndefined();
  });
});
