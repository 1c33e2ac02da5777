import { until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import type { Envelope } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
let database: Database;
const MAX_JOBS = 3;

beforeAll(async () => {
  const variables = { GATEWAY_JOB_AFTER_MS: '100', GATEWAY_MAX_JOBS_PER_USER: String(MAX_JOBS) };
  world = await startTestEnvironment({ variables });
  cast = await createFixtures(world);
  database = new Database({ connectionString: world.environment.DATABASE_URL! });
  await database.connect();
}, 120_000);
afterAll(async () => {
  await database?.end();
  await world?.close();
});

/** Settings cannot be written meanwhile. */
async function whileSettingsAreLocked<T>(work: () => Promise<T>): Promise<T> {
  await database.query('begin; lock table settings.settings_tree in access exclusive mode');
  try {
    return await work();
  } finally {
    await database.query('rollback');
  }
}
async function store(user: TestUser, id: string, parameters: object = { allow_enqueue: true }) {
  const all = { action: 'set', id, session: user.session, ...parameters };
  const response = await user.fetch('PUT', '/jslob', all, { body: JSON.stringify({ a: 1 }) });
  return { status: response.status, body: (await response.json()) as Envelope };
}
async function start(user: TestUser, id: string): Promise<string> {
  const { status, body } = await store(user, id);
  expect({ status, body }).toEqual({ status: 202, body: { data: { job: expect.any(String) } } });
  return body.data.job;
}
async function get(user: TestUser, id: string) {
  const response = await user.fetch('GET', '/jobs', { action: 'get', id, session: user.session });
  return { status: response.status, body: (await response.json()) as Envelope };
}
const info = (user: TestUser, id: string) => user.get('jobs', 'info', { id });
const isDone = async (user: TestUser, id: string) => (await info(user, id)).data.done === true;

describe('a call that takes long', () => {
  it('becomes a job whose answer is there once', async () => {
    const { job, meanwhile } = await whileSettingsAreLocked(async () => {
      const id = await start(cast.U1, 'slow');
      return { job: id, meanwhile: [await get(cast.U1, id), (await info(cast.U1, id)).data] };
    });
    const running = { id: job, module: 'jslob', action: 'set', done: false };
    expect(meanwhile).toEqual([{ status: 202, body: { data: { job } } }, running]);
    await until(() => isDone(cast.U1, job), 10_000);
    expect((await cast.U1.get('jobs', 'all')).data).toEqual([{ ...running, done: true }]);
    expect(await get(cast.U1, job)).toEqual({ status: 200, body: {} });
    expect((await get(cast.U1, job)).body.code).toBe('JOB_QUEUE-0002');
    const { data } = await cast.U1.put('jslob', 'list', {}, ['slow']);
    expect(data[0].tree).toEqual({ a: 1 });
  });

  it('is told of, cancelled and fetched in a batch', async () => {
    const batch = (...calls: object[]) =>
      cast.U1.put(
        'multiple',
        '',
        { action: undefined },
        calls.map((call) => ({ module: 'jobs', ...call })),
      ) as unknown as Promise<Envelope[]>;
    const { id, meanwhile } = await whileSettingsAreLocked(async () => {
      const job = await start(cast.U1, 'batched');
      const calls = [{ action: 'all' }, { action: 'info', id: job }, { action: 'get', id: job }, { action: 'info' }];
      return { id: job, meanwhile: await batch(...calls) };
    });
    const running = { id, module: 'jslob', action: 'set', done: false };
    expect(meanwhile.slice(0, 2).map(({ data }) => data)).toEqual([[running], running]);
    expect(meanwhile[2]).toEqual({ data: { job: id } });
    expect(meanwhile[3]).toMatchObject({ code: 'SVL-0002' });
    await until(() => isDone(cast.U1, id), 10_000);
    const [cancelled, answer, again] = await batch(
      { action: 'cancel', id },
      { action: 'get', id },
      { action: 'get', id },
    );
    expect(cancelled).toMatchObject({ data: { success: false } });
    expect(answer).toEqual({});
    expect(again).toMatchObject({ code: 'JOB_QUEUE-0002' });
  });

  it('keeps its error', async () => {
    const job = await whileSettingsAreLocked(async () => {
      const body = JSON.stringify({ path: 'a/b', value: 1 });
      const parameters = { action: 'update', id: 'slow', session: cast.U1.session, allow_enqueue: true };
      const response = await cast.U1.fetch('PUT', '/jslob', parameters, { body });
      return ((await response.json()) as Envelope).data.job as string;
    });
    await until(() => isDone(cast.U1, job), 10_000);
    expect(await get(cast.U1, job)).toMatchObject({ status: 200, body: { code: 'JSNCON-0007' } });
  });

  it('is waited for where the client did not ask for a job, and where it only reads', async () => {
    const answer = whileSettingsAreLocked(async () => {
      const [plain, reads] = [
        store(cast.U1, 'plain', {}),
        cast.U1.put('jslob', 'list', { allow_enqueue: true }, ['x']),
      ];
      await start(cast.U1, 'other');
      return [plain, reads] as const;
    });
    const [plain, reads] = await answer;
    expect(await plain).toEqual({ status: 200, body: {} });
    expect((await reads).data).toHaveLength(1);
  });

  it('ends when it is cancelled', async () => {
    const job = await whileSettingsAreLocked(async () => {
      const id = await start(cast.U2, 'cancelled');
      expect((await cast.U2.get('jobs', 'cancel', { id })).data).toEqual({ success: true });
      await until(() => isDone(cast.U2, id), 10_000);
      return id;
    });
    expect((await cast.U2.get('jobs', 'cancel', { id: job })).data).toEqual({ success: false });
    expect((await get(cast.U2, job)).body.code).toMatch(/^SVL-00/);
  });

  it('is waited for where its user has the most jobs already', async () => {
    const started = whileSettingsAreLocked(async () => {
      const jobs = [];
      for (let count = 0; count < MAX_JOBS; count++) jobs.push(await start(cast.U3, `tree${count}`));
      return { jobs, further: store(cast.U3, 'further') };
    });
    const { jobs, further } = await started;
    expect(await further).toEqual({ status: 200, body: {} });
    await until(async () => (await cast.U3.get('jobs', 'all')).data.every(({ done }: any) => done), 10_000);
    expect((await cast.U3.get('jobs', 'all')).data.map(({ id }: any) => id)).toEqual(jobs);
    for (const job of jobs) await get(cast.U3, job);
    expect((await cast.U3.get('jobs', 'all')).data).toEqual([]);
  });

  it('PO-04: is known to its user only', async () => {
    const job = await whileSettingsAreLocked(() => start(cast.U2, 'mine'));
    for (const action of ['get', 'info', 'cancel']) {
      const [foreign, unknown] = [
        await cast.U1.get('jobs', action, { id: job }),
        await cast.U1.get('jobs', action, { id: 'x' }),
      ];
      expect([foreign.code, foreign.error]).toEqual(['JOB_QUEUE-0002', unknown.error?.replace('x', job)]);
    }
    expect(JSON.stringify((await cast.U1.get('jobs', 'all')).data)).not.toContain(job);
    expect((await cast.X1.get('jobs', 'info', { id: job })).code).toBe('JOB_QUEUE-0002');
    expect((await cast.U1.get('jobs', 'info')).code).toBe('SVL-0002');
  });
});
