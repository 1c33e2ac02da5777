import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '@groupware/test-kit';
import { Client } from '../client';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, SENT_TWICE, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
let folder: string;
let file: string;
/** Gives clients settings as an operator does; a new file takes the place of the old one at once. */
function writeClientFile(features: number): void {
  const next = path.join(folder, 'next.yaml');
  fs.writeFileSync(
    next,
    `serverConfig:
  all: { productName: Example Suite, forgotPassword: 'https://help.example/' }
  branded.example: { productName: Branded, capabilities: [everything] }
trees:
  io.ox/mail//features/count: { value: ${features} }
  io.ox/files//fixed: { value: server, configurable: false }
`,
  );
  fs.renameSync(next, file);
}

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-settings-'));
  file = path.join(folder, 'clients.yaml');
  writeClientFile(1);
  const variables = {
    ...SENT_TWICE,
    SETTINGS_CLIENT_FILE: file,
    SETTINGS_MAX_TREES: '20',
    SETTINGS_MAX_USER_BYTES: '600000',
    GROUPWARE_CONFIG_POLL_MS: '50',
  };
  world = await startTestEnvironment({ variables });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

let users = 0;
const someone = (timezone?: string): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `s${(users += 1)}`, timezone);
const set = (user: Client, id: string, tree: unknown) => user.put('jslob', 'set', { id }, tree);
const update = (user: Client, id: string, change: unknown) => user.put('jslob', 'update', { id }, change);
async function element(user: Client, id: string) {
  const { data } = await user.put('jslob', 'list', {}, [id]);
  expect(data).toHaveLength(1);
  return data[0] as { id: string; tree: any; meta: any };
}
const tree = async (user: Client, id: string) => (await element(user, id)).tree;
async function config(user: Client, where: string, method = 'GET', body?: unknown) {
  const init =
    body === undefined
      ? {}
      : { body: typeof body === 'string' && body.startsWith('!') ? body.slice(1) : JSON.stringify(body) };
  const response = await user.fetch(method, `/config${where && '/'}${where}`, { session: user.session }, init);
  return (await response.json()) as { data?: any; code?: string };
}

