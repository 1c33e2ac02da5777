import { ExpansionBudget, occurrencesBetween, ZoneOffsets } from '@groupware/recurrence';
import fc from 'fast-check';
import { markDays } from './busy-days';
import { KnownSeries } from './series-text';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2020, 2, 1);

const series = (start: number, hours: number, zone: string, floating: boolean, rule: string) =>
  new KnownSeries(JSON.stringify([start, start + hours * HOUR, zone, false, floating, rule, null, null, null]));

/** The same by looking at every occurrence. */
function naive({ recurring, series: rule }: KnownSeries, days: number, zone: ZoneOffsets): boolean[] {
  const local = (ms: number) => (recurring.floating ? ms : zone.instantToLocal(ms));
  const touched = new Array<boolean>(days).fill(false);
  for (const { startMs, endMs } of occurrencesBetween(rule, START - 40 * DAY, START + (days + 2) * DAY)) {
    const [from, to] = [local(startMs), local(endMs)];
    for (let day = 0; day < days; day++) {
      const [begin, end] = [START + day * DAY, START + (day + 1) * DAY];
      if (from < end && (to > begin || from >= begin)) touched[day] = true;
    }
  }
  return touched;
}

describe('days that a series touches', () => {
  it('are those of its occurrences, over changes of the clocks, for floating times and dense rules', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: -20 * 24, max: 40 * 24 }),
      fc.integer({ min: 0, max: 60 }),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
      fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia'),
      fc.boolean(),
      fc.constantFrom(
        'FREQ=DAILY',
        'FREQ=DAILY;INTERVAL=3',
        'FREQ=WEEKLY;COUNT=3',
        'FREQ=HOURLY',
        'FREQ=HOURLY;INTERVAL=30',
      ),
      fc.integer({ min: 1, max: 50 }),
      async (startHours, hours, zoneName, viewer, floating, rule, days) => {
        const known = series(START + startHours * HOUR, hours, floating ? 'UTC' : zoneName, floating, rule);
        const zone = ZoneOffsets.forZone(viewer);
        const touched = new Array<boolean>(days).fill(false);
        await markDays(touched, known, START, zone, new ExpansionBudget(1_000_000));
        expect(touched).toEqual(naive(known, days, zone));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  it('cost nothing when others touch them already', async () => {
    const touched = new Array<boolean>(400).fill(true);
    const budget = new ExpansionBudget(1);
    await markDays(touched, series(START, 0, 'UTC', false, 'FREQ=SECONDLY'), START, ZoneOffsets.forZone('UTC'), budget);
    expect(budget.isSpent).toBe(false);
  });

  it('are found fast however dense the series is', async () => {
    const known = series(START, 0, 'UTC', false, 'FREQ=SECONDLY');
    const touched = new Array<boolean>(400).fill(false);
    // A few hundred occurrences of each day.
    const budget = new ExpansionBudget(400 * 600);
    await markDays(touched, known, START, ZoneOffsets.forZone('UTC'), budget);
    expect(touched.every(Boolean)).toBe(true);
    expect(budget.isSpent).toBe(false);
  });
});
