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
});
