import { created, HOUR } from '../calendar/calendar';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const START = Date.UTC(2031, 0, 6, 9);
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({ variables: { GATEWAY_MAX_MULTIPLE: '20' } });
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
    expect(await batch(many)).toMatchObject({ status: 400, body: { code: 'SVL-0020' } });
    expect(await batch('[{')).toMatchObject({ status: 400, body: { code: 'SVL-0029' } });
    expect(await batch([])).toEqual({ status: 200, body: [] });
  });
});
