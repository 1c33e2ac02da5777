import { Turns } from './turns';

describe('Turns', () => {
  it('runs so many at a time, the others in their order, also after one that failed', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) =>
      turns.runInTurn(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => (ends[number] = resolve));
        if (number === 0) throw new Error('failed');
        return number;
      });
    const all = Promise.allSettled([0, 1, 2, 3].map(work));
    await Promise.resolve();
    expect([begun, turns.waiting]).toEqual([[0, 1], 2]);
    for (const number of [0, 1, 2, 3]) {
      while (!ends[number]) await Promise.resolve();
      expect(begun.length).toBeLessThanOrEqual(number + 2);
      ends[number]();
    }
    expect(begun).toEqual([0, 1, 2, 3]);
    const outcomes = (await all).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'));
    expect(outcomes).toEqual(['failed', 1, 2, 3]);
    expect(turns.waiting).toBe(0);
  });
});
