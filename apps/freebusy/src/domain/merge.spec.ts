import { BUSY_TYPES, type BusyType } from '@groupware/contracts';
import fc from 'fast-check';
import { mergePeriods } from './merge';
import { toPeriods, type Period } from './period';

const period = (startMs: number, endMs: number, type: BusyType = 'BUSY'): Period => ({ startMs, endMs, type });

describe('mergePeriods', () => {
  it('joins what touches or overlaps', () => {
    expect(mergePeriods([period(0, 10), period(10, 20), period(15, 30), period(40, 50)])).toEqual([
      period(0, 30),
      period(40, 50),
    ]);
  });

  it('keeps the most conflicting type of each slice', () => {
    expect(
      mergePeriods([
        period(0, 100, 'FREE'),
        period(10, 60, 'BUSY-TENTATIVE'),
        period(20, 50),
        period(30, 40, 'BUSY-UNAVAILABLE'),
      ]),
    ).toEqual([
      period(0, 10, 'FREE'),
      period(10, 20, 'BUSY-TENTATIVE'),
      period(20, 30),
      period(30, 40, 'BUSY-UNAVAILABLE'),
      period(40, 50),
      period(50, 60, 'BUSY-TENTATIVE'),
      period(60, 100, 'FREE'),
    ]);
  });

  it('is exact to the millisecond from the year 1 to the year 9999', () => {
    const [first, last] = [-62_135_596_800_000, 253_402_300_799_999];
    const ends = [period(first, first + 1), period(first + 1, last - 1, 'FREE'), period(last - 1, last)];
    expect(mergePeriods([...ends].reverse())).toEqual(ends);
  });

  it('says of every moment what the worst of its periods says', () => {
    const anyPeriod = fc
      .tuple(fc.nat(40), fc.nat(12), fc.constantFrom(...BUSY_TYPES))
      .map(([startMs, length, type]) => period(startMs - 20, startMs - 20 + length, type));
    fc.assert(
      fc.property(fc.array(anyPeriod, { maxLength: 20 }), (periods) => {
        const merged = mergePeriods(periods);
        const worstAt = (list: readonly Period[], at: number) =>
          BUSY_TYPES.find((type) => list.some((each) => each.startMs <= at && at < each.endMs && each.type === type));
        const moments = Array.from({ length: 60 }, (_each, at) => at - 20);
        expect(moments.map((at) => worstAt(merged, at))).toEqual(moments.map((at) => worstAt(periods, at)));
        for (const [index, { startMs, endMs, type }] of merged.entries()) {
          const next = merged[index + 1];
          expect(startMs).toBeLessThan(endMs);
          if (next) expect(endMs < next.startMs || (endMs === next.startMs && type !== next.type)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('toPeriods', () => {
  it('reads flat lists', async () => {
    expect(await toPeriods([10, 10, 3, 0, 5, 2, 0, 4, 4], 100)).toEqual([
      period(110, 120, 'BUSY-UNAVAILABLE'),
      period(100, 105, 'BUSY-TENTATIVE'),
      period(100, 104, 'FREE'),
    ]);
  });
});