describe('trees of settings', () => {
  it('PJ-01: are empty where nothing was stored, whatever their name', async () => {
    expect(await element(cast.U1, 'plugins/never/heard/of')).toEqual({
      id: 'plugins/never/heard/of',
      tree: {},
      meta: {},
    });
    const { tree: core, meta } = await element(cast.U1, 'io.ox/core');
    expect(core).toMatchObject({ timezone: 'UTC', language: 'en_US', folder: { calendar: cast.U1.folder } });
    expect(meta).toMatchObject({ folder: { calendar: { configurable: false } } });
    expect(await tree(cast.U1, 'io.ox/calendar')).toMatchObject({
      chronos: { defaultFolderId: `cal://0/${cast.U1.folder}` },
    });
  });

  it('PJ-02: join objects, replace lists, and lose what null names', async () => {
    const ann = await someone();
    await set(ann, 'own', { a: { x: 1, y: [1] }, gone: 1 });
    expect(await update(ann, 'own', { a: { y: [], z: null }, gone: null })).not.toHaveProperty('code');
    expect(await tree(ann, 'own')).toEqual({ a: { x: 1, y: [] } });
  });

  it('PJ-03, PJ-04: take a value at a path', async () => {
    const ann = await someone();
    await set(ann, 'own', { a: 5, list: [{ b: 1 }, 2] });
    await update(ann, 'own', { path: 'm/b/c', value: 5 });
    await update(ann, 'own', { path: 'list[0]/b', value: { deep: true } });
    expect(await tree(ann, 'own')).toEqual({ a: 5, m: { b: { c: 5 } }, list: [{ b: { deep: true } }, 2] });
    const code = async (where: string) => (await update(ann, 'own', { path: where, value: 1 })).code;
    expect(await code('a/b')).toBe('JSNCON-0007');
    expect(await code('list[9]')).toBe('JSNCON-0006');
    expect(await code('a[0]')).toBe('JSNCON-0007');
    expect(await code('a//b')).toBe('JSNCON-0007');
    await update(ann, 'own', { path: 'list', value: null });
    expect(await tree(ann, 'own')).toEqual({ a: 5, m: { b: { c: 5 } } });
  });

  it('PJ-05: are what the server gives again, once they are removed', async () => {
    const ann = await someone();
    for (const removal of [null, undefined]) {
      await set(ann, 'io.ox/mail', { features: { count: 9 }, own: 1 });
      expect(await tree(ann, 'io.ox/mail')).toMatchObject({ features: { count: 9 }, own: 1 });
      await set(ann, 'io.ox/mail', removal);
      expect(await tree(ann, 'io.ox/mail')).not.toHaveProperty('own');
      expect(await tree(ann, 'io.ox/mail')).toMatchObject({ features: { count: 1 } });
    }
  });

  it('PJ-06: keep what only the server sets, with a warning', async () => {
    const ann = await someone();
    expect(await update(ann, 'io.ox/files', { fixed: 'mine', y: 1 })).toMatchObject({
      data: {},
      code: 'JSNCON-0008',
      category: 13,
    });
    const { tree: files, meta } = await element(ann, 'io.ox/files');
    expect(files).toMatchObject({ fixed: 'server', y: 1 });
    expect(meta).toMatchObject({ fixed: { configurable: false } });
    expect(await set(ann, 'io.ox/files', { fixed: 'server', y: 2 })).not.toHaveProperty('code');
  });

  it('PJ-07: show what the operator changes, unless the user chose something else', async () => {
    const [ann, bob] = await Promise.all([someone(), someone()]);
    await set(ann, 'io.ox/mail', { features: { count: 1 }, other: 1 });
    await set(bob, 'io.ox/mail', { features: { count: 7 } });
    writeClientFile(2);
    const end = Date.now() + 20_000;
    while ((await tree(ann, 'io.ox/mail')).features.count !== 2 && Date.now() < end);
    expect(await tree(ann, 'io.ox/mail')).toMatchObject({ features: { count: 2 }, other: 1 });
    expect(await tree(bob, 'io.ox/mail')).toMatchObject({ features: { count: 7 } });
    writeClientFile(1);
  });

  it('PJ-08: come in the order asked, also twice', async () => {
    const ann = await someone();
    await set(ann, 'b', { here: true });
    const { data } = await ann.put('jslob', 'list', {}, ['a', 'b', 'a']);
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['a', 'b', 'a']);
    const { data: all } = await ann.get('jslob', 'all');
    expect(all.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['b', 'io.ox/core', 'io.ox/calendar']),
    );
    expect((await cast.U2.get('jslob', 'all')).data.map(({ id }: { id: string }) => id)).not.toContain('b');
  });

  it('PJ-09: keep all changes of the same moment', async () => {
    const ann = await someone();
    const keys = Array.from({ length: 100 }, (_each, index) => `k${index}`);
    await Promise.all(keys.map((key) => update(ann, 'own', { keys: { [key]: true } })));
    expect(Object.keys((await tree(ann, 'own')).keys).sort()).toEqual([...keys].sort());
  });

  it('PJ-10: have names of at most 128 characters, and limits of size, depth and number', async () => {
    const ann = await someone();
    expect(await set(ann, 'n'.repeat(129), { a: 1 })).toMatchObject({ code: 'SVL-0010' });
    expect(await set(ann, `${'n/ '.repeat(40)}`, { a: 1 })).not.toHaveProperty('code');
    expect(await set(ann, '', { a: 1 })).toMatchObject({ code: 'SVL-0010' });
    expect((await ann.put('jslob', 'set', {}, { a: 1 })).code).toBe('SVL-0002');
    expect(await set(ann, 'big', { a: 'x'.repeat(262_144) })).toMatchObject({ code: 'JSNCON-9001' });
    const large = { a: 'x'.repeat(250_000) };
    expect(await set(ann, 'first', large)).not.toHaveProperty('code');
    expect(await set(ann, 'second', large)).not.toHaveProperty('code');
    expect(await set(ann, 'third', large)).toMatchObject({ code: 'JSNCON-9004' });
    expect(await tree(ann, 'third')).toEqual({});
    for (const id of ['first', 'second']) await set(ann, id, null);
    expect(await set(ann, 'third', large)).not.toHaveProperty('code');
    await set(ann, 'third', null);
    const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });
    expect(await set(ann, 'deep', deep(33))).toMatchObject({ code: 'JSNCON-9002' });
    expect(await set(ann, 'deep', { a: { b: 1 }, c: deep(31) })).not.toHaveProperty('code');
    const codes = [];
    for (let count = 0; count < 20; count++) codes.push((await set(ann, `tree${count}`, { a: 1 })).code);
    expect(codes.filter(Boolean)).toEqual(['JSNCON-9003', 'JSNCON-9003']);
    expect((await ann.put('jslob', 'list', { serviceId: 'else' }, ['a'])).code).toBe('JSNCON-0004');
  });

  it('PJ-12: take objects only', async () => {
    for (const body of ['text', 5, [1], true]) {
      expect(await set(cast.U1, 'own', body)).toMatchObject({ code: 'SVL-0028' });
      expect(await update(cast.U1, 'own', body)).toMatchObject({ code: 'SVL-0028' });
    }
  });

  it('keep names that mean something to JavaScript, and all texts', async () => {
    const ann = await someone();
    const strange = '{"__proto__":{"x":1},"constructor":"c","text":"\\u0000 \\ud800 é"}';
    const response = await ann.fetch(
      'PUT',
      '/jslob',
      { action: 'set', id: 'own', session: ann.session },
      { body: strange },
    );
    expect(await response.json()).not.toHaveProperty('code');
    const { data } = await ann.put('jslob', 'list', {}, ['own']);
    expect(JSON.stringify(data[0].tree)).toBe(JSON.stringify(JSON.parse(strange)));
  });

  it('are the same wherever the user is logged in, and nobody else sees them', async () => {
    const ann = await someone();
    await set(ann, 'own', { a: 1 });
    const elsewhere = new Client(world.publicUrl, 'another browser');
    await elsewhere.login(ann.loginName, 'correct horse 1');
    expect(await tree(elsewhere, 'own')).toEqual({ a: 1 });
    expect(await tree(cast.U2, 'own')).toEqual({});
    expect(await tree(cast.X1, 'own')).toEqual({});
  });
});

