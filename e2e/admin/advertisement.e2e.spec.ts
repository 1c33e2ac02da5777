import { MAX_ADVERTISEMENT_BYTES, MAX_ADVERTISEMENT_PACKAGES } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import type { AdminClient, Client } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { ADMIN_MODULES, callersOf, newContext, newPerson, type Person } from './people';

let world: TestEnvironment;
let master: AdminClient;
let services: AdminClient;
/** Of a context with the taxonomy type `gold`. */
let gold: Person;
/** Of a context of the reseller `acme`, with the access combination `pim_plus`. */
let acme: Person;
const BASE = '/advertisement/v1/config';
const K = { sidebar: { title: 'Käse', tags: ['a', null, 1.5], nested: { deep: [[]] } } };
const M = { sidebar: 'mine' };

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: ADMIN_MODULES,
    properties: {
      'com.example.advertisement.default.packageScheme': 'TaxonomyTypes',
      'com.example.advertisement.default.taxonomy.types': 'silver,groupware_premium',
    },
  });
  ({ master, services } = callersOf(world));
  const sold = await newContext(master, { taxonomyTypes: ['basic', 'groupware_premium'] });
  gold = await newPerson(world, master, sold, 'gold');
  const config = { 'com.example.advertisement.packageScheme': 'AccessCombinations' };
  await master.expect('PUT', '/admin/v1/resellers/acme', { password: 'secret of acme', config });
  await master.expect('PUT', '/admin/v1/resellers/other', { password: 'secret of other' });
  const other = await newContext(master, { reseller: 'acme' });
  acme = await newPerson(world, master, other, 'acme', { moduleAccess: { combination: 'pim_plus' } });
}, 120_000);
afterAll(() => world?.close());
afterEach(async () => {
  for (const reseller of ['default', 'acme', 'other'])
    await services.expect('DELETE', `${BASE}/reseller?reseller=${reseller}`);
});

const shown = (client: Client) => client.get('advertisement', 'get');
const put = (path: string, body: unknown) => services.request('PUT', `${BASE}${path}`, body);
const remove = (path: string) => services.request('DELETE', `${BASE}${path}`);
const read = (path: string) => services.request('GET', `${BASE}${path}`);
const answer = (status: number, result: unknown) => expect.objectContaining({ status, body: result });
const refused = (status: number, code: string) => answer(status, expect.objectContaining({ code }));

