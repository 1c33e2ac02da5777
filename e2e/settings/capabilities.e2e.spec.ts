import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { Client } from '../client';

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await startTestEnvironment({ properties: { 'com.example.capabilities.servedElsewhere': 'CardDAV, none' } });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const ids = async (user: TestUser): Promise<string[]> =>
  (await user.get<{ id: string }[]>('capabilities', 'all')).data!.map(({ id }) => id);

describe('capabilities', () => {
  it('PK-01: are the same each time, with attributes, every one once', async () => {
    const [one, two] = [await cast.U1.get('capabilities', 'all'), await cast.U1.get('capabilities', 'all')];
    expect(two.data).toEqual(one.data);
    for (const { attributes } of one.data) expect(attributes).toEqual({});
    const found = await ids(cast.U1);
    expect(new Set(found).size).toBe(found.length);
  });

  it('promise nothing that nobody serves, unless an operator says who does', async () => {
    const found = await ids(cast.U1);
    expect(found).toEqual(expect.arrayContaining(['calendar', 'freebusy', 'carddav']));
    for (const absent of ['webmail', 'caldav', 'active_sync', 'none']) expect(found).not.toContain(absent);
    const config = await cast.U1.get('apps/manifests', 'config');
    expect(config.data.capabilities.map(({ id }: { id: string }) => id)).toEqual(found);
    const { data } = await cast.U1.get('onboarding', 'config');
    expect(data.matching).toContainEqual(
      expect.objectContaining({ id: 'apple.iphone/davsync', enabled: false, missing_capabilities: ['caldav'] }),
    );
    const login = await new Client(world.publicUrl).login(cast.U1.loginName, 'correct horse 1', { modules: 'true' });
    expect(login.modules).toMatchObject({ calendar: { module: true }, mail: { module: false } });
  });

  it('are told to the session of the cookies, too, as clients name it in no parameter', async () => {
    const ask = async (user: TestUser, action: string, more: object = {}): Promise<any> =>
      (await user.fetch('GET', '/capabilities', { action, ...more })).json();
    const { data } = await ask(cast.U1, 'all');
    expect(data.map(({ id }: { id: string }) => id)).toEqual(await ids(cast.U1));
    expect((await ask(cast.U1, 'get', { id: 'calendar' })).data).toEqual({ id: 'calendar', attributes: {} });
    expect((await ask(new Client(world.publicUrl) as TestUser, 'all')).code).toMatch(/^SES-/);
  });

  it('PK-02: follow the administrator without a new log-in', async () => {
    const ann = await createTestUser(world, cast.admin, cast.contextId, 'ann');
    expect((await ann.get('capabilities', 'get', { id: 'calendar' })).data).toEqual({ id: 'calendar', attributes: {} });
    const path = `/admin/v1/contexts/${cast.contextId}/users/${ann.userId}`;
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['calendar'] } });
    const end = Date.now() + 10_000;
    while ((await ids(ann)).includes('calendar') && Date.now() < end);
    expect(await ids(ann)).not.toContain('calendar');
    expect((await ann.get('capabilities', 'get', { id: 'calendar' })).data).toEqual({});
    const visible = await ann.get('folders', 'allVisible', { content_type: 'calendar', columns: '1,300' });
    expect(visible.data).not.toHaveProperty('private');
  });

  it('PK-03: need a name', async () => {
    expect((await cast.U1.get('capabilities', 'get')).code).toBe('SVL-0002');
  });
});
