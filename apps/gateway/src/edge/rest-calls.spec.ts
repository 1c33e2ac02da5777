import {
  allowCallers,
  defineModule,
  errorCatalog,
  Field,
  json,
  jsonValue,
  none,
  operationsOf,
  plain,
  rest,
  RestErrors,
} from '@groupware/contracts';
import { bytes, EdgeHarness } from '../testing/edge.harness';

const OPEN = allowCallers('declared by a test');

class ContextPath {
  @Field.contextId() contextId!: number;
}
class ThingPath extends ContextPath {
  @Field.text({ doc: 'name' }) name!: string;
}
class NamePath {
  @Field.text({ doc: 'name' }) name!: string;
}
class Options {
  @Field.boolean({ doc: 'flag', optional: true }) flag?: boolean;
  @Field.listOf('int', { doc: 'ids', optional: true }) ids?: number[];
}
class Body {
  @Field.text({ doc: 'title' }) title!: string;
}
const Errors = errorCatalog('TSTR', {
  exists: { number: 1, category: 'CONFLICT', message: 'Exists.' },
});
const api = defineModule('admin-things', {
  list: rest({
    http: 'GET',
    path: '/admin/v1/things',
    callers: ['master'],
    doc: 'list',
    query: Options,
    reply: plain(),
  }),
  create: rest({
    http: 'POST',
    path: '/admin/v1/things',
    callers: ['master'],
    doc: 'new',
    body: json(Body),
    reply: plain(undefined, { status: 201 }),
  }),
  special: rest({
    access: OPEN,
    http: 'GET',
    path: '/admin/v1/things/special',
    callers: ['anybody'],
    doc: 'static',
    reply: plain(),
  }),
  get: rest({
    access: OPEN,
    http: 'GET',
    path: '/admin/v1/things/{name}',
    callers: ['anybody'],
    doc: 'one',
    params: NamePath,
    reply: plain(),
  }),
  remove: rest({
    access: OPEN,
    http: 'DELETE',
    path: '/admin/v1/things/{name}',
    callers: ['anybody'],
    doc: 'gone',
    reply: none(204),
  }),
  own: rest({
    http: 'GET',
    path: '/admin/v1/contexts/{contextId}/things/{name}',
    callers: ['contextAdmin', 'resellerOfContext', 'master'],
    doc: 'own',
    params: ThingPath,
    reply: plain(),
  }),
  level: rest({ http: 'PUT', path: '/level', callers: ['service'], doc: 'level', body: jsonValue(), reply: none(204) }),
  servlet: rest({
    access: OPEN,
    http: 'GET',
    path: '/servlet/busy',
    callers: ['anybody'],
    doc: 'busy',
    listener: 'public',
    reply: plain(),
  }),
});
const declared = operationsOf(api);
const basic = (login: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
});

