import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { ensureAppointments, run } from '@groupware/svcctl';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let folder: string;
let worlds: TestEnvironment[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'demo-'));
  worlds = await Promise.all([
    startTestEnvironment({ modules: ['identity', 'gateway'] }),
    startTestEnvironment({ modules: ['identity', 'gateway'], variables: { GROUPWARE_DEMO: 'true' } }),
    startTestEnvironment(),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all(worlds.map((world) => world.close()));
  rmSync(folder, { recursive: true });
});

async function svcctl(world: TestEnvironment, ...args: string[]): Promise<{ code: number; json: any }> {
  const file = path.join(folder, 'master');
  writeFileSync(file, world.master.password);
  let out = '';
  const options = ['--url', world.internalUrl, '--login', world.master.login, '--password-file', file, '--json'];
  const code = await run([...options, ...args], {
    input: Readable.from([]),
    out: (text) => (out += text),
    error: () => undefined,
    environment: {},
  });
  return { code, json: JSON.parse(out) };
}

/** Reads the content of a context, without what differs from one moment to the next. */
async function contents(world: TestEnvironment, password: string): Promise<object> {
  const admin = new AdminClient(world.internalUrl, 'admin', password);
  const plain = ({ createdAt: _created, lastLogin: _login, usedMb: _used, ...rest }: any): object => rest;
  const base = '/admin/v1/contexts/1';
  const list = async (what: string) => (await admin.expect('GET', `${base}/${what}`)).items.map(plain);
  return {
    context: plain(await admin.expect('GET', base)),
    users: await list('users'),
    groups: await list('groups'),
    resources: await list('resources'),
  };
}

describe('the demonstration', () => {
  it('is the same context, whether svcctl or the start of the product makes it', async () => {
    const [bare, demo] = worlds as [TestEnvironment, TestEnvironment];
    const { code, json } = await svcctl(bare, 'demo');
    expect({ code, contextId: json.contextId, logins: json.logins.length }).toEqual({
      code: 0,
      contextId: 1,
      logins: 11,
    });
    const file = JSON.parse(readFileSync(path.join(demo.environment.DATA_DIR!, 'demo.json'), 'utf8'));
    const made = (await contents(bare, json.password)) as Record<string, object[]>;
    expect(made).toEqual(await contents(demo, file.admin.password));
    expect([made.users!.length, made.resources!.length]).toEqual([11, 3]);
    // All users and the standard group are always there.
    expect(made.groups!.length).toBe(2 + 2);
    expect(json.logins.slice(1)).toEqual(file.users.map(({ login }: { login: string }) => login));
    for (const login of ['anna@demo', 'jan'])
      expect(await new Client(bare.publicUrl).login(login, json.password)).toHaveProperty('session');
    expect(await svcctl(bare, 'demo')).toMatchObject({ code: 1, json: { code: 'PROV-0004' } });
  });

  it('has appointments of a week where clients can be reached', async () => {
    const full = worlds[2]!;
    const { code, json } = await svcctl(full, 'demo', '--public-url', full.publicUrl);
    expect([code, json.appointments]).toEqual([0, 10]);
    const enter = async (name: string) => {
      const client = new Client(full.publicUrl);
      await client.login(`${name}@demo`, json.password);
      return client;
    };
    const now = new Date();
    const monday = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - ((now.getUTCDay() + 6) % 7));
    const week = { start: monday, end: monday + 7 * 86_400_000, range: 'overlap', timezone: 'UTC' };
    const titles = async (client: Client) => {
      const { data } = await client.get('calendar', 'all', { columns: '200', ...week });
      return (data as [string][]).map(([title]) => title).sort();
    };
    const [anna, hiro, jan] = [await enter('anna'), await enter('hiro'), await enter('jan')];
    expect(await titles(anna)).toEqual([
      ...['Berlin Expo', 'Booth rota'],
      ...Array.from({ length: 5 }, () => 'Focus time'),
      ...['Lunch', 'Quarterly review', 'Release planning', 'Sales meeting with figures'],
    ]);
    expect(await titles(hiro)).toEqual(['Design review', 'Release planning']);
    expect(await titles(jan)).toEqual(['Dentist', 'Design review']);
    expect((await anna.get('user', 'get')).data.locale).toBe('en_GB');
    const ben = await enter('ben');
    const { data: shared } = await ben.get('folders', 'allVisible', { content_type: 'calendar', columns: '300' });
    expect(shared.shared.map(([title]: string[]) => title)).toEqual(['Trade fairs']);
    const again = [{ login: 'anna@demo', password: json.password, userId: anna.userId }];
    expect(await ensureAppointments(full.publicUrl, again)).toBe(0);
  });

  it('gets its appointments after the start, once', async () => {
    const full = await startTestEnvironment({ variables: { GROUPWARE_DEMO: 'true' } });
    worlds.push(full);
    const { users } = JSON.parse(readFileSync(path.join(full.environment.DATA_DIR!, 'demo.json'), 'utf8'));
    expect(await ensureAppointments(full.publicUrl, users)).toBe(10);
    expect(await ensureAppointments(full.publicUrl, users)).toBe(0);
  });
});
