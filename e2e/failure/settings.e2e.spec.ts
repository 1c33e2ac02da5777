import { until } from '@groupware/test-kit';
import { Client, type Envelope } from '../client';
import { createFixtures, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { createProcessWorld, type HostProcess, type ProcessWorld } from '../processes';

const REPLICAS = 3;
let world: ProcessWorld;
let cast: Fixtures;

beforeAll(async () => {
  const settings = Array.from({ length: REPLICAS }, () => 'settings');
  world = await createProcessWorld([
    'identity',
    'folders',
    'calendar',
    'contacts',
    'tasks',
    'mail-account',
    'admin',
    'sso',
    ...settings,
  ]);
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close(), 60_000);

const named = (name: string): HostProcess[] => world.processes.filter((each) => each.name === name);
const update = (user: TestUser, change: object) => user.put('jslob', 'update', { id: 'shared' }, change);
const tree = async (user: TestUser): Promise<any> => (await user.put('jslob', 'list', {}, ['shared'])).data[0].tree;

describe('settings on three processes', () => {
  it('keep a hundred changes of the same moment', async () => {
    const keys = Array.from({ length: 100 }, (_each, index) => `k${index}`);
    const answers = await Promise.all(keys.map((key) => update(cast.U1, { keys: { [key]: true } })));
    expect(answers.map(({ code }) => code)).toEqual(keys.map(() => undefined));
    expect(Object.keys((await tree(cast.U1)).keys).sort()).toEqual([...keys].sort());
  }, 60_000);

  it('lose nothing acknowledged when they are killed', async () => {
    const acknowledged: string[] = [];
    let stop = false;
    let number = 0;
    const writers = Array.from({ length: 4 }, async () => {
      while (!stop) {
        const key = `w${(number += 1)}`;
        try {
          if ((await update(cast.U2, { [key]: number })).code === undefined) acknowledged.push(key);
        } catch {
          // Nothing was promised.
        }
      }
    });
    for (const replica of named('settings')) {
      const before = acknowledged.length;
      await until(async () => acknowledged.length >= before + 20, 20_000);
      await replica.kill();
      await replica.start();
    }
    stop = true;
    await Promise.all(writers);
    const stored = new Set(Object.keys(await tree(cast.U2)));
    expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
  }, 120_000);
});

/** Calls of a client after its log-in, and the module of each part. */
const PARTS = [
  { module: 'jslob', action: 'list', data: ['io.ox/core'], service: 'settings' },
  { module: 'apps/manifests', action: 'config', service: 'settings' },
  { module: 'folders', action: 'list', parent: '1', tree: '1', columns: '1,300', service: 'folders' },
  { module: 'onboarding', action: 'config', service: 'admin' },
  { module: 'account', action: 'all', service: 'mail-account' },
  { module: 'user', action: 'get', service: 'identity' },
  { module: 'oauth/services', action: 'all', service: 'sso' },
];
const RAMPUP: Readonly<Record<string, readonly string[]>> = {
  settings: ['jslobs', 'serverConfig'],
  folders: ['folder', 'folderlist'],
  calendar: [],
  'mail-account': ['accounts'],
  sso: ['oauth'],
  admin: [],
};

async function boot(): Promise<{ errors: string[]; failed: string[]; tree: any }> {
  const client = new Client(world.publicUrl, 'web client');
  const form = { rampup: 'true', rampUpFor: 'open-xchange-appsuite' };
  const { session, rampup } = await client.login(cast.U1.loginName, PASSWORD, form);
  expect(session).toBeDefined();
  const body = JSON.stringify(PARTS.map(({ service: _service, ...part }) => part));
  const response = await client.fetch('PUT', '/multiple', { session }, { body });
  const answers = (await response.json()) as Envelope[];
  expect(answers).toHaveLength(PARTS.length);
  return {
    errors: Object.keys(rampup.errors ?? {}).sort(),
    // A warning beside data tells what is missing in them.
    failed: PARTS.filter((_part, index) => answers[index]!.data === undefined).map(({ service }) => service),
    tree: rampup.jslobs?.['io.ox/core']?.tree,
  };
}

/** The calendar is down: whatever has to do with its reminders is told, and what has not goes on. */
async function expectNoReminders(): Promise<void> {
  const told = ({ data, code, category }: Envelope) => [data, code, category];
  const { U1 } = cast;
  expect(told(await U1.get('reminder', 'range', { end: 0 }))).toEqual([[], 'SVL-0032', 13]);
  expect(told(await U1.put('reminder', 'delete', {}, [{ id: 11 }, { id: 7 }]))).toEqual([[11, 7], 'SVL-0032', 13]);
  expect((await U1.put('reminder', 'delete', {}, [{ id: 7 }])).code).toBeUndefined();
  expect((await U1.put('reminder', 'remindAgain', { id: 11 }, { alarm: 1 })).code).toBe('SVL-0032');
  expect((await U1.get('reminder', 'range', { end: 0, modules: '4' })).code).toBeUndefined();
}

describe('the boot of a client without one of the modules', () => {
  it.each(Object.keys(RAMPUP))(
    '%s: works, says what is missing in its place, and recovers by itself',
    async (name) => {
      expect(await boot()).toMatchObject({ errors: [], failed: [] });
      for (const each of named(name)) await each.kill();
      const without = await boot();
      expect(without.errors).toEqual([...RAMPUP[name]!].sort());
      expect(new Set(without.failed)).toEqual(
        new Set(PARTS.map(({ service }) => service).filter((each) => each === name)),
      );
      if (name === 'calendar') await expectNoReminders();
      for (const each of named(name)) await each.start();
      await until(async () => {
        const { errors, failed, tree: shown } = await boot();
        return errors.length === 0 && failed.length === 0 && shown.folder.calendar === cast.U1.folder;
      }, 30_000);
    },
    120_000,
  );
});
