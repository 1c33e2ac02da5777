import { until } from '@groupware/test-kit';
import { fullHeap, Liveness, stuckPools } from './liveness';

describe('liveness', () => {
  let liveness: Liveness;
  beforeEach(() => (liveness = new Liveness(5)));
  afterEach(() => liveness.stop());

  it('ends when a state was found at each of so many looks in a row, not before', async () => {
    const reasons = ['full', 'full', undefined, 'full', 'full', 'full'];
    const looks: string[][] = [];
    liveness.addState(
      'state',
      () => {
        looks.push(liveness.problems);
        return reasons[looks.length - 1];
      },
      3,
    );
    await until(() => looks.length >= 7);
    expect(looks.slice(0, 7)).toEqual([[], [], [], [], [], [], ['state']]);
  });

  it('comes back when the state is left after all', async () => {
    let reason: string | undefined = 'closed';
    liveness.addState('bus', () => reason);
    await until(() => liveness.problems.length === 1);
    reason = undefined;
    await until(() => liveness.problems.length === 0);
  });
});

it('a heap is full beyond its share of the limit', () => {
  const statistics = (used: number) => () => ({ used_heap_size: used, heap_size_limit: 100 }) as never;
  expect(fullHeap(0.9, statistics(90))()).toBeUndefined();
  expect(fullHeap(0.9, statistics(91))()).toBe('91 % of the heap are in use');
});

it('a pool is stuck when somebody waits and nobody got a connection since the last look', () => {
  let load = { waiting: 1, acquired: 5 };
  const check = stuckPools(() => ({ 'default shard': load }));
  expect(check()).toBeUndefined();
  load = { waiting: 3, acquired: 6 };
  expect(check()).toBeUndefined();
  expect(check()).toBe('nobody gets a connection to default shard');
  load = { waiting: 0, acquired: 6 };
  expect(check()).toBeUndefined();
});
