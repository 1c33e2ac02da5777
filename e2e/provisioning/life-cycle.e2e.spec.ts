import { until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { created, HOUR } from '../calendar/calendar';
import { createContext, createTestUser, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let master: AdminClient;
let database: Database;

beforeAll(async () => {
  world = await startTestEnvironment();
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
}, 120_000);
afterAll(async () => {
  await database?.end();
  await world?.close();
});

const calendarsOf = async (contextId: number, userId: number): Promise<number> => {
  const { rowCount } = await database.query(
    'select from calendar.folder where context_id = $1 and created_by = $2 and is_default',
    [contextId, userId],
  );
  return rowCount ?? 0;
};
const person = (contextId: number, name: string) => ({
  name,
  password: PASSWORD,
  surname: name,
  primaryEmail: `${name}@c${contextId}.example`,
});

describe('what modules give every new user', () => {
  it('is there when the creation of a context or user returns', async () => {
    const contextId = await createContext(master, 'waits');
    expect(await calendarsOf(contextId, 2)).toBe(1);
    expect((await master.expect('GET', `/admin/v1/contexts/${contextId}`)).state).toBe('ready');
    for (const name of ['ann', 'bob', 'eve']) {
      const made = await master.expect('POST', `/admin/v1/contexts/${contextId}/users`, person(contextId, name));
      expect([made.state, await calendarsOf(contextId, made.id)]).toEqual(['ready', 1]);
    }
  });

  it('comes later when the caller does not wait, and a context lets nobody in until then', async () => {
    const admin = { name: 'admin', password: PASSWORD, surname: 'Min', email: 'admin@later.example' };
    const context = await master.expect('POST', '/admin/v1/contexts?wait=false', { name: 'later', admin });
    expect(context.state).toBe('provisioning');
    const path = `/admin/v1/contexts/${context.id}`;
    await until(async () => (await master.expect('GET', path)).state === 'ready');
    expect(await calendarsOf(context.id, 2)).toBe(1);
    expect(await new Client(world.publicUrl).login('admin@later', PASSWORD)).toHaveProperty('session');
    const user = await master.expect('POST', `${path}/users?wait=false`, person(context.id, 'eve'));
    expect(user.state).toBe('provisioning');
    expect(await new Client(world.publicUrl).login('eve@later', PASSWORD)).toHaveProperty('session');
    await until(async () => (await calendarsOf(context.id, user.id)) === 1);
    expect(await master.expect('GET', `${path}/users/${user.id}`)).not.toHaveProperty('state');
  });
});

describe('the deletion of a context', () => {
  it('is done when no module has data of it any more', async () => {
    const contextId = await createContext(master, 'goes');
    const player = await createTestUser(world, master, contextId, 'goer');
    for (let hour = 0; hour < 20; hour++)
      await created(player, { title: `at ${hour}`, start_date: hour * HOUR, end_date: (hour + 1) * HOUR });
    const answer = await master.request('DELETE', `/admin/v1/contexts/${contextId}`);
    expect(answer).toMatchObject({ status: 202, body: { kind: 'delete-context', state: 'done', errors: [] } });
    const { rows } = await database.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
       where column_name = 'context_id' and table_schema not in ('identity', 'registry') and table_name <> 'outbox'`,
    );
    for (const { name } of rows) {
      const { rowCount } = await database.query(`select from ${name} where context_id = $1`, [contextId]);
      expect([name, rowCount]).toEqual([name, 0]);
    }
    expect((await master.request('GET', `/admin/v1/contexts/${contextId}`)).status).toBe(404);
  });
});
