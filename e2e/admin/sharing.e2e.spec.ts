import { moduleOfFolder, shares, TRUST_ZONES, type ForeignLink, type Share } from '@groupware/contracts';
import { Bus, Caller } from '@groupware/messaging';
import { AdminClient } from '../client';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { ADMIN_MODULES, callersOf, newContext, newPerson, type Person } from './people';

let world: TestEnvironment;
let master: AdminClient;
let services: AdminClient;
let bus: Bus;
let caller: Caller;
let C1: number;
let C2: number;
let C3: number;
let U1: Person;
let X1: Person;
let Y1: Person;
let team: number;

const CROSS = '/preliminary/crosscontext/v1';
const ACCOUNTS = '/preliminary/sharedaccounts/v1';
const as = (contextId: number) => ({ kind: 'internal', service: 'spec', contextId }) as const;

/** Reports a share as a module does that shares something. */
const grant = (contextId: number, share: Partial<Share>) =>
  caller.call(shares.grant, {
    principal: as(contextId),
    query: {
      owner: X1.userId,
      module: 'calendar',
      kind: 'folder',
      folder: '10',
      granteeContext: C1,
      entity: U1.userId,
      group: false,
      permissions: 1,
      ...share,
    },
  });
const linkOf = (parts: Partial<ForeignLink>): ForeignLink => ({
  entity: U1.userId,
  group: false,
  type: 'guest-link',
  module: 'drive',
  from: C3,
  owner: 0,
  reference: 'r1',
  ...parts,
});
const get = async (path: string) => {
  const { status, body } = await services.request('GET', path);
  return status === 200 ? body : [status, body.code];
};
const purge = async (path: string) => (await services.request('DELETE', `${CROSS}${path}`)).body;

beforeAll(async () => {
  world = await startTestEnvironment({ modules: ADMIN_MODULES });
  ({ master, services } = callersOf(world));
  [C1, C2, C3] = await Promise.all([newContext(master), newContext(master), newContext(master)]);
  U1 = await newPerson(world, master, C1, 'u1');
  X1 = await newPerson(world, master, C2, 'x1');
  Y1 = await newPerson(world, master, C3, 'y1');
  const body = { name: 'team', displayName: 'Team', members: [U1.userId] };
  team = (await master.expect('POST', `/admin/v1/contexts/${C1}/groups`, body)).id;
  bus = await Bus.connect({ url: world.environment.NATS_URL!, prefix: world.environment.GROUPWARE_BUS_PREFIX! });
  caller = new Caller(bus);
}, 120_000);
afterAll(async () => {
  await bus?.close();
  await world?.close();
});

