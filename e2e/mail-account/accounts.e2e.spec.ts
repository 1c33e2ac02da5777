import { Client as Database } from 'pg';
import { createFixtures, createContext, createTestUser, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { AdminClient, Client } from '../client';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;

/** A user with the primary account alone. */
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `m${(count += 1)}`);
const body = (changes: object = {}) => ({
  name: 'Work',
  login: 'ann',
  password: 'hush hush hush',
  mail_url: 'imap://mail.test.invalid',
  transport_url: 'smtp://mail.test.invalid',
  primary_address: 'ann@test.invalid',
  ...changes,
});
const create = (player: Client, changes: object = {}) => player.put('account', 'new', {}, body(changes));
const created = async (player: Client, changes: object = {}): Promise<number> => {
  const answer = await create(player, changes);
  if (typeof answer.data?.id !== 'number') throw new Error(JSON.stringify(answer));
  return answer.data.id;
};
const get = (player: Client, id: number) => player.get('account', 'get', { id });
const update = (player: Client, changes: object) => player.put('account', 'update', {}, changes);

/** The row of an account. */
async function readAccountRow(player: TestUser, id: number): Promise<{ password: string; transport_password: string }> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    const text = 'select password, transport_password from mail_account.account where user_id = $1 and id = $2';
    return (await database.query(text, [player.userId, id])).rows[0]!;
  } finally {
    await database.end();
  }
}

