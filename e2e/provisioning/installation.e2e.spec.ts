import { randomBytes } from 'node:crypto';
import { hashSync } from '@node-rs/argon2';
import { dropDatabases } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { created, HOUR } from '../calendar/calendar';
import { createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const LEASE_MS = 300;
const SHARD = `shard_${randomBytes(6).toString('hex')}`;
const shardUrl = Object.assign(new URL(process.env.DATABASE_URL!), { pathname: `/${SHARD}` }).href;
let world: TestEnvironment;
let master: AdminClient;
let serial = 0;

async function withClient<T>(url: string, work: (client: Database) => Promise<T>): Promise<T> {
  const client = new Database({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const sql = <T extends object>(url: string, text: string, params: unknown[] = []): Promise<T[]> =>
  withClient(url, async (client) => (await client.query<T>(text, params)).rows);

beforeAll(async () => {
  await sql(process.env.DATABASE_URL!, `create database ${SHARD}`);
  world = await startTestEnvironment({
    variables: {
      DATABASE_URLS: `second=${shardUrl} third=${shardUrl}_none`,
      SHARD_LEASE_MS: String(LEASE_MS),
      IDENTITY_MASTER_ADMINS: `second:{ARGON2}${hashSync(PASSWORD, { memoryCost: 64, timeCost: 1 })}`,
    },
    properties: {
      'com.example.contexts.pre-assembly.enabled': 'true',
      'com.example.user.defaultTimezone': 'Europe/Lisbon',
    },
  });
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await dropDatabases(SHARD);
});

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const context = (parts: object = {}) => {
  const name = `inst-${++serial}-${Math.random()}`;
  const admin = { name: 'admin', password: PASSWORD, surname: 'Min', email: `a@${name}.example` };
  return { name, admin, ...parts };
};
const refusal = async (method: string, path: string, body?: object) => {
  const answer = await master.request(method, `/admin/v1${path}`, body);
  return [answer.status, answer.body?.code];
};
const ask = (method: string, path: string, body?: object) => master.expect(method, `/admin/v1${path}`, body);

async function ended(contextId: number, jobId: string): Promise<any> {
  for (;;) {
    const job = await ask('GET', `/contexts/${contextId}/jobs/${jobId}`);
    if (job.state !== 'running') return job;
    await pause(50);
  }
}

describe('further master administrators', () => {
  it('may do what the first one may', async () => {
    const second = new AdminClient(world.internalUrl, 'second', PASSWORD);
    const { id } = await second.expect('POST', '/admin/v1/contexts', context());
    expect((await second.expect('GET', `/admin/v1/contexts/${id}/users/2`)).isAdmin).toBe(true);
    const logins = `/admin/v1/login-statistics/contexts/${id}/users/2/last-logins`;
    expect((await second.request('GET', logins)).status).toBe(200);
    for (const [login, password] of [
      ['second', 'wrong'],
      ['third', PASSWORD],
    ] as const)
      expect(
        (await new AdminClient(world.internalUrl, login, password).request('GET', '/admin/v1/contexts')).status,
      ).toBe(401);
  });
});

describe('file stores', () => {
  it('are registered, changed, counted and forgotten', async () => {
    const { body: store, status } = await master.request('POST', '/admin/v1/filestores', {
      uri: 's3://bucket/prefix?endpoint=http://127.0.0.1:1',
      sizeMb: 1000,
      maxContexts: 1,
    });
    expect([status, store.contexts, store.usedMb]).toEqual([201, 0, 0]);
    const { id } = await ask('POST', '/contexts', context({ filestoreId: store.id }));
    expect(await ask('GET', `/filestores/${store.id}`)).toMatchObject({ contexts: 1, sizeMb: 1000 });
    expect(await refusal('POST', '/contexts', context({ filestoreId: store.id }))).toEqual([400, 'INST-0011']);
    expect(await refusal('DELETE', `/filestores/${store.id}`)).toEqual([409, 'INST-0002']);
    expect((await ask('PATCH', `/filestores/${store.id}`, { maxContexts: 7 })).maxContexts).toBe(7);
    expect((await ask('GET', `/contexts/count?filestore=${store.id}`)).count).toBe(1);
    expect((await ask('DELETE', `/contexts/${id}`)).state).toBe('done');
    expect((await master.request('DELETE', `/admin/v1/filestores/${store.id}`)).status).toBe(204);
    expect((await ask('GET', '/filestores')).items.map((each: { id: number }) => each.id)).toEqual([1]);
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as [string, object?][])
      expect(await refusal(method, '/filestores/4711', body)).toEqual([404, 'INST-0001']);
    for (const uri of ['ftp://x', 's3://key@bucket/', 'nothing'])
      expect(await refusal('POST', '/filestores', { uri })).toEqual([400, 'INST-0007']);
    expect(await refusal('PATCH', '/filestores/1', { uri: 'file:///elsewhere' })).toEqual([400, 'INST-0007']);
  });
});

describe('named module access', () => {
  it('is made by operators and used by contexts and users', async () => {
    const body = { flags: ['contacts', 'webmail', 'calendar'] };
    expect(await ask('PUT', '/access-combinations/small', body)).toMatchObject({ name: 'small', builtIn: false });
    const { id } = await ask('POST', '/contexts', context({ moduleAccess: { combination: 'small' } }));
    expect(await ask('GET', `/contexts/${id}/module-access`)).toMatchObject({
      combination: 'small',
      flags: { calendar: true, tasks: false },
    });
    const names = (await ask('GET', '/access-combinations')).items.map((each: { name: string }) => each.name);
    expect(names).toEqual(expect.arrayContaining(['small', 'groupware_plus', 'all']));
    expect((await ask('GET', '/access-combinations/small')).flags).toEqual(['calendar', 'contacts', 'webmail']);
    expect(await refusal('PUT', '/access-combinations/small', { flags: ['flying'] })).toEqual([400, 'PROV-0009']);
    expect(await refusal('PUT', '/access-combinations/all', body)).toEqual([409, 'INST-0009']);
    expect(await refusal('DELETE', '/access-combinations/all')).toEqual([409, 'INST-0009']);
    expect((await master.request('DELETE', '/admin/v1/access-combinations/small')).status).toBe(204);
    for (const method of ['GET', 'DELETE'])
      expect(await refusal(method, '/access-combinations/small')).toEqual([404, 'INST-0008']);
    // Access that was given stays.
    expect((await ask('GET', `/contexts/${id}/module-access`)).flags.calendar).toBe(true);
  });
});

describe('what contexts stand on', () => {
  it('is listed by pages, searched, and shown in part', async () => {
    for (const name of ['list-one', 'list-two', 'other'])
      await ask('PUT', `/access-combinations/${name}`, { flags: ['contacts', 'webmail'] });
    const found = await ask('GET', '/access-combinations?q=list-*&limit=1&fields=name');
    expect(found).toEqual({ items: [{ name: 'list-one' }], next: 'list-one' });
    expect(await ask('GET', '/access-combinations?q=LIST-*&fields=name&after=list-one')).toEqual({
      items: [{ name: 'list-two' }],
    });
    expect(await refusal('GET', '/access-combinations?after=nothing')).toEqual([400, 'REST-0400']);
    const all = [await ask('GET', '/filestores?limit=1000'), await ask('GET', '/schemas')];
    expect(await ask('GET', `/filestores?fields=id&limit=1`)).toMatchObject({ items: [{ id: all[0].items[0].id }] });
    expect(await ask('GET', '/schemas?q=default&fields=schema')).toEqual({ items: [{ schema: 'default' }] });
    const jobs = await ask('GET', '/jobs?q=delete-*&fields=kind&limit=1');
    expect(jobs.items).toEqual([{ kind: 'delete-context' }]);
  });

  it('is made once per idempotency key, and its deletion may find nothing', async () => {
    const send = (path: string, body: object) =>
      master.request('POST', `/admin/v1${path}`, body, { 'idempotency-key': `once:${path}` });
    const store = { uri: 's3://key:secret@bucket/once?endpoint=http://127.0.0.1:1', maxContexts: 0 };
    const [made, again] = [await send('/filestores', store), await send('/filestores', store)];
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      201,
      made.body,
      `/admin/v1/filestores/${made.body.id}`,
    ]);
    const badKey = await master.request('POST', '/admin/v1/filestores', store, { 'idempotency-key': 'two words' });
    expect([badKey.status, badKey.body.code]).toEqual([400, 'REST-0400']);
    const other = { uri: 's3://bucket/elsewhere?endpoint=http://127.0.0.1:1' };
    expect((await send('/filestores', other)).body.code).toBe('PROV-0010');
    for (const [path, body] of [
      ['/schemas', { schema: 'twice', dsnRef: 'third', state: 'closed' }],
      ['/contexts/pre-assemble', { schema: 'default', number: 1 }],
    ] as const)
      expect(
        await master.request('POST', `/admin/v1${path}`, body, { 'idempotency-key': 'once:/filestores' }),
      ).toMatchObject({ status: 422, body: { code: 'PROV-0010' } });
    const schema = { schema: 'once', dsnRef: 'third', state: 'closed' };
    const [shard, sameShard] = [await send('/schemas', schema), await send('/schemas', schema)];
    expect([shard.status, sameShard.status, sameShard.body]).toEqual([201, 201, shard.body]);
    const order = { schema: 'default', number: 1 };
    const [first, second] = [await send('/contexts/pre-assemble', order), await send('/contexts/pre-assemble', order)];
    expect(second.body).toEqual(first.body);
    await ask('POST', '/contexts', context());
    for (const path of ['/schemas/once', `/filestores/${made.body.id}`, '/access-combinations/other']) {
      const statuses: number[] = [];
      for (const query of ['', '', '?missing_ok=true'])
        statuses.push((await master.request('DELETE', `/admin/v1${path}${query}`)).status);
      expect([path, ...statuses]).toEqual([path, 204, 404, 200]);
    }
  });
});

describe('limits and counts', () => {
  it('of a context', async () => {
    const { id } = await ask('POST', '/contexts', context());
    expect((await ask('GET', `/contexts/${id}/users/2`)).timezone).toBe('Europe/Lisbon');
    expect(await ask('GET', `/contexts/${id}/quota`)).toEqual({ filestoreMb: -1, items: {} });
    const quota = { filestoreMb: 10.5, items: { calendar: 1000, attachments: -1 } };
    expect(await ask('PUT', `/contexts/${id}/quota`, quota)).toEqual(quota);
    expect(await ask('GET', `/contexts/${id}/quota`)).toEqual(quota);
    expect(await ask('PUT', `/contexts/${id}/quota`, { filestoreMb: 1 })).toEqual({ ...quota, filestoreMb: 1 });
    expect((await ask('GET', `/contexts/${id}`)).quotaMb).toBe(1);
    expect(await refusal('PUT', `/contexts/${id}/quota`, { filestoreMb: 1, items: { x: 1 } })).toEqual([
      400,
      'PROV-0019',
    ]);
    for (const [method, path, body] of [
      ['GET', '/quota'],
      ['PUT', '/quota', { filestoreMb: 1 }],
      ['GET', '/users/count'],
      ['POST', '/move', { schema: 'default' }],
    ] as [string, string, object?][])
      expect(await refusal(method, `/contexts/999999999${path}`, body)).toEqual([404, 'CTX-0002']);
    expect(await ask('GET', `/contexts/${id}/users/count`)).toEqual({ count: 1 });
    const { count } = await ask('GET', '/contexts/count');
    await ask('PUT', `/contexts/${id}/state`, { enabled: false });
    expect((await ask('GET', '/contexts/count?enabled=true')).count).toBe(count - 1);
  });
});

describe('pre-assembly (conformance scenarios)', () => {
  it('makes empty contexts that nobody sees, and creations claim them', async () => {
    const { contextIds } = await ask('POST', '/contexts/pre-assemble', { schema: 'default', number: 2 });
    expect(contextIds).toHaveLength(2);
    const listed = await ask('GET', '/contexts?limit=1000');
    expect(listed.items.map((each: { id: number }) => each.id)).not.toContain(contextIds[0]);
    const waiting = await ask('GET', '/contexts?state=provisioning&limit=1000');
    expect(waiting.items).toMatchObject(contextIds.map((id: number) => ({ id, enabled: false, loginMappings: [] })));
    const claimed = await Promise.all([1, 2, 3].map(() => ask('POST', '/contexts', context())));
    expect(claimed.map(({ id }) => id)).toEqual(expect.arrayContaining(contextIds));
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(3);
    for (const { id, state, enabled, filestoreId } of claimed) {
      expect([state, enabled, filestoreId]).toEqual(['ready', true, 1]);
      await createTestUser(world, master, id, 'someone');
    }
  });

  it('refuses what is not there', async () => {
    const attempt = (parts: object) =>
      refusal('POST', '/contexts/pre-assemble', { schema: 'default', number: 1, ...parts });
    expect(await attempt({ schema: 'nowhere' })).toEqual([400, 'INST-0010']);
    expect(await attempt({ filestore_id: 4711 })).toEqual([400, 'INST-0011']);
    for (const number of [0, 1001, 'x']) expect(await attempt({ number })).toEqual([400, 'SVL-0031']);
  });
});

describe('shards', () => {
  const rowsOf = (url: string, contextId: number) => withClient(url, (client) => readRows(client, contextId));
  const readRows = async (client: Database, contextId: number) => {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.columns
       where column_name = 'context_id' and table_schema not in ('identity', 'registry')
         and table_name not in ('outbox')`,
    );
    const found: Record<string, string[]> = {};
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${name} t where context_id = $1 order by 1`,
        [contextId],
      );
      if (rows.length > 0) found[name] = rows.map(({ row }) => row);
    }
    return found;
  };
  const eventually = async (check: () => Promise<boolean>) => {
    while (!(await check())) await pause(50);
  };
  let player: TestUser;
  let id: number;

  it('are registered by the name of an address, and take contexts once every process knows them', async () => {
    expect(await refusal('POST', '/schemas', { schema: 'b', dsnRef: 'nothing' })).toEqual([400, 'INST-0006']);
    expect(await ask('POST', '/schemas', { schema: 'b', dsnRef: 'second', maxContexts: 2 })).toEqual({
      schema: 'b',
      dsnRef: 'second',
      maxContexts: 2,
      contexts: 0,
      state: 'open',
    });
    expect(await refusal('POST', '/schemas', { schema: 'b', dsnRef: 'second' })).toEqual([409, 'INST-0004']);
    await pause(2 * LEASE_MS + 100);
    const made = await ask('POST', '/contexts', context({ schema: 'b' }));
    expect(made.schema).toBe('b');
    const there = await createTestUser(world, master, made.id, 'there');
    await created(there, { title: 'on b', start_date: Date.UTC(2031, 0, 1), end_date: Date.UTC(2031, 0, 1) + HOUR });
    expect(await rowsOf(world.environment.DATABASE_URL!, made.id)).toEqual({});
    expect(Object.keys(await rowsOf(shardUrl, made.id))).toContain('calendar.appointment');
    expect((await ask('PATCH', '/schemas/b', { state: 'closed' })).contexts).toBe(1);
    expect(await refusal('POST', '/contexts', context({ schema: 'b' }))).toEqual([400, 'INST-0010']);
    await ask('PATCH', '/schemas/b', { state: 'open' });
    expect((await ask('GET', '/schemas')).items.map((each: { schema: string }) => each.schema)).toEqual([
      'default',
      'b',
    ]);
    expect((await ask('GET', '/schemas/b')).contexts).toBe(1);
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as [string, object?][])
      expect(await refusal(method, '/schemas/nowhere', body)).toEqual([404, 'INST-0003']);
  }, 120_000);

  it('exchange contexts with all their data, while nobody can work in them', async () => {
    id = (await ask('POST', '/contexts', context({ schema: 'default' }))).id;
    player = await createTestUser(world, master, id, 'mover');
    const appointment = await created(player, {
      title: 'moves',
      start_date: Date.UTC(2031, 0, 1),
      end_date: Date.UTC(2031, 0, 1) + HOUR,
    });
    await eventually(async () => {
      const waiting = await sql(world.environment.DATABASE_URL!, 'select from calendar.outbox where context_id = $1', [
        id,
      ]);
      return waiting.length === 0;
    });
    const before = await rowsOf(world.environment.DATABASE_URL!, id);
    expect(Object.keys(before)).toContain('calendar.appointment');
    const send = () =>
      master.request('POST', `/admin/v1/contexts/${id}/move`, { schema: 'b' }, { 'idempotency-key': 'move-once' });
    const job = await send();
    expect((await send()).body.id).toBe(job.body.id);
    expect(job).toMatchObject({ status: 202, body: { kind: 'move-context', contextId: id } });
    expect(await refusal('POST', `/contexts/${id}/move`, { schema: 'b' })).toEqual([409, 'INST-0014']);
    const away = await player.get('calendar', 'all', { columns: '1', start: 0, end: 1 });
    expect(['SES-0203', 'CTX-0007']).toContain(away.code);
    expect((await player.copy().login(player.loginName, PASSWORD)).code).toBe('SES-0204');
    expect(await ended(id, job.body.id)).toMatchObject({ state: 'done', errors: [] });
    expect(await rowsOf(world.environment.DATABASE_URL!, id)).toEqual({});
    expect(await rowsOf(shardUrl, id)).toEqual(before);
    expect(await ask('GET', `/contexts/${id}`)).toMatchObject({ schema: 'b', state: 'ready' });
    expect((await ask('GET', '/schemas/b')).contexts).toBe(2);
    await player.login(player.loginName, PASSWORD);
    const read = await player.get('calendar', 'get', { id: appointment, folder: player.folder });
    expect(read.data.title).toBe('moves');
    const next = { title: 'new', start_date: Date.UTC(2031, 0, 2), end_date: Date.UTC(2031, 0, 2) + HOUR };
    expect(await created(player, next)).not.toBe(appointment);
    expect(await refusal('POST', '/contexts', context({ schema: 'b' }))).toEqual([400, 'INST-0010']);
  }, 120_000);

  it('stay whole when a move fails, and go home again', async () => {
    await ask('POST', '/schemas', { schema: 'c', dsnRef: 'third' });
    await pause(2 * LEASE_MS + 100);
    const before = await rowsOf(shardUrl, id);
    const failing = await ask('POST', `/contexts/${id}/move`, { schema: 'c' });
    expect(await ended(id, failing.id)).toMatchObject({ state: 'failed', errors: [{}] });
    expect(await rowsOf(shardUrl, id)).toEqual(before);
    expect((await ask('GET', `/contexts/${id}`)).state).toBe('ready');
    expect((await master.request('DELETE', '/admin/v1/schemas/c')).status).toBe(204);
    expect(await refusal('DELETE', '/schemas/b')).toEqual([409, 'INST-0005']);
    expect(await refusal('POST', `/contexts/${id}/move`, { schema: 'nowhere' })).toEqual([400, 'INST-0010']);
    expect(await refusal('POST', `/contexts/${id}/move`, { filestoreId: 9 })).toEqual([400, 'INST-0011']);
    const home = await ask('POST', `/contexts/${id}/move`, { schema: 'default' });
    expect((await ended(id, home.id)).state).toBe('done');
    expect(await rowsOf(world.environment.DATABASE_URL!, id)).toEqual(before);
    await player.login(player.loginName, PASSWORD);
    expect((await player.get('calendar', 'all', { columns: '1', start: 0, end: 4e12 })).data).toHaveLength(2);
  }, 120_000);

  it('leave a trace in the list of jobs', async () => {
    const { items, next } = await ask('GET', '/jobs?kind=move-context&limit=2');
    expect(items).toMatchObject([
      { contextId: id, state: 'done' },
      { contextId: id, state: 'failed' },
    ]);
    expect((await ask('GET', `/jobs?kind=move-context&limit=2&after=${next}`)).items).toHaveLength(1);
    expect((await ask('GET', `/contexts/${id}/jobs?state=failed`)).items).toHaveLength(1);
    expect(await ask('GET', `/jobs/${items[0].id}`)).toMatchObject({ id: items[0].id });
    expect((await ask('DELETE', `/jobs/${items[0].id}`)).state).toBe('done');
    expect((await ask('DELETE', `/contexts/${id}/jobs/${items[0].id}`)).state).toBe('done');
    for (const [method, path] of [
      ['GET', '/jobs/none'],
      ['DELETE', '/jobs/none'],
      ['DELETE', `/contexts/${id}/jobs/none`],
    ] as const)
      expect(await refusal(method, path)).toEqual([404, 'PROV-0012']);
  });
});
