import { provisioning } from '@groupware/contracts';
import type { MigrationRunner } from '@groupware/persistence';
import { startIdentity, type RunningIdentity } from '../testing/running-identity';
import { RemoveGoneEntities1764500800000 } from './1764500800000-remove-gone-entities';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity?.close());

describe('memberships and privileges that outlived their users and groups', () => {
  it('are removed, all others stay', async () => {
    const admin = { name: 'admin', password: 'a good password', surname: 'Min', email: 'admin@gone.example' };
    const { id } = await identity.call(provisioning.createContext, { body: { name: 'gone', admin } });
    const query = { contextId: id };
    const group = await identity.call(provisioning.createGroup, { query, body: { name: 'Team', members: [2] } });
    const privileges = [
      { entity: 2, group: false, privilege: 'delegate' },
      { entity: 0, group: true, privilege: 'book_directly' },
    ];
    const create = (name: string) =>
      identity.call(provisioning.createResource, { query, body: { name, email: `${name}@gone.example`, privileges } });
    const [room, other] = [await create('room'), await create('other')];
    await identity.sql('insert into membership (context_id, group_id, user_id) values ($1, $2, 4711), ($1, 4712, 2)', [
      id,
      group.id,
    ]);
    const gone = [
      { entity: 4711, privilege: 'delegate' },
      { entity: 2, group: true, privilege: 'none' },
    ];
    await identity.sql(
      'update directory_resource set privileges = $3::jsonb || privileges where context_id = $1 and resource_id = $2',
      [id, room.id, JSON.stringify(gone)],
    );

    await new RemoveGoneEntities1764500800000().up({ query: identity.sql } as unknown as MigrationRunner);

    const members = await identity.sql(
      'select group_id, user_id from membership where context_id = $1 order by group_id',
      [id],
    );
    expect(members).toEqual([
      { group_id: 1, user_id: 2 },
      { group_id: group.id, user_id: 2 },
    ]);
    const get = (resourceId: number) => identity.call(provisioning.getResource, { query: { ...query, resourceId } });
    expect(await get(room.id)).toMatchObject({ privileges, version: 2 });
    expect(await get(other.id)).toMatchObject({ privileges, version: 1 });
  });
});