describe('what a context sees of others', () => {
  afterEach(async () => {
    for (const [context, user] of [
      [C2, X1],
      [C3, Y1],
    ] as const)
      await purge(`/outbound/${context}/${user.userId}`);
    await caller.call(shares.unlink, { principal: as(C1), query: linkOf({}) });
  });

  it('is listed by entity, and by user together with the groups of the user', async () => {
    await grant(C2, {});
    await grant(C2, { folder: '11' });
    await grant(C3, { owner: Y1.userId, module: 'mail', kind: 'deputy', entity: team, group: true });
    await master.expect('PUT', `/admin/v1/contexts/${C1}/users/${U1.userId}/config/${TRUST_ZONES.key}`, {
      value: 'a, b',
    });
    expect(await get(`${CROSS}/inbound/${C1}`)).toEqual({
      context: C1,
      entities: [
        { entity: U1.userId, type: 'user', liaisons: { calendar: [C2] }, trustZones: ['a', 'b'] },
        { entity: team, type: 'group', liaisons: { mail: [C3] } },
      ],
    });
    expect(await get(`${CROSS}/inbound/${C1}/${U1.userId}`)).toEqual({
      context: C1,
      user: U1.userId,
      trustZones: ['a', 'b'],
      liaisons: { calendar: [C2], mail: [C3] },
    });
    expect(await get(`${CROSS}/inbound/${C2}`)).toEqual({ context: C2, entities: [] });
  });

  it('RX-25: is purged where somebody can take it back; a second purge finds nothing', async () => {
    await grant(C2, {});
    await grant(C3, { owner: Y1.userId, module: 'mail', kind: 'deputy', entity: team, group: true });
    await caller.call(shares.link, { principal: as(C1), query: linkOf({}) });
    const about = { context: C1, user: U1.userId };
    const skipped = { deferred: 0, failed: 0, skippedNoRetractor: { 'guest-link': 1 } };
    expect(await purge(`/inbound/${C1}/${U1.userId}`)).toEqual({ ...about, retracted: 1, ...skipped });
    expect(await purge(`/inbound/${C1}/${U1.userId}`)).toEqual({ ...about, retracted: 0, ...skipped });
    // The group's own stays, and the owner's side is gone with what was purged.
    expect((await get(`${CROSS}/inbound/${C1}/${U1.userId}`)).liaisons).toEqual({ drive: [C3], mail: [C3] });
    expect((await get(`${CROSS}/outbound/${C2}/${X1.userId}`)).shares).toEqual([]);
    await caller.call(shares.unlink, { principal: as(C1), query: linkOf({}) });
    expect(await purge(`/inbound/${C1}/${U1.userId}`)).toEqual({ ...about, retracted: 0, deferred: 0, failed: 0 });
  });

  it('RX-26: is purged as far as context, owner and module fit', async () => {
    await grant(C2, {});
    await grant(C2, { module: 'mail', kind: 'deputy' });
    await grant(C2, { owner: 0, module: 'mail', kind: 'folder' });
    await grant(C3, { owner: Y1.userId });
    const retracted = async (query: string) => (await purge(`/inbound/${C1}/${U1.userId}?${query}`)).retracted;
    expect(await retracted(`from=${C3}&module=mail`)).toBe(0);
    expect(await retracted('owner=0')).toBe(1);
    expect(await retracted(`from=${C2}&module=mail`)).toBe(1);
    expect(await retracted(`owner=${Y1.userId}&from=${C3}`)).toBe(1);
    expect((await get(`${CROSS}/inbound/${C1}/${U1.userId}`)).liaisons).toEqual({ calendar: [C2] });
    for (const bad of ['from=x', 'owner=-1', 'from=0'])
      expect((await services.request('DELETE', `${CROSS}/inbound/${C1}/${U1.userId}?${bad}`)).status).toBe(400);
  });

  it('RX-27: what a user shares is purged, deputies first, and the other side forgets it', async () => {
    await grant(C2, { kind: 'object', folder: '10', item: '5' });
    await grant(C2, {});
    await grant(C2, { module: 'mail', kind: 'deputy', folder: undefined, entity: team, group: true });
    await grant(C2, { granteeContext: C3, entity: Y1.userId });
    const list = await get(`${CROSS}/outbound/${C2}/${X1.userId}`);
    expect(list).toMatchObject({ context: C2, user: X1.userId });
    expect(list.shares).toHaveLength(4);
    expect(list.shares).toContainEqual({
      context: C1,
      entity: U1.userId,
      type: 'user',
      module: 'calendar',
      kind: 'object',
      folder: '10',
      item: '5',
      permissions: 1,
      created: expect.any(Number),
    });
    const counts = async (query: string) => {
      const { retracted, deferred, failed } = await purge(`/outbound/${C2}/${X1.userId}${query}`);
      return [retracted, deferred, failed];
    };
    expect(await counts(`?to=${C3}`)).toEqual([1, 0, 0]);
    expect(await counts('?module=mail')).toEqual([1, 0, 0]);
    expect(await counts('')).toEqual([2, 0, 0]);
    expect(await counts('')).toEqual([0, 0, 0]);
    expect((await get(`${CROSS}/outbound/${C2}/${X1.userId}`)).shares).toEqual([]);
    expect((await get(`${CROSS}/inbound/${C1}/${U1.userId}`)).liaisons).toEqual({});
    expect((await services.request('DELETE', `${CROSS}/outbound/${C2}/${X1.userId}?to=x`)).status).toBe(400);
  });

  it('is purged later while the module that shares is away', async () => {
    const folder = String(
      Array.from({ length: 500 }, (_none, id) => id).find((id) => moduleOfFolder(id) === 'calendar'),
    );
    await grant(C2, { folder });
    const later = { retracted: 0, deferred: 1, failed: 0 };
    expect(await purge(`/outbound/${C2}/${X1.userId}`)).toMatchObject(later);
    expect(await purge(`/inbound/${C1}/${U1.userId}`)).toMatchObject(later);
    expect((await get(`${CROSS}/outbound/${C2}/${X1.userId}`)).shares).toHaveLength(1);
    const { owner, kind } = { owner: X1.userId, kind: 'folder' } as const;
    const key = { owner, module: 'calendar', kind, folder, granteeContext: C1, entity: U1.userId, group: false };
    expect(await caller.call(shares.revoke, { principal: as(C2), query: key })).toBe(true);
    expect(await purge(`/outbound/${C2}/${X1.userId}`)).toMatchObject({ retracted: 0, deferred: 0, failed: 0 });
  });

  it('is unknown for contexts and users that do not exist, and no business of others', async () => {
    expect(await get(`${CROSS}/inbound/2147483647`)).toEqual([404, 'XCTX-0001']);
    for (const path of ['inbound', 'outbound'])
      for (const end of ['99999', String(team)]) {
        expect(await get(`${CROSS}/${path}/${C1}/${end}`)).toEqual([404, 'XCTX-0002']);
        expect((await services.request('DELETE', `${CROSS}/${path}/${C1}/${end}`)).status).toBe(404);
      }
    expect((await master.request('GET', `${CROSS}/inbound/${C1}`)).status).toBe(401);
    expect((await master.request('DELETE', `${CROSS}/outbound/${C1}/${U1.userId}`)).status).toBe(401);
  });

  it('is forgotten by the module that takes the rights away, and with a user who goes', async () => {
    await grant(C2, {});
    const key = {
      owner: X1.userId,
      module: 'calendar',
      kind: 'folder' as const,
      folder: '10',
      granteeContext: C1,
      entity: U1.userId,
      group: false,
    };
    expect(await caller.call(shares.revoke, { principal: as(C2), query: key })).toBe(true);
    expect(await caller.call(shares.revoke, { principal: as(C2), query: key })).toBe(false);
    expect((await get(`${CROSS}/inbound/${C1}/${U1.userId}`)).liaisons).toEqual({});
  });
});

