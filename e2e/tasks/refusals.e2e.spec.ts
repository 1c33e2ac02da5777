import type { Envelope } from '../client';
import { importFile } from '../contacts/transfer';
import { createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  change,
  create,
  createFolder,
  createTaskFixtures,
  dataOf,
  FAR,
  read,
  remove,
  tryCreate,
  type TaskFixtures,
} from './tasks';

let world: TestEnvironment;
let cast: TaskFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createTaskFixtures(world);
}, 60_000);
afterAll(() => world?.close());

type Call = (user: TestUser, folder: string) => Promise<Envelope>;
const calls: Record<string, Call> = {
  all: (user, folder) => user.get('tasks', 'all', { folder, columns: '1' }),
  search: (user, folder) => user.put('tasks', 'search', { columns: '1' }, { folder }),
  updates: (user, folder) => user.get('tasks', 'updates', { folder, columns: '1', timestamp: 0 }),
  get: (user, folder) => user.get('tasks', 'get', { folder, id: 1 }),
  new: (user, folder) => tryCreate(user, folder, {}),
  update: (user, folder) => change(user, folder, '1', {}),
  delete: (user, folder) => remove(user, folder, ['1']),
};
const others: Record<string, Call> = {
  list: (user, folder) => user.put('tasks', 'list', { columns: '1' }, [{ folder, id: 1 }]),
  confirm: (user) => user.put('tasks', 'confirm', { id: 1 }, { confirmation: 1 }),
};

