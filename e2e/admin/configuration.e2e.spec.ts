import { appendFileSync } from 'node:fs';
import { ADMIN_ATTEMPTS_PER_MINUTE } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import { PASSWORD } from '../fixtures';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { ADMIN_MODULES, callersOf, newContext, newPerson, type Person } from './people';

let world: TestEnvironment;
let master: AdminClient;
let services: AdminClient;
let context: number;
let user: Person;

const P = 'com.example.sessiond.maxSessionPerUser';
const BASE = '/preliminary/configuration/v1';
const look = async (path: string) => {
  const { status, body } = await services.request('GET', `${BASE}${path}`);
  return [status, status === 200 ? body : body.code];
};

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ADMIN_MODULES,
    variables: {
      GROUPWARE_CONFIG_POLL_MS: '20',
      'GROUPWARE_PROPERTY_com.example.other.key/with slash': 'from the environment',
      // This spec asks with wrong credentials on purpose.
      GATEWAY_REST_FAILURES_PER_MINUTE: '1000',
    },
    properties: {
      [P]: '50',
      'com.example.other.key': 'plain text',
      'com.example.other.empty': '',
      [ADMIN_ATTEMPTS_PER_MINUTE.key]: '1000',
    },
  });
  ({ master, services } = callersOf(world));
  context = await newContext(master);
  user = await newPerson(world, master, context, 'u1');
}, 120_000);
afterAll(() => world?.close());

describe('configuration look-up', () => {
  it('RX-20: answers the value of the server, and the one that holds for a user', async () => {
    const of = `/${context}/${user.userId}`;
    expect(await look(`/property/${P}${of}`)).toEqual([200, { [P]: '50' }]);
    await master.expect('PUT', `/admin/v1/contexts/${context}/config/${P}`, { value: 40 });
    expect(await look(`/property/${P}${of}`)).toEqual([200, { [P]: '40' }]);
    await master.expect('PUT', `/admin/v1/contexts/${context}/users/${user.userId}/config/${P}`, { value: 30 });
    expect(await look(`/property/${P}${of}`)).toEqual([200, { [P]: '30' }]);
    expect(await look(`/property/${P}`)).toEqual([200, { [P]: '50' }]);
    expect(await look(`/withPrefix/com.example.sessiond.${of}`)).toEqual([200, { [P]: '30' }]);
    expect(await look('/withPrefix/com.example.sessiond.')).toEqual([200, { [P]: '50' }]);
  });

  it('RX-21: knows nothing of what is not set, not even a default', async () => {
    const key = 'com.example.sessiond.maxSessionPerClient';
    const of = `/${context}/${user.userId}`;
    expect(await look(`/property/${key}`)).toEqual([404, 'CFG-0001']);
    expect(await look(`/property/${key}${of}`)).toEqual([404, 'CFG-0001']);
    expect(await look('/withPrefix/com.nobody')).toEqual([200, {}]);
    expect(await look(`/withPrefix/com.nobody${of}`)).toEqual([200, {}]);
    expect(await look(`/property/${P.toUpperCase()}`)).toEqual([404, 'CFG-0001']);
  });

  it('takes any name literally and any value as it is, and lets nobody keep the answer', async () => {
    const odd = 'com.example.other.key/with slash';
    expect(await look(`/property/${encodeURIComponent(odd)}`)).toEqual([200, { [odd]: 'from the environment' }]);
    expect(await look('/property/com.example.other.empty')).toEqual([200, { 'com.example.other.empty': '' }]);
    const { headers } = await services.request('GET', `${BASE}/withPrefix/com.example.other`);
    expect(headers.get('cache-control')).toMatch(/no-store/);
    expect(await look('/withPrefix/com.example.other.k')).toEqual([
      200,
      { 'com.example.other.key': 'plain text', [odd]: 'from the environment' },
    ]);
  });

  it('refuses unknown users and contexts, bad ids and other credentials', async () => {
    for (const path of [`/property/${P}`, '/withPrefix/c']) {
      expect(await look(`${path}/${context}/99999`)).toEqual([404, 'USR-0010']);
      expect(await look(`${path}/2147483647/3`)).toEqual([404, 'USR-0010']);
      for (const bad of ['0/3', `${context}/0`, 'x/3', '2147483648/3', `${context}/1.5`])
        expect((await look(`${path}/${bad}`))[0]).toBe(400);
      for (const end of ['', `/${context}/${user.userId}`])
        expect((await master.request('GET', `${BASE}${path}${end}`)).status).toBe(401);
    }
  });

  it('sees a changed file without a restart', async () => {
    appendFileSync(world.environment.GROUPWARE_PROPERTIES_FILE!, 'com.example.other.late=1\n');
    await until(async () => (await look('/property/com.example.other.late'))[0] === 200);
  });
});