beforeAll(async () => {
  world = await startTestEnvironment({ variables: { ...SENT_TWICE, GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0' } });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

describe('mail accounts', () => {
  it('MA-01: a new account', async () => {
    const { data } = await create(await someone());
    expect(data).toMatchObject({
      id: expect.any(Number),
      mail_server: 'mail.test.invalid',
      mail_port: 143,
      mail_protocol: 'imap',
      mail_secure: false,
    });
    expect(data.id).toBeGreaterThan(0);
  });

  it('MA-02: every field comes back as written, but no password', async () => {
    const ann = await someone();
    const fields = {
      personal: 'Ann',
      reply_to: 'answers@test.invalid',
      trash: 'Bin',
      sent_fullname: 'INBOX/Sent',
      transport_auth: 'custom',
      transport_login: 'out',
      meta: { color: 'red', list: [1, null] },
      pop3_expunge_on_quit: true,
      unified_inbox_enabled: false,
      spam_handler: 'Other',
    };
    const id = await created(ann, { ...fields, transport_password: 'hush, you too' });
    const answer = await get(ann, id);
    expect(answer.data).toMatchObject({
      ...fields,
      id,
      name: 'Work',
      login: 'ann',
      mail_url: 'imap://mail.test.invalid:143',
      transport_url: 'smtp://mail.test.invalid:25',
      primary_address: 'ann@test.invalid',
      sent: 'Sent',
      sent_fullname: `default${id}/INBOX/Sent`,
      root_folder: `default${id}`,
    });
    expect(JSON.stringify(answer)).not.toMatch(/hush/);
    expect(answer.data.password ?? null).toBeNull();
    expect(answer.data.transport_password ?? null).toBeNull();
  });

  it('MA-03: one row per account, the primary one first', async () => {
    const ann = await someone();
    const id = await created(ann);
    const { data } = await ann.get('account', 'all', { columns: '1001,1006' });
    expect(data).toEqual([
      [0, 'E-Mail'],
      [id, 'Work'],
    ]);
    const every = await ann.get('account', 'all', { columns: '' });
    expect(every.data.map((row: unknown[]) => row.length)).toEqual([49, 49]);
    expect((await ann.get('account', 'all')).data).toEqual(every.data);
    expect((await ann.get('account', 'all', { columns: '1003,1024,1007' })).data).toEqual([
      [null, null, ann.email],
      [null, null, 'ann@test.invalid'],
    ]);
    expect((await ann.get('account', 'all', { columns: '1,1001' })).code).toBe('SVL-0010');
  });

  it('MA-04: an update changes what it names', async () => {
    const ann = await someone();
    const id = await created(ann);
    const answer = await update(ann, { id, primary_address: 'new@test.invalid' });
    expect(answer.data).toMatchObject({ id, primary_address: 'new@test.invalid', name: 'Work' });
    expect((await get(ann, id)).data).toEqual(answer.data);
    const { data } = await ann.get('account', 'all', { columns: '1001,1007' });
    expect(data[1]).toEqual([id, 'new@test.invalid']);
  });

  it('MA-05: the protocol stays', async () => {
    const ann = await someone();
    const id = await created(ann);
    const before = await get(ann, id);
    expect((await update(ann, { id, mail_protocol: 'pop3', personal: 'X' })).code).toBe('ACC-0026');
    expect((await update(ann, { id, mail_url: 'pop3://mail.test.invalid' })).code).toBe('ACC-0026');
    expect((await get(ann, id)).data).toEqual(before.data);
  });

  it('MA-06: the full name of the trash ends with its name', async () => {
    const ann = await someone();
    const id = await created(ann, { trash: 'trash' });
    expect((await get(ann, id)).data.trash_fullname).toMatch(/trash$/i);
  });

  it('MA-07: deleted accounts are gone', async () => {
    const ann = await someone();
    const ids = [await created(ann), await created(ann, { login: 'b', primary_address: 'b@test.invalid' })];
    expect((await ann.put('account', 'delete', {}, [...ids, 4711])).data).toEqual(ids);
    for (const id of ids) expect((await get(ann, id)).code).toBe('ACC-0002');
    expect((await ann.put('account', 'delete', {}, ids)).data).toEqual([]);
  });

  it('MA-08: the primary account lets only its own attributes change', async () => {
    const ann = await someone();
    for (const change of [
      { name: 'Mine' },
      { login: 'x' },
      { mail_url: 'imap://x.test' },
      { spam_handler: 'x' },
      { password: 'x' },
    ])
      expect(await update(ann, { id: 0, ...change })).toMatchObject({
        code: 'ACC-0007',
        error_params: [Object.keys(change)[0]],
      });
    expect((await get(ann, 0)).data.name).toBe('E-Mail');
    const answer = await update(ann, { id: 0, login: ann.email, personal: 'Ann', archive: 'Old', meta: { a: 1 } });
    expect(answer.data).toMatchObject({ id: 0, name: 'E-Mail', personal: 'Ann', archive: 'Old', meta: { a: 1 } });
    expect((await update(ann, { id: 0, name: 'E-Mail' })).data).toMatchObject({ name: 'E-Mail', personal: 'Ann' });
    expect((await ann.put('account', 'delete', {}, [0])).code).toBe('ACC-0006');
  });

  it('name what is missing', async () => {
    const ann = await someone();
    for (const field of ['mail_url', 'login', 'password', 'name', 'primary_address'])
      expect(await create(ann, { [field]: undefined })).toMatchObject({ code: 'SVL-0002', error_params: [field] });
    expect(await update(ann, { name: 'x' })).toMatchObject({ code: 'SVL-0002', error_params: ['id'] });
    expect((await update(ann, { id: 4711, name: 'x' })).code).toBe('ACC-0002');
    expect((await get(ann, 4711)).code).toBe('ACC-0002');
  });

  it('take back what was read, and numbers and flags as texts', async () => {
    const ann = await someone();
    const id = await created(ann, {
      transport_auth: 'custom',
      transport_login: 'o',
      transport_password: 'hush on the way out',
    });
    for (const account of [0, id]) {
      const { data } = await get(ann, account);
      const nothing = { password: null, transport_password: '' };
      expect((await update(ann, { ...data, ...(account === 0 ? {} : nothing) })).data).toEqual(data);
    }
    const texts = { mail_port: '143', unified_inbox_enabled: 'false', pop3_refresh_rate: '20', mail_oauth: '-1' };
    expect((await update(ann, { id: String(id), ...texts })).data).toMatchObject({
      id,
      mail_port: 143,
      mail_url: 'imap://mail.test.invalid:143',
      unified_inbox_enabled: false,
      pop3_refresh_rate: 20,
    });
    for (const bad of [{ mail_port: 'x' }, { mail_port: '70000' }, { mail_secure: 'maybe' }])
      expect(await update(ann, { id, ...bad })).toMatchObject({ code: 'SVL-0031' });
    const row = await readAccountRow(ann, id);
    expect([row.password, row.transport_password]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('keep what a new account needs', async () => {
    const ann = await someone();
    const id = await created(ann);
    for (const field of ['login', 'primary_address'])
      expect(await update(ann, { id, [field]: null })).toMatchObject({ code: 'SVL-0002', error_params: [field] });
    expect((await update(ann, { id, name: '' })).code).toBe('ACC-0016');
    expect((await create(ann, { name: '' })).code).toBe('ACC-0016');
    expect((await update(ann, { id, mail_protocol: 'unifiedinbox' })).code).toBe('ACC-0026');
  });

  it('with ids that nobody has are not found', async () => {
    const ann = await someone();
    const id = await created(ann);
    expect((await get(ann, -1)).code).toBe('ACC-0002');
    expect((await ann.get('account', 'status', { id: -1 })).code).toBe('ACC-0002');
    expect((await update(ann, { id: -1, name: 'x' })).code).toBe('ACC-0002');
    expect((await ann.put('account', 'delete', {}, [-1, 2_000_000_000, id])).data).toEqual([id]);
    expect((await ann.put('account', 'delete', {}, [])).data).toEqual([]);
  });

  it('refuse bad names, hosts, servers and second addresses', async () => {
    const ann = await someone();
    await created(ann);
    expect((await create(ann, { login: 'x' })).code).toBe('ACC-0015');
    expect((await create(ann, { primary_address: ann.email })).code).toBe('ACC-0015');
    const id = await created(ann, { login: 'other', primary_address: 'other@test.invalid' });
    for (const primary_address of [ann.email, 'ann@test.invalid'])
      expect((await update(ann, { id, primary_address })).code).toBe('ACC-0015');
    const fresh = { login: 'c', primary_address: 'c@test.invalid' };
    expect((await create(ann, { ...fresh, name: 'a/b' })).code).toBe('ACC-0016');
    expect((await create(ann, { ...fresh, mail_url: 'http://x.test' })).code).toBe('ACC-0018');
    expect((await create(ann, { ...fresh, mail_url: 'imap://a..b' })).code).toBe('ACC-0019');
    expect((await create(ann, { ...fresh, mail_url: 'unifiedinbox://x' })).code).toBe('ACC-0012');
    expect((await create(ann, { ...fresh, id: 0 })).code).toBe('ACC-0008');
  });

  it('are one for each server, protocol, port and login, also when twenty come at once', async () => {
    const ann = await someone();
    const twenty = await Promise.all(
      Array.from({ length: 20 }, (_each, index) => create(ann, { primary_address: `t${index}@test.invalid` })),
    );
    const [won, ...others] = twenty.sort((left, right) => Number(Boolean(left.code)) - Number(Boolean(right.code)));
    expect(won).not.toHaveProperty('code');
    expect(others.map(({ code, error_params }) => [code, error_params])).toEqual(
      Array(19).fill(['ACC-0017', ['mail.test.invalid', 'ann']]),
    );
    const fresh = { primary_address: 'd@test.invalid' };
    expect((await create(ann, { ...fresh, mail_url: 'IMAP://Mail.Test.Invalid:143' })).code).toBe('ACC-0017');
    const id = await created(ann, { ...fresh, mail_url: 'imap://mail.test.invalid:144' });
    const back = { id, mail_port: 143, password: 'hush hush hush' };
    expect((await update(ann, back)).code).toBe('ACC-0017');
    expect((await update(ann, { ...back, login: 'bob' })).data).toMatchObject({ id, login: 'bob', mail_port: 143 });
    expect((await update(ann, { id, login: 'ann' })).code).toBe('ACC-0017');
    // The primary account is one of them.
    await cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}/mail-account`, {
      imap: { host: 'imap.test', secure: true },
    });
    const same = { login: ann.email, mail_url: 'imaps://imap.test', primary_address: 'e@test.invalid' };
    expect((await create(ann, same)).code).toBe('ACC-0017');
    expect((await update(ann, { ...same, id, password: 'hush hush hush' })).code).toBe('ACC-0017');
  });

  it('leave out what is not set', async () => {
    const ann = await someone();
    const id = await created(ann, { transport_url: undefined });
    for (const account of [0, id]) {
      const { data } = await get(ann, account);
      expect(Object.entries(data).filter(([, value]) => value === null)).toEqual([]);
      expect(data).not.toHaveProperty('transport_url');
    }
    expect((await ann.get('account', 'all', { columns: '1001,1005' })).data[1]).toEqual([id, null]);
  });

  it('keep their passwords to the servers these were given for', async () => {
    const ann = await someone();
    const id = await created(ann);
    const elsewhere = { mail_url: 'imap://evil.test.invalid' };
    const out = { transport_url: 'smtp://evil.test.invalid' };
    const before = await readAccountRow(ann, id);
    const lacks = (field: string) => ({ code: 'SVL-0002', error_params: [field] });
    for (const change of [
      elsewhere,
      { ...elsewhere, password: '' },
      { ...elsewhere, password: null },
      { mail_server: 'evil.test.invalid' },
      { mail_port: 144 },
      { mail_url: 'imap://mail.test.invalid:144' },
      { mail_secure: true },
      out,
      { transport_port: 26 },
    ])
      expect([change, await update(ann, { id, personal: 'Ann', ...change })]).toMatchObject([
        change,
        lacks('password'),
      ]);
    expect((await get(ann, id)).data).toMatchObject({ mail_server: 'mail.test.invalid', transport_port: 25 });
    expect((await get(ann, id)).data).not.toHaveProperty('personal');
    expect(await readAccountRow(ann, id)).toEqual(before);
    // Only the flag of an upgrade changes: the servers are the same.
    expect((await update(ann, { id, mail_starttls: true })).data).toMatchObject({ id, mail_starttls: true });
    expect((await update(ann, { id, transport_auth: 'none' })).data).toMatchObject({ transport_auth: 'none' });
    expect((await update(ann, { id, ...out })).data).toMatchObject({ transport_server: 'evil.test.invalid' });
    expect(await update(ann, { id, transport_auth: 'mail' })).toMatchObject(lacks('password'));
    const custom = { transport_auth: 'custom', transport_login: 'o', transport_password: 'hush on the way out' };
    expect((await update(ann, { id, ...custom })).data).toMatchObject({ transport_auth: 'custom' });
    expect(await update(ann, { id, transport_url: 'smtp://third.test.invalid' })).toMatchObject(
      lacks('transport_password'),
    );
    const both = { ...elsewhere, password: 'hush hush hush' };
    expect((await update(ann, { id, ...both })).data).toMatchObject({ mail_server: 'evil.test.invalid' });
    expect(await readAccountRow(ann, id)).not.toEqual(before);
  });

  it('get a unified account with the first one that takes part', async () => {
    const ann = await someone();
    const id = await created(ann, { unified_inbox_enabled: true });
    expect((await ann.get('account', 'all', { columns: '1001' })).data).toEqual([[0], [id]]);
    expect((await get(ann, id + 1)).data).toMatchObject({ mail_protocol: 'unifiedinbox' });
    expect((await get(ann, id + 1)).data).not.toHaveProperty('mail_url');
    expect((await create(ann, { primary_address: 'u@test.invalid', mail_protocol: 'unifiedinbox' })).code).toBe(
      'ACC-0011',
    );
    expect((await ann.put('account', 'delete', {}, [id, id + 1])).code).toBe('ACC-0006');
    expect((await get(ann, id)).data).toMatchObject({ id, unified_inbox_enabled: true });
  });

  it('are limited to the primary one without the permission', async () => {
    const contextId = await createContext(cast.admin, 'single');
    const single = await createTestUser(world, cast.admin, contextId, 'single');
    const id = await created(single);
    await cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${single.userId}/module-access`, {
      flags: { multiplemailaccounts: false },
    });
    expect((await create(single, { primary_address: 'z@test.invalid' })).code).toBe('ACC-0014');
    expect((await get(single, id)).code).toBe('ACC-0014');
    expect((await single.get('account', 'status', { id })).code).toBe('ACC-0014');
    expect((await single.put('account', 'validate', {}, body())).code).toBe('ACC-0014');
    expect((await single.get('account', 'all', { columns: '1001' })).data).toEqual([[0]]);
  });

  it('are seen by their user alone', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann);
    await created(cast.X1, { name: 'foreign' });
    for (const other of [bob, cast.X1]) expect((await get(other, id)).data?.login ?? 'none').not.toBe('own');
    expect((await get(bob, id)).code).toBe('ACC-0002');
    expect((await bob.put('account', 'delete', {}, [id])).data).toEqual([]);
    expect((await update(bob, { id, name: 'x' })).code).toBe('ACC-0002');
    expect((await get(ann, id)).data.name).toBe('Work');
  });

  it('go with their user', async () => {
    const ann = await someone();
    await created(ann);
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      const rows = async () =>
        (await database.query('select 1 from mail_account.account where user_id = $1', [ann.userId])).rowCount;
      expect(await rows()).toBe(1);
      await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}`);
      const end = Date.now() + 10_000;
      while ((await rows()) !== 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
      expect(await rows()).toBe(0);
    } finally {
      await database.end();
    }
  });
});

describe('primary accounts', () => {
  it('have the servers that an administrator sets', async () => {
    const ann = await someone();
    expect((await get(ann, 0)).data).toMatchObject({
      addresses: ann.email,
    });
    const path = `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}/mail-account`;
    const own = new AdminClient(world.internalUrl, 'admin', PASSWORD);
    const stored = await own.expect('PUT', path, {
      imap: { host: 'imap.test', secure: true, login: 'mail-ann' },
      smtp: { host: 'smtp.test', port: 587, starttls: true },
    });
    expect(stored).toEqual({
      imap: { host: 'imap.test', port: 993, secure: true, starttls: false, login: 'mail-ann' },
      smtp: { host: 'smtp.test', port: 587, secure: false, starttls: true },
    });
    expect((await get(ann, 0)).data).toMatchObject({
      name: 'E-Mail',
      login: 'mail-ann',
      mail_url: 'imaps://imap.test:993',
      transport_url: 'smtp://smtp.test:587',
      transport_starttls: true,
      primary_address: ann.email,
    });
    await own.expect('PATCH', path.replace('/mail-account', ''), { imap: null });
    expect((await get(ann, 0)).data).toMatchObject({ login: ann.email, transport_server: 'smtp.test' });
    expect((await get(ann, 0)).data).not.toHaveProperty('mail_url');
    expect(await own.expect('PUT', path, { imap: { login: 'ann2' } })).toEqual({ imap: { login: 'ann2' } });
    expect((await get(ann, 0)).data).toMatchObject({ login: 'ann2' });
  });

  it('follow the properties of the installation', async () => {
    const ann = await someone();
    const set = (key: string, value: string) =>
      cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}/config/${key}`, { value });
    await set('com.example.mail.mailServer', 'imaps://central.test');
    await set('com.example.mail.loginSource', 'name');
    const end = Date.now() + 5_000;
    let data = (await get(ann, 0)).data;
    while (!data.mail_url && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      data = (await get(ann, 0)).data;
    }
    expect(data).toMatchObject({ mail_url: 'imaps://central.test:993', login: ann.loginName.split('@')[0] });
  });
});

describe('passwords at rest', () => {
  it('are sealed for their row and sealed again with a newer key', async () => {
    const ann = await someone();
    const id = await created(ann, {
      transport_auth: 'custom',
      transport_login: 'o',
      transport_password: 'hush on the way out',
    });
    const before = await readAccountRow(ann, id);
    expect(JSON.stringify(before)).not.toContain('hush');
    const same = await cast.admin.expect('POST', '/admin/v1/mail-accounts/reseal');
    expect(same).toMatchObject({ resealed: 0, unreadable: 0 });
    expect(same.checked).toBeGreaterThanOrEqual(2);
    expect(await readAccountRow(ann, id)).toEqual(before);
  });
});
