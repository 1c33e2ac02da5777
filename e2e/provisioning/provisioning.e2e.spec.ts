import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { run } from '@groupware/svcctl';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let master: AdminClient;
let contextId: number;
let base: string;
let admin: AdminClient;

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ['identity', 'gateway'] });
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'rest');
  base = `/admin/v1/contexts/${contextId}`;
  admin = new AdminClient(world.internalUrl, 'admin', PASSWORD);
}, 120_000);
afterAll(() => world?.close());

const person = (name: string, parts: object = {}) => ({
  name,
  password: PASSWORD,
  givenName: name,
  surname: 'Person',
  primaryEmail: `${name}@c${contextId}.example`,
  ...parts,
});
const context = (parts: object = {}) => ({
  admin: { name: 'admin', password: PASSWORD, surname: 'Min', email: `a${Math.random()}@x.example` },
  ...parts,
});
/** Status and code of an answer. */
const refusal = async (answer: Promise<{ status: number; body: any }>) => {
  const { status, body } = await answer;
  return [status, body?.code];
};

describe('contexts over REST', () => {
  it('are created with Location, read with ETag, changed under If-Match', async () => {
    const created = await master.request('POST', '/admin/v1/contexts', context({ name: 'one' }));
    expect(created.status).toBe(201);
    const path_ = created.headers.get('location')!;
    expect(path_).toBe(`/admin/v1/contexts/${created.body.id}`);
    const read = await master.request('GET', path_);
    expect(read).toMatchObject({ status: 200, body: { name: 'one', version: 1 } });
    expect(read.headers.get('etag')).toBe('"1"');
    expect(await refusal(master.request('PATCH', path_, { quotaMb: 5 }, { 'if-match': '"9"' }))).toEqual([
      412,
      'REST-0412',
    ]);
    expect(await master.request('PATCH', path_, { quotaMb: 5 }, { 'if-match': '"1"' })).toMatchObject({
      status: 200,
      body: { quotaMb: 5, version: 2 },
    });
    const listed = await master.expect('GET', '/admin/v1/contexts?mapping=one&fields=id');
    expect(listed).toEqual({ items: [{ id: created.body.id }] });
    const job = await master.request('DELETE', path_);
    expect(job).toMatchObject({ status: 202, body: { state: 'done' } });
    expect((await master.request('GET', job.headers.get('location')!)).status).toBe(200);
    expect(await refusal(master.request('DELETE', path_))).toEqual([404, 'CTX-0002']);
    expect((await master.request('DELETE', `${path_}?missing_ok=true`)).status).toBe(200);
  });

  it('refuse what is taken, with all bad fields of a body at once', async () => {
    const made = await master.expect('POST', '/admin/v1/contexts', context({ name: 'taken', loginMappings: ['mine'] }));
    const create = (parts: object) => refusal(master.request('POST', '/admin/v1/contexts', context(parts)));
    expect(await create({ id: made.id })).toEqual([409, 'PROV-0004']);
    expect(await create({ loginMappings: ['MINE'] })).toEqual([409, 'PROV-0003']);
    expect(await refusal(master.request('PATCH', base, { loginMappings: ['mine'] }))).toEqual([409, 'PROV-0003']);
    const { email } = (await master.expect('GET', `/admin/v1/contexts/${made.id}/users/2`)).aliases.map(
      (address: string) => ({
        email: address,
      }),
    )[0];
    const twice = context();
    twice.admin.email = email;
    expect(await refusal(master.request('POST', '/admin/v1/contexts', twice))).toEqual([409, 'PROV-0002']);
    const bad = await master.request('POST', '/admin/v1/contexts', {
      id: 'x',
      admin: { name: 'no blank', email: 'none' },
    });
    expect(bad.status).toBe(400);
    const names = bad.body.problematic.map((problem: { name: string }) => problem.name);
    expect(names).toEqual(
      expect.arrayContaining(['id', 'admin.name', 'admin.email', 'admin.password', 'admin.surname']),
    );
  });

  it('are not made in advance unless that is switched on', async () => {
    const body = { schema: 'default', number: 1 };
    expect(await refusal(master.request('POST', '/admin/v1/contexts/pre-assemble', body))).toEqual([503, 'INST-0012']);
  });

  it('answer a repeated POST as the first time', async () => {
    const body = context({ name: 'repeated' });
    const send = (parts: object = body) =>
      master.request('POST', '/admin/v1/contexts', parts, { 'idempotency-key': 'repeat-1' });
    const [first, second] = [await send(), await send()];
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(await refusal(send({ ...body, name: 'different' }))).toEqual([422, 'PROV-0010']);
  });

  it('refuse a key that another request of theirs used', async () => {
    const id = await createContext(master, 'keys');
    const at = `/admin/v1/contexts/${id}`;
    const send = (operation: string, body: object) =>
      master.request('POST', `${at}/${operation}`, body, { 'idempotency-key': 'theirs' });
    const form = new FormData();
    form.append('file', new Blob(['name\nsomebody\n']), 'users.csv');
    const job = await master.expect('POST', `${at}/import?kind=groups`, form);
    expect((await send('groups', { name: 'first' })).status).toBe(201);
    for (const [operation, body] of [
      ['groups', { name: 'second' }],
      ['users', person('late', { primaryEmail: `late@c${id}.example` })],
      ['resources', { name: 'room', displayName: 'Room', email: `room@c${id}.example` }],
      ['import?kind=groups', form],
      [`jobs/${job.id}/passwords`, {}],
      ['move', { schema: 'default' }],
    ] as const)
      expect([operation, ...(await refusal(send(operation, body)))]).toEqual([operation, 422, 'PROV-0010']);
  });

  it('have state, access and properties', async () => {
    const id = await createContext(master, 'settings');
    const at = `/admin/v1/contexts/${id}`;
    expect((await master.expect('PUT', `${at}/state`, { enabled: false, reason: 'unpaid' })).reason).toBe('unpaid');
    const local = new AdminClient(world.internalUrl, 'admin', PASSWORD);
    expect((await local.request('GET', at)).status).toBe(401);
    expect((await master.expect('PUT', `${at}/state`, { enabled: true })).enabled).toBe(true);
    expect((await master.expect('PUT', `${at}/module-access`, { combination: 'premium' })).flags.ical).toBe(true);
    expect((await master.expect('GET', `${at}/module-access`)).combination).toBe('premium');
    expect(await refusal(master.request('PUT', `${at}/module-access`, { combination: 'none' }))).toEqual([
      400,
      'PROV-0009',
    ]);
    const property = `${at}/config/com.example.sessiond.maxSessionPerUser`;
    expect(await refusal(master.request('GET', property))).toEqual([404, 'PROV-0015']);
    expect(await master.expect('PUT', property, { value: 7 })).toMatchObject({ value: 7 });
    expect((await master.expect('GET', property)).value).toBe(7);
    expect(await refusal(master.request('PUT', property, { value: 'x' }))).toEqual([400, 'PROV-0014']);
    expect(await refusal(master.request('PUT', `${at}/config/com.example.unknown`, { value: 1 }))).toEqual([
      400,
      'PROV-0013',
    ]);
    expect((await master.request('DELETE', property)).status).toBe(204);
    expect(await refusal(master.request('DELETE', property))).toEqual([404, 'PROV-0015']);
    expect(await refusal(local.request('GET', property))).toEqual([401, 'REST-0401']);
  });

  it('are unknown where they do not exist, in every operation', async () => {
    const nowhere = '/admin/v1/contexts/999999999';
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { quotaMb: 1 }],
      ['PUT', '/state', { enabled: true }],
      ['GET', '/module-access'],
      ['PUT', '/module-access', {}],
      ['GET', '/config/x'],
      ['PUT', '/config/x', { value: 1 }],
      ['DELETE', '/config/x'],
      ['GET', '/users'],
      ['POST', '/users', person('x')],
      ['GET', '/groups'],
      ['POST', '/groups', { name: 'x' }],
      ['GET', '/resources'],
      ['POST', '/resources', { name: 'x', email: 'x@x.example' }],
    ];
    for (const [method, suffix, body] of calls)
      expect([method, suffix, ...(await refusal(master.request(method, nowhere + suffix, body)))]).toEqual([
        method,
        suffix,
        404,
        'CTX-0002',
      ]);
    const csv = await master.request('POST', `${nowhere}/import?kind=users`, 'name\nx\n', {
      'content-type': 'text/csv',
    });
    expect([csv.status, csv.body.code]).toEqual([404, 'CTX-0002']);
  });
});

