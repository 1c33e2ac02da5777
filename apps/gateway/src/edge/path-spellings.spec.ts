import { request } from 'node:http';
import fc from 'fast-check';
import { defineModule, Field, jsonValue, operationsOf, plain, rest } from '@groupware/contracts';
import { bytes, EdgeHarness } from '../testing/edge.harness';

class ContextPath {
  @Field.contextId({ name: 'context-id' }) contextId!: number;
}
class UserPath extends ContextPath {
  @Field.int({ name: 'user-id', doc: 'user', min: 1 }) userId!: number;
}
class Options {
  @Field.text({ doc: 'free', optional: true }) note?: string;
}

const api = defineModule('tenants', {
  change: rest<object, unknown>({
    http: 'PUT',
    path: '/admin/v1/contexts/{context-id}/users/{user-id}',
    callers: ['contextAdmin', 'resellerOfContext', 'master'],
    doc: 'change',
    params: UserPath,
    query: Options,
    body: jsonValue(),
    reply: plain(),
  }),
  quota: rest<object, unknown>({
    http: 'PUT',
    path: '/admin/v1/contexts/{context-id}/quota',
    callers: ['resellerOfContext', 'master'],
    doc: 'quota',
    params: ContextPath,
    body: jsonValue(),
    reply: plain(),
  }),
});

/** Contexts of the reseller `west` of the harness begin here. */
const FIRST_OWN = 100;
const OWN = 150;

const zeroOf = { plain: 0x30, fullwidth: 0xff10, arabic: 0x660, devanagari: 0x966, mathematical: 0x1d7ce } as const;
const digits = (id: number, script: keyof typeof zeroOf) =>
  [...String(id)].map((digit) => String.fromCodePoint(zeroOf[script] + Number(digit))).join('');
const percentEncoded = (id: number) => [...String(id)].map((digit) => `%3${digit}`).join('');

const PREFIXES = ['0', '00', '000', '+', '-', '%2B', '%2D', ' ', '%20', '%09', '%30', '%00', '%EF%BB%BF', '"', '['];
const SUFFIXES = [
  '.',
  '.0',
  'e0',
  'E+0',
  'n',
  '_',
  ';',
  ';a=b',
  '%20',
  '%0A',
  '%00',
  '%2F',
  '%2F..',
  '%3F',
  '%23',
  '"',
];
const scripts = fc.constantFrom(...(Object.keys(zeroOf) as (keyof typeof zeroOf)[]));

/** Mostly one oddity at a time, sometimes several. */
const spelling = (id: fc.Arbitrary<number>) => {
  const plain = id.map(String);
  const prefix = fc.constantFrom(...PREFIXES);
  const suffix = fc.constantFrom(...SUFFIXES);
  const number = fc.oneof(
    plain,
    id.map(percentEncoded),
    id.map((value) => `0x${value.toString(16)}`),
    id.map((value) => `0b${value.toString(2)}`),
    id.map((value) => `${value / 10}e1`),
    id.map((value) => `${value * 10}e-1`),
    id.map((value) => String(value + 2 ** 32)),
    id.map((value) => String(value - 2 ** 32)),
    fc.tuple(id, scripts).map((both) => digits(...both)),
    fc.tuple(id, fc.integer({ min: 1, max: 999 })).map((both) => both.join(',')),
    fc.constantFrom('__proto__', 'constructor', 'undefined', 'null', 'NaN', 'Infinity', 'true'),
  );
  const parts: fc.Arbitrary<string[]> = fc.oneof(
    fc.tuple(prefix, plain),
    fc.tuple(plain, suffix),
    fc.tuple(number),
    fc.tuple(prefix, number, suffix),
  );
  return parts.map((texts) => encodeURI(texts.join('')).replaceAll('%25', '%'));
};

describe('spellings of the context in a path', () => {
  let edge: EdgeHarness;
  beforeAll(async () => {
    edge = await new EdgeHarness(operationsOf(api), { failures: Infinity }).start();
    edge.answers(() => ({ body: bytes({}) }));
  });
  afterAll(() => edge.stop());

  /** Sends a path as it is, which `fetch` would tidy up; answers the status. */
  const send = (path: string, login: string, password: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(edge.internalUrl);
      const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
      const body = JSON.stringify({ contextId: OWN, 'context-id': OWN, id: OWN });
      const outgoing = request({ hostname, port, path, method: 'PUT', headers: { authorization } }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode!));
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });

  const query = fc.constantFrom(
    '',
    `?contextId=${OWN}`,
    `?context-id=${OWN}&context-id=1`,
    `?contextId=1&contextId=${OWN}`,
    `?__proto__=${OWN}&note=a&note=b`,
    `?context_id=${OWN}&cid=${OWN}&ctx=${OWN}`,
  );
  const path = (id: fc.Arbitrary<number>) =>
    fc
      .tuple(spelling(id), fc.constantFrom('/users/2', '/users/02', '/quota', '/users/2/', '//users/2'), query)
      .map(([context, rest, parameters]) => `/admin/v1/contexts/${context}${rest}${parameters}`);
  const reached = () => edge.calls.splice(0).map(({ call }) => (call.query as { contextId: number }).contextId);

  it('never lead a reseller into the context of another', async () => {
    await fc.assert(
      fc.asyncProperty(path(fc.integer({ min: 1, max: FIRST_OWN - 1 })), async (target) => {
        const status = await send(target, 'west', 'west-secret');
        const contexts = reached();
        expect({ target, foreign: contexts.filter((id) => !(id >= FIRST_OWN)) }).toEqual({ target, foreign: [] });
        if (contexts.length === 0) expect([400, 401, 403, 404]).toContain(status);
      }),
      { numRuns: 600 },
    );
  });

  it('never lead the administrator of a context into another', async () => {
    await fc.assert(
      fc.asyncProperty(path(fc.constantFrom(1, 15, 50, 151, 1500)), async (target) => {
        await send(target, 'admin', `admin-${OWN}`);
        expect({ target, foreign: reached().filter((id) => id !== OWN) }).toEqual({ target, foreign: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('have one form: everything else is refused, also where the number would be the own', async () => {
    const at = (context: string) => send(`/admin/v1/contexts/${context}/quota`, 'west', 'west-secret');
    expect(await at(String(OWN))).toBe(200);
    expect(await at(percentEncoded(OWN))).toBe(200);
    expect(reached()).toEqual([OWN, OWN]);
    for (const other of [`0${OWN}`, `+${OWN}`, `%20${OWN}`, `${OWN}.0`, `${OWN}e0`, '0x96', digits(OWN, 'fullwidth')])
      expect({ other, status: await at(encodeURI(other).replaceAll('%25', '%')) }).toEqual({ other, status: 403 });
    expect(await send(`/admin/v1/contexts/0${OWN}/quota`, 'root', 'master-secret')).toBe(400);
    expect(await send(`/admin/v1/contexts/${OWN}/users/02`, 'west', 'west-secret')).toBe(400);
    expect(reached()).toEqual([]);
  });
});

describe('a contract', () => {
  it('cannot leave its callers to a context that the path does not name', () => {
    const at = (callers: readonly ('resellerOfContext' | 'contextAdmin')[]) => () =>
      rest({ http: 'GET', path: '/things', callers, doc: 'things', reply: plain() });
    expect(at(['resellerOfContext'])).toThrow('nobody may call it');
    expect(at(['contextAdmin'])).toThrow('nobody may call it');
    expect(at([])).toThrow('nobody may call it');
  });
});
