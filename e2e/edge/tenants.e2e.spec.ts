import { fieldsOf, operations, type Operation } from '@groupware/contracts';
import { Client as Database } from 'pg';
import { createFixtures, type Fixtures } from '../fixtures';
import { created, HOUR } from '../calendar/calendar';
import { callOperation, nameOf, sampleBody, sampleQuery } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const SECRET = 'Takeover of Initech';
const START = Date.UTC(2031, 4, 5, 9);
let world: TestEnvironment;
let cast: Fixtures;
let appointment: string;
let mailAccount: number;

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
  // The stranger has nothing, so every id of the other tenant either means nothing to him or is somebody else's.
  appointment = await created(cast.U1, { title: SECRET, start_date: START, end_date: START + HOUR });
  await created(cast.U1, { title: SECRET, start_date: START + HOUR, end_date: START + 2 * HOUR });
  const account = {
    name: SECRET,
    login: 'x',
    password: 'x',
    mail_url: 'imap://127.0.0.1',
    primary_address: 'x@x.test',
  };
  // Not the first one: the stranger may have a first one himself.
  for (const login of ['x', 'y'])
    mailAccount = (await cast.U1.put('account', 'new', {}, { ...account, login, primary_address: `${login}@x.test` }))
      .data.id;
}, 120_000);
afterAll(() => world?.close());

/** Every row that belongs to a tenant, whatever table it is in. */
async function rowsOf(contextId: number): Promise<string[]> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where column_name = 'context_id' and table_type = 'BASE TABLE' and table_name <> 'outbox'
         and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const { rows } = await database.query<{ row: string }>(
        `select t::text as row from ${name} t where context_id = $1 order by 1`,
        [contextId],
      );
      found.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return found;
  } finally {
    await database.end();
  }
}

/** Parameters of an operation that all point at things of the other tenant. */
function pointedQuery(operation: Operation): Record<string, string> {
  const query = sampleQuery(operation);
  for (const { wireName } of operation.query ? fieldsOf(operation.query) : []) {
    if (['folder', 'folder_id', 'parent'].includes(wireName)) query[wireName] = cast.U1.folder;
    if (wireName === 'id')
      query[wireName] =
        { folders: cast.U1.folder, account: String(mailAccount) }[operation.module] ?? String(appointment);
    if (wireName === 'start') query[wireName] = '0';
    if (wireName === 'end') query[wireName] = String(START + 24 * HOUR);
    if (wireName === 'from') query[wireName] = String(START);
    if (wireName === 'until') query[wireName] = String(START + 24 * HOUR);
    if (wireName === 'timestamp') query[wireName] = '9000000000000';
    if (wireName === 'columns') query[wireName] = operation.module === 'calendar' ? '1,20,200,201' : '1,20,300,500';
    if (wireName === 'content_type') query[wireName] = 'calendar';
  }
  return query;
}