describe('users over REST', () => {
  it('are created, read, changed and deleted by the administrator of the context', async () => {
    const created = await admin.request('POST', `${base}/users`, person('ann', { phones: { mobile: '+1' } }));
    expect(created).toMatchObject({ status: 201, body: { name: 'ann', phones: { mobile: '+1' }, version: 1 } });
    expect(JSON.stringify(created.body)).not.toContain(PASSWORD);
    const at = created.headers.get('location')!;
    const stale = await admin.request('PATCH', at, { title: 'Dr.' }, { 'if-match': '"7"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'REST-0412']);
    expect(await admin.expect('PATCH', at, { title: 'Dr.', phones: null })).toMatchObject({ title: 'Dr.', phones: {} });
    expect((await admin.expect('GET', `${base}/users?q=ann`)).items).toHaveLength(1);
    expect((await admin.expect('GET', at)).version).toBe(2);
    for (const nobody of ['2147483648', '9999999999'])
      expect(await refusal(admin.request('DELETE', `${at}?reassignTo=${nobody}`))).toEqual([404, 'USR-0010']);
    expect((await admin.request('DELETE', `${at}?reassignTo=none`)).status).toBe(204);
    expect(await refusal(admin.request('GET', at))).toEqual([404, 'USR-0010']);
    expect((await admin.request('DELETE', `${at}?missing_ok=true`)).status).toBe(200);
  });

  it('refuse what is taken or not allowed', async () => {
    const { id } = await admin.expect('POST', `${base}/users`, person('bob'));
    const create = (name: string, parts: object = {}) =>
      refusal(admin.request('POST', `${base}/users`, person(name, parts)));
    expect(await create('BOB', { primaryEmail: 'free@x.example' })).toEqual([409, 'PROV-0001']);
    expect(await create('bob2', { primaryEmail: `BOB@c${contextId}.example` })).toEqual([409, 'PROV-0002']);
    expect(await create('bob3', { displayName: 'bob person' })).toEqual([409, 'PROV-0005']);
    expect(await create('bob4', { moduleAccess: { combination: 'premium' } })).toEqual([422, 'PROV-0008']);
    expect(await create('bob5', { locale: 'x' })).toEqual([400, 'USR-0023']);
    expect(await create('bob6', { aliases: ['no address'] })).toEqual([400, 'PROV-0019']);
    const other = await admin.expect('POST', `${base}/users`, person('carl'));
    const change = (body: object) => refusal(admin.request('PATCH', `${base}/users/${other.id}`, body));
    expect(await change({ name: 'bob' })).toEqual([409, 'PROV-0001']);
    expect(await change({ displayName: 'BOB Person' })).toEqual([409, 'PROV-0005']);
    expect(await change({ primaryEmail: `bob@c${contextId}.example` })).toEqual([409, 'PROV-0002']);
    expect(await change({ aliases: ['other@x.example'] })).toEqual([409, 'PROV-0007']);
    expect(await change({ aliases: [other.primaryEmail, '@'] })).toEqual([400, 'PROV-0019']);
    expect(await refusal(admin.request('DELETE', `${base}/users/2`))).toEqual([409, 'PROV-0006']);
    const access = `${base}/users/${id}/module-access`;
    expect((await admin.expect('PUT', access, { flags: { infostore: false } })).flags.infostore).toBe(false);
    expect((await admin.expect('GET', access)).flags.infostore).toBe(false);
    expect(await refusal(admin.request('PUT', access, { flags: { ical: true } }))).toEqual([422, 'PROV-0008']);
    expect(await refusal(admin.request('PUT', access, { flags: { x: true } }))).toEqual([400, 'PROV-0009']);
  });

  it('get new passwords, which end their sessions', async () => {
    const { id } = await admin.expect('POST', `${base}/users`, person('dora'));
    const client = new Client(world.publicUrl);
    await client.login(`dora@${contextId}`, PASSWORD);
    expect((await admin.request('PUT', `${base}/users/${id}/password`, { password: 'changed' })).status).toBe(204);
    expect((await client.get('user', 'get')).code).toBe('SES-0203');
    expect((await client.login(`dora@${contextId}`, PASSWORD)).code).toBe('LGI-0006');
    expect(await client.login(`dora@${contextId}`, 'changed')).toHaveProperty('session');
  });

  it('have properties of their own', async () => {
    const { id } = await admin.expect('POST', `${base}/users`, person('emil'));
    const property = `${base}/users/${id}/config/com.example.capability.drive`;
    expect(await refusal(admin.request('GET', property))).toEqual([404, 'PROV-0015']);
    expect(await admin.expect('PUT', property, { value: true })).toEqual({
      name: 'com.example.capability.drive',
      value: true,
    });
    expect((await admin.expect('GET', property)).value).toBe(true);
    expect(await refusal(admin.request('PUT', property, { value: 3 }))).toEqual([400, 'PROV-0014']);
    expect(await refusal(admin.request('PUT', `${base}/users/${id}/config/x`, { value: 3 }))).toEqual([
      400,
      'PROV-0013',
    ]);
    expect((await admin.request('DELETE', property)).status).toBe(204);
    expect(await refusal(admin.request('DELETE', property))).toEqual([404, 'PROV-0015']);
  });

  it('have mail servers, set with the user or by themselves', async () => {
    const imap = { host: 'imap.test', secure: true, login: 'mail-nia' };
    const made = await admin.expect('POST', `${base}/users`, person('nia', { imap }));
    const shown = { ...imap, port: 993, starttls: false };
    expect(made.imap).toEqual(shown);
    const at = `${base}/users/${made.id}`;
    const servers = { imap, smtp: { host: 'smtp.test', port: 587, starttls: true } };
    const put = await admin.expect('PUT', `${at}/mail-account`, servers);
    expect(put).toEqual({ imap: shown, smtp: { host: 'smtp.test', port: 587, secure: false, starttls: true } });
    expect(await admin.expect('GET', at)).toMatchObject(put);
    const changed = await admin.expect('PATCH', at, { imap: { secure: null, login: 'nia' }, smtp: null });
    expect(changed.imap).toEqual({ host: 'imap.test', port: 143, secure: false, starttls: false, login: 'nia' });
    expect(changed).not.toHaveProperty('smtp');
    expect(await admin.expect('PUT', `${at}/mail-account`, {})).toEqual({});
    const bad = { imap: { host: 'no host' } };
    const attempts = [
      admin.request('POST', `${base}/users`, person('nia2', bad)),
      admin.request('PATCH', at, bad),
      admin.request('PUT', `${at}/mail-account`, bad),
    ];
    for (const attempt of attempts) expect(await refusal(attempt)).toEqual([400, 'PROV-0019']);
    expect(await refusal(admin.request('PUT', `${at}/mail-account`, {}, { 'if-match': '"77"' }))).toEqual([
      412,
      'REST-0412',
    ]);
  });

  it('are unknown where they do not exist, in every operation', async () => {
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PUT', '/mail-account', {}],
      ['PATCH', '', { title: 'x' }],
      ['DELETE', ''],
      ['PUT', '/password', { password: 'x' }],
      ['GET', '/module-access'],
      ['PUT', '/module-access', {}],
      ['GET', '/config/x'],
      ['PUT', '/config/x', { value: 1 }],
      ['DELETE', '/config/x'],
    ];
    for (const [method, suffix, body] of calls)
      expect([
        method,
        suffix,
        ...(await refusal(admin.request(method, `${base}/users/999999${suffix}`, body))),
      ]).toEqual([method, suffix, 404, 'USR-0010']);
  });
});

describe('passwords that must be changed', () => {
  it('open no session until their user chose another one', async () => {
    const { id } = await admin.expect('POST', `${base}/users`, person('must'));
    const login = (password: string) => new Client(world.publicUrl).login(`must@${contextId}`, password);
    const renew = async (old_password: string, new_password: string) => {
      const body = JSON.stringify({ name: `must@${contextId}`, old_password, new_password });
      const answer = await fetch(`${world.publicUrl}/passwordchange?action=renew`, { method: 'PUT', body });
      return ((await answer.json()) as { code?: string }).code;
    };
    // Only a password that has expired is changed so.
    expect(await renew(PASSWORD, 'another password')).toBe('LGI-0006');
    await admin.expect('PUT', `${base}/users/${id}/password`, { password: 'given by the admin', mustChange: true });
    expect((await login('given by the admin')).code).toBe('LGI-0011');
    expect((await login('wrong')).code).toBe('LGI-0006');
    expect(await renew('wrong', 'chosen by the user')).toBe('LGI-0006');
    expect(await renew('given by the admin', 'short')).toBe('USR-0020');
    expect(await renew('given by the admin', 'x'.repeat(1025))).toBe('USR-0021');
    expect(await renew('given by the admin', 'with a bell \u0007')).toBe('USR-0015');
    expect(await renew('given by the admin', 'given by the admin')).toBe('USR-0026');
    expect(await renew('given by the admin', 'chosen by the user')).toBeUndefined();
    expect(await login('chosen by the user')).toHaveProperty('session');
    expect((await login('given by the admin')).code).toBe('LGI-0006');
    expect(await renew('chosen by the user', 'another password')).toBe('LGI-0006');
  });
});

describe('the password of an administrator that must be changed', () => {
  it('opens nothing of the REST API, as a wrong one does, until he chose another one', async () => {
    const id = await createContext(master, 'expired');
    const at = `/admin/v1/contexts/${id}`;
    const call = (password: string) => new AdminClient(world.internalUrl, 'admin', password).request('GET', at);
    expect((await call(PASSWORD)).status).toBe(200);
    const given = { password: 'given by the master', mustChange: true };
    expect((await master.request('PUT', `${at}/users/2/password`, given)).status).toBe(204);
    const [expired, wrong] = [await call(given.password), await call('wrong')];
    expect([expired.status, expired.body.code]).toEqual([401, 'REST-0401']);
    const { error_id: _one, ...same } = expired.body;
    expect(wrong.body).toMatchObject(same);
    const body = { name: `admin@${id}`, old_password: given.password, new_password: 'chosen by himself' };
    const renewal = await fetch(`${world.publicUrl}/passwordchange?action=renew`, {
      method: 'PUT',
      body: JSON.stringify(body),
    });
    expect(await renewal.json()).not.toHaveProperty('code');
    expect((await call('chosen by himself')).status).toBe(200);
  });
});

describe('groups and resources over REST', () => {
  it('groups have members', async () => {
    const { id: user } = await admin.expect('POST', `${base}/users`, person('fay'));
    const created = await admin.request('POST', `${base}/groups`, { name: 'team', members: [user] });
    expect(created).toMatchObject({ status: 201, body: { members: [user] } });
    const at = created.headers.get('location')!;
    expect((await admin.expect('GET', `${base}/groups`)).items.map((group: { id: number }) => group.id)).toContain(0);
    expect(await refusal(admin.request('POST', `${base}/groups`, { name: 'TEAM' }))).toEqual([409, 'GRP-0006']);
    expect(await refusal(admin.request('POST', `${base}/groups`, { name: 'x', members: [9999] }))).toEqual([
      400,
      'GRP-0007',
    ]);
    const { id: other } = await admin.expect('POST', `${base}/groups`, { name: 'other' });
    for (const displayName of ['all users', 'Standard group']) {
      const reserved = [409, 'GRP-0015'];
      expect(await refusal(admin.request('POST', `${base}/groups`, { name: 'some', displayName }))).toEqual(reserved);
      expect(await refusal(admin.request('PATCH', `${base}/groups/${other}`, { displayName }))).toEqual(reserved);
    }
    expect(await refusal(admin.request('PATCH', `${base}/groups/${other}`, { name: 'Team' }))).toEqual([
      409,
      'GRP-0006',
    ]);
    expect(await refusal(admin.request('PATCH', at, { members: [9999] }))).toEqual([400, 'GRP-0007']);
    expect(await refusal(admin.request('PATCH', `${base}/groups/0`, { members: [] }))).toEqual([409, 'GRP-0014']);
    expect(await refusal(admin.request('PATCH', at, {}, { 'if-match': '"8"' }))).toEqual([412, 'REST-0412']);
    expect((await admin.expect('PATCH', at, { members: [] })).members).toEqual([]);
    expect((await admin.request('PUT', `${at}/members/${user}`)).status).toBe(204);
    expect((await admin.expect('GET', at)).members).toEqual([user]);
    expect(await refusal(admin.request('PUT', `${at}/members/9999`))).toEqual([400, 'GRP-0007']);
    expect(await refusal(admin.request('PUT', `${base}/groups/0/members/${user}`))).toEqual([409, 'GRP-0014']);
    expect((await admin.request('DELETE', `${at}/members/${user}`)).status).toBe(204);
    expect(await refusal(admin.request('DELETE', `${at}/members/${user}`))).toEqual([404, 'PROV-0021']);
    expect(await refusal(admin.request('DELETE', `${base}/groups/0/members/${user}`))).toEqual([409, 'GRP-0014']);
    expect(await refusal(admin.request('DELETE', `${base}/groups/1`))).toEqual([409, 'GRP-0013']);
    expect((await admin.request('DELETE', at)).status).toBe(204);
    for (const [method, suffix, body] of [
      ['GET', ''],
      ['PATCH', '', {}],
      ['DELETE', ''],
      ['PUT', `/members/${user}`],
      ['DELETE', `/members/${user}`],
    ] as [string, string, object?][])
      expect(await refusal(admin.request(method, at + suffix, body))).toEqual([404, 'GRP-0017']);
  });

  it('resources have addresses', async () => {
    const room = { name: 'room', email: `room@c${contextId}.example`, type: 'ROOM', capacity: 5 };
    const created = await admin.request('POST', `${base}/resources`, room);
    expect(created).toMatchObject({ status: 201, body: { type: 'ROOM', capacity: 5 } });
    const at = created.headers.get('location')!;
    const create = (parts: object) => refusal(admin.request('POST', `${base}/resources`, { ...room, ...parts }));
    expect(await create({ email: 'free2@x.example' })).toEqual([409, 'RES-0006']);
    expect(await create({ name: 'room2' })).toEqual([409, 'RES-0010']);
    const { id: other } = await admin.expect('POST', `${base}/resources`, {
      name: 'car',
      email: `car@c${contextId}.example`,
    });
    const change = (body: object) => refusal(admin.request('PATCH', `${base}/resources/${other}`, body));
    expect(await change({ name: 'Room' })).toEqual([409, 'RES-0006']);
    expect(await change({ email: room.email })).toEqual([409, 'RES-0010']);
    const booking = (entity: number, group: boolean) => [{ entity, group, privilege: 'book_directly' }];
    for (const privileges of [booking(9999, false), booking(9999, true), booking(2, true)]) {
      expect(await create({ name: 'hall', email: `hall@c${contextId}.example`, privileges })).toEqual([
        400,
        'PROV-0019',
      ]);
      expect(await change({ privileges })).toEqual([400, 'PROV-0019']);
    }
    for (const privileges of [booking(2, false), booking(0, true)])
      expect((await admin.request('PATCH', `${base}/resources/${other}`, { privileges })).status).toBe(200);
    expect(await refusal(admin.request('PATCH', at, {}, { 'if-match': '"8"' }))).toEqual([412, 'REST-0412']);
    expect(await admin.expect('PATCH', at, { capacity: null, available: false })).toMatchObject({
      available: false,
      version: 2,
    });
    expect((await admin.expect('GET', at)).version).toBe(2);
    expect((await admin.expect('GET', `${base}/resources?q=room`)).items).toHaveLength(1);
    expect((await admin.request('DELETE', at)).status).toBe(204);
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as [string, object?][])
      expect(await refusal(admin.request(method, at, body))).toEqual([404, 'RES-0005']);
  });
});