describe('advertisement', () => {
  it('AD-01: a user sees what is configured for the package', async () => {
    expect(await put('/package?reseller=default&package=groupware_premium', K)).toEqual(
      answer(200, { status: 'CREATED' }),
    );
    expect(await shown(gold)).toMatchObject({ data: K });
    expect(await put('/package?reseller=default&package=groupware_premium', M)).toEqual(
      answer(200, { status: 'UPDATED' }),
    );
    expect((await shown(gold)).data).toEqual(M);
    expect((await shown(acme)).code).toBe('ADVERTISEMENT-0002');
  });

  it('AD-02: nothing configured is an error, in an answer with status 200', async () => {
    const response = await gold.fetch('GET', '/advertisement', { action: 'get', session: gold.session });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ code: 'ADVERTISEMENT-0002', categories: 'ERROR', category: 8 });
  });

  it("AD-03: the user's own preview goes first, by id and by name", async () => {
    await put('/package?reseller=default&package=groupware_premium', K);
    const byId = `/user?contextId=${gold.contextId}&userId=${gold.userId}`;
    const byName = `/name?contextId=${gold.contextId}&name=GOLD`;
    for (const [path, other] of [
      [byId, byName],
      [byName, byId],
    ] as const) {
      expect(await put(path, M)).toEqual(answer(200, { status: 'CREATED' }));
      expect((await shown(gold)).data).toEqual(M);
      expect(await read(other)).toEqual(answer(200, M));
      expect(await put(other, { ...M, again: true })).toEqual(answer(200, { status: 'UPDATED' }));
      expect(await remove(path)).toEqual(answer(200, { status: 'DELETED' }));
      expect((await shown(gold)).data).toEqual(K);
      expect(await remove(path)).toEqual(answer(200, { status: 'IGNORED' }));
      expect(await read(path)).toEqual(refused(404, 'ADVERTISEMENT-0002'));
    }
  });

  it('AD-04: what was removed is gone, and to remove it again is no failure', async () => {
    const path = '/package?reseller=default&package=groupware_premium';
    await put(path, K);
    expect(await read(path)).toEqual(answer(200, K));
    expect(await remove(path)).toEqual(answer(200, { status: 'DELETED' }));
    expect((await shown(gold)).code).toBe('ADVERTISEMENT-0002');
    expect(await remove(path)).toEqual(answer(200, { status: 'IGNORED' }));
    expect(await read(path)).toEqual(refused(404, 'ADVERTISEMENT-0002'));
  });

  it.each([
    ['/package?reseller=default', 'SVL-0002'],
    ['/package?package=x', 'SVL-0002'],
    ['/reseller', 'SVL-0002'],
    ['/user?contextId=1', 'SVL-0002'],
    ['/user?contextId=1&userId=0', 'SVL-0010'],
    ['/user?contextId=99999999999&userId=3', 'SVL-0010'],
    ['/name?contextId=x&name=y', 'SVL-0010'],
    ['/name?contextId=1', 'SVL-0002'],
    ['/package?reseller=nobody&package=x', 'ADVERTISEMENT-0003'],
    ['/reseller?reseller=nobody', 'ADVERTISEMENT-0003'],
    ['/user?contextId=1999999999&userId=3', 'ADVERTISEMENT-0004'],
    ['/name?contextId=1999999999&name=gold', 'ADVERTISEMENT-0004'],
  ])('AD-05: refuses %s', async (path, code) => {
    expect(await put(path, K)).toEqual(refused(400, code));
    expect(await read(path)).toEqual(refused(400, code));
    expect(await remove(path)).toEqual(refused(400, code));
  });

  it('refuses users who are not in the context', async () => {
    for (const path of [
      `/user?contextId=${gold.contextId}&userId=99999`,
      `/name?contextId=${gold.contextId}&name=nobody`,
    ]) {
      expect(await put(path, K)).toEqual(refused(400, 'ADVERTISEMENT-0004'));
      expect(await read(path)).toEqual(refused(400, 'ADVERTISEMENT-0004'));
      expect(await remove(path)).toEqual(refused(400, 'ADVERTISEMENT-0004'));
    }
  });

  it('refuses what is no JSON or too large, and strangers', async () => {
    const path = '/package?reseller=default&package=p';
    expect(await put(path, '{"a":')).toEqual(refused(400, 'SVL-0029'));
    expect(await put(path, '')).toEqual(refused(400, 'SVL-0028'));
    expect(await put(path, { text: 'x'.repeat(MAX_ADVERTISEMENT_BYTES) })).toEqual(refused(413, 'REST-0413'));
    const stranger = await fetch(`${world.internalUrl}${BASE}${path}`);
    expect({ status: stranger.status, body: await stranger.json() }).toMatchObject({
      status: 401,
      body: { code: 'REST-0401' },
    });
    expect(await master.request('GET', `${BASE}${path}`)).toEqual(refused(401, 'REST-0401'));
  });

  it('keeps any JSON value as it is', async () => {
    const path = '/package?reseller=default&package=default';
    for (const config of [[1, 'two', null], 'text', 7.25, false, { '\u0000': '\u2028', '': {} }]) {
      expect((await put(path, JSON.stringify(config))).status).toBe(200);
      expect(await read(path)).toEqual(answer(200, config));
      expect((await shown(gold)).data).toEqual(config);
    }
  });

  it('falls back to the default package of the reseller, never to another reseller', async () => {
    await put('/package?reseller=acme&package=default', K);
    expect((await shown(gold)).code).toBe('ADVERTISEMENT-0002');
    expect((await shown(acme)).data).toEqual(K);
    await put('/package?reseller=acme&package=pim_plus', M);
    expect((await shown(acme)).data).toEqual(M);
  });

  it('sets and removes the packages of a reseller one by one', async () => {
    const path = '/reseller?reseller=acme';
    expect(await read(path)).toEqual(refused(404, 'ADVERTISEMENT-0002'));
    expect(await put(path, [])).toEqual(answer(200, []));
    const first = await put(path, [
      { package: 'pim_plus', config: M },
      { package: 'default', config: K },
      { package: 'none', config: null },
      { config: K },
      'word',
      { package: 'large', config: 'x'.repeat(MAX_ADVERTISEMENT_BYTES) },
      { package: 'missing' },
    ]);
    expect(first).toEqual(
      answer(200, [
        { status: 'CREATED' },
        { status: 'CREATED' },
        { status: 'IGNORED' },
        ...Array.from({ length: 4 }, () => ({ status: 'ERROR', error: expect.any(String) })),
      ]),
    );
    expect(await read(path)).toEqual(
      answer(200, [
        { package: 'default', config: K },
        { package: 'pim_plus', config: M },
      ]),
    );
    const second = await put(path, [
      { package: 'pim_plus', config: null },
      { package: 'default', config: M },
    ]);
    expect(second).toEqual(answer(200, [{ status: 'DELETED' }, { status: 'UPDATED' }]));
    expect((await shown(acme)).data).toEqual(M);
    expect(await put(path, K)).toEqual(answer(200, [{ status: 'UPDATED' }]));
    expect((await shown(acme)).data).toEqual(K);
    const many = Array.from({ length: MAX_ADVERTISEMENT_PACKAGES + 1 }, () => ({ package: 'p', config: 1 }));
    expect(await put(path, many)).toEqual(refused(400, 'SVL-0031'));
    expect(await remove(path)).toEqual(answer(200, [{ status: 'DELETED' }]));
    expect(await remove(path)).toEqual(answer(200, []));
  });

  it('forgets the previews of users and contexts that are deleted', async () => {
    const contextId = await newContext(master);
    const people = [await newPerson(world, master, contextId, 'one'), await newPerson(world, master, contextId, 'two')];
    for (const { userId } of people) await put(`/user?contextId=${contextId}&userId=${userId}`, M);
    const previews = async () => (await rowsOf(contextId)).length;
    expect(await previews()).toBe(2);
    await master.expect('DELETE', `/admin/v1/contexts/${contextId}/users/${people[0]!.userId}`);
    await until(async () => (await previews()) === 1, 20_000);
    await master.expect('DELETE', `/admin/v1/contexts/${contextId}`);
    await until(async () => (await previews()) === 0, 20_000);
  });
});

async function rowsOf(contextId: number): Promise<unknown[]> {
  const { Client: Database } = await import('pg');
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    return (await database.query('select 1 from admin.advertisement_preview where context_id = $1', [contextId])).rows;
  } finally {
    await database.end();
  }
}