describe('shared accounts', () => {
  let U2: Person;
  const emailOf = (person: Person, context: number) => `${person.name}@c${context}.example`;

  beforeAll(async () => {
    U2 = await newPerson(world, master, C1, 'u2');
    const near = { owner: U2.userId, granteeContext: C1, name: 'Diary', defaultFolder: true, permissions: 3 };
    await grant(C1, near);
    await grant(C1, { ...near, folder: '12', defaultFolder: false, entity: team, group: true, permissions: 4 });
    await grant(C2, { module: 'mail', kind: 'deputy', folder: undefined, permissions: 7, sendOnBehalf: true });
    const zone = (context: number, value: string) =>
      master.expect('PUT', `/admin/v1/contexts/${context}/config/${TRUST_ZONES.key}`, { value });
    await zone(C2, 'b');
  });

  it('are those of deputies and shared folders, in the own context and in trusted ones', async () => {
    const list = await get(`${ACCOUNTS}/${C1}/${U1.userId}`);
    expect(list).toContainEqual({
      accountId: `${U2.userId}@${C1}`,
      entityInfo: {
        identifier: `${U2.userId}@${C1}`,
        type: 'user',
        display_name: `u2 of ${C1}`,
        entity: U2.userId,
        contact: { first_name: 'u2', last_name: 'Person', email1: emailOf(U2, C1) },
      },
      capabilities: ['calendar'],
      moduleConfigurations: {
        calendar: {
          permissions: 7,
          folders: [
            { id: '10', name: 'Diary', permissions: 3 },
            { id: '12', name: 'Diary', permissions: 4 },
          ],
          defaultFolder: '10',
        },
      },
    });
    expect(list).toContainEqual(
      expect.objectContaining({
        accountId: `${X1.userId}@${C2}`,
        capabilities: ['mail', 'send_on_behalf'],
        moduleConfigurations: {
          mail: { permissions: 7, folders: [], primaryAddress: emailOf(X1, C2), login: 'x1', sendOnBehalf: true },
        },
      }),
    );
    expect(list).toHaveLength(2);
    // Without a zone in common the other context's account is out of reach.
    const key = `/admin/v1/contexts/${C2}/config/${TRUST_ZONES.key}`;
    await master.expect('PUT', key, { value: 'elsewhere' });
    expect(await get(`${ACCOUNTS}/${C1}/${U1.userId}`)).toHaveLength(1);
    await master.expect('PUT', key, { value: 'b' });
    expect(await get(`${ACCOUNTS}/${C1}/${U2.userId}`)).toEqual([]);
  });

  it('are read by id; RX-29: which has the form user@context', async () => {
    const path = `${ACCOUNTS}/${C1}/${U1.userId}`;
    expect(await get(`${path}/${U2.userId}@${C1}`)).toMatchObject({ accountId: `${U2.userId}@${C1}` });
    expect(await get(`${path}/abc`)).toEqual([400, 'SHACC-0002']);
    expect(await get(`${path}/${U1.userId}@${C1}`)).toEqual([404, 'SHACC-0003']);
    expect(await get(`${path}/99999@${C3}`)).toEqual([404, 'SHACC-0003']);
    expect(await get(`${ACCOUNTS}/${C1}/99999`)).toEqual([404, 'SHACC-0004']);
    expect(await get(`${ACCOUNTS}/${C1}/99999/1@1`)).toEqual([404, 'SHACC-0004']);
    expect((await master.request('GET', path)).status).toBe(401);
  });

  it('RX-28: are read by mail address or mail login, exactly one of each', async () => {
    const mine = encodeURIComponent(emailOf(U1, C1).toUpperCase());
    const theirs = encodeURIComponent(emailOf(U2, C1));
    for (const query of ['', `userEmail=${mine}&userMailLogin=${mine}`])
      expect(await get(`${ACCOUNTS}/accounts?${query}`)).toEqual([400, 'SHACC-0001']);
    expect(await get(`${ACCOUNTS}/accounts?userEmail=${mine}`)).toHaveLength(2);
    expect(await get(`${ACCOUNTS}/accounts?userMailLogin=${mine}`)).toHaveLength(2);
    expect(await get(`${ACCOUNTS}/accounts?userEmail=nobody@example.com`)).toEqual([404, 'SHACC-0003']);
    const account = (query: string) => get(`${ACCOUNTS}/account?${query}`);
    expect(await account(`userEmail=${mine}&accountEmail=${theirs}`)).toMatchObject({
      accountId: `${U2.userId}@${C1}`,
    });
    expect(await account(`userEmail=${mine}`)).toEqual([400, 'SHACC-0001']);
    expect(await account(`accountEmail=${theirs}`)).toEqual([400, 'SHACC-0001']);
    expect(await account(`userEmail=${mine}&accountEmail=${mine}`)).toEqual([404, 'SHACC-0003']);
    expect(await account(`userEmail=${mine}&accountMailLogin=nobody`)).toEqual([404, 'SHACC-0003']);
    expect((await master.request('GET', `${ACCOUNTS}/accounts?userEmail=${mine}`)).status).toBe(401);
    expect((await master.request('GET', `${ACCOUNTS}/account?userEmail=${mine}`)).status).toBe(401);
  });

  it('are found by the mail login that was provisioned, before that of an address', async () => {
    const user = `/admin/v1/contexts/${C1}/users/${U2.userId}`;
    const { headers } = await master.request('GET', user);
    const imap = { login: 'Their.Login' };
    await master.request('PATCH', user, { imap }, { 'if-match': headers.get('etag') ?? '*' });
    const mine = encodeURIComponent(emailOf(U1, C1));
    const account = `${ACCOUNTS}/account?userEmail=${mine}`;
    const found = { accountId: `${U2.userId}@${C1}` };
    expect(await get(`${account}&accountMailLogin=their.login`)).toMatchObject(found);
    expect(await get(`${account}&accountEmail=their.login`)).toEqual([404, 'SHACC-0003']);
    expect(await get(`${ACCOUNTS}/accounts?userMailLogin=THEIR.LOGIN`)).toEqual([]);
    const other = `/admin/v1/contexts/${C2}/users/${X1.userId}`;
    const { headers: next } = await master.request('GET', other);
    await master.request('PATCH', other, { imap }, { 'if-match': next.get('etag') ?? '*' });
    // Two users with one login are ambiguous.
    expect(await get(`${account}&accountMailLogin=their.login`)).toEqual([404, 'SHACC-0003']);
  });

  it('are told to be out of reach while those who know the users are', async () => {
    const alone = await startTestEnvironment({
      modules: ['admin', 'gateway'],
      variables: { GROUPWARE_BUS_PREFIX: `${world.environment.GROUPWARE_BUS_PREFIX}-alone` },
    });
    try {
      const asked = new AdminClient(alone.internalUrl, alone.service.login, alone.service.password);
      for (const path of ['accounts?userEmail=a@b.example', 'account?userEmail=a@b.example&accountEmail=c@d.example'])
        expect(await asked.request('GET', `${ACCOUNTS}/${path}`)).toMatchObject({
          status: 503,
          body: { code: 'SVL-0032', categories: 'SERVICE_DOWN' },
        });
    } finally {
      await alone.close();
    }
  });
});
