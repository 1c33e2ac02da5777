import { starts } from '../calendar/calendar';
import { Client } from '../client';
import { createFixtures, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
let hours = 0;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** Fields of a new appointment in the calendar of U1, at a time of its own. */
function newAppointment(): Record<string, unknown> & { start_date: number } {
  const start_date = Date.UTC(2033, 0, 3, (hours += 1));
  const { folder } = cast.U1;
  return { title: 'once', folder_id: folder, start_date, end_date: start_date + 1, ignore_conflicts: true };
}

async function ask(
  player: Client,
  key: string,
  body: unknown,
  { module = 'calendar', action = 'new', ...query }: Record<string, string | number> = {},
): Promise<any> {
  const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
  const parameters = { ...(action ? { action } : {}), session: player.session, ...query };
  return (await player.fetch('PUT', `/${module}`, parameters, { headers, body: JSON.stringify(body) })).json();
}

const countAt = async (player: TestUser, start: number): Promise<number> =>
  (await starts(player)).filter((each) => each === start).length;

/** A write that was done under a key, and its answer. */
async function done(key: string) {
  const body = newAppointment();
  const answer = await ask(cast.U1, key, body);
  expect(answer).toMatchObject({ data: { id: expect.any(String) }, timestamp: expect.any(Number) });
  return { body, answer };
}

describe('what a write answered under a key', () => {
  it('is told to its user again, in any of the own sessions, and the write is done once', async () => {
    const { body, answer } = await done('again');
    const other = new Client(world.publicUrl);
    await other.login(cast.U1.loginName, PASSWORD);
    for (const player of [cast.U1, other]) expect(await ask(player, 'again', body)).toEqual(answer);
    expect(await countAt(cast.U1, body.start_date)).toBe(1);
  });

  it('is told to nobody else who sends the same', async () => {
    const { body, answer } = await done('guessed');
    expect(await ask(cast.U2, 'guessed', body)).toMatchObject({ code: 'FLD-0003' });
    // Ids of another context may be the same ones: there the call is one of its own.
    expect((await ask(cast.X1, 'guessed', body)).timestamp).not.toBe(answer.timestamp);
    expect(await ask(new Client(world.publicUrl), 'guessed', body)).toMatchObject({ code: 'SES-0201' });
    expect(await countAt(cast.U1, body.start_date)).toBe(1);
  });

  it('is not told to a session that may not write, though it is of the same user', async () => {
    const { body } = await done('restricted');
    const form = new URLSearchParams({ appScope: 'mail', appName: 'Phone' });
    const made = await cast.U1.fetch(
      'POST',
      '/appPasswords',
      { action: 'add', session: cast.U1.session },
      { body: form },
    );
    const { data } = (await made.json()) as any;
    const phone = new Client(world.publicUrl, 'Phone');
    await phone.login(cast.U1.loginName, data.password);
    expect(await ask(phone, 'restricted', body)).toMatchObject({ code: 'ASP-0001' });
    const gone = new Client(world.publicUrl);
    await gone.login(cast.U1.loginName, PASSWORD);
    const former = gone.copy();
    await gone.fetch('GET', '/login', { action: 'logout', session: gone.session });
    expect(await ask(former, 'restricted', body)).toMatchObject({ code: 'SES-0203' });
  });

  it('is no answer to another request', async () => {
    const { body, answer } = await done('other');
    const reused = { code: 'SVL-0036' };
    expect(await ask(cast.U1, 'other', { ...body, title: 'another' })).toMatchObject(reused);
    const item = { id: answer.data.id, folder: cast.U1.folder };
    expect(await ask(cast.U1, 'other', [item], { action: 'delete', timestamp: answer.timestamp })).toMatchObject(
      reused,
    );
    expect(await countAt(cast.U1, body.start_date)).toBe(1);
  });

  it('is apart for each call of a batch, and none of them can be named from outside', async () => {
    const [first, second] = [newAppointment(), newAppointment()];
    const calls = [first, second].map((data) => ({ module: 'calendar', action: 'new', data }));
    const batch = () => ask(cast.U1, 'batch', calls, { module: 'multiple', action: '' });
    const answers = await batch();
    expect(answers).toMatchObject([{ data: { id: expect.any(String) } }, { data: { id: expect.any(String) } }]);
    expect(await batch()).toEqual(answers);
    for (const { start_date } of [first, second]) expect(await countAt(cast.U1, start_date)).toBe(1);
    for (const part of ['batch 0', 'batch 1', 'batch, batch'])
      expect(await ask(cast.U1, part, first)).toMatchObject({
        code: 'SVL-0010',
        error_params: ['Idempotency-Key', part],
      });
  });
});
