import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from './within';

const TIMEOUT_MS = 100;

describe('within', () => {
  it('gives up what takes longer', async () => {
    const begun = performance.now();
    await expect(within(wait(5_000, 'late', { ref: false }), TIMEOUT_MS)).rejects.toThrow('no answer within 100 ms');
    expect(performance.now() - begun).toBeGreaterThan(TIMEOUT_MS - 10);
  });

  it('answers what the work answers, and throws what it throws', async () => {
    expect(await within(Promise.resolve(7), TIMEOUT_MS)).toBe(7);
    await expect(within(Promise.reject(new Error('refused')), TIMEOUT_MS)).rejects.toThrow('refused');
  });

  it('counts no time in which the process itself could hear no answer', async () => {
    const ask = async (): Promise<string> => {
      const end = performance.now() + 3 * TIMEOUT_MS;
      while (performance.now() < end);
      // The answer takes two round trips.
      await stat('.');
      await stat('.');
      return 'heard';
    };
    expect(await within(wait(1).then(ask), TIMEOUT_MS)).toBe('heard');
  });
});
