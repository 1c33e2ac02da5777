import { nextInstance } from './recurrence';
import { EMPTY_TASK, type Task } from './task';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const at = (day: number, hours: number, minutes = 0): number => Date.UTC(2031, 2, day, hours, minutes);

/** A daily task in Berlin, whose clocks skip 2:00 to 3:00 on 30 March 2031. */
const daily = (startMs: number, endMs: number): Task =>
  ({
    ...EMPTY_TASK,
    ...{ id: 1, uid: 'u', timeZone: 'Europe/Berlin', fullTime: false, startMs, endMs },
    ...{ rule: 'FREQ=DAILY', recurrenceType: 1, interval: 1 },
  }) as unknown as Task;
/** Dates of the instances that follow when each one is done, as the clocks in Berlin show them. */
function listFollowing(task: Task, count: number): (readonly [number, number])[] {
  const shown: [number, number][] = [];
  const clock = (ms: number): number => ms + (ms < at(30, 1) ? HOUR : 2 * HOUR);
  for (let each = task; shown.length < count;) {
    each = nextInstance(each, 'next') as Task;
    shown.push([clock(each.startMs!), clock(each.endMs!)]);
  }
  return shown;
}

describe('the next instance of a task', () => {
  it('is back at its time once the clocks no longer skip it', () => {
    expect(listFollowing(daily(at(29, 1, 30), at(29, 1, 50)), 3)).toEqual([
      [at(30, 3, 30), at(30, 3, 50)],
      [at(31, 2, 30), at(31, 2, 50)],
      [at(32, 2, 30), at(32, 2, 50)],
    ]);
  });

  it.each([
    ['the start', at(29, 1, 30), at(29, 3), [at(30, 3, 30), at(30, 4)]],
    ['the end', at(29, 0, 30), at(29, 1, 30), [at(30, 1, 30), at(30, 3, 30)]],
    ['the start, which comes after the end then', at(29, 1, 30), at(29, 2, 15), [at(30, 3, 30), at(30, 3, 30)]],
  ])('has its length again once the clocks no longer skip %s', (_what, startMs, endMs, skipped) => {
    const [during, after] = listFollowing(daily(startMs, endMs), 2);
    expect(during).toEqual(skipped);
    expect(after).toEqual([startMs + 2 * 24 * HOUR + HOUR, endMs + 2 * 24 * HOUR + HOUR]);
  });

  it('follows a time that was changed meanwhile', () => {
    const skipped = nextInstance(daily(at(29, 1, 30), at(29, 1, 50)), 'next') as Task;
    const moved = { ...skipped, startMs: skipped.startMs! + 10 * MINUTE, endMs: skipped.endMs! + 10 * MINUTE };
    expect(listFollowing(moved, 1)).toEqual([[at(31, 3, 40), at(31, 4)]]);
  });
});