describe('the configuration tree', () => {
  it('PC-01, PC-02: has typed settings, of the modules that the user has', async () => {
    expect((await config(cast.U1, 'context_id')).data).toBe(cast.contextId);
    expect((await config(cast.U1, 'folder/calendar')).data).toBe(cast.U1.folder);
    const { data } = await config(cast.U1, 'modules/');
    expect(data).toMatchObject({ calendar: { module: true, calendar_conflict: true }, folder: { tree: 1 } });
    expect(data).not.toHaveProperty('identifier');
    const whole = await config(cast.U1, '');
    expect(whole.data).toMatchObject({
      identifier: cast.U1.userId,
      timezone: 'UTC',
      serverVersion: expect.any(String),
    });
    expect(whole.data.availableTimeZones['Europe/Berlin']).toMatch(/Berlin/);
    expect(Math.abs(whole.data.currentTime - Date.now())).toBeLessThan(60_000);
  });

  it('is read and written among calls of one request', async () => {
    const ann = await someone('Europe/Berlin');
    const calls = [
      { module: 'config/timezone' },
      { module: 'config/modules/mail/linewrap', data: 75 },
      { module: 'config/modules/mail/linewrap' },
      { module: 'config/timezone/x' },
    ];
    const body = JSON.stringify(calls);
    const response = await ann.fetch('PUT', '/multiple', { session: ann.session }, { body });
    expect(await response.json()).toMatchObject([{ data: 'Europe/Berlin' }, {}, { data: 75 }, { code: 'USS-0004' }]);
    expect((await config(ann, 'modules/mail/linewrap')).data).toBe(75);
  });

  it('has for later calls of one request what earlier ones wrote', async () => {
    const ann = await someone('Europe/Berlin');
    const start_date = Date.UTC(2031, 0, 6, 9);
    const times = { start_date, end_date: start_date + 3_600_000, title: 'T', folder_id: ann.folder };
    const calls = [
      { module: 'config/timezone', data: 'America/New_York' },
      { module: 'config/timezone' },
      { module: 'jslob', action: 'list', data: ['io.ox/core'] },
      { module: 'calendar', action: 'new', data: { ...times, ignore_conflicts: true } },
      { module: 'jslob', action: 'update', id: 'io.ox/core', data: { timezone: 'Asia/Tokyo' } },
      { module: 'config/timezone' },
    ];
    const body = JSON.stringify(calls);
    const response = await ann.fetch('PUT', '/multiple', { session: ann.session }, { body });
    const answers = (await response.json()) as Record<string, any>[];
    expect(answers).toMatchObject([
      ...[{}, { data: 'America/New_York' }, { data: [{ tree: { timezone: 'America/New_York' } }] }],
      ...[{ data: { id: expect.any(String) } }, {}, { data: 'Asia/Tokyo' }],
    ]);
    const { id } = answers[3]!.data;
    const { data } = await ann.get('calendar', 'get', { id, folder: ann.folder, timezone: 'UTC' });
    expect(data).toMatchObject({ start_date: start_date + 5 * 3_600_000, timezone: 'America/New_York' });
  });

  it('PC-03: changes the time zone of every session', async () => {
    const ann = await someone('Europe/Berlin');
    const elsewhere = new Client(world.publicUrl, 'another browser');
    await elsewhere.login(ann.loginName, 'correct horse 1');
    expect(await config(ann, 'timezone', 'PUT', 'America/New_York')).not.toHaveProperty('code');
    for (const each of [ann, elsewhere]) {
      expect((await config(each, 'timezone')).data).toBe('America/New_York');
      expect(await tree(each, 'io.ox/core')).toMatchObject({ timezone: 'America/New_York' });
    }
    expect((await ann.get('user', 'get')).data.timezone).toBe('America/New_York');
    await update(elsewhere, 'io.ox/core', { timezone: 'Europe/Berlin', own: 1 });
    expect((await config(ann, 'timezone')).data).toBe('Europe/Berlin');
  });

  it('PC-04, PC-05: changes the language at once, and refuses what is none', async () => {
    const ann = await someone();
    expect(await config(ann, 'language', 'PUT', { data: 'de_DE' })).not.toHaveProperty('code');
    expect((await ann.get('folders', 'get', { id: '2' })).data.title).toBe('Öffentliche Ordner');
    expect((await config(ann, 'language', 'PUT', 'english')).code).toBe('USS-0009');
    expect((await config(ann, 'timezone', 'PUT', 'Europe/Nowhere')).code).toBe('USS-0009');
    expect((await update(ann, 'io.ox/core', { timezone: 5 })).code).toBe('USR-0024');
    expect((await config(ann, 'language')).data).toBe('de_DE');
  });

  it('stores nothing of a tree with a language or zone that is none', async () => {
    const ann = await someone();
    await update(ann, 'io.ox/core', { theme: 'before' });
    const before = await tree(ann, 'io.ox/core');
    for (const wrong of [{ timezone: 'Mars/X' }, { language: 'english' }, { language: { of: 'mine' } }])
      for (const change of [update, set])
        expect((await change(ann, 'io.ox/core', { theme: 'after', own: 1, ...wrong })).code).toMatch(/^USR-002[34]$/);
    expect(await tree(ann, 'io.ox/core')).toEqual(before);
  });

  it('sends from the primary address once the chosen one is taken away', async () => {
    const ann = await someone();
    const [own, alias] = [ann.email, `nick-${ann.email}`];
    const setAliases = (...aliases: string[]) =>
      cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}`, { aliases });
    const sender = async (): Promise<unknown[]> => [
      (await config(ann, 'mail/sendaddress')).data,
      (await config(ann, 'modules/mail/sendaddress')).data,
      (await tree(ann, 'io.ox/mail')).defaultSendAddress,
    ];
    await setAliases(own, alias);
    expect(await config(ann, 'mail/sendaddress', 'PUT', alias)).not.toHaveProperty('code');
    expect(await sender()).toEqual(Array(3).fill(alias));
    await setAliases(own);
    expect(await sender()).toEqual(Array(3).fill(own));
    // A client that writes everything back changes nothing.
    expect(await set(ann, 'io.ox/mail', { ...(await tree(ann, 'io.ox/mail')), own: 1 })).not.toHaveProperty('code');
    expect(await sender()).toEqual(Array(3).fill(own));
  });

  it('takes no value in a tree that it refuses itself, and nothing beside it', async () => {
    const ann = await someone();
    const address = (await config(ann, 'mail/defaultaddress')).data;
    for (const [id, name, bad, good] of [
      ['io.ox/mail', 'defaultSendAddress', 'other@x.example', address],
      ['io.ox/mail', 'linewrap', 'abc', 70],
      ['io.ox/mail', 'linewrap', 999, 80],
      ['io.ox/mail', 'forwardmessage', 5, 'Attachment'],
      ['io.ox/calendar', 'notifyNewModifiedDeleted', 'x', false],
    ] as const) {
      const before = await tree(ann, id);
      for (const refused of [
        await update(ann, id, { theme: 'after', [name]: bad }),
        await set(ann, id, { theme: 'after', [name]: bad }),
        await update(ann, id, { path: name, value: bad }),
      ])
        expect(refused).toMatchObject({ code: 'USS-0009', error_params: [JSON.stringify(bad), name] });
      expect(await tree(ann, id)).toEqual(before);
      expect(await update(ann, id, { own: 1, [name]: good })).not.toHaveProperty('code');
      // A client that writes everything back changes nothing.
      expect(await set(ann, id, await tree(ann, id))).not.toHaveProperty('code');
      expect(await tree(ann, id)).toMatchObject({ own: 1, [name]: good });
    }
    expect((await config(ann, 'modules/mail/linewrap')).data).toBe(80);
  });

  it('PC-06: keeps texts of clients as they are', async () => {
    const ann = await someone();
    const text = `"quotes"\n\t\\ é ${'x'.repeat(3_000)}`;
    await config(ann, 'gui', 'PUT', text);
    await config(ann, 'modules/calendar/gui', 'PUT', { any: ['thing'] });
    expect((await config(ann, 'gui')).data).toBe(text);
    expect((await config(ann, 'modules/calendar/gui')).data).toEqual({ any: ['thing'] });
    const replacement = { other: null, list: [null], inner: { gone: null } };
    await config(ann, 'modules/calendar/gui', 'PUT', replacement);
    expect((await config(ann, 'modules/calendar/gui')).data).toEqual(replacement);
    expect((await config(cast.U2, 'gui')).data).toBeNull();
    expect((await config(ann, 'gui', 'PUT', 'x'.repeat(65_536))).code).toBe('USS-0009');
  });

  it('PC-08, PC-09, PC-10, PC-11: refuses nodes, fixed settings, unknown names and what is no JSON', async () => {
    const ann = await someone();
    expect((await config(ann, 'folder', 'PUT', 'x')).code).toBe('USS-0005');
    expect(await config(ann, 'folder', 'PUT', {})).not.toHaveProperty('code');
    for (const fixed of ['context_id', 'folder/calendar', 'availableModules', 'modules/calendar/module'])
      expect((await config(ann, fixed, 'PUT', 1)).code).toBe('USS-0003');
    for (const empty of ['folder/eas', 'modules/infostore/folder/pictures', 'modules/infostore/folder/templates'])
      expect([(await config(ann, empty)).data, (await config(ann, empty, 'PUT', 1)).code]).toEqual([null, 'USS-0003']);
    for (const unknown of ['Timezone', 'modules/nothing', '__proto__', 'timezone/x'])
      expect((await config(ann, unknown)).code).toBe('USS-0004');
    expect((await config(ann, 'timezone', 'PUT', '!Europe/Paris')).code).toBe('SVL-0029');
    expect((await config(ann, 'timezone')).data).toBe('UTC');
    const several = {
      defaultStatusPrivate: 2,
      module: false,
      calendar_teamview: 'no',
      notifyNewModifiedDeleted: false,
    };
    expect((await config(ann, 'modules/calendar', 'PUT', several)).code).toMatch(/^USS-000[39]$/);
    expect((await config(ann, 'modules/calendar')).data).toMatchObject({
      ...{ defaultStatusPrivate: 2, module: true, calendar_teamview: true, notifyNewModifiedDeleted: false },
    });
    expect(await tree(ann, 'io.ox/calendar')).toMatchObject({ defaultStatusPrivate: 2 });
  });

  it('have older names for mails about events and tasks', async () => {
    const ann = await someone();
    for (const [older, setting] of [
      ['calendarnotification', 'modules/calendar/notifyNewModifiedDeleted'],
      ['tasknotification', 'modules/tasks/notifyNewModifiedDeleted'],
    ] as const) {
      expect((await config(ann, older)).data).toBe(true);
      expect(await config(ann, older, 'PUT', false)).not.toHaveProperty('code');
      expect([(await config(ann, setting)).data, (await config(ann, older)).data]).toEqual([false, false]);
      expect(await config(ann, setting, 'PUT', true)).not.toHaveProperty('code');
      expect((await config(ann, older)).data).toBe(true);
    }
  });

  it('are what modules act by: an invited user has the answer at once that he chose', async () => {
    const ann = await someone();
    const invited = async (): Promise<number> => {
      const { data } = await cast.U1.put<{ id: string }>(
        'calendar',
        'new',
        { timezone: 'UTC' },
        {
          ...{
            folder_id: cast.U1.folder,
            title: 'x',
            ignore_conflicts: true,
            participants: [{ type: 1, id: ann.userId }],
          },
          ...{ start_date: Date.UTC(2031, 0, 6, 8), end_date: Date.UTC(2031, 0, 6, 9) },
        },
      );
      const read = await cast.U1.get<any>('calendar', 'get', { id: data!.id, folder: cast.U1.folder });
      return read.data.users.find(({ id }: { id: number }) => id === ann.userId).confirm;
    };
    expect(await invited()).toBe(0);
    expect(await config(ann, 'modules/calendar/defaultStatusPrivate', 'PUT', 1)).not.toHaveProperty('code');
    expect((await config(ann, 'modules/calendar/defaultStatusPrivate')).data).toBe(1);
    await until(async () => (await invited()) === 1);
    await ann.put('jslob', 'update', { id: 'io.ox/calendar' }, { defaultStatusPrivate: 3 });
    expect(await tree(ann, 'io.ox/calendar')).toMatchObject({ defaultStatusPrivate: 3 });
    await until(async () => (await invited()) === 3);
    expect((await config(ann, 'modules/calendar/defaultStatusPrivate', 'PUT', 4)).code).toBe('USS-0009');
    expect((await config(ann, 'modules/calendar/defaultStatusPrivate', 'PUT', true)).code).toBe('USS-0009');
    // Clients keep in their trees what they like.
    await ann.put('jslob', 'update', { id: 'io.ox/calendar' }, { defaultStatusPrivate: 'often' });
    expect(await tree(ann, 'io.ox/calendar')).toMatchObject({ defaultStatusPrivate: 'often' });
    expect(await invited()).toBe(3);
    expect((await config(ann, 'modules/calendar/defaultStatusPrivate')).data).toBe(3);
  });

  it.each<[string, string, boolean?]>([
    ['modules/contacts/allFoldersForAutoComplete', 'com.example.contacts.allFoldersForAutoComplete'],
    ['modules/mail/contactCollectEnabled', 'com.example.contactcollector.enabled'],
    ['modules/mail/contactCollectOnMailTransport', 'com.example.contactcollector.onMailTransport'],
    ['modules/mail/contactCollectOnMailAccess', 'com.example.contactcollector.onMailAccess', false],
  ])(
    '%s is as it is until a user changes it, for the module that acts by it, too',
    async (setting, key, first = true) => {
      const ann = await someone();
      expect((await config(ann, setting)).data).toBe(first);
      expect(await config(ann, setting, 'PUT', !first)).not.toHaveProperty('code');
      expect((await config(ann, setting)).data).toBe(!first);
      const property = `/admin/v1/contexts/${ann.contextId}/users/${ann.userId}/config/${key}`;
      expect(await cast.admin.expect('GET', property)).toMatchObject({ value: !first });
      expect(await config(ann, setting, 'PUT', first)).not.toHaveProperty('code');
      expect((await config(ann, setting)).data).toBe(first);
    },
  );

  it('settings that modules act by go with the tree of the user, or with null', async () => {
    const ann = await someone();
    const { userId, contextId } = ann;
    const stored = async (key: string) =>
      (await cast.admin.request('GET', `/admin/v1/contexts/${contextId}/users/${userId}/config/${key}`)).body.value;
    const status = 'com.example.calendar.defaultStatusPrivate';
    for (const remove of [
      () => set(ann, 'io.ox/calendar', null),
      () => set(ann, 'io.ox/calendar', {}),
      () => set(ann, 'io.ox/calendar', { other: true }),
      () => update(ann, 'io.ox/calendar', { defaultStatusPrivate: null }),
      () => update(ann, 'io.ox/calendar', { path: 'defaultStatusPrivate', value: null }),
    ]) {
      expect(await config(ann, 'modules/calendar/defaultStatusPrivate', 'PUT', 1)).not.toHaveProperty('code');
      expect([(await tree(ann, 'io.ox/calendar')).defaultStatusPrivate, await stored(status)]).toEqual([1, 1]);
      expect(await remove()).not.toHaveProperty('error');
      expect([(await tree(ann, 'io.ox/calendar')).defaultStatusPrivate, await stored(status)]).toEqual([0, undefined]);
    }
    const enabled = 'com.example.contactcollector.enabled';
    expect(await update(ann, 'io.ox/mail', { contactCollectEnabled: false })).not.toHaveProperty('error');
    expect(await update(ann, 'io.ox/mail', { linewrap: 70 })).not.toHaveProperty('error');
    expect(await stored(enabled)).toBe(false);
    expect(await set(ann, 'io.ox/mail', { contactCollectEnabled: false })).not.toHaveProperty('error');
    expect(await stored(enabled)).toBe(false);
    expect(await set(ann, 'io.ox/mail', null)).not.toHaveProperty('error');
    expect([(await tree(ann, 'io.ox/mail')).contactCollectEnabled, await stored(enabled)]).toEqual([true, undefined]);
  });

  it('PC-12: tells only those properties that clients may see', async () => {
    const get = async (name: string) => (await cast.U1.get('config', 'get_property', { name })).data;
    expect(await get('com.example.passwordchange.minLength')).toEqual({
      name: 'com.example.passwordchange.minLength',
      value: 8,
    });
    for (const name of ['com.example.rest.services.basic-auth.password', 'no.such.property'])
      expect(await get(name)).toEqual({ name, value: null });
    for (const name of ['com.example.passwordchange.minLength', 'no.such.property'])
      expect((await cast.U1.put('config', 'set_property', { name }, { value: '1' })).code).toBe('USS-0003');
  });
});

describe('the configuration of the server', () => {
  const load = async (
    parameters: object = {},
    headers: Record<string, string> = {},
    client = new Client(world.publicUrl),
  ) => {
    const response = await client.fetch('GET', '/apps/manifests', { action: 'config', ...parameters }, { headers });
    expect(response.headers.getSetCookie()).toEqual([]);
    return ((await response.json()) as { data: any }).data;
  };

  it('PY-03: is there before the login, and says what the user may do after it', async () => {
    const before = await load();
    expect(before).toMatchObject({
      ...{ productName: 'Example Suite', forgotPassword: 'https://help.example/', manifests: [] },
      languages: { de_DE: 'Deutsch (Deutschland)', en_US: expect.any(String) },
      ...{ version: expect.any(String), serverVersion: expect.any(String), buildDate: expect.any(String) },
      capabilities: [{ id: 'autologin', attributes: {} }],
    });
    const { data } = await cast.U1.get('capabilities', 'all');
    expect((await load({ session: cast.U1.session }, {}, cast.U1)).capabilities).toEqual(data);
    // Clients name no session here: the cookies do.
    expect((await load({}, {}, cast.U1)).capabilities).toEqual(data);
    // The id of a session alone tells nothing of its user.
    for (const session of [cast.U1.session, 'x', ''])
      expect((await load({ session })).capabilities).toEqual(before.capabilities);
  });

  it('PY-04: has no other actions than the parts of the client, of which there are none', async () => {
    const client = new Client(world.publicUrl);
    expect((await client.get('apps/manifests', 'what')).code).toBe('SVL-0021');
    expect((await client.get('apps/manifests', 'all')).data).toEqual([]);
  });
});
