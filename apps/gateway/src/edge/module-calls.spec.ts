import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  allowCallers,
  action,
  CatalogueError,
  defineModule,
  errorCatalog,
  Field,
  form,
  json,
  jsonList,
  jsonListOf,
  jsonOneOrList,
  none,
  one,
  operationsOf,
  page,
  plain,
  rows,
  upload,
  file as fileReply,
  value,
  RequestErrors,
  type ModuleContract,
} from '@groupware/contracts';
import { ann, bytes, EdgeHarness, SESSION } from '../testing/edge.harness';

const OPEN = allowCallers('declared by a test');

class ListQuery {
  @Field.columns({ doc: 'columns' }) columns!: (string | number)[];
  @Field.int({ doc: 'limit', optional: true, min: 1 }) limit?: number;
  @Field.boolean({ doc: 'flag', optional: true }) flag?: boolean;
}
class Thing {
  @Field.text({ doc: 'title', maxLength: 20 }) title!: string;
  @Field.int({ doc: 'size', optional: true }) size?: number;
}
class LoginQuery {
  @Field.text({ doc: 'share', optional: true }) share?: string;
  @Field.boolean({ doc: 'staySignedIn', optional: true }) staySignedIn?: boolean;
}
class Credentials {
  @Field.text({ doc: 'name' }) name!: string;
  @Field.text({ doc: 'password', writeOnly: true, maxLength: 30 }) password!: string;
}

const ThingErrors = errorCatalog('TSTG', {
  gone: { number: 2, category: 'USER_INPUT', message: 'No thing %1.' },
  odd: { number: 3, category: 'WARNING', message: 'Thing %1 is odd.' },
});

const things = defineModule('things', {
  all: action({ access: OPEN, http: 'GET', doc: 'rows', query: ListQuery, reply: rows(Thing) }),
  get: action({ access: OPEN, http: 'GET', doc: 'one', reply: one(Thing) }),
  new: action({ access: OPEN, http: 'PUT', doc: 'new', body: json(Thing), reply: value('id') }),
  several: action({
    access: OPEN,
    http: 'PUT',
    doc: 'list',
    body: jsonList(Thing, { maxItems: 3 }),
    reply: value('ids'),
  }),
  either: action({ access: OPEN, http: 'PUT', doc: 'one or list', body: jsonOneOrList(Thing), reply: value('ids') }),
  ids: action({ access: OPEN, http: 'PUT', doc: 'ids', body: jsonListOf<number>('int'), reply: none() }),
  some: action({
    access: OPEN,
    http: 'PUT',
    doc: 'ids, or none',
    body: jsonListOf<number>('int', { required: false }),
    reply: none(),
  }),
  script: action({ access: OPEN, http: 'PUT', doc: 'read without body', reads: true, reply: value('text') }),
  secret: action({ access: OPEN, http: 'GET', doc: 'needs a capability', capability: 'magic', reply: none() }),
  document: action({ access: OPEN, http: 'GET', doc: 'bytes', reply: fileReply('*/*') }),
  source: action({ access: OPEN, http: 'GET', doc: 'text or bytes', namedFile: true, reply: value('text') }),
  shared: action({ access: OPEN, http: 'GET', doc: 'bytes', publicSession: true, reply: fileReply('*/*') }),
  picture: action({ access: OPEN, http: 'GET', doc: 'picture', publicSession: true, reply: fileReply('image/*') }),
  attach: action({ access: OPEN, http: 'POST', doc: 'upload', body: upload(), reply: page('ids') }),
});
const imports = defineModule('import', {
  ICAL: action({ access: OPEN, http: 'POST', doc: 'import', body: upload(), reply: page('results') }),
});
const me = defineModule('user/me', {
  me: action({ access: OPEN, http: 'GET', action: null, doc: 'me', reply: value('me') }),
});
const login = defineModule('login', {
  login: action({
    access: OPEN,
    http: 'POST',
    auth: 'none',
    edge: true,
    startData: 'rampup',
    doc: 'login',
    query: LoginQuery,
    body: form(Credentials),
    reply: plain(),
  }),
  autologin: action({
    access: OPEN,
    http: 'GET',
    auth: 'none',
    doc: 'auto',
    body: form(class {}, { required: false }),
    reply: plain(),
  }),
});
const declared = [things, imports, me, login].flatMap((contract) =>
  operationsOf(contract as unknown as ModuleContract),
);

