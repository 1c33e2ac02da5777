import { fieldsOf, operations, type Operation } from '@groupware/contracts';
import { Client as Database } from 'pg';
import { create as createContact, createFolder } from '../contacts/contacts';
import { EVERY_MODULE } from './attempts';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { created, HOUR } from '../calendar/calendar';
import { callOperation, nameOf, sampleBody, sampleQuery } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const SECRET = 'Takeover of Initech';
const START = Date.UTC(2031, 4, 5, 9);
let world: TestEnvironment;
let cast: Fixtures;
let appointment: string;
let contact: string;
let mailAccount: number;
/** Folders of the owner, and of those who want in, by the module of the call. */
let folders: Record<'owner' | 'stranger' | 'neighbour', { calendar: string; contacts: string }>;

beforeAll(async () => {
  world = await startTestEnvironment({ properties: EVERY_MODULE });
  await openDatabase();
  cast = await createFixtures(world);
  const of = async (user: TestUser) => ({ calendar: user.folder, contacts: await createFolder(user) });
  folders = { owner: await of(cast.U1), stranger: await of(cast.X1), neighbour: await of(cast.U3) };
  contact = (await createContact(cast.U1, folders.owner.contacts, { last_name: SECRET, email1: 'a@a.test' })).id;
  const list = { distribution_list: [{ id: contact, mail_field: 1 }], mark_as_distributionlist: true };
  await createContact(cast.U1, folders.owner.contacts, { display_name: SECRET, ...list });
  // The stranger has nothing, so every id of the other tenant either means nothing to him or is another user's.
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
afterAll(async () => {
  await database?.end();
  await world?.close();
});

let database: Database;
/** One statement with every row of a context, whatever table it is in: it is sent after each of some 400 calls. */
let rowsStatement: { name: string; text: string };

/** Connects to the database, and finds the tables that have a context. */
async function openDatabase(): Promise<void> {
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  const { rows: tables } = await database.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'context_id' and table_type = 'BASE TABLE' and table_name <> 'outbox'
       and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );
  expect(tables.length).toBeGreaterThan(100);
  const parts = tables.map(({ name }) => `select '${name} ' || t::text as row from ${name} t where context_id = $1`);
  rowsStatement = { name: 'rows-of-context', text: `${parts.join(' union all ')} order by 1` };
}

/** Every row that belongs to a tenant. */
async function rowsOf(contextId: number): Promise<string[]> {
  const { rows } = await database.query<{ row: string }>({ ...rowsStatement, values: [contextId] });
  return rows.map(({ row }) => row);
}

/** The id of a folder as a module spells it. */
const folderOf = ({ module }: Operation, of: keyof typeof folders): string =>
  module === 'contacts' ? folders[of].contacts : `${module === 'chronos' ? 'cal://0/' : ''}${folders[of].calendar}`;

/** Parameters of an operation that all point at things of the owner, in the owner's folder unless told otherwise. */
function pointedQuery(operation: Operation, within: keyof typeof folders = 'owner'): Record<string, string> {
  const { module } = operation;
  const ids: Record<string, string> = { folders: cast.U1.folder, account: String(mailAccount), contacts: contact };
  const values: Record<string, string> = {
    ...{ folder: folderOf(operation, within), folder_id: folderOf(operation, within) },
    ...{ parent: folderOf(operation, within), id: ids[module] ?? appointment, attached: appointment },
    ...{ start: '0', end: String(START + 24 * HOUR), from: String(START), until: String(START + 24 * HOUR) },
    ...{ rangeStart: '20310501T000000Z', rangeEnd: '20310601T000000Z', timestamp: '9000000000000' },
    ...{ columns: { calendar: '1,20,200,201', contacts: '1,20,500,502,592' }[module] ?? '1,20,300,500' },
    ...{ content_type: 'calendar', query: SECRET.slice(0, 4), targetFolder: `cal://0/${cast.U3.folder}` },
  };
  const query = sampleQuery(operation);
  for (const { wireName } of operation.query ? fieldsOf(operation.query) : [])
    if (values[wireName] !== undefined) query[wireName] = values[wireName];
  return query;
}

/** The thief, and the things of the owner that a body may name. */
interface StolenThings {
  readonly thief: TestUser;
  readonly folder: string;
  readonly event: object;
  readonly account: object;
  readonly stolen: object;
}

/** Bodies that name things of the owner. */
const bodies: Record<string, (things: StolenThings) => unknown> = {
  'calendar/confirm': () => ({ confirmation: 2 }),
  'calendar/copy': ({ thief }) => ({ folder_id: thief.folder }),
  'calendar/new': () => ({ title: 'x', folder_id: cast.U1.folder, start_date: START, end_date: START + HOUR }),
  'calendar/update': () => ({ title: 'stolen' }),
  'calendar/list': ({ event }) => [event],
  'calendar/search': ({ folder }) => ({ pattern: '*', folder }),
  'calendar/delete': ({ event }) => [event],
  'chronos/allByPut': ({ folder }) => ({ folders: [folder] }),
  'chronos/list': ({ event }) => [event],
  'chronos/new': () => ({
    summary: 'x',
    startDate: { value: '20310505T090000' },
    endDate: { value: '20310505T100000' },
  }),
  'chronos/update': () => ({ summary: 'stolen' }),
  'chronos/changeOrganizer': ({ thief }) => ({ organizer: { entity: thief.userId } }),
  'chronos/updateAttendee': ({ thief }) => ({ attendee: { entity: thief.userId, partStat: 'ACCEPTED' } }),
  'chronos/delete': ({ event }) => [event],
  'chronos/freeBusy': () => ({ attendees: [{ entity: cast.U1.userId }] }),
  'contacts/new': () => ({ folder_id: folders.owner.contacts, last_name: 'x' }),
  'contacts/update': () => ({ last_name: 'stolen', folder_id: folders.neighbour.contacts }),
  'contacts/list': ({ folder }) => [{ id: contact, folder }],
  'contacts/listuser': () => [cast.U1.userId],
  'contacts/search': ({ folder }) => ({ pattern: '*', folder: [folder] }),
  'contacts/advancedSearch': () => ({ filter: ['=', { field: 'last_name' }, `${SECRET.slice(0, 4)}*`] }),
  'contacts/delete': ({ folder }) => [{ id: contact, folder }],
  'folders/new': ({ stolen }) => ({ ...stolen, module: 'calendar' }),
  'folders/update': ({ stolen }) => stolen,
  'folders/delete': () => [cast.U1.folder],
  'folders/clear': () => [cast.U1.folder],
  'folders/restore': () => [cast.U1.folder],
  'folders/notify': () => ({ entities: [cast.U1.userId] }),
  'folders/checklimits': () => ({ files: [{ name: 'a', size: 1 }] }),
  'export/ICAL': () => [{ id: appointment, folder_id: cast.U1.folder, folder: cast.U1.folder }],
  'user/list': () => [cast.U1.userId, cast.room],
  'account/new': ({ thief, account }) => ({
    ...account,
    primary_address: `stolen${thief.userId}@test.invalid`,
  }),
  'autoconfig/get': () => ({ email: 'no address', password: 'x' }),
  'certificate/store': () => ({ fingerprint: 'AB', hostname: 'mail.test', trusted: true }),
  'account/update': () => ({ id: mailAccount, name: 'stolen' }),
  'account/delete': () => [mailAccount],
  'account/validate': ({ account }) => ({ ...account, id: mailAccount }),
  'user/search': () => ({ pattern: '*' }),
  'userfeedback/store': () => ({ score: 3 }),
  'freebusy/list': () => [String(cast.U1.userId)],
  'pns/subscribe': () => ({ token: 'x', transport: 'sse', topics: ['*'] }),
  'pns/unsubscribe': () => ({ token: 'x', transport: 'sse' }),
  'tasks/new': () => ({ title: 'x' }),
};

/** A body that names things of the owner; for other operations a sample of their model. */
function bodyOf(operation: Operation, thief: TestUser, within: keyof typeof folders = 'owner'): unknown {
  const body = bodies[`${operation.module}/${operation.name}`] ?? bodies[`${operation.module}/${operation.action}`];
  if (!body) return sampleBody(operation);
  const folder = folderOf(operation, within);
  return body({
    thief,
    folder,
    event: { folder, id: appointment },
    account: { name: 'x', login: 'x', password: 'x', mail_url: 'imap://127.0.0.1' },
    stolen: { title: 'stolen', permissions: [{ bits: 403710016, entity: thief.userId }] },
  });
}

/** Calls an operation for what is the owner's; answers what came, as text. */
async function steal(operation: Operation, thief: TestUser, within?: keyof typeof folders) {
  const init: RequestInit = {};
  if (operation.body?.kind === 'upload') {
    const form = new FormData();
    form.set('file', new Blob([`BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n`]), 'x.ics');
    init.body = form;
  } else if (operation.body) {
    Object.assign(init, {
      body: JSON.stringify(bodyOf(operation, thief, within)),
      headers: { 'content-type': 'application/json' },
    });
  }
  return callOperation(thief.copy(), operation, pointedQuery(operation, within), init);
}

const checked = operations.filter(
  (operation) =>
    operation.kind === 'action' &&
    operation.auth === 'session' &&
    !['login', 'multiple', 'system', 'capabilities'].includes(operation.module),
);

describe("another tenant's ids", () => {
  it('belong to data that their owner sees', async () => {
    const answer = await cast.U1.get('calendar', 'get', { id: appointment, folder: cast.U1.folder });
    expect(answer.data.title).toBe(SECRET);
    const listed = await cast.U1.get('contacts', 'all', { folder: folders.owner.contacts, columns: '502,500' });
    expect(listed.data).toHaveLength(2);
    expect(JSON.stringify(listed.data)).toContain(SECRET);
    expect((await rowsOf(cast.contextId)).some((row) => row.includes(SECRET))).toBe(true);
  });

  it.each(checked.map((operation): [string, Operation] => [nameOf(operation), operation]))(
    '%s shows nothing of them and changes nothing',
    async (_name, operation) => {
      const before = await rowsOf(cast.contextId);
      const answer = await steal(operation, cast.X1);
      const text = JSON.stringify(answer.body);
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(cast.U1.email);
      expect(text).not.toContain(`of ${cast.contextId}`);
      expect(answer.body?.code).not.toBe('SVL-0011');
      expect(await rowsOf(cast.contextId)).toEqual(before);
    },
  );

  it('show nothing to a user of the same context without rights, and change nothing for one, in whose folder ever', async () => {
    const secrets = async () => (await rowsOf(cast.contextId)).filter((row) => row.includes(SECRET));
    const before = await secrets();
    for (const within of ['owner', 'neighbour'] as const)
      for (const operation of checked) {
        const answer = await steal(operation, cast.U3, within);
        const told = {
          operation: nameOf(operation),
          within,
          code: answer.body?.code,
          text: JSON.stringify(answer.body),
        };
        expect(told).not.toMatchObject({ text: expect.stringContaining(SECRET) });
        expect(told).not.toMatchObject({ code: 'SVL-0011' });
      }
    expect(await secrets()).toEqual(before);
  });

  // A test for each: together they send thousands of calls.
  it.each(['0', '-1', '2147483648', '99999999999999999999', 'x', '../1', "1' or '1'='1", '\u0000', '1/2', ' '])(
    'and ids that no module gave out are refused without an unexpected error: %j',
    async (id) => {
      for (const operation of checked.filter((each) => each.http === 'GET')) {
        const query = pointedQuery(operation);
        for (const name of ['id', 'folder', 'parent']) if (query[name] !== undefined) query[name] = id;
        const answer = await callOperation(cast.X1.copy(), operation, query);
        expect({ id, name: nameOf(operation), code: answer.body?.code }).not.toMatchObject({ code: 'SVL-0011' });
        expect(answer.status).not.toBe(500);
      }
    },
  );
});
