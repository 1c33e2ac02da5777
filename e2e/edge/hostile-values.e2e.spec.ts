import { fieldsOf, operations, type Operation } from '@groupware/contracts';
import { nameOf } from '../samples';
import { ask, AttemptCallers, attempts, isUnforeseen, validCall } from './attempts';

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

describe('names that every object has are no columns', () => {
  const listing = offered.filter(
    ({ query }) => query !== undefined && fieldsOf(query).some(({ wireName }) => wireName === 'columns'),
  );
  it.each(listing.map((operation): [string, Operation] => [nameOf(operation), operation]))(
    'of %s',
    async (_name, operation) => {
      const caller = await callers.callerFor(operation, { reuses: true });
      const codeFor = async (columns: string): Promise<string | undefined> => {
        const { query, body } = validCall(operation, caller);
        const { text } = await ask(operation, { what: columns, query: { ...query, columns }, body }, caller);
        return /"code":"([^"]+)"/.exec(text)?.[1];
      };
      const unknown = await codeFor('nosuchcolumn');
      for (const name of ['__proto__', 'constructor', 'toString'])
        expect([name, await codeFor(name)]).toEqual([name, unknown]);
    },
  );
});
