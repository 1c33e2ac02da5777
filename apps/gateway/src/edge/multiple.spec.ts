import {
  allowCallers,
  action,
  defineModule,
  Field,
  json,
  jsonListOf,
  multiple,
  none,
  operationsOf,
  RequestErrors,
  upload,
  page,
  value,
  type ModuleContract,
} from '@groupware/contracts';
import { bytes, EdgeHarness } from '../testing/edge.harness';

const OPEN = allowCallers('declared by a test');

class Query {
  @Field.int({ doc: 'id', optional: true }) id?: number;
  @Field.boolean({ doc: 'flag', optional: true }) flag?: boolean;
}
class Body {
  @Field.text({ doc: 'title' }) title!: string;
}
const things = defineModule('things', {
  get: action({ access: OPEN, http: 'GET', doc: 'get', query: Query, reply: value('thing') }),
  new: action({ access: OPEN, http: 'PUT', doc: 'new', query: Query, body: json(Body), reply: value('id') }),
  listed: action({
    ...{ access: OPEN, http: 'PUT', reads: true, coalesces: true, doc: 'listed', query: Query },
    body: jsonListOf<string>('text', { maxItems: 6 }),
    reply: value<unknown[]>('an answer for each'),
  }),
  open: action({ access: OPEN, http: 'GET', reads: false, doc: 'open', reply: none() }),
  take: action({ access: OPEN, http: 'GET', repeatable: false, doc: 'take', reply: none() }),
  magic: action({ access: OPEN, http: 'GET', doc: 'magic', capability: 'magic', reply: none() }),
  attach: action({ access: OPEN, http: 'POST', doc: 'attach', body: upload(), reply: page('id') }),
});
const login = defineModule('login', {
  login: action({ access: OPEN, http: 'POST', auth: 'none', doc: 'login', reply: none() }),
});
class PathQuery {
  @Field.text({ doc: 'path', optional: true }) path?: string;
}
const tree = defineModule('tree', {
  read: action({
    access: OPEN,
    http: 'GET',
    action: null,
    tail: true,
    doc: 'read',
    query: PathQuery,
    reply: value('x'),
  }),
  write: action({
    ...{ access: OPEN, http: 'PUT', action: null, tail: true, doc: 'write', query: PathQuery },
    body: json(Body),
    reply: none(),
  }),
  find: action({ access: OPEN, http: 'GET', doc: 'find', query: PathQuery, reply: value('x') }),
});
const declared = [things, login, tree, multiple].flatMap((contract) =>
  operationsOf(contract as unknown as ModuleContract),
);