describe('REST calls', () => {
  let edge: EdgeHarness;
  beforeEach(async () => {
    edge = await new EdgeHarness(declared).start();
    edge.answers((_operation, { query }) => ({ body: bytes(query) }));
  });
  afterEach(() => edge.stop());
  const call = (path: string, init: RequestInit = {}): Promise<Response> => fetch(edge.internalUrl + path, init);
  const master = basic('root', 'master-secret');

  it('answers the bare result and the status of the contract', async () => {
    const created = await call('/admin/v1/things', { method: 'POST', headers: master, body: '{"title":"a"}' });
    expect(created.status).toBe(201);
    expect(await created.json()).toEqual({});
    expect(edge.lastCall.call.principal).toEqual({ kind: 'master', login: 'root' });
    const listed = await call('/admin/v1/things?flag=TRUE&ids=1&ids=2,3', { headers: master });
    expect(await listed.json()).toEqual({ flag: true, ids: [1, 2, 3] });
    expect(listed.headers.get('cache-control')).toContain('no-store');
  });

  it('answers no body where there is none', async () => {
    edge.answers(() => ({ body: Buffer.alloc(0) }));
    const response = await call('/admin/v1/things/a', { method: 'DELETE' });
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
  });

  it('lets fixed segments win over places, and decodes places once', async () => {
    await call('/admin/v1/things/special');
    expect(edge.lastCall.operation.name).toBe('special');
    for (const [segment, name] of [
      ['a;b=c', 'a;b=c'],
      ['a%2Fb', 'a/b'],
      ['%2525', '%25'],
      ['x@y+z.d', 'x@y+z.d'],
      ['special%20', 'special '],
    ])
      expect(await (await call(`/admin/v1/things/${segment}`)).json()).toEqual({ name });
  });

  it('knows paths it does not have, and methods a path does not have', async () => {
    const missing = await call('/admin/v1/nothing');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({
      code: 'REST-0404',
      categories: 'USER_INPUT',
      category: 1,
      version: '1.2.3',
    });
    const wrong = await call('/admin/v1/things', { method: 'PATCH' });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, POST, HEAD');
    expect(await wrong.json()).toMatchObject({ code: 'REST-0405' });
    expect((await call('/admin/v1/things/%E0%A4%A')).status).toBe(404);
    expect((await call('/admin/v1/things/special', { method: 'DELETE' })).status).toBe(204);
  });

  it('keeps the listeners apart', async () => {
    expect((await fetch(`${edge.publicUrl}/servlet/busy`)).status).toBe(200);
    expect((await call('/servlet/busy')).status).toBe(404);
    expect((await fetch(`${edge.publicUrl}/admin/v1/things`, { headers: master })).status).toBe(404);
  });

  describe('authentication', () => {
    const refused: [string, string, Record<string, string>][] = [
      ['no credentials', '/admin/v1/things', {}],
      ['another scheme', '/admin/v1/things', { authorization: 'Bearer x' }],
      ['no base64', '/admin/v1/things', { authorization: 'Basic ***' }],
      ['wrong password', '/admin/v1/things', basic('root', 'wrong')],
      ['longer password', '/admin/v1/things', basic('root', 'master-secret2')],
      ['empty password', '/admin/v1/things', basic('root', '')],
      ['the pair of services', '/admin/v1/things', basic('peer', 'peer-secret')],
      ['a context administrator', '/admin/v1/things', basic('admin', 'admin-1')],
      ['another context', '/admin/v1/contexts/2/things/a', basic('admin', 'admin-1')],
      ['no context', '/admin/v1/contexts/zero/things/a', basic('admin', 'admin-1')],
    ];
    it.each(refused)('refuses %s before anything is looked up', async (_name, path, headers) => {
      const response = await call(path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="groupware", charset="UTF-8"');
      expect(await response.json()).toMatchObject({ code: 'REST-0401', error_params: [] });
      expect(edge.calls).toHaveLength(0);
    });

    it('lets a context administrator and the master in', async () => {
      const path = '/admin/v1/contexts/1/things/a';
      expect(await (await call(path, { headers: basic('admin', 'admin-1') })).json()).toEqual({
        contextId: 1,
        name: 'a',
      });
      expect(edge.lastCall.call.principal).toEqual({ kind: 'context-admin', login: 'admin', contextId: 1, userId: 2 });
      expect((await call(path, { headers: master })).status).toBe(200);
      expect(edge.lastCall.call.principal).toEqual({ kind: 'master', login: 'root' });
    });

    it('lets a reseller do what an operation allows, in own contexts only', async () => {
      const west = basic('west', 'west-secret');
      const asked = async (path: string, headers: Record<string, string> = west) => {
        const response = await call(path, { headers });
        return [response.status, response.ok ? undefined : ((await response.json()) as { code: string }).code];
      };
      expect(await asked('/admin/v1/contexts/100/things/a')).toEqual([200, undefined]);
      expect(edge.lastCall.call.principal).toEqual({ kind: 'reseller', login: 'west', reseller: 'west' });
      expect(await asked('/admin/v1/contexts/99/things/a')).toEqual([403, 'REST-0403']);
      expect(await asked('/admin/v1/contexts/100/things/a', basic('west', 'wrong'))).toEqual([401, 'REST-0401']);
      // An operation of the master that says nothing of resellers is none of theirs.
      expect(await asked('/admin/v1/things')).toEqual([403, 'REST-0403']);
      expect(edge.calls).toHaveLength(1);
    });

    it('keeps the master out of contexts when the override is off', async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { settings: { masterOverride: false } }).start();
      const path = '/admin/v1/contexts/100/things/a';
      expect((await call(path, { headers: master })).status).toBe(401);
      expect((await call(path, { headers: basic('west', 'west-secret') })).status).toBe(401);
      expect((await call(path, { headers: basic('admin', 'admin-100') })).status).toBe(200);
      expect((await call('/admin/v1/things', { headers: master })).status).toBe(200);
    });

    it('takes passwords in UTF-8 and in ISO-8859-1', async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { settings: { master: { login: 'root', password: 'pässword' } } }).start();
      for (const encoding of ['utf8', 'latin1'] as const) {
        const authorization = `Basic ${Buffer.from('root:pässword', encoding).toString('base64')}`;
        expect((await call('/admin/v1/things', { headers: { authorization } })).status).toBe(200);
      }
    });

    it('stops guessing: after too many failures even the right password waits', async () => {
      for (let index = 0; index < 5; index++)
        await call('/admin/v1/things', { headers: basic('root', `guess${index}`) });
      const response = await call('/admin/v1/things', { headers: master });
      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe('30');
    });

    it('counts guesses at a context for it alone, and those at the master whatever context they name', async () => {
      const statusOf = async (context: number, headers: Record<string, string>) =>
        (await call(`/admin/v1/contexts/${context}/things/x`, { headers })).status;
      for (let index = 0; index < 5; index++) expect(await statusOf(9, basic(`guess${index}`, 'wrong'))).toBe(401);
      expect(await statusOf(9, basic('admin', 'admin-9'))).toBe(429);
      expect(await statusOf(1, basic('admin', 'admin-1'))).toBe(200);
      expect((await call('/admin/v1/things', { headers: master })).status).toBe(200);

      for (let context = 11; context < 16; context++) expect(await statusOf(context, basic('root', 'wrong'))).toBe(401);
      expect((await call('/admin/v1/things', { headers: master })).status).toBe(429);
      expect(await statusOf(1, basic('admin', 'admin-1'))).toBe(200);
    });

    it('refuses everything where no pair is configured, and says so once in the log', async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { settings: { service: undefined } }).start();
      for (let index = 0; index < 3; index++)
        expect((await call('/level', { method: 'PUT', headers: basic('', 'x'), body: '1' })).status).toBe(401);
      expect(edge.log.lines.filter((line) => line.level === 'error')).toHaveLength(1);
    });
  });

  describe('errors', () => {
    it('uses the status of the row and the language of the request', async () => {
      edge.answers(() => {
        throw Errors.exists();
      });
      expect((await call('/admin/v1/things/a')).status).toBe(409);
      edge.answers(() => {
        throw RestErrors.versionMismatch(2, 1);
      });
      const response = await call('/admin/v1/things/a', { headers: { 'accept-language': 'de' } });
      expect(response.status).toBe(412);
      expect(await response.json()).toMatchObject({
        error: 'Das Objekt hat die Version 2, nicht 1.',
        error_params: ['2', '1'],
      });
    });

    it.each([
      ['a body that is too large', `{"title":"${'x'.repeat(5_000)}"}`, 413, 'REST-0413'],
      ['broken JSON', '{', 400, 'SVL-0029'],
      ['another type', '[]', 400, 'SVL-0028'],
      ['a missing field', '{}', 400, 'SVL-0002'],
    ])('refuses %s', async (_name, body, status, code) => {
      const response = await call('/admin/v1/things', { method: 'POST', headers: master, body });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ code });
      expect(edge.calls).toHaveLength(0);
    });

    it('refuses a malformed parameter', async () => {
      const response = await call('/admin/v1/things?flag=perhaps', { headers: master });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'SVL-0010', error_params: ['flag', 'perhaps'] });
    });

    it('hides what was not foreseen', async () => {
      edge.answers(() => {
        throw new Error('password authentication failed for user "x" at 10.0.0.1');
      });
      const response = await call('/admin/v1/things/a');
      expect(response.status).toBe(500);
      expect(await response.text()).not.toMatch(/10\.0\.0\.1|password/);
    });
  });

  it('takes bare JSON values', async () => {
    edge.answers(() => ({ body: Buffer.alloc(0) }));
    const headers = basic('peer', 'peer-secret');
    expect((await call('/level', { method: 'PUT', headers, body: '"DEBUG"' })).status).toBe(204);
    expect(edge.lastCall.call.body).toBe('DEBUG');
    expect(edge.lastCall.call.principal).toEqual({ kind: 'service', login: 'peer' });
  });
});
