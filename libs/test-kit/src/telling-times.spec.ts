import { setTimeout as after } from 'node:timers/promises';
import { tellingTimes } from './telling-times';

const takes = (ms: number) => () => after(ms);

describe('tellingTimes', () => {
  it('finds the case that is quicker than the others', async () => {
    const found = await tellingTimes({ slow: takes(4), same: takes(4), quick: takes(1) }, 2);
    expect(found.map(([name]) => name)).toEqual(['quick']);
  }, 20_000);

  it('takes more samples until a case that is slow at times is as quick as the others', async () => {
    let samples = 0;
    const unsteady = () => after(++samples > 20 ? 2 : 9);
    expect(await tellingTimes({ steady: takes(2), unsteady }, 2)).toEqual([]);
    expect(samples).toBeGreaterThan(20);
  }, 20_000);
});
