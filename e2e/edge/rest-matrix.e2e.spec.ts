import {
  ADMIN_ATTEMPTS_PER_MINUTE,
  LOGIN_ATTEMPTS_FROM_STRANGERS,
  LOGIN_ATTEMPTS_OF_A_STRANGER,
  contextFieldOf,
  operations,
  type AdminCaller,
  type Operation,
} from '@groupware/contracts';
import { loadModules, moduleNamesOf } from '@groupware/host';
import { findOperation, scanService } from '@groupware/service-kit';
import { createContext, createTestUser, PASSWORD, type TestUser } from '../fixtures';
import { AdminClient } from '../client';
import { nameOf, sampleBody, samplePath, sampleQuery } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const SECRET = 'connect ECONNREFUSED db7.internal:5432';
let isBroken = false;
let world: TestEnvironment;
let contextId: number;
let ann: TestUser;
const answered = new Set<string>();

/** Makes every REST operation fail while the test wants it: who passes the checks gets to the fault. */
async function breakHandlers(): Promise<void> {
  for (const definition of await loadModules(moduleNamesOf({})))
    for (const type of scanService(definition).parts.handlers) {
      const operation = findOperation(type)!;
      if (operation.kind !== 'rest') continue;
      answered.add(operation.subject);
      const prototype = type.prototype as { handle: (...args: unknown[]) => unknown };
      const original = prototype.handle;
      const broken = function (this: unknown, ...args: unknown[]): unknown {
        if (isBroken) throw new Error(SECRET);
        return original.apply(this, args);
      };
      for (const key of Reflect.getMetadataKeys(original) as unknown[])
        Reflect.defineMetadata(key, Reflect.getMetadata(key, original), broken);
      prototype.handle = broken;
    }
}

beforeAll(async () => {
  await breakHandlers();
  world = await startTestEnvironment({
    // Hashes are made a thousand times here: small ones.
    variables: {
      GATEWAY_REST_FAILURES_PER_MINUTE: '1000000',
      IDENTITY_HASH_MEMORY_KIB: '64',
      IDENTITY_HASH_PASSES: '1',
    },
    properties: {
      [ADMIN_ATTEMPTS_PER_MINUTE.key]: '1000000',
      [LOGIN_ATTEMPTS_FROM_STRANGERS.key]: '1000000',
      [LOGIN_ATTEMPTS_OF_A_STRANGER.key]: '1000000',
    },
  });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  contextId = await createContext(master, 'one');
  ann = await createTestUser(world, master, contextId, 'ann');
  const other = await createContext(master, 'two');
  await master.expect('PUT', `/admin/v1/contexts/${other}/users/2/password`, { password: 'different 1 password' });
  for (const name of ['above', 'owner', 'neighbour'])
    await master.expect('PUT', `/admin/v1/resellers/${name}`, { password: `${name} secret` });
  await master.expect('PUT', '/admin/v1/resellers/owner', { password: 'owner secret', parent: 'above' });
  await master.expect('PATCH', `/admin/v1/contexts/${contextId}`, { reseller: 'owner' });
  isBroken = true;
}, 180_000);
afterAll(async () => {
  isBroken = false;
  await world?.close();
});

