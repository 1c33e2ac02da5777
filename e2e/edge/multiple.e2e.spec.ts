import { created, HOUR } from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const START = Date.UTC(2031, 0, 6, 9);
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({
    variables: { GATEWAY_MAX_MULTIPLE: '20', GATEWAY_MAX_MULTIPLE_BYTES: '50000' },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

async function batch(calls: unknown, parameters: Record<string, string> = {}): Promise<{ status: number; body: any }> {
  const response = await cast.U1.fetch(
    'PUT',
    '/multiple',
    { session: cast.U1.session, ...parameters },
    {
      body: typeof calls === 'string' ? calls : JSON.stringify(calls),
      headers: { 'content-type': 'application/json' },
    },
  );
  return { status: response.status, body: await response.json() };
}
const titled = (title: string, hour: number) => ({
  module: 'calendar',
  action: 'new',
  timezone: 'UTC',
  data: {
    title,
    folder_id: cast.U1.folder,
    start_date: START + hour * HOUR,
    end_date: START + (hour + 1) * HOUR,
    ignore_conflicts: true,
  },
});
const rows = () => ({
  module: 'calendar',
  action: 'all',
  folder: cast.U1.folder,
  columns: '200',
  start: START - 24 * HOUR,
  end: START + 48 * HOUR,
});

describe('a batch', () => {
  it('answers one envelope per call in their order, and a read sees the writes before it', async () => {
    const { status, body } = await batch([
      rows(),
      titled('first', 0),
      rows(),
      titled('second', 1),
      { module: 'user/me' },
      rows(),
    ]);
    expect(status).toBe(200);
    expect(body).toHaveLength(6);
    expect(body[0].data).toEqual([]);
    expect(body[1].data.id).toBeDefined();
    expect(body[2].data).toEqual([['first']]);
    expect(body[4].data.user_id).toBe(cast.U1.userId);
    expect(body[5].data.flat().sort()).toEqual(['first', 'second']);
  });

  it('goes on after a failure unless it is told not to', async () => {
    const id = await created(cast.U1, { title: 'x', start_date: START + 30 * HOUR, end_date: START + 31 * HOUR });
    const calls = [
      { module: 'calendar', action: 'get', id, folder: cast.U1.folder },
      { module: 'calendar', action: 'get', id: '999999', folder: cast.U1.folder },
      { module: 'user/me' },
    ];
    const all = await batch(calls);
    expect(all.body.map((each: any) => each.code ?? 'ok')).toEqual(['ok', 'OX-0001', 'ok']);
    const stopped = await batch(calls, { continue: 'false' });
    expect(stopped.body.map((each: any) => each.code ?? 'ok')).toEqual(['ok', 'OX-0001']);
  });

  it('answers each bad call with its own error', async () => {
    const { body } = await batch([
      { module: 'nosuch', action: 'all' },
      { module: 'calendar', action: 'nosuch' },
      { module: 'calendar' },
      { action: 'all' },
      { module: 'calendar', action: 'get' },
      { module: 'login', action: 'logout' },
      { module: 'multiple' },
      7,
      { module: 'user/me' },
    ]);
    expect(body.map((each: any) => each.code ?? 'ok')).toEqual([
      'SVL-0007',
      'SVL-0021',
      'SVL-0002',
      'SVL-0002',
      'SVL-0002',
      'SVL-0031',
      'SVL-0031',
      'SVL-0028',
      'ok',
    ]);
  });

  it('is refused as a whole when it is no array, too long, or broken', async () => {
    expect(await batch({ module: 'user/me' })).toMatchObject({ status: 400, body: { code: 'SVL-0020' } });
    const many = Array.from({ length: 21 }, () => ({ module: 'user/me' }));
    expect(await batch(many)).toMatchObject({ status: 200, body: { code: 'SVL-0010' } });
    expect(await batch('[{')).toMatchObject({ status: 400, body: { code: 'SVL-0029' } });
    expect(await batch([])).toEqual({ status: 200, body: [] });
  });

  it('PM-01, PM-07, PM-09: asks modules of one and of several names, each with parameters of its own', async () => {
    const { body } = await batch([
      { module: 'folders', action: 'list', parent: '1', columns: '1,300' },
      { module: 'calendar', action: 'all', start: 0, end: 4e12, columns: '201', timezone: 'Europe/Berlin' },
      { module: 'calendar', action: 'all', start: 0, end: 4e12, columns: '201' },
      { module: 'user/me' },
      { module: 'jslob', action: 'list', data: ['io.ox/core'] },
    ]);
    expect(body.map((each: any) => each.code)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    for (const index of [0, 1, 2]) expect(body[index].timestamp).toEqual(expect.any(Number));
    const hours = (index: number): number[] => body[index].data.map(([start]: [number]) => start / HOUR);
    expect(hours(1)).toEqual(hours(2).map((hour) => hour + 1));
  });

  it('PM-02: writes in the order given', async () => {
    const folder = { module: 'folders', action: 'new', folder_id: '1', tree: '0' };
    const { body } = await batch([
      { ...folder, data: { title: 'In a batch', module: 'calendar' } },
      { ...folder, data: { title: 'In a batch', module: 'calendar' } },
      { module: 'folders', action: 'clear', data: [cast.U1.folder] },
      rows(),
    ]);
    expect(body[0].data).toEqual(expect.any(String));
    expect(body[1].code).toBe('FLD-0012');
    expect(body[2].data).toEqual([]);
    expect(body[3].data).toEqual([]);
  });

  it('PM-03, PM-04, PM-05: answers failures in their places, and the session lives on', async () => {
    const { status, body } = await batch(
      [
        { module: 'calendar', action: 'get', id: '1', folder: cast.U2.folder },
        { module: 'multiple' },
        { module: 'login', action: 'logout' },
        { module: 'user/me' },
      ],
      { continue: 'true' },
    );
    expect(status).toBe(200);
    expect(body.map(({ code }: any) => typeof code)).toEqual(['string', 'string', 'string', 'undefined']);
    expect((await cast.U1.get('system', 'whoami')).data).toBeDefined();
  });

  it('PM-06, PM-08: is refused whole where it is no list or too long, and runs nothing then', async () => {
    for (const body of ['null', '{}']) expect((await batch(body)).status).toBe(400);
    expect((await batch('[1]')).body).toMatchObject([{ code: 'SVL-0028' }]);
    const before = (await batch([rows()])).body[0].data.length;
    const many = Array.from({ length: 21 }, (_each, hour) => titled('never', hour));
    expect((await batch(many)).body.code).toBe('SVL-0010');
    expect((await batch([rows()])).body[0].data).toHaveLength(before);
  });

  it('runs nothing behind a call that ended the session', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'ending');
    const { data: sessions } = await user.get<{ sessionId: string }[]>('sessionmanagement', 'all');
    const ids = sessions!.map(({ sessionId }) => sessionId);
    const answers = await user.put<any>('multiple', '', {}, [
      { module: 'sessionmanagement', action: 'delete', data: ids },
      { module: 'jslob', action: 'set', id: 'io.ox/core', data: { late: true } },
      { module: 'user/me' },
    ]);
    const codes = (answers as unknown as { code?: string }[]).map(({ code }) => code);
    expect(codes).toEqual([undefined, 'SES-0203', 'SES-0203']);
  });

  it('answers no more bytes than it may hold, but tells of every write', async () => {
    const read = { module: 'config', action: 'get_property', name: 'n'.repeat(250) };
    const large = { module: 'jslob', action: 'set', id: 'large', data: { text: 'x'.repeat(20_000) } };
    const list = { module: 'jslob', action: 'list', data: ['large'] };
    const { body } = await batch([large, list, list, list, titled('told', 50), read]);
    const codes: string[] = body.map(({ code }: any) => code ?? 'ok');
    // Reads run side by side: which of them finds no room depends on their order.
    expect(codes.slice(1, 4).sort()).toEqual(['SVL-0038', 'ok', 'ok']);
    expect([codes[0], ...codes.slice(4)]).toEqual(['ok', 'ok', 'ok']);
  });
});
