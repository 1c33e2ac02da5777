import type { DirectoryUser } from '@groupware/contracts';
import { Directory, type DirectorySource } from './directory';

const ann: DirectoryUser = {
  kind: 'user',
  id: 3,
  name: 'ann',
  displayName: 'Ann',
  email: 'ann@example.com',
  aliases: ['ann@example.com'],
  locale: 'en_US',
  timeZone: 'UTC',
  groups: [0],
  enabled: true,
  isAdmin: false,
  capabilities: [],
};

function counting() {
  const asked: unknown[] = [];
  const source: DirectorySource = {
    entities: async (tenant, ids) => {
      asked.push([tenant.contextId, ...ids]);
      return ids.includes(3) ? [ann] : [];
    },
    byAddress: async (_tenant, addresses) => {
      asked.push(addresses);
      return addresses.map((address) => ({ address, entity: ann })).filter(({ address }) => address === ann.email);
    },
  };
  return { asked, source };
}

describe('Directory', () => {
  it('asks once per entity and context while the answer is fresh', async () => {
    const { asked, source } = counting();
    let now = 0;
    const directory = new Directory(source, () => now, { lifetimeMs: 10, maxEntries: 10 });
    await directory.getEntities({ contextId: 1 }, [3, 3]);
    await directory.getEntities({ contextId: 1 }, [3]);
    await directory.getEntities({ contextId: 2 }, [3]);
    now = 10;
    await directory.getEntities({ contextId: 1 }, [3]);
    expect(asked).toEqual([
      [1, 3],
      [2, 3],
      [1, 3],
    ]);
  });

  it('asks again for somebody unknown, and after the context was forgotten', async () => {
    const { asked, source } = counting();
    const directory = new Directory(source, () => 0);
    await directory.getEntities({ contextId: 1 }, [4]);
    await directory.getEntities({ contextId: 1 }, [4]);
    await directory.getEntities({ contextId: 1 }, [3]);
    directory.invalidate({ contextId: 1 });
    expect((await directory.getEntities({ contextId: 1 }, [3])).get(3)).toBe(ann);
    expect(asked).toHaveLength(4);
  });

  it('finds addresses in any case and remembers those that belong to nobody', async () => {
    const { asked, source } = counting();
    const directory = new Directory(source, () => 0);
    expect(
      (await directory.findByAddresses({ contextId: 1 }, ['ANN@example.com', 'x@y.z'])).get('ann@example.com'),
    ).toBe(ann);
    expect((await directory.findByAddresses({ contextId: 1 }, ['x@y.z'])).size).toBe(0);
    expect(asked).toHaveLength(1);
  });
});
