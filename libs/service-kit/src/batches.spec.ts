import { storeInBatches, storeWithHalves } from './batches';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield Promise.resolve(number);
}

describe('storing in batches', () => {
  it('hands over full batches and the rest, one at a time', async () => {
    const batches: (readonly number[])[] = [];
    let underWay = 0;
    await storeInBatches(numbers(7), 3, async (batch) => {
      underWay += 1;
      expect(underWay).toBe(1);
      await new Promise(setImmediate);
      batches.push(batch);
      underWay -= 1;
    });
    expect(batches).toEqual([[0, 1, 2], [3, 4, 5], [6]]);
  });

  it('stores nothing of nothing', async () => {
    await storeInBatches(numbers(0), 3, () => Promise.reject(new Error('called')));
  });

  it.each([1, 4, 7])('ends with the error of the batch with number %i', async (bad) => {
    const storing = storeInBatches(numbers(9), 3, (batch) =>
      batch.includes(bad) ? Promise.reject(new Error('refused')) : Promise.resolve(),
    );
    await expect(storing).rejects.toThrow('refused');
  });
});

describe('storing with halves', () => {
  const store = (batch: readonly number[]): Promise<string[]> =>
    batch.some((number) => number % 5 === 4)
      ? Promise.reject(new Error('refused'))
      : Promise.resolve(batch.map((number) => `stored ${number}`));

  it('refuses the bad entries alone, in their places', async () => {
    const all = [0, 1, 2, 3, 4, 5, 9];
    expect(await storeWithHalves(all, store, (_error, number) => `refused ${number}`)).toEqual([
      'stored 0',
      'stored 1',
      'stored 2',
      'stored 3',
      'refused 4',
      'stored 5',
      'refused 9',
    ]);
  });

  it('stops at an error that is the same for all', async () => {
    const stored: number[] = [];
    const storing = storeWithHalves(
      [4, 1, 2],
      (batch) => (stored.push(...batch), store(batch)),
      (error) => {
        throw error;
      },
    );
    await expect(storing).rejects.toThrow('refused');
    expect(stored).toEqual([4, 1, 2]);
  });
});