describe('resellers', () => {
  it('are made by the master administrator and answer for their own contexts', async () => {
    const put = (name: string, body: object) => master.request('PUT', `/admin/v1/resellers/${name}`, body);
    expect((await put('east', { password: 'east secret', config: { [P]: 20 } })).status).toBe(201);
    expect((await put('east', { config: { [P]: 21 } })).status).toBe(200);
    expect((await put('far-east', { password: 'far secret', parent: 'east' })).status).toBe(201);
    expect((await put('bad', {})).body).toMatchObject({ code: 'RSL-0004' });
    expect((await put('bad', { password: 'x', parent: 'none' })).body).toMatchObject({ code: 'RSL-0002' });
    expect((await put('east', { parent: 'far-east' })).body).toMatchObject({ code: 'RSL-0003' });
    expect((await put('east', { config: { ['com.example.site.availability.enabled']: 'x' } })).body).toMatchObject({
      code: 'PROV-0013',
    });
    expect((await put('east', { config: { [P]: 'many' } })).body).toMatchObject({ code: 'PROV-0014' });
    const stale = await master.request('PUT', '/admin/v1/resellers/east', {}, { 'if-match': '"1"' });
    expect([stale.status, stale.body.code]).toEqual([412, 'REST-0412']);
    await expect(
      master.expect('POST', '/admin/v1/contexts', {
        name: `of-nobody-${Date.now()}`,
        reseller: 'nobody',
        admin: {
          name: 'admin',
          password: PASSWORD,
          displayName: 'A',
          givenName: 'A',
          surname: 'B',
          email: 'a@nobody.example',
          timezone: 'UTC',
        },
      }),
    ).rejects.toThrow(/400.*RSL-0002/);
    expect((await master.expect('GET', '/admin/v1/resellers?q=*east')).items).toHaveLength(2);
    expect(await master.expect('GET', '/admin/v1/resellers/far-east')).toMatchObject({ parent: 'east' });

    const east = new AdminClient(world.internalUrl, 'east', 'east secret');
    const far = new AdminClient(world.internalUrl, 'far-east', 'far secret');
    const own = await newContext(far);
    const person = await newPerson(world, east, own, 'e1');
    expect(await look(`/property/${P}/${own}/${person.userId}`)).toEqual([200, { [P]: '21' }]);
    expect((await east.expect('GET', '/admin/v1/contexts')).items).toEqual([
      expect.objectContaining({ id: own, reseller: 'far-east' }),
    ]);
    const foreign = await east.request('GET', `/admin/v1/contexts/${context}`);
    expect([foreign.status, foreign.body.code]).toEqual([403, 'REST-0403']);
    expect((await east.request('GET', '/admin/v1/contexts/2147483647')).status).toBe(403);
    expect((await east.request('GET', '/admin/v1/resellers')).status).toBe(403);
    const wrong = await new AdminClient(world.internalUrl, 'east', 'wrong').request('GET', '/admin/v1/contexts');
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
    const asContextAdmin = new AdminClient(world.internalUrl, 'admin', PASSWORD);
    expect((await asContextAdmin.request('GET', `/admin/v1/contexts/${own}/users`)).status).toBe(200);

    const closeBy = (what: string, body: object) => east.request('POST', `/admin/v1/close-sessions/${what}`, body);
    const close = (contextIds: number[]) => closeBy('by-context', { contextIds });
    // One that is not his among them: none is closed.
    const owners = [
      { contextId: own, userId: person.userId },
      { contextId: context, userId: user.userId },
    ];
    for (const refused of [
      await close([own, context]),
      await closeBy('by-id', { sessionIds: [person.session, user.session] }),
      await closeBy('by-user', { users: owners }),
    ])
      expect([refused.status, refused.body.code]).toEqual([403, 'REST-0403']);
    expect((await person.get('user', 'get', { id: person.userId })).data).toBeDefined();
    const again = await person.copy().login(person.loginName, PASSWORD);
    expect((await closeBy('by-id', { sessionIds: [again.session, '0'.repeat(32)] })).status).toBe(200);
    expect((await close([own])).body.closed).toEqual([person.session]);
    expect((await person.get('user', 'get', { id: person.userId })).code).toBe('SES-0203');

    expect((await master.request('DELETE', '/admin/v1/resellers/far-east')).body).toMatchObject({ code: 'RSL-0005' });
    await master.expect('PATCH', `/admin/v1/contexts/${own}`, { reseller: '' });
    const outdated = await master.request('DELETE', '/admin/v1/resellers/far-east', undefined, { 'if-match': '"9"' });
    expect([outdated.status, outdated.body.code]).toEqual([412, 'REST-0412']);
    expect((await master.request('DELETE', '/admin/v1/resellers/far-east')).status).toBe(204);
    expect((await master.request('DELETE', '/admin/v1/resellers/far-east')).body).toMatchObject({ code: 'RSL-0001' });
    expect((await master.request('GET', '/admin/v1/resellers/far-east')).status).toBe(404);
    expect((await far.request('GET', '/admin/v1/contexts')).status).toBe(401);
  });

  it('create no more than they may', async () => {
    await master.expect('PUT', '/admin/v1/resellers/tiny', {
      password: 'tiny secret',
      restrictions: { maxContexts: 0 },
    });
    const tiny = new AdminClient(world.internalUrl, 'tiny', 'tiny secret');
    await expect(newContext(tiny)).rejects.toThrow(/409.*RSL-0006/);
    const own = await newContext(master);
    const at = `/admin/v1/contexts/${own}`;
    const code = async (answer: Promise<{ status: number; body: any }>) => [
      (await answer).status,
      (await answer).body.code,
    ];
    expect(await code(master.request('PATCH', at, { reseller: 'tiny' }))).toEqual([409, 'RSL-0006']);
    await master.expect('PUT', '/admin/v1/resellers/tiny', {
      restrictions: { maxContexts: 1, maxUsers: 1, maxQuotaMb: 1_000_000 },
    });
    expect(await code(master.request('PATCH', at, { reseller: 'tiny' }))).toEqual([409, 'RSL-0006']);
    await master.expect('PATCH', at, { reseller: 'tiny', quotaMb: 1_000_000 });
    expect(await code(tiny.request('PUT', `${at}/quota`, { filestoreMb: -1 }))).toEqual([409, 'RSL-0006']);
    expect(
      await code(
        tiny.request('POST', `${at}/users`, {
          name: 'one',
          password: PASSWORD,
          displayName: 'One',
          givenName: 'One',
          surname: 'One',
          primaryEmail: `one@c${own}.example`,
        }),
      ),
    ).toEqual([409, 'RSL-0006']);
    expect(await code(tiny.request('PUT', `${at}/quota`, { filestoreMb: 2_000_000 }))).toEqual([409, 'RSL-0006']);
    expect((await tiny.request('PUT', `${at}/quota`, { filestoreMb: 5 })).status).toBe(200);
  });
});

