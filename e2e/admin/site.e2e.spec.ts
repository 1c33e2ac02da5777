import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const PATH = '/admin/v1/site-availability';
const sites = (of: Record<string, number>) => Object.entries(of).map(([id, availability]) => ({ id, availability }));
const update = (before: Record<string, number>, now: Record<string, number>) => ({
  previousAvailabilities: sites(before),
  newAvailabilities: sites(now),
});

describe('notices about the availability of sites', () => {
  let world: TestEnvironment;
  let master: AdminClient;

  beforeAll(async () => {
    world = await startTestEnvironment({
      modules: ['admin', 'gateway'],
      properties: {
        'com.example.site.availability.enabled': 'true',
        'com.example.segmenter.localSiteId': 'here',
        'com.example.rest.services.basic-auth.login': 'peer',
        'com.example.rest.services.basic-auth.password': 'password of the peer',
      },
    });
    master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  }, 60_000);
  afterAll(() => world?.close());

  it('are applied once: 200, then 409', async () => {
    const first = await master.request('POST', PATH, update({ here: 1, there: 1 }, { here: 0.5, there: 1 }));
    expect(first.status).toBe(200);
    const again = await master.request('POST', PATH, update({ there: 1, here: 1 }, { there: 1, here: 0.5 }));
    expect(again.status).toBe(409);
  });

  it('that do not concern this site are left alone: 304', async () => {
    expect((await master.request('POST', PATH, update({ there: 1 }, { there: 0.5 }))).status).toBe(304);
    expect((await master.request('POST', PATH, update({ there: 0 }, {}))).status).toBe(304);
  });

  it('must be well formed: 400', async () => {
    for (const body of [
      {},
      { previousAvailabilities: [] },
      { previousAvailabilities: [{ id: 'a' }], newAvailabilities: [] },
      { previousAvailabilities: [{ id: 'a', availability: 2 }], newAvailabilities: [] },
      { previousAvailabilities: 'a', newAvailabilities: [] },
    ])
      expect({ body, status: (await master.request('POST', PATH, body)).status }).toEqual({ body, status: 400 });
  });

  it('stand beside a pair of services that the properties name: it counts before that of the environment', async () => {
    const asked = async (login: string, password: string) =>
      (
        await new AdminClient(world.internalUrl, login, password).request(
          'GET',
          '/preliminary/configuration/v1/property/com.example.segmenter.localSiteId',
        )
      ).status;
    expect(await asked('peer', 'password of the peer')).toBe(200);
    expect(await asked(world.service.login, world.service.password)).toBe(401);
  });

  it('are refused where they are switched off: 503', async () => {
    const other = await startTestEnvironment({ modules: ['admin', 'gateway'] });
    try {
      const client = new AdminClient(other.internalUrl, other.master.login, other.master.password);
      expect(await client.request('POST', PATH, update({}, { a: 1 }))).toMatchObject({
        status: 503,
        body: { code: 'REST-0503' },
      });
    } finally {
      await other.close();
    }
  });
});