describe('multiple', () => {
  let edge: EdgeHarness;
  beforeEach(async () => {
    edge = await new EdgeHarness(declared).start();
    edge.answers((operation, { query, body }) => ({
      body: bytes({ name: operation.name, query, body }),
      timestamp: 1,
    }));
  });
  afterEach(() => edge.stop());
  const run = async (calls: unknown, parameters = 'session=$S') => {
    const response = await edge.fetch(`/multiple?${parameters}`, {
      method: 'PUT',
      body: typeof calls === 'string' ? calls : JSON.stringify(calls),
    });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown>[] };
  };

  it('answers an empty list with an empty array', async () => {
    expect(await run([])).toEqual({ status: 200, answer: [] });
  });

  it('answers a bare array of envelopes in the order of the calls', async () => {
    const { answer } = await run([
      { module: 'things', action: 'get', id: 7, flag: true },
      { module: 'things', action: 'new', data: { title: 'a' } },
      { module: 'things', action: 'get', id: '8' },
    ]);
    expect(answer).toEqual([
      { data: { name: 'get', query: { id: 7, flag: true } }, timestamp: 1 },
      { data: { name: 'new', query: {}, body: { title: 'a' } }, timestamp: 1 },
      { data: { name: 'get', query: { id: 8 } }, timestamp: 1 },
    ]);
  });

  it('knows the operations of paths below a module, as their own requests do', async () => {
    const { answer } = await run([
      { module: 'tree/a/b' },
      { module: 'tree/a', data: { title: 't' } },
      { module: 'tree' },
      { module: 'tree/a', action: 'find' },
      { module: 'tree/a', action: 'fly' },
      { module: 'things/a', action: 'get' },
      { module: 'things/a' },
    ]);
    expect(answer).toMatchObject([
      { data: { name: 'read', query: { path: 'a/b' } } },
      { data: { name: 'write', query: { path: 'a' }, body: { title: 't' } } },
      { data: { name: 'read', query: {} } },
      ...['SVL-0007', 'SVL-0021', 'SVL-0007', 'SVL-0007'].map((code) => ({ code })),
    ]);
  });

  it('runs later calls as the user that the ones before them made', async () => {
    const { principal } = edge.sessions;
    edge.answers(({ name }, { principal: caller }) => {
      if (name === 'new') edge.sessions.principal = { ...principal, timeZone: 'Asia/Tokyo' };
      return { body: bytes((caller as typeof principal).timeZone) };
    });
    const [get, write] = [
      { module: 'things', action: 'get' },
      { module: 'things', action: 'new', data: { title: 'a' } },
    ];
    const zones = async (...calls: unknown[]) => (await run(calls)).answer.map(({ data }) => data);
    expect(await zones(get, write, get, write, get)).toEqual(['UTC', 'UTC', ...Array(3).fill('Asia/Tokyo')]);
    edge.sessions.principal = principal;
    // The session store is down: the calls go on.
    jest.spyOn(edge.sessions, 'findUser').mockRejectedValueOnce(new Error('down'));
    expect(await zones(write, get)).toEqual(['UTC', 'UTC']);
  });

  it('refuses the calls behind one that ended the session', async () => {
    const find = jest.spyOn(edge.sessions, 'findUser').mockResolvedValueOnce(undefined);
    const [get, write] = [
      { module: 'things', action: 'get' },
      { module: 'things', action: 'new', data: { title: 'a' } },
    ];
    const { answer } = await run([get, write, get, write, { module: 'nothing' }]);
    await run([{ module: 'nothing' }, get]);
    expect(answer.map(({ code }) => code)).toEqual([undefined, undefined, ...Array(3).fill('SES-0203')]);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('reports the failure of one call in its place and goes on', async () => {
    const { status, answer } = await run([
      { action: 'get' },
      { module: 'nothing', action: 'get' },
      { module: 'things', action: 'fly' },
      { module: 'things', action: 'get', id: 'x' },
      { module: 'things', action: 'new', data: [1] },
      { module: 'things', action: 'new' },
      { module: 'things', action: 'magic' },
      { module: 'things', action: 'attach' },
      { module: 'login', action: 'login', data: {} },
      { module: 'multiple', data: [] },
      7,
      { module: 'things', action: 'get', id: 1 },
    ]);
    expect(status).toBe(200);
    expect(answer.map((each) => each.code)).toEqual([
      'SVL-0002',
      'SVL-0007',
      'SVL-0021',
      'SVL-0010',
      'SVL-0028',
      'SVL-0028',
      'SVL-0016',
      'SVL-0031',
      'SVL-0031',
      'SVL-0031',
      'SVL-0028',
      undefined,
    ]);
    expect(answer.at(-1)).toMatchObject({ data: { query: { id: 1 } } });
  });

  it('stops at the first failure with continue=false', async () => {
    edge.answers((_operation, { query }) => {
      if ((query as Query).id === 2) throw RequestErrors.changedInTheMeantime();
      return { body: bytes(1) };
    });
    const { answer } = await run(
      [1, 2, 3].map((id) => ({ module: 'things', action: 'get', id })),
      'session=$S&continue=false',
    );
    expect(answer).toHaveLength(2);
    expect(answer[1]).toMatchObject({ code: 'SVL-0017' });
    expect(edge.calls).toHaveLength(2);
  });

  it('never runs a write, or a GET that changes something, beside another call', async () => {
    let running = 0;
    let most = 0;
    const seen: string[] = [];
    edge.answers(async (operation) => {
      running++;
      most = Math.max(most, running);
      if (operation.name !== 'get' && running > 1) seen.push(`${operation.name} beside another call`);
      await new Promise((resolve) => setTimeout(resolve, 3));
      running--;
      return { body: bytes(operation.name) };
    });
    const read = { module: 'things', action: 'get' };
    const write = { module: 'things', action: 'new', data: { title: 'a' } };
    const { answer } = await run([read, read, read, write, write, read, read, read, read, read, read, read]);
    expect(answer.map((each) => each.data)).toEqual([
      'get',
      'get',
      'get',
      'new',
      'new',
      'get',
      'get',
      'get',
      'get',
      'get',
      'get',
      'get',
    ]);
    expect(seen).toEqual([]);
    expect(most).toBe(7);
    await run(Array.from({ length: 20 }, () => read));
    expect(most).toBe(16);
    const changing = ['open', 'take'].map((action) => ({ module: 'things', action }));
    await run([read, ...changing, read, read, ...changing, read]);
    expect(seen).toEqual([]);
  });

  it('makes reads that differ in their lists alone one call, as long as no write stands between them', async () => {
    edge.answers((operation, { body }) => {
      if (operation.name !== 'listed') return { body: bytes(1) };
      const names = body as string[];
      if (names.includes('bad')) throw RequestErrors.changedInTheMeantime();
      return { body: bytes(names.map((name) => ({ name, of: '],[' }))) };
    });
    const list = (data: unknown, id?: number) => ({ module: 'things', action: 'listed', data, ...(id && { id }) });
    const write = { module: 'things', action: 'new', data: { title: 'a' } };
    const told = (...names: string[]) => ({ data: names.map((name) => ({ name, of: '],[' })) });
    const sent = () => edge.calls.splice(0).map(({ call }) => call.body);

    expect((await run([list(['a', 'b']), list(['c'], 1), list([]), list(['b'])])).answer).toEqual([
      told('a', 'b'),
      told('c'),
      told(),
      told('b'),
    ]);
    expect(sent()).toEqual([['a', 'b', 'b'], ['c']]);
    // A call that is refused is refused in its place, and costs the others nothing.
    const mixed = await run([list(['a']), list([7]), list('x'), list(['bad']), list(['b'])]);
    expect(mixed.answer).toEqual([
      told('a'),
      expect.objectContaining({ code: expect.stringMatching(/^SVL/) }),
      expect.objectContaining({ code: expect.stringMatching(/^SVL/) }),
      expect.objectContaining({ code: 'SVL-0017' }),
      told('b'),
    ]);
    sent();
    await run([list(['a']), write, list(['b']), list(['c'])]);
    expect(sent()).toEqual([['a'], { title: 'a' }, ['b', 'c']]);
    // Not more than one call may hold.
    const names = ['1', '2', '3', '4'];
    expect((await run([list(names), list(names), list(['5'])])).answer).toEqual([
      told(...names),
      told(...names),
      told('5'),
    ]);
    expect(sent()).toEqual([[...names, '5'], names]);
    await run([list(['a']), list(['b'])], 'session=$S&continue=false');
    expect(sent()).toEqual([['a'], ['b']]);
  });

  it.each([
    ['no session', '[]', '', 400, 'SES-0201'],
    ['no array', '{}', 'session=$S', 400, 'SVL-0020'],
    ['broken JSON', '[', 'session=$S', 400, 'SVL-0029'],
    ['too many calls', JSON.stringify(Array(21).fill({})), 'session=$S', 200, 'SVL-0010'],
    ['unknown session', '[]', 'session=1', 200, 'SES-0203'],
  ])('refuses %s', async (_name, body, parameters, status, code) => {
    const result = await run(body, parameters);
    expect(result).toMatchObject({ status, answer: { code } });
  });
});
