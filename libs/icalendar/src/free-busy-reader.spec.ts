import fc from 'fast-check';
import { readFreeBusy } from './free-busy-reader';
import { writeFreeBusy } from './free-busy-writer';

const bytes = (...lines: string[]): Uint8Array => Buffer.from(lines.join('\r\n'));
const read = (text: Uint8Array, maxPeriods: number) => readFreeBusy(text, { maxPeriods, pause: () => undefined });
const HOUR = 3_600_000;
const NINE = Date.UTC(2026, 0, 5, 9);

describe('readFreeBusy', () => {
  it('reads ends and durations, lists, folded lines and types', async () => {
    const text = bytes(
      'BEGIN:VCALENDAR',
      'BEGIN:VFREEBUSY',
      'FREEBUSY:20260105T090000Z/20260105T100000Z,20260105T110000Z/PT2H',
      'FREEBUSY;FBTYPE=busy-tenta',
      ' tive:20260106T090000Z/P1D',
      'END:VFREEBUSY',
      'END:VCALENDAR',
    );
    expect(await read(text, 10)).toEqual([
      { startMs: NINE, endMs: NINE + HOUR, type: 'BUSY' },
      { startMs: NINE + 2 * HOUR, endMs: NINE + 4 * HOUR, type: 'BUSY' },
      { startMs: NINE + 24 * HOUR, endMs: NINE + 48 * HOUR, type: 'BUSY-TENTATIVE' },
    ]);
    expect(await read(text, 2)).toHaveLength(2);
  });

  it('leaves out what is broken, and knows what is no free/busy text at all', async () => {
    const text = bytes(
      'BEGIN:VFREEBUSY',
      'FREEBUSY:20260105T090000/20260105T100000,nonsense,20260105T100000Z/20260105T090000Z,20260105T090000Z',
      'END:VFREEBUSY',
      'FREEBUSY:20260105T090000Z/PT1H',
    );
    expect(await read(text, 10)).toEqual([]);
    expect(await read(bytes('<html>', 'FREEBUSY:20260105T090000Z/PT1H'), 10)).toBeUndefined();
  });

  it('reads what the writer writes, and never throws', async () => {
    const period = fc.record({ at: fc.integer({ min: 0, max: 1e9 }), length: fc.integer({ min: 1, max: 1e6 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(period, { maxLength: 20 }), async (wanted) => {
        const periods = wanted.map(({ at, length }) => ({
          startMs: at * 1000,
          endMs: (at + length) * 1000,
          type: 'BUSY-UNAVAILABLE',
        }));
        const text = writeFreeBusy({
          ...{ prodId: 'p', uid: 'u', nowMs: 0, startMs: 0, endMs: HOUR, address: 'a@b.example' },
          periods,
        });
        expect(await read(Buffer.from(text), 100)).toEqual(periods);
      }),
      { numRuns: 50 },
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (noise) => {
        await read(Buffer.concat([Buffer.from('BEGIN:VFREEBUSY\r\nFREEBUSY:'), noise]), 5);
      }),
      { numRuns: 100 },
    );
  });
});