const basic = (login: string, password: string) => `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;

interface Scheme {
  readonly header: () => string | undefined;
  /** Caller, in the words of the contract; absent for none. */
  readonly is?: AdminCaller;
  /** The operators know him, so that he gets 403 instead of 401. */
  readonly isReseller?: true;
}

/** Credentials that a client may send, and its role then for an operation on the first context. */
const SCHEMES: Readonly<Record<string, Scheme>> = {
  nothing: { header: () => undefined },
  'a token': { header: () => 'Bearer abcdef' },
  'an empty password': { header: () => basic(world.master.login, '') },
  'a wrong password': { header: () => basic(world.master.login, 'wrong') },
  'a wrong login': { header: () => basic('nobody', world.master.password) },
  'the master administrator': { header: () => basic(world.master.login, world.master.password), is: 'master' },
  'the administrator of the context': { header: () => basic('admin', PASSWORD), is: 'contextAdmin' },
  'the administrator of another context': { header: () => basic('admin', 'different 1 password') },
  'a user of the context': { header: () => basic('ann', PASSWORD) },
  'a cooperating service': { header: () => basic(world.service.login, world.service.password), is: 'service' },
  'the reseller of the context': {
    header: () => basic('owner', 'owner secret'),
    is: 'resellerOfContext',
    isReseller: true,
  },
  'the reseller above him': { header: () => basic('above', 'above secret'), is: 'resellerOfContext', isReseller: true },
  'another reseller': { header: () => basic('neighbour', 'neighbour secret'), is: 'reseller', isReseller: true },
};

/** Tells from the contract whether calls get to the operation. A reseller of the context is a reseller, too. */
function isOpenTo({ callers = [] }: Operation, { is }: Scheme): boolean {
  const declared: ReadonlySet<string> = new Set(callers);
  return is !== undefined && (declared.has(is) || (is === 'resellerOfContext' && declared.has('reseller')));
}

/** Resellers are told that they may not, where masters may and the API knows 403. */
const forbidsResellers = ({ callers = [], hidesFromResellers }: Operation): boolean =>
  !hidesFromResellers && callers.some((caller) => caller === 'master');

const guarded = operations.filter(({ kind, auth }) => kind === 'rest' && auth !== 'none');

async function call(
  operation: Operation,
  authorization: string | undefined,
  context: number | string = contextId,
): Promise<Response> {
  const base = operation.listener === 'public' ? world.publicUrl : world.internalUrl;
  const query = new URLSearchParams(sampleQuery(operation)).toString();
  const places = { 'context-id': context, contextId: context, context, 'user-id': 2, userId: 2, user: 2 };
  const { body } = operation;
  const hasJson = body && body.kind !== 'upload' && body.kind !== 'text' && body.kind !== 'form';
  return fetch(`${base}${samplePath(operation, places)}${query ? `?${query}` : ''}`, {
    method: operation.http,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(hasJson ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasJson ? { body: JSON.stringify(sampleBody(operation)) } : {}),
  });
}

describe('the matrix of operations and credentials', () => {
  it.each(guarded.map((operation): [string, Operation] => [nameOf(operation), operation]))(
    '%s',
    async (_name, operation) => {
      expect(answered).toContain(operation.subject);
      for (const [scheme, of] of Object.entries(SCHEMES)) {
        const response = await call(operation, of.header());
        const text = await response.text();
        const isOpen = isOpenTo(operation, of);
        const seen = { scheme, isRefused: [401, 403].includes(response.status), status: response.status };
        expect(seen).toEqual({ ...seen, isRefused: !isOpen });
        if (isOpen) {
          // A caller who is let in meets the fault, and learns nothing about it but its id.
          expect({ scheme, status: response.status, text }).toMatchObject({ status: expect.any(Number) });
          if (response.status === 500) {
            expect(JSON.parse(text)).toMatchObject({ code: 'SVL-0011', error_id: expect.any(String) });
            expect(text).not.toMatch(/ECONNREFUSED|db7|handler/);
          }
        } else if (of.isReseller && forbidsResellers(operation)) {
          // Known, but not in charge.
          expect({ scheme, status: response.status }).toEqual({ scheme, status: 403 });
          expect(JSON.parse(text)).toMatchObject({ code: 'REST-0403' });
        } else {
          expect({ scheme, status: response.status }).toEqual({ scheme, status: 401 });
          expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+", charset="UTF-8"$/);
          expect(JSON.parse(text)).toMatchObject({
            code: operation.unauthorized?.entry.code ?? 'REST-0401',
            error_params: expect.any(Array),
            categories: expect.any(String),
            category: expect.any(Number),
            version: expect.any(String),
          });
        }
      }
    },
  );

  const ofContexts = guarded.filter(({ params }) => params && contextFieldOf(params));

  it('holds for every spelling of the context', async () => {
    expect(ofContexts.length).toBeGreaterThan(60);
    const text = String(contextId);
    const spellings = [
      ...[`0${text}`, `%30${text}`, `+${text}`, `-${text}`, `%20${text}`, `${text}%20`, `${text}%00`, `${text}.0`],
      ...[`${text}e0`, `0x${contextId.toString(16)}`, `${text};x=1`, `${text}%2F`, String(contextId + 2 ** 32)],
      ...[encodeURIComponent([...text].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''))],
      [...text].map((digit) => `%3${digit}`).join(''),
    ];
    const reached: string[] = [];
    // Every operation meets some of them, and every one of them several operations.
    for (const [index, operation] of ofContexts.entries())
      for (const [scheme, tries] of Object.entries({
        'another reseller': 4,
        'the administrator of another context': 1,
      }))
        for (let attempt = 0; attempt < tries; attempt++) {
          const spelling = spellings[(index * tries + attempt) % spellings.length]!;
          const { status } = await call(operation, SCHEMES[scheme]!.header(), spelling);
          if (![401, 403, 404].includes(status)) reached.push(`${scheme}: ${nameOf(operation)} ${spelling} ${status}`);
        }
    expect(reached).toEqual([]);
  });

  it('lets the right credentials through to the operation, which answers its fault with 500', async () => {
    const others: string[] = [];
    // Callers of an open operation are not asked; probes have no handler that could be broken.
    const open = operations.filter(({ auth, subject }) => auth === 'none' && answered.has(subject));
    expect(open.length).toBeGreaterThan(1);
    for (const operation of [...guarded, ...open]) {
      const scheme = Object.values(SCHEMES).find((each) => isOpenTo(operation, each));
      const { status } = await call(operation, scheme?.header());
      if (status !== 500) others.push(`${nameOf(operation)} ${status}`);
    }
    // Bodies that no sample fits.
    expect(others.filter((line) => !/ (400|415)$/.test(line))).toEqual([]);
    expect(others.length).toBeLessThan(guarded.length / 10);
  });
});

describe('what is open to every reseller', () => {
  beforeAll(() => (isBroken = false));
  afterAll(() => (isBroken = true));
  const as = (reseller: string) => new AdminClient(world.internalUrl, reseller, `${reseller} secret`);
  const refusal = { status: 403, body: { code: 'REST-0403' } };
  const isOpen = async (client: TestUser) => (await client.get('system', 'whoami')).data !== undefined;

  it('lists only the contexts of his subtree', async () => {
    const ids = async (reseller: string, query = '') =>
      ((await as(reseller).expect('GET', `/admin/v1/contexts${query}`)).items as { id: number }[]).map(({ id }) => id);
    expect(await ids('owner')).toEqual([contextId]);
    expect(await ids('above')).toEqual([contextId]);
    for (const query of ['', '?reseller=owner', '?reseller=owner&reseller=neighbour', `?q=${contextId}`])
      expect(await ids('neighbour', query)).toEqual([]);
  });

  it('tells of the jobs of his subtree only, also when their context is gone', async () => {
    const admin = { name: 'admin', password: PASSWORD, surname: 'B', email: 'admin@short-lived.example' };
    const { id } = await as('owner').expect('POST', '/admin/v1/contexts', { name: 'short-lived', admin });
    const job = await as('owner').expect('DELETE', `/admin/v1/contexts/${id}`);
    expect(job).toMatchObject({ kind: 'delete-context', contextId: id, state: 'done' });
    for (const reseller of ['owner', 'above']) {
      expect(await as(reseller).expect('GET', `/admin/v1/jobs/${job.id}`)).toEqual(job);
      expect((await as(reseller).expect('GET', '/admin/v1/jobs')).items).toEqual([job]);
      expect(await as(reseller).expect('DELETE', `/admin/v1/jobs/${job.id}`)).toEqual(job);
    }
    expect((await as('neighbour').expect('GET', '/admin/v1/jobs')).items).toEqual([]);
    for (const method of ['GET', 'DELETE'])
      expect(await as('neighbour').request(method, `/admin/v1/jobs/${job.id}`)).toMatchObject(refusal);
    expect(await as('neighbour').request('GET', `/admin/v1/jobs/${'0'.repeat(8)}`)).toMatchObject({ status: 404 });
  });

  it('makes contexts for his subtree only, and gives none away', async () => {
    const admin = { name: 'admin', password: PASSWORD, displayName: 'A', givenName: 'A', surname: 'B' };
    for (const reseller of ['owner', 'above', '', 'Neighbour', '__proto__'])
      expect(
        await as('neighbour').request('POST', '/admin/v1/contexts', {
          name: 'stolen',
          reseller,
          admin: { ...admin, email: 'admin@stolen.example' },
        }),
      ).toMatchObject(refusal);
    for (const reseller of ['above', 'neighbour', null])
      expect(await as('owner').request('PATCH', `/admin/v1/contexts/${contextId}`, { reseller })).toMatchObject(
        refusal,
      );
  });

  it('ends no session of others, however he names them', async () => {
    const close = (by: string, body: object) => as('neighbour').request('POST', `/admin/v1/close-sessions/${by}`, body);
    for (const contextIds of [[contextId], [contextId, contextId], [2 ** 31 - 1, contextId]])
      expect(await close('by-context', { contextIds })).toMatchObject(refusal);
    expect(await close('by-user', { users: [{ contextId, userId: ann.userId }] })).toMatchObject(refusal);
    expect(await close('by-id', { sessionIds: [ann.session] })).toMatchObject(refusal);
    expect(await close('by-id', { sessionIds: ['0'.repeat(32), ann.session] })).toMatchObject(refusal);
    for (const contextIds of [[`0${contextId}`], [`${contextId}`], [contextId + 0.5], [[contextId]], [-contextId], {}])
      expect([400, 403]).toContain((await close('by-context', { contextIds })).status);
    for (const id of [
      ann.session.toUpperCase(),
      ` ${ann.session}`,
      `${ann.session}\n`,
      encodeURIComponent(ann.session),
    ])
      await close('by-id', { sessionIds: [id] });
    expect(await isOpen(ann)).toBe(true);
    expect(
      (await as('owner').request('POST', '/admin/v1/close-sessions/by-id', { sessionIds: [ann.session] })).status,
    ).toBe(200);
    expect(await isOpen(ann)).toBe(false);
  });
});