describe('module calls', () => {
  let edge: EdgeHarness;
  beforeEach(async () => {
    edge = await new EdgeHarness(declared).start();
  });
  afterEach(() => edge.stop());

  const put = (body: unknown): RequestInit => ({
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

  describe('success', () => {
    it('copies the bytes of the service into the envelope without reading them', async () => {
      edge.answers(() => ({ body: Buffer.from('[[1, "as  it is"]]'), timestamp: 1700000000000 }));
      const response = await edge.fetch('/things?action=all&session=$S&columns=1,title&flag=1');
      expect(await response.text()).toBe('{"data":[[1, "as  it is"]],"timestamp":1700000000000}');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
      expect(response.headers.get('cache-control')).toContain('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const { operation, call } = edge.lastCall;
      expect(operation.name).toBe('all');
      expect(call.query).toEqual({ columns: ['1', 'title'], flag: true });
      expect(call.principal).toEqual(ann);
      expect(call.deadline).toBeGreaterThan(Date.now());
      expect(call.deadline).toBeLessThanOrEqual(Date.now() + 5000);
    });

    it('sends large answers as they are, and only their length for HEAD', async () => {
      const body = JSON.stringify(['ü'.repeat(20_000)]);
      edge.answers(() => ({ body: Buffer.from(body), timestamp: 5 }));
      const response = await edge.fetch('/things?action=all&session=$S&columns=1');
      expect(await response.text()).toBe(`{"data":${body},"timestamp":5}`);
      const length = String(Buffer.byteLength(body) + 23);
      expect(response.headers.get('content-length')).toBe(length);
      const head = await edge.fetch('/things?action=all&session=$S&columns=1', { method: 'HEAD' });
      expect(await head.text()).toBe('');
      expect(head.headers.get('content-length')).toBe(length);
    });

    it('streams an answer that comes in pieces', async () => {
      edge.answers(() => ({
        body: (async function* () {
          for (let index = 0; index < 50; index++) yield Buffer.from(`${index === 0 ? '[' : ','}"${'x'.repeat(5000)}"`);
          yield Buffer.from(']');
        })(),
        timestamp: 7,
      }));
      const answer = await edge.json('/things?action=get&session=$S');
      expect(answer.data).toHaveLength(50);
      expect(answer.timestamp).toBe(7);
    });

    it('leaves the data out when there is none', async () => {
      edge.answers(() => ({ body: Buffer.alloc(0), timestamp: 5 }));
      expect(await (await edge.fetch('/things?action=get&session=$S')).text()).toBe('{"timestamp":5}');
      edge.answers(() => ({ body: Buffer.alloc(0) }));
      expect(await (await edge.fetch('/things?action=get&session=$S')).text()).toBe('{}');
    });

    it('writes a single warning as an object and its fields at the top level too', async () => {
      edge.answers(() => ({ body: bytes([1]), warnings: [ThingErrors.odd('a')] }));
      const answer = await edge.json('/things?action=get&session=$S');
      expect(answer).toMatchObject({ data: [1], code: 'TSTG-0003', category: 13, categories: 'WARNING' });
      expect(answer.warnings).toMatchObject({ code: 'TSTG-0003', category: 13, error: 'Thing a is odd.' });
      expect(answer.error_id).toMatch(/^[0-9a-f]{16}-\d+$/);
      expect((answer.warnings as { error_id: string }).error_id).toBe(answer.error_id);
      expect(edge.log.lines).toContainEqual(expect.objectContaining({ error_id: answer.error_id, code: 'TSTG-0003' }));
    });

    it('writes empty data beside a warning, without which clients take the call for failed', async () => {
      edge.answers(() => ({ body: Buffer.alloc(0), warnings: [ThingErrors.odd('a')] }));
      expect(await edge.json('/things?action=get&session=$S')).toMatchObject({ data: {}, code: 'TSTG-0003' });
    });

    it('writes several warnings as an array', async () => {
      edge.answers(() => ({ body: bytes([1]), warnings: [ThingErrors.odd('a'), ThingErrors.gone('b')] }));
      const answer = await edge.json('/things?action=get&session=$S');
      expect(answer.warnings).toMatchObject([{ code: 'TSTG-0003' }, { code: 'TSTG-0002', category: 13 }]);
      expect(answer.error).toBe('Thing a is odd.');
    });

    it('answers a module that is called without an action, also one with a slash in its name', async () => {
      edge.answers(() => ({ body: bytes({ user_id: 3 }) }));
      expect(await edge.json('/user/me?session=$S')).toEqual({ data: { user_id: 3 } });
    });

    it('writes cookies with their attributes', async () => {
      edge.answers(() => ({
        body: bytes({ session: 'x' }),
        cookies: [{ name: 'svc-secret-a', value: 'v1', maxAgeSeconds: 60 }, { name: 'svc-shard' }],
      }));
      const response = await edge.fetch('/login?action=login', {
        method: 'POST',
        body: new URLSearchParams({ name: 'ann', password: 'pw' }),
      });
      expect(await response.json()).toEqual({ session: 'x' });
      expect(response.headers.getSetCookie()).toEqual([
        'svc-secret-a=v1; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
        'svc-shard=invalid; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; HttpOnly; SameSite=Lax',
      ]);
    });

    it('answers a plain reply with its own status and without a body when there is none', async () => {
      edge.answers(() => ({ body: Buffer.alloc(0), status: 403 }));
      const response = await edge.fetch('/login?action=autologin');
      expect(response.status).toBe(403);
      expect(await response.text()).toBe('');
    });
  });

  describe('refusals', () => {
    const cases: [string, string, RequestInit | undefined, string, number][] = [
      ['unknown module', '/nothing?action=all&session=$S', undefined, 'SVL-0007', 404],
      ['module without actions', '/system?action=fly&session=$S', undefined, 'SVL-0021', 200],
      ['action missing', '/things?session=$S', undefined, 'SVL-0002', 200],
      ['unknown action', '/things?action=fly&session=$S', undefined, 'SVL-0021', 200],
      ['unknown login action', '/login?action=fly', undefined, 'SVL-0001', 200],
      ['wrong method', '/things?action=all&session=$S', { method: 'DELETE' }, 'SVL-0024', 405],
      ['no session', '/things?action=all&columns=1', undefined, 'SES-0201', 200],
      ['file without any session', '/things?action=shared', undefined, 'SES-0201', 200],
      ['picture of a page without any session', '/things?action=picture', undefined, 'SES-0201', 404],
      ['picture with an unknown session', '/things?action=picture&session=1234567', undefined, 'SES-0203', 200],
      ['unknown session', '/things?action=all&columns=1&session=1234567', undefined, 'SES-0203', 200],
      [
        'foreign cookie',
        '/things?action=all&columns=1&session=$S',
        { headers: { cookie: 'svc-secret-x=1' } },
        'SES-0206',
        200,
      ],
      ['missing parameter', '/things?action=all&session=$S', undefined, 'SVL-0002', 200],
      ['malformed parameter', '/things?action=all&session=$S&columns=1&limit=abc', undefined, 'SVL-0010', 200],
      ['parameter out of bounds', '/things?action=all&session=$S&columns=1&limit=0', undefined, 'SVL-0010', 200],
      ['boolean that is none', '/things?action=all&session=$S&columns=1&flag=maybe', undefined, 'SVL-0010', 200],
      ['missing capability', '/things?action=secret&session=$S', undefined, 'SVL-0016', 200],
      ['no body', '/things?action=new&session=$S', { method: 'PUT' }, 'SVL-0028', 200],
      ['broken JSON', '/things?action=new&session=$S', put('{"title":'), 'SVL-0029', 200],
      ['array for object', '/things?action=new&session=$S', put([1]), 'SVL-0028', 200],
      ['null for object', '/things?action=new&session=$S', put('null'), 'SVL-0028', 200],
      ['object for array', '/things?action=several&session=$S', put({}), 'SVL-0028', 200],
      ['numbers in an array of objects', '/things?action=several&session=$S', put([1]), 'SVL-0028', 200],
      ['too many elements', '/things?action=several&session=$S', put(Array(4).fill({ title: 'a' })), 'SVL-0031', 200],
      ['missing field', '/things?action=new&session=$S', put({ size: 1 }), 'SVL-0002', 200],
      ['wrong type of a field', '/things?action=new&session=$S', put({ title: 'a', size: 'x' }), 'SVL-0031', 200],
      ['field too long', '/things?action=new&session=$S', put({ title: 'a'.repeat(21) }), 'SVL-0031', 200],
      ['text among ids', '/things?action=ids&session=$S', put(['x']), 'SVL-0031', 200],
      ['nesting without end', '/things?action=new&session=$S', put('['.repeat(5000)), 'SVL-0031', 200],
      ['body too large', '/things?action=new&session=$S', put({ title: 'a'.repeat(20_000) }), 'UPL-0005', 200],
      ['password in the URL', '/login?action=login&name=a&password=b', { method: 'POST' }, 'SVL-0030', 200],
      ['password in the URL of any action', '/login?password=b', undefined, 'SVL-0030', 200],
      [
        'login without password',
        '/login?action=login',
        { method: 'POST', body: new URLSearchParams({ name: 'a' }) },
        'SVL-0002',
        200,
      ],
    ];

    it.each(cases)('%s', async (_name, target, init, code, status) => {
      const response = await edge.fetch(target, init);
      const answer = (await response.json()) as Record<string, unknown>;
      expect({ code: answer.code, status: response.status }).toEqual({ code, status });
      expect(answer.error_id).toMatch(/^[0-9a-f]{16}-\d+$/);
      expect(answer).not.toHaveProperty('data');
      expect(edge.calls).toHaveLength(0);
      expect(
        edge.log.lines.filter((line) => (line as { error_id?: string }).error_id === answer.error_id),
      ).toHaveLength(1);
    });

    it('names the method that is needed', async () => {
      const answer = await edge.json('/things?action=all&session=$S', { method: 'DELETE' });
      expect(answer.error_params).toEqual(['all', 'things', 'GET']);
    });

    it('lists every bad parameter', async () => {
      const answer = await edge.json('/things?action=all&session=$S&limit=x&flag=maybe');
      expect(answer.problematic).toMatchObject([{ name: 'columns' }, { name: 'limit' }, { name: 'flag' }]);
    });

    it('lists every bad field of every element', async () => {
      const answer = await edge.json(
        '/things?action=several&session=$S',
        put([{ title: 'a' }, { title: 1, size: 'x' }]),
      );
      expect(answer.problematic).toMatchObject([{ name: '[1].title' }, { name: '[1].size' }]);
    });

    it('removes the cookies of the session', async () => {
      const response = await edge.fetch('/things?action=get&session=$S', { headers: { cookie: 'a=b' } });
      expect(response.headers.getSetCookie()[0]).toMatch(/^svc-secret-test=invalid; .*1970/);
    });

    it('never repeats a password that was refused', async () => {
      const password = 'p'.repeat(31);
      const response = await edge.fetch('/login?action=login', {
        method: 'POST',
        body: new URLSearchParams({ name: 'a', password }),
      });
      const text = await response.text();
      expect(text).toContain('SVL-0010');
      expect(text).not.toContain(password);
      expect(JSON.stringify(edge.log.lines)).not.toContain(password);
    });

    it('limits logins per address', async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { logins: 2 }).start();
      const login = (): Promise<Response> =>
        edge.fetch('/login?action=login', { method: 'POST', body: new URLSearchParams({ name: 'a', password: 'b' }) });
      expect((await login()).status).toBe(200);
      expect((await login()).status).toBe(200);
      const third = await login();
      expect(third.status).toBe(429);
      expect(third.headers.get('retry-after')).toBe('30');
      expect(await third.json()).toMatchObject({ code: 'SVL-0019' });
    });

    it('refuses calls beyond the limit of running ones', async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { settings: { maxConcurrent: 1 } }).start();
      let release = (): void => undefined;
      edge.answers(() => new Promise((resolve) => (release = () => resolve({ body: bytes(1) }))));
      const first = edge.json('/things?action=get&session=$S');
      while (edge.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      const second = await edge.fetch('/things?action=get&session=$S');
      expect(second.status).toBe(429);
      expect(second.headers.get('retry-after')).toBe('1');
      release();
      expect(await first).toEqual({ data: 1 });
    });
  });

  describe('errors of services', () => {
    it('shows a foreseen error in the language of the user', async () => {
      edge.sessions.principal = { ...ann, locale: 'de_DE' };
      edge.answers(() => {
        throw RequestErrors.changedInTheMeantime();
      });
      const response = await edge.fetch('/things?action=get&session=$S');
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        error: 'Das Objekt wurde in der Zwischenzeit geändert.',
        error_desc: 'The object was changed in the meantime.',
        error_params: [],
        code: 'SVL-0017',
        categories: 'CONFLICT',
        category: 9,
      });
    });

    it('uses Accept-Language where nobody is logged in', async () => {
      edge.answers(() => {
        throw RequestErrors.changedInTheMeantime();
      });
      const answer = await edge.json('/login?action=autologin', { headers: { 'accept-language': 'de-DE,en;q=0.5' } });
      expect(answer.error).toBe('Das Objekt wurde in der Zwischenzeit geändert.');
    });

    it('keeps the error id that a service gave', async () => {
      edge.answers(() => {
        throw new CatalogueError(ThingErrors.gone.entry, ['7'], {}, 'abc-1');
      });
      expect(await edge.json('/things?action=get&session=$S')).toMatchObject({
        error_id: 'abc-1',
        error: 'No thing 7.',
      });
    });

    it('answers 503 when nobody serves the module', async () => {
      edge.answers(() => {
        throw RequestErrors.serviceUnavailable('things');
      });
      const response = await edge.fetch('/things?action=get&session=$S');
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ code: 'SVL-0032', category: 5 });
    });

    it('tells nothing of an unforeseen failure but its id, which the log has with the cause', async () => {
      edge.answers(() => {
        throw Object.assign(new Error('relation "secret_table" does not exist at db-host:5432'), { sql: 'select 1' });
      });
      const response = await edge.fetch('/things?action=get&session=$S');
      const text = await response.text();
      expect(text).not.toMatch(/secret_table|db-host|select|at .*\.ts|node_modules/);
      const answer = JSON.parse(text) as Record<string, unknown>;
      expect(answer).toMatchObject({ code: 'SVL-0011', category: 8 });
      expect(answer.error).toMatch(/error occurred inside the server/);
      expect(answer).not.toHaveProperty('error_stack');
      const line = edge.log.lines.find((each) => (each as { error_id?: string }).error_id === answer.error_id);
      expect(line).toMatchObject({
        level: 'error',
        err: expect.objectContaining({ message: expect.stringContaining('secret_table') }),
      });
    });

    it('breaks the connection when an answer fails half-way', async () => {
      edge.answers(() => ({
        body: (async function* () {
          yield Buffer.from('[1,');
          await new Promise((resolve) => setTimeout(resolve, 20));
          throw new Error('gone');
        })(),
      }));
      await expect(edge.fetch('/things?action=get&session=$S').then((response) => response.text())).rejects.toThrow();
    });

    it('tells the service when the client goes away', async () => {
      let aborted = false;
      edge.answers(
        (_operation, { whenGone }) =>
          new Promise((_resolve, reject) =>
            whenGone!(() => {
              aborted = true;
              reject(new Error('aborted'));
            }),
          ),
      );
      const stop = new AbortController();
      const call = edge.fetch('/things?action=get&session=$S', { signal: stop.signal });
      while (edge.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      stop.abort();
      await expect(call).rejects.toThrow();
      while (!aborted) await new Promise((resolve) => setTimeout(resolve, 2));
      expect(aborted).toBe(true);
    });
  });

  describe('bodies', () => {
    it('takes one object or a list of them', async () => {
      await edge.json('/things?action=either&session=$S', put({ title: 'a' }));
      expect(edge.lastCall.call.body).toEqual([{ title: 'a' }]);
      await edge.json('/things?action=either&session=$S', put([{ title: 'a' }, { title: 'b' }]));
      expect(edge.lastCall.call.body).toEqual([{ title: 'a' }, { title: 'b' }]);
    });

    it('takes ids as numbers and as texts', async () => {
      await edge.json('/things?action=ids&session=$S', put([1, '2']));
      expect(edge.lastCall.call.body).toEqual([1, 2]);
    });

    it('takes a byte order mark', async () => {
      await edge.json('/things?action=new&session=$S', put('\ufeff{"title":"ä"}'));
      expect(edge.lastCall.call.body).toEqual({ title: 'ä' });
    });

    it('takes an empty object for a list that may be absent', async () => {
      for (const [body, read] of [
        [{}, undefined],
        [[], []],
        [[7], [7]],
      ]) {
        await edge.json('/things?action=some&session=$S', put(body));
        expect(edge.lastCall.call.body).toEqual(read);
      }
      expect(await edge.json('/things?action=some&session=$S', put({ id: 7 }))).toMatchObject({ code: 'SVL-0028' });
      expect(await edge.json('/things?action=ids&session=$S', put({}))).toMatchObject({ code: 'SVL-0028' });
    });

    it('takes GET for the method of a read without a body', async () => {
      await edge.json('/things?action=script&session=$S');
      expect(edge.lastCall.operation.name).toBe('script');
      for (const action of ['ids', 'new'])
        expect(await edge.json(`/things?action=${action}&session=$S`)).toMatchObject({ code: 'SVL-0024' });
    });

    it('takes a form as JSON too', async () => {
      await edge.json('/login?action=login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'ann', password: 'pw' }),
      });
      expect(edge.lastCall.call.body).toEqual({ name: 'ann', password: 'pw' });
    });

    const sendJson = (path: string, body: unknown) =>
      edge.json(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    it('reads the parameters of a login from JSON as from a form', async () => {
      const body = { action: 'login', name: 'ann', password: 'pw', share: null, staySignedIn: null };
      await sendJson('/login', body);
      expect(edge.lastCall.call.query).toEqual({});
      expect(edge.lastCall.call.body).toEqual({ name: 'ann', password: 'pw' });
      await sendJson('/login', { ...body, share: 'abc', staySignedIn: true });
      expect(edge.lastCall.call.query).toEqual({ share: 'abc', staySignedIn: true });
      await sendJson('/login?action=login&name=ann&share=abc', { password: 'pw', share: null });
      expect(edge.lastCall.call.query).toEqual({ share: 'abc' });
      expect(edge.lastCall.call.body).toEqual({ name: 'ann', password: 'pw' });
    });

    it.each([
      ['"true"', { rampup: 'true', rampUpFor: 'web' }, { rampUpFor: 'web' }],
      ['true', { rampup: true, rampUpFor: 'web' }, { rampUpFor: 'web' }],
      ['1', { rampup: 1, rampUpFor: null }, {}],
    ])('adds the start data to a login that asks for it in JSON: %s', async (_name, wish, query) => {
      const answers: Readonly<Record<string, unknown>> = { login: { session: SESSION }, rampup: { user: { id: '3' } } };
      edge.answers(({ name }) => ({ body: bytes(answers[name]) }));
      const answer = await sendJson('/login?action=login', { name: 'ann', password: 'pw', ...wish });
      expect(answer).toEqual({ session: SESSION, rampup: { user: { id: '3' } } });
      expect(edge.lastCall.call.query).toEqual(query);
    });

    it.each([{ rampup: false }, { rampup: null }, {}])('adds no start data to a login with %j', async (wish) => {
      edge.answers(() => ({ body: bytes({ session: SESSION }) }));
      const answer = await sendJson('/login?action=login', { name: 'ann', password: 'pw', ...wish });
      expect(answer).toEqual({ session: SESSION });
      expect(edge.calls).toHaveLength(1);
    });

    it('takes a GET with a form as POST', async () => {
      edge.answers(() => ({ body: bytes({}) }));
      expect(
        (await edge.fetch('/login?action=autologin', { method: 'POST', body: new URLSearchParams({ client: 'a' }) }))
          .status,
      ).toBe(200);
      expect(edge.lastCall.operation.name).toBe('autologin');
    });

    it('hands the edge of the request to operations that ask for it, without credentials of others', async () => {
      await edge.json('/login?action=login', {
        method: 'POST',
        headers: { cookie: 'svc-secret-a=1; other=2', 'user-agent': 'Test/1', authorization: 'Basic eA==' },
        body: new URLSearchParams({ name: 'ann', password: 'pw' }),
      });
      const { edge: request } = edge.lastCall.call;
      expect(request).toMatchObject({ remoteAddress: '127.0.0.1', userAgent: 'Test/1', secure: false });
      expect(request!.cookies).toEqual({ 'svc-secret-a': '1' });
      expect(request!.headers).not.toHaveProperty('authorization');
      expect(request!.headers).not.toHaveProperty('cookie');
    });
  });

  describe('base paths', () => {
    it('serves every base path and nothing outside', async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { settings: { basePaths: ['/ajax', '/appsuite/api'] } }).start();
      edge.answers(() => ({ body: bytes(1) }));
      expect(await edge.json('/ajax/things?action=get&session=$S')).toEqual({ data: 1 });
      expect(await edge.json('/appsuite/api/user/me?session=$S')).toEqual({ data: 1 });
      const outside = await edge.fetch('/things?action=get&session=$S');
      expect(outside.status).toBe(404);
      expect(await outside.json()).toMatchObject({ code: 'REST-0404' });
      expect((await edge.fetch('/ajaxthings?action=get&session=$S')).status).toBe(404);
    });
  });

  describe('clients that stand still', () => {
    beforeEach(async () => {
      await edge.stop();
      edge = await new EdgeHarness(declared, { stallMs: 100 }).start();
    });
    const talk = (head: string): Promise<{ socket: Socket; closed: Promise<unknown> }> =>
      new Promise((resolve) => {
        const { hostname, port } = new URL(edge.publicUrl);
        const socket = connect(Number(port), hostname, () => {
          socket.write(`${head}\r\nHost: x\r\nCookie: svc-secret-test=s3cret\r\n`);
          resolve({ socket, closed: once(socket, 'close') });
        });
        socket.on('error', () => undefined);
      });

    it('closes the connection of a body that does not go on', async () => {
      const { socket, closed } = await talk(`PUT /things?action=new&session=${SESSION} HTTP/1.1`);
      socket.write('Content-Length: 50\r\n\r\n{"title":');
      socket.resume();
      await closed;
      expect(edge.calls).toHaveLength(0);
    });

    it('closes the connection of an answer that nobody reads', async () => {
      let ended = false;
      edge.answers(() => ({
        body: (async function* () {
          try {
            for (;;) yield Buffer.alloc(1_000_000, 'x');
          } finally {
            ended = true;
          }
        })(),
      }));
      const { socket, closed } = await talk(`GET /things?action=get&session=${SESSION} HTTP/1.1`);
      socket.pause();
      socket.write('\r\n');
      while (!ended) await new Promise((resolve) => setTimeout(resolve, 10));
      socket.resume();
      await closed;
    });

    it('waits for a slow service all the same', async () => {
      edge.answers(() => new Promise((resolve) => setTimeout(() => resolve({ body: bytes(1) }), 300)));
      expect(await edge.json('/things?action=new&session=$S', put({ title: 'a' }))).toEqual({ data: 1 });
    });
  });

  it('lets a refused upload end before the connection does, so that its client sees the answer', async () => {
    const { hostname, port } = new URL(edge.publicUrl);
    const socket = connect(Number(port), hostname);
    const closed = once(socket, 'close');
    let answers = '';
    socket.on('data', (part: Buffer) => (answers += part.toString())).on('error', () => undefined);
    const waitFor = async (code: string) => {
      while (!answers.includes(code)) await new Promise((resolve) => setTimeout(resolve, 2));
    };
    const body = Buffer.alloc(500_000, 'x');
    const head = 'Host: x\r\nContent-Type: multipart/form-data; boundary=b\r\n';
    socket.write(
      `POST /things?action=attach&session=1234567 HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n`,
    );
    await waitFor('SES-0203');
    socket.write(body);
    socket.write(`GET /things?action=fly&session=${SESSION} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await waitFor('SVL-0021');
    await closed;
  });

  it('writes one access line per request, without the session id', async () => {
    await edge.json('/things?action=get&session=$S');
    while (edge.accessLog.lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(edge.accessLog.lines[0]).toMatchObject({
      method: 'GET',
      path: '/things',
      module: 'things',
      action: 'get',
      status: 200,
      context: 1,
      user: 3,
      session: '012345…',
    });
    expect(JSON.stringify(edge.accessLog.lines)).not.toContain(SESSION);
  });

  describe('files', () => {
    it('streams a file with safe headers and removes a temporary one', async () => {
      const content = Buffer.alloc(100_000, 'x');
      edge.files.stored.set('f1', content);
      edge.answers(() => ({
        body: Buffer.alloc(0),
        file: {
          reference: 'f1',
          name: 'Übersicht "1".ics',
          contentType: 'text/calendar',
          sizeBytes: content.length,
          temporary: true,
        },
      }));
      const response = await edge.fetch('/things?action=document&session=$S');
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
      expect(response.headers.get('content-disposition')).toBe(
        `attachment; filename="_bersicht _1_.ics"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.ics`,
      );
      expect(response.headers.get('content-type')).toBe('text/calendar');
      expect(response.headers.get('content-security-policy')).toContain('sandbox');
      expect(response.headers.get('content-length')).toBe('100000');
      while (edge.files.stored.size > 0) await new Promise((resolve) => setTimeout(resolve, 2));
      expect(edge.files.removed).toEqual(['f1']);
    });

    it('serves a path with the file name behind the module', async () => {
      edge.files.stored.set('f1', Buffer.from('abc'));
      edge.answers(() => ({
        body: Buffer.alloc(0),
        file: { reference: 'f1', name: 'a', contentType: 'text/html', inline: true },
      }));
      const response = await edge.fetch('/things/any%20name.txt?action=document&session=$S');
      expect(await response.text()).toBe('abc');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
      expect((await edge.fetch('/things/any?action=get&session=$S')).status).toBe(404);
      edge.answers(() => ({ body: Buffer.from('"source"') }));
      expect(await (await edge.fetch('/things/a.eml?action=source&session=$S')).text()).toBe('{"data":"source"}');
    });

    it('answers a missing file with an error, not half a file', async () => {
      edge.answers(() => ({
        body: Buffer.alloc(0),
        file: { reference: 'none', name: 'a', contentType: 'text/plain' },
      }));
      expect(await edge.json('/things?action=document&session=$S')).toMatchObject({ code: 'SVL-0011' });
    });
  });

  describe('uploads', () => {
    const upload = (parts: Record<string, string | Blob>): RequestInit => {
      const body = new FormData();
      for (const [name, part] of Object.entries(parts)) {
        if (typeof part === 'string') body.append(name, part);
        else body.append(name, part, 'ä b.txt');
      }
      return { method: 'POST', body };
    };

    it('stores the files, passes references on and answers by the callback page', async () => {
      let seen = '';
      edge.answers(() => {
        seen = String(edge.files.stored.get('ref-1'));
        return { body: bytes([17]), timestamp: 3 };
      });
      const response = await edge.fetch(
        '/things?action=attach&session=$S',
        upload({ json_0: '{"folder":1}', file_0: new Blob(['hello'], { type: 'text/plain' }) }),
      );
      expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
      const html = await response.text();
      expect(JSON.parse(/\((\{.*\})\)/.exec(html)![1]!)).toEqual({ data: [17], timestamp: 3 });
      expect(html).toContain('parent["callback_attach"]');
      const { call } = edge.lastCall;
      expect(call.body).toEqual({ json_0: '{"folder":1}' });
      expect(call.files).toEqual([
        {
          field: 'file_0',
          reference: 'ref-1',
          name: 'ä b.txt',
          contentType: 'text/plain',
          sizeBytes: 5,
          sha256: 'a'.repeat(64),
        },
      ]);
      expect(seen).toBe('hello');
      // A file that no service claimed while it answered is removed.
      expect(edge.files.stored.size).toBe(0);
    });

    it('calls callback_import for every import, or what the client names', async () => {
      const parts = { file: new Blob(['x']) };
      expect(await (await edge.fetch('/import?action=ICAL&session=$S', upload(parts))).text()).toContain(
        '"callback_import"',
      );
      const named = await edge.fetch('/import?action=ICAL&session=$S&callback=my_1', upload(parts));
      expect(await named.text()).toContain('parent["my_1"]');
      const forged = await edge.fetch(
        `/import?action=ICAL&session=$S&callback=${encodeURIComponent('x"]);alert(1)//')}`,
        upload(parts),
      );
      const html = await forged.text();
      expect(html).toContain('"callback_import"');
      expect(html).not.toContain('alert');
    });

    it('lets nothing out of the script, whatever the data hold', async () => {
      const evil = '</script><script>alert(1)</script>\u2028 "\\/<!--';
      edge.answers(() => ({ body: bytes({ evil }) }));
      const html = await (await edge.fetch('/import?action=ICAL&session=$S', upload({ file: new Blob(['x']) }))).text();
      expect(html.match(/<\/script>/g)).toHaveLength(1);
      expect(html.match(/<script/g)).toHaveLength(1);
      expect(html).not.toContain('<!--');
      expect(JSON.parse(/\((\{.*\})\)/.exec(html)![1]!)).toEqual({ data: { evil } });
    });

    const asJson = ['plainJson=true', 'force_json_response=true', 'force_json_response=1', 'respondWithHTML=false'];
    it.each(asJson)('answers JSON with %s, errors too', async (parameter) => {
      edge.answers(() => ({ body: bytes([1]) }));
      const send = () => edge.fetch(`/import?action=ICAL&session=$S&${parameter}`, upload({ file: new Blob(['x']) }));
      const response = await send();
      expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
      expect(await response.json()).toEqual({ data: [1] });
      edge.answers(() => {
        throw ThingErrors.gone('1');
      });
      const failed = await send();
      expect(failed.headers.get('content-type')).toBe('application/json; charset=UTF-8');
      expect(await failed.json()).toMatchObject({ code: 'TSTG-0002' });
    });

    it('answers JSON to clients that accept nothing else, unless they ask for the page', async () => {
      edge.answers(() => ({ body: bytes([1]) }));
      const typeOf = async (accept: string, parameter = '') => {
        const init = { ...upload({ file: new Blob(['x']) }), headers: { accept } };
        return (await edge.fetch(`/import?action=ICAL&session=$S${parameter}`, init)).headers.get('content-type');
      };
      const [json, page] = ['application/json; charset=UTF-8', 'text/html; charset=UTF-8'];
      for (const accept of ['application/json', 'application/json;q=0.9']) expect(await typeOf(accept)).toBe(json);
      for (const accept of ['*/*', 'text/html,application/json', 'application/json, text/javascript, */*; q=0.01'])
        expect(await typeOf(accept)).toBe(page);
      expect(await typeOf('application/json', '&respondWithHTML=true')).toBe(page);
    });

    it('answers the page when asked for no JSON', async () => {
      edge.answers(() => ({ body: bytes([1]) }));
      const response = await edge.fetch(
        '/import?action=ICAL&session=$S&force_json_response=false',
        upload({ file: new Blob(['x']) }),
      );
      expect(response.headers.get('content-type')).toBe('text/html; charset=UTF-8');
    });

    it('takes a raw body as one file', async () => {
      edge.answers(() => ({ body: bytes([1]) }));
      const answer = await edge.json('/import?action=ICAL&session=$S', {
        method: 'POST',
        headers: { 'content-type': 'text/calendar' },
        body: 'BEGIN:VCALENDAR',
      });
      expect(answer).toEqual({ data: [1] });
      expect(edge.lastCall.call.files).toMatchObject([{ field: 'file', contentType: 'text/calendar', sizeBytes: 15 }]);
    });

    const refused: [string, () => RequestInit, string][] = [
      ['a file that is too large', () => upload({ file: new Blob(['x'.repeat(100_001)]) }), 'UPL-0005'],
      [
        'too many files',
        () => upload({ a: new Blob(['1']), b: new Blob(['2']), c: new Blob(['3']), d: new Blob(['4']) }),
        'SVL-0031',
      ],
      ['a field that is too long', () => upload({ file: new Blob(['1']), json: 'x'.repeat(1_001) }), 'UPL-0005'],
      [
        'too many fields',
        () => upload({ f: new Blob(['1']), a: '1', b: '2', c: '3', d: '4', e: '5', g: '6' }),
        'SVL-0031',
      ],
      ['nothing at all', () => ({ method: 'POST' }), 'SVL-0002'],
    ];
    it.each(refused)('refuses %s and keeps nothing', async (_name, init, code) => {
      const response = await edge.fetch('/import?action=ICAL&session=$S', init());
      const text = await response.text();
      const answer = JSON.parse(/(\{.*\})/.exec(text)![1]!) as Record<string, unknown>;
      expect(answer.code).toBe(code);
      expect(edge.calls).toHaveLength(0);
      expect(edge.files.stored.size).toBe(0);
    });

    it('refuses a chunked file that grows too large', async () => {
      const body = new ReadableStream({
        start(controller) {
          for (let index = 0; index < 20; index++) controller.enqueue(Buffer.alloc(10_000, 'x'));
          controller.close();
        },
      });
      const answer = await edge.json('/import?action=ICAL&session=$S', {
        method: 'POST',
        headers: { 'content-type': 'text/calendar' },
        body,
        duplex: 'half',
      });
      expect(answer.code).toBe('UPL-0005');
      expect(edge.files.stored.size).toBe(0);
    });

    it('removes stored files when the service fails', async () => {
      edge.answers(() => {
        throw ThingErrors.gone('1');
      });
      await edge.fetch('/import?action=ICAL&session=$S', upload({ file: new Blob(['x']) }));
      expect(edge.files.stored.size).toBe(0);
      expect(edge.files.removed).toEqual(['ref-1']);
    });

    it('keeps nothing of an upload whose client goes away', async () => {
      const stop = new AbortController();
      const boundary = 'b0';
      let sent = false;
      const body = new ReadableStream({
        async pull(controller) {
          if (sent) return new Promise(() => undefined);
          sent = true;
          controller.enqueue(
            Buffer.from(
              `--${boundary}\r\nContent-Disposition: form-data; name="a"; filename="1"\r\n\r\none\r\n` +
                `--${boundary}\r\nContent-Disposition: form-data; name="b"; filename="2"\r\n\r\nhalf of it`,
            ),
          );
        },
      });
      const call = edge.fetch('/import?action=ICAL&session=$S', {
        method: 'POST',
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body,
        duplex: 'half',
        signal: stop.signal,
      });
      while (edge.files.stored.size === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      stop.abort();
      await expect(call).rejects.toThrow();
      while (edge.files.stored.size > 0) await new Promise((resolve) => setTimeout(resolve, 2));
      expect(edge.calls).toHaveLength(0);
    });
  });
});
