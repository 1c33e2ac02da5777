import { property } from '@groupware/contracts';
import { ServerValues, listInvalidValues } from './configuration/server-values';
import { Properties } from './properties';

const limit = property({
  key: 'com.example.test.limit',
  default: 10,
  doc: 'for this spec',
  scopes: ['user', 'context', 'server'],
  min: 0,
});
const serverOnly = property({ key: 'com.example.test.server', default: 'a', doc: 'for this spec' });

function cascade(values: Record<string, Record<string, string>>) {
  const asked: string[] = [];
  const call = async (_operation: unknown, { principal, query }: any) => {
    const owner = `${principal.contextId}:${query.user}`;
    asked.push(owner);
    return values[owner] ?? {};
  };
  const properties = new Properties({ call } as never, { [limit.key]: '20', [serverOnly.key]: 'b' });
  return { properties, asked };
}

describe('the configuration cascade', () => {
  it('takes the value of the user, else of the context, else of the server', async () => {
    const { properties } = cascade({ '1:3': { [limit.key]: '30' }, '1:0': { [limit.key]: '25' } });
    expect(await properties.get(limit, { contextId: 1, userId: 3 })).toBe(30);
    expect(await properties.get(limit, { contextId: 1 })).toBe(25);
    expect(await properties.get(limit, { contextId: 2, userId: 3 })).toBe(20);
    expect(await properties.get(limit)).toBe(20);
  });

  it('ignores values that do not fit, and scopes a property does not have', async () => {
    const { properties, asked } = cascade({ '1:3': { [limit.key]: '-5', [serverOnly.key]: 'c' } });
    expect(await properties.get(limit, { contextId: 1, userId: 3 })).toBe(20);
    asked.length = 0;
    expect(await properties.get(serverOnly, { contextId: 1, userId: 3 })).toBe('b');
    expect(asked).toEqual([]);
    expect(listInvalidValues(ServerValues.fromTexts({ [limit.key]: 'x' }).all)).toHaveLength(1);
  });

  it('asks once until told that something changed', async () => {
    const { properties, asked } = cascade({});
    await Promise.all([1, 2, 3].map(() => properties.get(limit, { contextId: 1, userId: 3 })));
    expect(asked).toEqual(['1:3']);
    properties.invalidate({ contextId: 1 });
    await properties.get(limit, { contextId: 1, userId: 3 });
    expect(asked).toEqual(['1:3', '1:3']);
  });

  it('asks once for a property of several users until told that something changed', async () => {
    const asked: number[][] = [];
    const call = async (_operation: unknown, { query }: any) => {
      asked.push(query.ids);
      return { 3: '30', 4: null };
    };
    const properties = new Properties({ call } as never, { [limit.key]: '20' });
    const values = async () => [...(await properties.getOfUsers(limit, 1, [3, 4, 5]))];
    const expected = [
      [3, 30],
      [4, 20],
      [5, 20],
    ];
    expect([await values(), await values()]).toEqual([expected, expected]);
    expect(asked).toEqual([[3, 4, 5]]);
    properties.invalidate({ contextId: 1, userId: 4 });
    properties.invalidate({ contextId: 2 });
    await values();
    properties.invalidate({ contextId: 1 });
    await values();
    expect(asked.slice(1)).toEqual([[4], [3, 4, 5]]);
  });

  it('keeps no value of users that changed while it was asked for', async () => {
    let answered = 0;
    const properties: Properties = new Properties({
      call: async () => {
        if ((answered += 1) === 1) properties.invalidate({ contextId: 1, userId: 3 });
        return { 3: String(answered) };
      },
    } as never);
    expect(await properties.getOfUsers(limit, 1, [3])).toEqual(new Map([[3, 1]]));
    expect(await properties.getOfUsers(limit, 1, [3])).toEqual(new Map([[3, 2]]));
  });
});