/** A user without some modules. */
async function userWithout(name: string, ...flags: string[]): Promise<TestUser> {
  const user = await createTestUser(world, cast.admin, cast.contextId, name);
  const path = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/module-access`;
  await cast.admin.expect('PUT', path, { flags: Object.fromEntries(flags.map((flag) => [flag, false])) });
  await user.login(user.loginName, PASSWORD);
  return user;
}

describe('operations on tasks refuse', () => {
  it.each(Object.keys(calls))('%s folders that are none, of others, or of other modules', async (name) => {
    const { U1, U2, T1 } = cast;
    const call = calls[name]!;
    expect((await call(U1, '160001')).code).toBe('FLD-0008');
    expect((await call(U1, U1.folder)).code).toBe('TSK-0006');
    expect((await call(U1, 'nonsense')).code).toBe('FLD-1025');
    expect((await call(U2, T1)).code).toBe('TSK-0059');
    const seen = await createFolder(U1, { rights: [[U2.userId, 1]] });
    if (['all', 'search', 'updates'].includes(name)) expect((await call(U2, seen)).code).toBe('TSK-0023');
  });

  it('TA-32 TA-72 users without the module, or without delegation', async () => {
    const [outsider, worker] = [await userWithout('out', 'tasks'), await userWithout('alone', 'delegatetask')];
    for (const [name, call] of Object.entries({ ...calls, ...others }))
      expect([name, (await call(outsider, cast.T1)).code]).toEqual([name, 'SVL-0016']);
    expect((await importFile(outsider, 'ICAL', cast.T1, 'BEGIN:VCALENDAR')).code).toBe('I_E-0508');
    const folder = await createFolder(worker);
    const participants = [{ type: 1, id: cast.U2.userId }];
    expect((await tryCreate(worker, folder, { participants })).code).toBe('TSK-0026');
    const { id } = await create(worker, folder, { participants: [] });
    expect((await change(worker, folder, id, { participants })).code).toBe('TSK-0026');
  });

  it('TA-79 more tasks, rows and participants than there may be', async () => {
    const { X1, otherContextId, admin, U1, T1, U2, contextId } = cast;
    const set = (context: number, key: string, value: string) =>
      admin.expect('PUT', `/admin/v1/contexts/${context}/config/com.example.${key}`, { value });
    const folder = await createFolder(X1);
    await create(X1, folder);
    await create(X1, folder);
    await set(otherContextId, 'quota.task', '2');
    await set(otherContextId, 'tasks.maxResults', '1');
    expect((await tryCreate(X1, folder, {})).code).toBe('QUOTA-0003');
    for (const name of ['all', 'search', 'updates']) expect((await calls[name]!(X1, folder)).code).toBe('TASK-0001');
    await set(contextId, 'tasks.maxParticipants', '1');
    const participants = [
      { type: 1, id: U1.userId },
      { type: 1, id: U2.userId },
    ];
    const { id } = await create(U1, T1);
    expect((await tryCreate(U1, T1, { participants })).code).toBe('TASK-0002');
    expect((await change(U1, T1, id, { participants })).code).toBe('TASK-0002');
    await set(contextId, 'tasks.maxParticipants', '1000');
  });

  it('content that cannot be stored, in new tasks and in changes', async () => {
    const { U1, U2, T1, KP } = cast;
    const { id } = await create(U1, T1);
    const open = await create(U1, KP);
    const participant = [{ type: 1, id: U2.userId }];
    const series = { start_date: 0, end_date: 0 };
    const refusals: [object, string][] = [
      [{ private_flag: true, participants: participant }, 'TSK-0028'],
      [{ status: 2, percent_completed: 200 }, 'TSK-0030'],
      [{ percent_completed: 20 }, 'TSK-0031'],
      [{ ...series, recurrence_type: 7 }, 'TSK-0036'],
      [{ recurrence_type: 1 }, 'TSK-0037'],
      [{ status: 9 }, 'TSK-0039'],
      [{ start_date: 5, end_date: 4 }, 'TSK-0040'],
      [{ currency: 'x'.repeat(11) }, 'TSK-0041'],
      [{ participants: [{ type: 5 }] }, 'TSK-0044'],
      [{ actual_costs: '99999999999' }, 'TSK-0047'],
      [{ participants: [{ type: 3, id: 1 }] }, 'TSK-0049'],
      [{ target_costs: 'x' }, 'TSK-0055'],
      [{ priority: 4 }, 'TSK-0057'],
      [{ note: 'a\u0007' }, 'TSK-0058'],
      [{ participants: [{ type: 1, id: 999_999 }] }, 'TSK-0018'],
    ];
    for (const [body, code] of refusals) {
      expect([body, (await tryCreate(U1, T1, body)).code]).toEqual([body, code]);
      expect([body, (await change(U1, T1, id, body)).code]).toEqual([body, code]);
    }
    expect((await change(U1, KP, open.id, { private_flag: true })).code).toBe('TSK-0008');
    expect((await change(U1, KP, open.id, {}, { timezone: 'No/Where' })).code).toBe('SVL-0010');
    expect((await tryCreate(U1, T1, {}, { timezone: 'No/Where' })).code).toBe('SVL-0010');
    expect((await change(U1, KP, id, {})).code).toBe('TSK-0048');
    expect((await change(U1, KP, '99999999', {})).code).toBe('TSK-0019');
    const wrong = { columns: 'nonsense' };
    for (const answer of [
      await U1.put('tasks', 'list', wrong, [{ id, folder: T1 }]),
      await U1.put('tasks', 'search', wrong, {}),
      await U1.get('tasks', 'updates', { folder: T1, timestamp: 0, ...wrong }),
      await U1.get('tasks', 'get', { folder: T1, id, timezone: 'No/Where' }),
    ])
      expect(answer.code).toBe('SVL-0010');
  });

  it('groups without members, in changes too; moves without the rights to them', async () => {
    const { U1, U2, T1, KP, admin, contextId } = cast;
    const group = { name: 'none', displayName: 'None', members: [] };
    const empty = await admin.expect('POST', `/admin/v1/contexts/${contextId}/groups`, group);
    const { id } = await create(U1, T1);
    expect((await change(U1, T1, id, { participants: [{ type: 2, id: empty.id }] })).code).toBe('TSK-0052');
    const writer = 1 + (2 << 7) + (2 << 14);
    const place = await createFolder(U1, { parent: '2', rights: [[U2.userId, writer]] });
    const there = await create(U1, place);
    const home = await createFolder(U2);
    expect((await change(U2, place, there.id, { folder_id: home })).code).toBe('TSK-0014');
    const own = await create(U2, home);
    expect((await change(U2, home, own.id, { folder_id: KP })).code).toBe('TSK-0025');
    expect((await change(U2, home, own.id, {}, { timestamp: 1 })).code).toBe('TSK-0007');
    expect((await U1.put('tasks', 'delete', { timestamp: FAR }, { id: 'x', folder: T1 })).code).toBe('TSK-0019');
  });
});

describe('a user who is deleted', () => {
  it('takes part in no task any more; what was shared has an heir', async () => {
    const { U1, U2, U3, T2, admin, contextId } = cast;
    const leaver = await createTestUser(world, admin, contextId, 'leaver');
    const shared = await createFolder(leaver, { rights: [[U1.userId, 257]] });
    const own = await create(leaver, shared, { title: 'Inherited', alarm: 5 });
    const users = [leaver, U3].map(({ userId }) => ({ type: 1, id: userId }));
    const invited = await create(U1, T2, { participants: users });
    const path = `/admin/v1/contexts/${contextId}/users/${leaver.userId}?reassignTo=${U2.userId}`;
    await admin.expect('DELETE', path);
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await read(U2, shared, own.id);
      if (answer.data?.created_by === String(U2.userId)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await dataOf(U2, shared, own.id)).toMatchObject({ title: 'Inherited', created_by: String(U2.userId) });
    expect((await dataOf(U1, T2, invited.id)).users).toMatchObject([{ id: U3.userId }]);
  }, 60_000);
});
