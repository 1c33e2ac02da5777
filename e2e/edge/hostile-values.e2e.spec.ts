import { operations, type Operation } from '@groupware/contracts';
import { nameOf } from '../samples';
import { ask, AttemptCallers, attempts, isUnforeseen } from './attempts';

const AT_ONCE = 4;

let callers: AttemptCallers;
beforeAll(async () => {
  callers = await AttemptCallers.start();
}, 120_000);
afterAll(() => callers?.close());

const offered = operations.filter(({ kind }) => kind !== 'internal');

describe('whatever a field is set to, the answer is one that was foreseen', () => {
  it.each(offered.map((operation): [string, Operation] => [nameOf(operation), operation]))(
    '%s',
    async (_name, operation) => {
      const wrong: string[] = [];
      const caller = await callers.callerFor(operation, { reuses: true });
      const all = [...attempts(operation, caller)];
      for (let start = 0; start < all.length; start += AT_ONCE) {
        await Promise.all(
          all.slice(start, start + AT_ONCE).map(async (attempt) => {
            try {
              const answer = await ask(operation, attempt, caller);
              if (isUnforeseen(answer)) wrong.push(`${attempt.what}: ${answer.status} ${answer.text.slice(0, 200)}`);
            } catch (error) {
              wrong.push(`${attempt.what}: ${String(error)}`);
            }
          }),
        );
      }
      expect(wrong.slice(0, 5)).toEqual([]);
      await callers.restore(operation);
    },
    120_000,
  );
});