describe('who may ask', () => {
  it('capabilities: unknown users and ids that nobody can have are not found', async () => {
    for (const end of [`${context}/99999`, `${context}/0`, '0/3', '-1/3', `2147483647/${user.userId}`])
      expect((await services.request('GET', `/preliminary/capabilities/v1/all/${end}`)).status).toBe(404);
    expect((await services.request('GET', '/preliminary/capabilities/v1/all/x/3')).status).toBe(400);
  });

  it('login statistics: services and the master administrator, nobody else', async () => {
    const path = '/admin/v1/login-statistics/counts?startDate=0&endDate=9999999999999';
    expect((await services.request('GET', path)).body.sum).toBeGreaterThan(0);
    expect((await master.request('GET', path)).body.sum).toBeGreaterThan(0);
    expect((await new AdminClient(world.internalUrl, 'master', 'wrong').request('GET', path)).status).toBe(401);
  });

  it('log levels: no reseller, as if the credentials were wrong', async () => {
    await master.expect('PUT', '/admin/v1/resellers/curious', { password: 'curious secret' });
    const curious = new AdminClient(world.internalUrl, 'curious', 'curious secret');
    const levels = (client: AdminClient) => client.request('GET', '/admin/v1/logconf/loggers');
    expect((await levels(master)).status).toBe(200);
    expect((await levels(curious)).status).toBe(401);
  });
});