/** Bodies that name things of the other tenant; other operations get a sample of their model. */
const bodies: Record<string, () => unknown> = {
  'calendar/confirm': () => ({ confirmation: 2 }),
  'calendar/copy': () => ({ folder_id: cast.X1.folder }),
  'calendar/new': () => ({ title: 'x', folder_id: cast.U1.folder, start_date: START, end_date: START + HOUR }),
  'calendar/update': () => ({ title: 'stolen' }),
  'calendar/list': () => [{ id: appointment, folder: cast.U1.folder }],
  'calendar/search': () => ({ pattern: '*', folder: cast.U1.folder }),
  'calendar/delete': () => [{ id: appointment, folder: cast.U1.folder }],
  'folders/new': () => ({ title: 'x', module: 'calendar', permissions: [{ bits: 403710016, entity: cast.X1.userId }] }),
  'folders/update': () => ({ title: 'stolen', permissions: [{ bits: 403710016, entity: cast.X1.userId }] }),
  'folders/delete': () => [cast.U1.folder],
  'folders/clear': () => [cast.U1.folder],
  'folders/restore': () => [cast.U1.folder],
  'folders/notify': () => ({ entities: [cast.U1.userId] }),
  'folders/checklimits': () => ({ files: [{ name: 'a', size: 1 }] }),
  'export/ICAL': () => [{ id: appointment, folder_id: cast.U1.folder, folder: cast.U1.folder }],
  'user/list': () => [cast.U1.userId, cast.room],
  'account/new': () => ({
    name: 'x',
    login: 'x',
    password: 'x',
    mail_url: 'imap://127.0.0.1',
    primary_address: 'stolen@test.invalid',
  }),
  'autoconfig/get': () => ({ email: 'no address', password: 'x' }),
  'certificate/store': () => ({ fingerprint: 'AB', hostname: 'mail.test', trusted: true }),
  'account/update': () => ({ id: mailAccount, name: 'stolen' }),
  'account/delete': () => [mailAccount],
  'account/validate': () => ({ id: mailAccount, name: 'x', login: 'x', password: 'x', mail_url: 'imap://127.0.0.1' }),
  'user/search': () => ({ pattern: '*' }),
  'chronos/freeBusy': () => ({ attendees: [{ entity: cast.U1.userId }] }),
  'userfeedback/store': () => ({ score: 3 }),
  'freebusy/list': () => [String(cast.U1.userId)],
  'pns/subscribe': () => ({ token: 'x', transport: 'sse', topics: ['*'] }),
  'pns/unsubscribe': () => ({ token: 'x', transport: 'sse' }),
  'tasks/new': () => ({ title: 'x' }),
};

describe("another tenant's ids", () => {
  const checked = operations.filter(
    (operation) =>
      operation.kind === 'action' &&
      operation.auth === 'session' &&
      !['login', 'multiple', 'system', 'capabilities'].includes(operation.module),
  );

  it('belong to data that their owner sees', async () => {
    const answer = await cast.U1.get('calendar', 'get', { id: appointment, folder: cast.U1.folder });
    expect(answer.data.title).toBe(SECRET);
    expect((await rowsOf(cast.contextId)).some((row) => row.includes(SECRET))).toBe(true);
  });

  it.each(checked.map((operation): [string, Operation] => [nameOf(operation), operation]))(
    '%s shows nothing of them and changes nothing',
    async (_name, operation) => {
      const before = await rowsOf(cast.contextId);
      const init: RequestInit = {};
      if (operation.body?.kind === 'upload') {
        const form = new FormData();
        form.set('file', new Blob([`BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n`]), 'x.ics');
        init.body = form;
      } else if (operation.body) {
        const body =
          bodies[`${operation.module}/${operation.name}`] ?? bodies[`${operation.module}/${operation.action}`];
        Object.assign(init, {
          body: JSON.stringify(body ? body() : sampleBody(operation)),
          headers: { 'content-type': 'application/json' },
        });
      }
      const answer = await callOperation(cast.X1.copy(), operation, pointedQuery(operation), init);
      const text = JSON.stringify(answer.body);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(cast.U1.email);
      expect(text).not.toContain(`of ${cast.contextId}`);
      expect(answer.body?.code).not.toBe('SVL-0011');
      expect(await rowsOf(cast.contextId)).toEqual(before);
    },
  );

  it('and ids that no module gave out are refused without an unexpected error', async () => {
    for (const id of [
      '0',
      '-1',
      '2147483648',
      '99999999999999999999',
      'x',
      '../1',
      "1' or '1'='1",
      '\u0000',
      '1/2',
      ' ',
    ])
      for (const operation of checked.filter((each) => each.http === 'GET')) {
        const query = pointedQuery(operation);
        for (const name of ['id', 'folder', 'parent']) if (query[name] !== undefined) query[name] = id;
        const answer = await callOperation(cast.X1.copy(), operation, query);
        expect({ id, name: nameOf(operation), code: answer.body?.code }).not.toMatchObject({ code: 'SVL-0011' });
        expect(answer.status).not.toBe(500);
      }
  });
});