describe('import over REST', () => {
  const send = (csv: string, query = 'kind=users') =>
    admin.request('POST', `${base}/import?${query}`, csv, { 'content-type': 'text/csv' });

  it('is a job with a result per row', async () => {
    const csv = `name,surname,email,password\ngil,G,gil@c${contextId}.example,pw\nhal,,hal@c${contextId}.example,pw\n`;
    const job = await send(csv);
    expect(job).toMatchObject({ status: 202, body: { state: 'done', result: { rows: 2, created: 1 } } });
    expect(job.body.result.errors).toEqual([
      { row: 3, field: 'surname', code: 'PROV-0019', error: expect.any(String) },
    ]);
    expect((await admin.request('GET', job.headers.get('location')!)).body).toEqual(job.body);
    expect(await refusal(admin.request('GET', `${base}/jobs/unknown`))).toEqual([404, 'PROV-0012']);
    expect(await refusal(send('name\ngil\n', 'kind=users&mode=sync'))).toEqual([409, 'PROV-0017']);
    const mapped = `Kürzel,surname,email,password\nida,I,ida@c${contextId}.example,pw\n`;
    expect((await send(mapped, `kind=users&map=${encodeURIComponent('Kürzel=name')}`)).body.result).toMatchObject({
      created: 1,
    });
    expect(await refusal(send(mapped, 'kind=users&map=x%3Dshoes'))).toEqual([400, 'PROV-0019']);
    const broken = await send('nothing,known\n1,2\n');
    expect(broken.body).toMatchObject({ state: 'failed', errors: [{ code: 'PROV-0016' }] });
  });
});

