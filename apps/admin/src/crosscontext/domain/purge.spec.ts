import { RequestErrors, RestErrors } from '@groupware/contracts';
import fc from 'fast-check';
import { groupByModule, countOutcomes, isUnavailable, computeRetryDelay } from './purge';

describe('purges', () => {
  it('wait a minute, then twice as long each time, at most six hours', () => {
    expect([0, 1, 2, 8, 9, 1000].map((attempts) => computeRetryDelay(attempts) / 60_000)).toEqual([
      1, 2, 4, 256, 360, 360,
    ]);
  });

  it('tell those who are away from those who refuse', () => {
    expect(isUnavailable(RequestErrors.serviceUnavailable('x'))).toBe(true);
    expect(isUnavailable(RequestErrors.deadlinePassed('x'))).toBe(true);
    expect(isUnavailable(RestErrors.invalid('x'))).toBe(false);
    expect(isUnavailable(new Error('x'))).toBe(false);
  });

  it('count every outcome but what was gone', () => {
    expect(countOutcomes(['retracted', 'gone', 'failed', 'retracted', 'deferred'])).toEqual({
      retracted: 2,
      deferred: 1,
      failed: 1,
    });
  });

  it('name contexts once by module, sorted', () => {
    const pair = fc.record({ module: fc.constantFrom('b', 'a', '__proto__'), from: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const found = new Map(Object.entries(groupByModule(pairs)));
        for (const { module, from } of pairs) expect(found.get(module)).toContain(from);
        for (const contexts of found.values()) expect(contexts).toEqual([...new Set(contexts)].sort((a, b) => a - b));
      }),
    );
  });
});