describe('administrators over REST', () => {
  it('answer for their own context only', async () => {
    const other = await createContext(master, 'foreign');
    const { id: plain } = await admin.expect('POST', `${base}/users`, person('ivo'));
    expect(plain).toBeGreaterThan(2);
    const attempts: [AdminClient, string][] = [
      [new AdminClient(world.internalUrl, 'ivo', PASSWORD), base],
      [new AdminClient(world.internalUrl, 'admin', 'wrong'), base],
      [new AdminClient(world.internalUrl, `admin@${contextId}`, PASSWORD), `/admin/v1/contexts/${other}`],
      [admin, '/admin/v1/contexts'],
    ];
    for (const [client, at] of attempts) {
      const answer = await client.request('GET', at);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
    expect((await fetch(`${world.publicUrl}${base}`)).status).toBe(404);
  });
});

describe('null in a change', () => {
  it('removes a value, and is refused where an object always has one', async () => {
    const id = await createContext(master, 'nulls');
    const at = `/admin/v1/contexts/${id}`;
    await master.expect('PATCH', at, { quotaMb: 7, taxonomyTypes: ['gold'], loginMappings: [`more-${id}`] });
    const bare = await master.expect('PATCH', at, { quotaMb: null, taxonomyTypes: null, loginMappings: null });
    expect(bare).toMatchObject({ quotaMb: -1, taxonomyTypes: [] });
    expect(bare.loginMappings).not.toContain(`more-${id}`);
    const capabilities = { add: ['alpha'], remove: ['beta'] };
    const user = await master.expect('POST', `${at}/users`, {
      ...person('nell', { capabilities, phones: { mobile: '1', home: '2' } }),
      primaryEmail: `nell@c${id}.example`,
      aliases: [`more@c${id}.example`],
    });
    const changed = await master.expect('PATCH', `${at}/users/${user.id}`, {
      capabilities: { remove: null },
      phones: { mobile: null },
      aliases: null,
    });
    expect(changed).toMatchObject({ capabilities: { add: ['alpha'], remove: [] }, aliases: [`nell@c${id}.example`] });
    expect(changed.phones).toEqual({ home: '2' });
    const group = await master.expect('POST', `${at}/groups`, { name: 'team', members: [user.id] });
    expect((await master.expect('PATCH', `${at}/groups/${group.id}`, { members: null })).members).toEqual([]);
    const room = { name: 'room', email: `room@c${id}.example`, privileges: [{ entity: 2, privilege: 'delegate' }] };
    const resource = await master.expect('POST', `${at}/resources`, room);
    const open = await master.expect('PATCH', `${at}/resources/${resource.id}`, { privileges: null });
    expect(open.privileges).toEqual([]);
    const calls: [string, object][] = [
      ['', { name: null }],
      [`/users/${user.id}`, { surname: null }],
      [`/groups/${group.id}`, { name: null }],
      [`/resources/${resource.id}`, { email: null }],
    ];
    for (const [suffix, body] of calls)
      expect([suffix, ...(await refusal(master.request('PATCH', at + suffix, body)))]).toEqual([
        suffix,
        400,
        'PROV-0019',
      ]);
  });
});

describe('the administrator of a context', () => {
  it('has contacts and webmail at least, whatever changes', async () => {
    const less = { flags: { contacts: false } };
    expect(await refusal(master.request('POST', '/admin/v1/contexts', context({ moduleAccess: less })))).toEqual([
      422,
      'PROV-0008',
    ]);
    expect(
      await refusal(master.request('POST', '/admin/v1/contexts', context({ moduleAccess: { combination: 'no' } }))),
    ).toEqual([400, 'PROV-0009']);
    expect(await refusal(master.request('PUT', `${base}/module-access`, less))).toEqual([422, 'PROV-0008']);
    const { id } = await admin.expect('POST', `${base}/users`, person('lea2', { moduleAccess: less }));
    expect(await refusal(master.request('PATCH', base, { adminUserId: id }))).toEqual([422, 'PROV-0008']);
    expect(await refusal(master.request('PATCH', base, { adminUserId: 9999 }))).toEqual([404, 'USR-0010']);
  });
});

describe('If-Match over REST', () => {
  it('guards every change and deletion of what has a version', async () => {
    const { id: user } = await admin.expect('POST', `${base}/users`, person('vera'));
    const { id: group } = await admin.expect('POST', `${base}/groups`, { name: 'versions' });
    const room = { name: 'versions', email: `versions@c${contextId}.example` };
    const { id: resource } = await admin.expect('POST', `${base}/resources`, room);
    const calls: [string, string, object?][] = [
      ['PATCH', '', { quotaMb: 1 }],
      ['DELETE', ''],
      ['PUT', '/state', { enabled: false }],
      ['PUT', '/module-access', { combination: 'pim_plus' }],
      ['PUT', '/quota', { filestoreMb: 1 }],
      ['PATCH', `/users/${user}`, { title: 'x' }],
      ['PUT', `/users/${user}/password`, { password: 'x' }],
      ['PUT', `/users/${user}/module-access`, {}],
      ['PUT', `/users/${user}/mail-account`, {}],
      ['DELETE', `/users/${user}`],
      ['PATCH', `/groups/${group}`, {}],
      ['PUT', `/groups/${group}/members/${user}`],
      ['DELETE', `/groups/${group}/members/${user}?missing_ok=true`],
      ['DELETE', `/groups/${group}`],
      ['PATCH', `/resources/${resource}`, {}],
      ['DELETE', `/resources/${resource}`],
    ];
    for (const [method, suffix, body] of calls)
      expect([
        method,
        suffix,
        ...(await refusal(master.request(method, base + suffix, body, { 'if-match': '"999"' }))),
      ]).toEqual([method, suffix, 412, 'REST-0412']);
    expect((await admin.request('DELETE', `${base}/groups/${group}`, undefined, { 'if-match': '"1"' })).status).toBe(
      204,
    );
  });
});

describe('svcctl against the product', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'svcctl-'));
    writeFileSync(path.join(folder, 'master'), world.master.password);
    writeFileSync(path.join(folder, 'password'), PASSWORD);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const svcctl = async (login: string, file: string, ...args: string[]) => {
    let out = '';
    let error = '';
    const options = [
      '--url',
      world.internalUrl,
      '--login',
      login,
      '--password-file',
      path.join(folder, file),
      '--json',
    ];
    const code = await run([...options, ...args], {
      input: Readable.from([]),
      out: (text) => (out += text),
      error: (text) => (error += text),
      environment: {},
    });
    return { code, error, json: out.trim() ? JSON.parse(out) : undefined };
  };
  const asMaster = (...args: string[]) => svcctl(world.master.login, 'master', ...args);
  const asAdmin = (...args: string[]) => svcctl('admin', 'password', ...args);

  it('makes a context, people, a group and a room, and takes them away again', async () => {
    const secret = ['--new-password-file', path.join(folder, 'password')];
    const made = await asMaster(
      ...['context', 'create', '--name', 'cli', '--mapping', 'cli.example', '--admin-name', 'admin'],
      ...['--admin-surname', 'Min', '--admin-email', 'admin@cli.example', ...secret],
    );
    expect(made).toMatchObject({ code: 0, json: { name: 'cli' } });
    const id = String(made.json.id);
    const user = await asAdmin(
      'user',
      'create',
      id,
      '--name',
      'joe',
      '--surname',
      'J',
      '--email',
      'joe@cli.example',
      ...secret,
    );
    expect(user.code).toBe(0);
    const group = await asAdmin('group', 'create', id, '--name', 'all of us', '--members', `2,${user.json.id}`);
    expect(group.json.members).toEqual([2, user.json.id]);
    expect((await asAdmin('group', 'remove-member', id, String(group.json.id), '2')).code).toBe(0);
    const room = [
      'resource',
      'create',
      id,
      '--name',
      'room',
      '--email',
      'room@cli.example',
      '--type',
      'ROOM',
      '--capacity',
      '9',
    ];
    expect((await asAdmin(...room)).json).toMatchObject({ type: 'ROOM', capacity: 9 });
    expect((await asAdmin('user', 'access', id, String(user.json.id), '--combination', 'pim_plus')).code).toBe(0);
    writeFileSync(path.join(folder, 'people.csv'), 'username;surname;email;password\nkim;K;kim@cli.example;pw\n');
    expect((await asAdmin('import', 'users', id, path.join(folder, 'people.csv'))).json.result).toMatchObject({
      created: 1,
    });
    const login = await new Client(world.publicUrl).login('kim@cli.example', 'pw');
    expect(login).toHaveProperty('session');
    expect((await asAdmin('user', 'list', id)).json.items).toHaveLength(3);
    expect((await asAdmin('user', 'delete', id, String(user.json.id))).code).toBe(0);
    const refused = await asAdmin('user', 'delete', id, '2');
    expect(refused).toMatchObject({ code: 1, json: { code: 'PROV-0006' } });
    expect((await asAdmin('context', 'list')).code).toBe(1);
    expect((await asMaster('context', 'delete', id)).json.state).toBe('done');
    expect((await asMaster('context', 'list', '--q', 'cli')).json.items).toEqual([]);
  });

  it('has the same verbs for all things, and tells the logins of a user', async () => {
    const id = String(contextId);
    const { id: userId } = await admin.expect('POST', `${base}/users`, person('una'));
    await new Client(world.publicUrl).login(`una@${id}`, PASSWORD);
    const logins = await asMaster('user', 'logins', id, String(userId));
    expect(logins).toMatchObject({ code: 0, json: { timestamps: [{ timestamp: expect.any(Number) }] } });
    const secret = ['--new-password-file', path.join(folder, 'password')];
    expect((await asMaster('reseller', 'create', 'shop', '--set', 'displayName=Shop', ...secret)).code).toBe(0);
    expect((await asMaster('reseller', 'change', 'shop', '--set', 'displayName=New')).json.displayName).toBe('New');
    expect((await asMaster('reseller', 'delete', 'shop')).code).toBe(0);
    expect((await asMaster('access-combination', 'create', 'mine', '--flags', 'calendar')).code).toBe(0);
    expect((await asMaster('access-combination', 'change', 'mine', '--flags', 'contacts,webmail')).code).toBe(0);
    expect((await asMaster('access-combination', 'show', 'mine')).json.flags).toEqual(['contacts', 'webmail']);
    expect((await asMaster('access-combination', 'delete', 'mine')).code).toBe(0);
    const job = await admin.request('POST', `${base}/import?kind=users`, 'name\nnobody\n', {
      'content-type': 'text/csv',
    });
    expect((await asAdmin('job', 'delete', id, job.body.id)).json).toMatchObject({ id: job.body.id, state: 'done' });
  });

  it('imports people without passwords: random ones, and invitations, lie in a file that only the operator reads', async () => {
    const id = String(contextId);
    const people = path.join(folder, 'without.csv');
    const told = path.join(folder, 'told.csv');
    const send = (...parts: string[]) => asAdmin('import', 'users', id, people, ...parts);
    const secretOf = (name: string): string => {
      const line = readFileSync(told, 'utf8')
        .split('\n')
        .find((each) => each.split(',')[2] === name)!;
      return line.split(',')[4]!;
    };
    writeFileSync(people, `name;surname;email\nlea;L;lea@c${id}.example\nmia;M;mia@c${id}.example\n`);
    expect((await send('--passwords', 'random')).code).toBe(2);
    const csv = { 'content-type': 'text/csv' };
    const unsealed = await admin.request('POST', `${base}/import?kind=users&passwords=random`, 'name\nlea\n', csv);
    expect(unsealed).toMatchObject({ status: 400, body: { code: 'PROV-0019' } });
    const made = await send('--passwords', 'random', '--passwords-to', told);
    expect(made).toMatchObject({ code: 0, json: { result: { created: 2, errors: [] } } });
    expect(statSync(told).mode & 0o777).toBe(0o600);
    for (const name of ['lea', 'mia']) {
      expect(JSON.stringify(made.json)).not.toContain(secretOf(name));
      expect(await new Client(world.publicUrl).login(`${name}@${id}`, secretOf(name))).toHaveProperty('session');
    }
    expect((await asAdmin('job', 'passwords', id, made.json.id)).json).toEqual({ items: [], left: 0 });
    expect((await asAdmin('job', 'passwords', id, 'unknown')).json).toMatchObject({ code: 'PROV-0012' });
    expect(await send('--passwords', 'invite', '--passwords-to', told)).toMatchObject({ code: 2 });

    rmSync(told);
    writeFileSync(people, `name;surname;email\nnoa;N;noa@c${id}.example\n`);
    expect((await send('--passwords', 'invite', '--passwords-to', told)).code).toBe(0);
    const redeem = async (token: string, password: string) => {
      const answer = await fetch(`${world.publicUrl}/passwordchange?action=redeem`, {
        method: 'PUT',
        body: JSON.stringify({ token, new_password: password }),
      });
      return (await answer.json()) as { code?: string };
    };
    const token = secretOf('noa');
    expect(await redeem(token, 'short')).toMatchObject({ code: 'USR-0020' });
    expect(await redeem(token, 'x'.repeat(1100))).toMatchObject({ code: 'USR-0021' });
    expect(await redeem(token, 'bell \u0007 in it')).toMatchObject({ code: 'USR-0015' });
    const pattern = `${base}/config/com.example.passwordchange.regexp`;
    await master.expect('PUT', pattern, { value: '[a-z ]+' });
    expect(await redeem(token, 'CAPITALS ONLY')).toMatchObject({ code: 'USR-0026' });
    await master.expect('DELETE', pattern);
    expect(await redeem(token, 'chosen by noa')).not.toHaveProperty('code');
    expect(await redeem(token, 'chosen by a thief')).toMatchObject({ code: 'PROV-0020' });
    expect(await new Client(world.publicUrl).login(`noa@${id}`, 'chosen by noa')).toHaveProperty('session');
  });
});

describe('bodies of creations', () => {
  it.each([
    ['users', ['name', 'surname', 'primaryEmail']],
    ['groups', ['name']],
    ['resources', ['name', 'email']],
  ])('of %s name every field that is missing', async (collection, missing) => {
    const answer = await admin.request('POST', `${base}/${collection}`, {});
    expect(answer.status).toBe(400);
    expect(answer.body.problematic.map((problem: { name: string }) => problem.name).sort()).toEqual(
      [...missing].sort(),
    );
  });
});
