import { HOUR } from '../calendar/calendar';
import { Client, type Envelope } from '../client';
import { createFixtures, PASSWORD, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

// The acceptance script of a client of the original (API page "Client behaviour", section 12), as far as its modules are here:
// alarms of events (`pending`, `ack`, `snooze`) follow with their module.

let world: TestEnvironment;
let cast: Fixtures;
/** A client below the base path of the original. */
let browser: Client;
let rampup: Record<string, any>;

/** Columns that it sends with every list of folders (section 4). */
const FOLDER_COLUMNS = [
  ...[
    1,
    2,
    3,
    4,
    5,
    6,
    20,
    23,
    51,
    52,
    300,
    301,
    302,
    ...Array.from({ length: 16 }, (_each, index) => 304 + index),
    321,
  ],
  ...[3010, 3020, 3030, 3031, 3050, 3201, 3203, 3204, 3205, 3220, 3301],
].join();
const FIELDS = [
  'lastModified,color,createdBy,endDate,flags,folder,id,location,recurrenceId,rrule,seriesId,startDate,summary,timestamp,transp',
].join();
const TREES = ['caldav', 'calendar', 'contacts', 'core', 'core/updates', 'files', 'mail', 'tasks'];

beforeAll(async () => {
  world = await startTestEnvironment({
    // A busy machine may take long for it: parts that are late are left out.
    variables: { BASE_PATH: '/,/appsuite/api', IDENTITY_START_DATA_TIMEOUT_MS: '30000' },
    properties: { 'com.example.calendar.maxEventResults': '20' },
  });
  cast = await createFixtures(world);
  browser = new Client(`${world.publicUrl}/appsuite/api`, 'web client');
}, 120_000);
afterAll(() => world?.close());

const formLogin = { client: 'open-xchange-appsuite', version: '7.10.4', timeout: '10000', rampup: 'true' };
async function logIn(client: Client): Promise<Record<string, any>> {
  const form = { action: 'login', name: cast.U1.loginName, password: PASSWORD, ...formLogin };
  const body = new URLSearchParams({ ...form, rampUpFor: 'open-xchange-appsuite', staySignedIn: 'true' });
  const answer = (await (await client.fetch('POST', '/login', {}, { body })).json()) as Record<string, any>;
  Object.assign(client, { session: answer.session, userId: answer.user_id, contextId: answer.context_id });
  return answer;
}
async function multiple(questions: object[]): Promise<Envelope[]> {
  const headers = { 'content-type': 'text/javascript; charset=UTF-8' };
  const init = { body: JSON.stringify(questions), headers };
  const response = await browser.fetch('PUT', '/multiple', { session: browser.session, continue: true }, init);
  const answers = (await response.json()) as Envelope[];
  expect(answers).toHaveLength(questions.length);
  for (const answer of answers) expect(answer).not.toBeNull();
  return answers;
}
/** Rows as objects by the columns that were asked for. */
const toObjects = (rows: unknown[][], columns: string): Record<string, any>[] =>
  rows.map((row) => Object.fromEntries(columns.split(',').map((column, index) => [column, row[index]])));
const visible = async (content_type: string) => {
  const parameters = { content_type, tree: '1', altNames: true, timezone: 'UTC', all: true, columns: FOLDER_COLUMNS };
  const answer = await browser.get('folders', 'allVisible', parameters);
  expect(answer).not.toHaveProperty('code');
  return answer.data as Record<string, unknown[][]>;
};
const basic = (instant: number): string => new Date(instant).toISOString().replace(/[-:]|\.\d+/g, '');

describe('a client of the original', () => {
  it('1: starts, finds no session, shows its form, and logs in with everything for its desktop', async () => {
    const parameters = { action: 'autologin', ...formLogin };
    const autologin = (await (await browser.fetch('GET', '/login', parameters)).json()) as Envelope;
    expect(autologin.code).toBe('SVL-0003');
    const { data: config } = await browser.get('apps/manifests', 'config', { version: '7.10.4' });
    for (const field of ['manifests', 'capabilities', 'languages', 'version', 'revision', 'buildDate', 'pageTitle'])
      expect(config).toHaveProperty(field);
    const answer = await logIn(browser);
    expect(answer).toMatchObject({
      session: expect.any(String),
      user: expect.any(String),
      user_id: cast.U1.userId,
      context_id: cast.contextId,
      locale: 'en_US',
    });
    ({ rampup } = answer as { rampup: Record<string, any> });
    expect(rampup).not.toHaveProperty('errors');
    for (const part of ['serverConfig', 'jslobs', 'folderlist', 'folder', 'user', 'oauth'])
      expect(rampup).toHaveProperty(part);
    expect(Object.keys(rampup.jslobs)).toHaveLength(11);
    for (const element of Object.values<any>(rampup.jslobs))
      expect(element).toEqual({ id: expect.any(String), tree: expect.any(Object), meta: expect.any(Object) });
    const ids = rampup.serverConfig.capabilities.map(({ id }: { id: string }) => id);
    expect(ids).toContain('calendar');
  });

  it('2: asks in one batch for what the log-in lacked', async () => {
    const answers = await multiple([
      ...TREES.map((name) => ({ module: 'jslob', action: 'list', data: [`io.ox/${name}`] })),
      { module: 'apps/manifests', action: 'config' },
      { module: 'oauth/accounts', action: 'all' },
      { module: 'oauth/services', action: 'all' },
      { module: 'onboarding', action: 'config' },
      { module: 'user', action: 'get', data: {} },
      { module: 'account', action: 'all' },
    ]);
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => undefined));
    const { folder } = answers[3]!.data[0].tree;
    expect(folder.calendar).toBe(cast.U1.folder);
    expect(folder).toMatchObject({ contacts: expect.any(String), addressbooks: `con://0/${folder.contacts}` });
    for (const unknown of ['io.ox/portal', 'plugins/unheard/of'])
      expect((await browser.put('jslob', 'list', {}, [unknown])).data).toEqual([{ id: unknown, tree: {}, meta: {} }]);
    const ascending = answers[13]!.data[0] as unknown[];
    expect(ascending[0]).toBe(0);
  });

  it('3: lists folders with all its columns, and works with the ids that it gets', async () => {
    const { private: own } = await visible('event');
    const calendars = toObjects(own!, FOLDER_COLUMNS);
    expect(calendars[0]).toMatchObject({ 1: `cal://0/${cast.U1.folder}`, 308: true });
    for (const kind of ['contacts', 'tasks']) await visible(kind);
    const id = String(calendars[0]![1]);
    expect((await browser.get('folders', 'get', { id, tree: '1', altNames: true, timezone: 'UTC' })).data.id).toBe(id);
    const { data: path } = await browser.get('folders', 'path', { id, tree: '1', columns: FOLDER_COLUMNS });
    expect(path.map(([folder]: [string]) => folder)).toEqual([id, '1']);
    const body = { title: 'Club', module: 'event' };
    const created = await browser.put('folders', 'new', { folder_id: '1', tree: '1', autorename: true }, body);
    expect(created.data).toMatch(/^cal:\/\/0\/\d+$/);
    const folder = String(created.data);
    const { timestamp } = await browser.get('folders', 'get', { id: folder, tree: '1' });
    const renamed = await browser.put('folders', 'update', { id: folder, tree: '1', timestamp }, { title: 'Choir' });
    expect(renamed.data).toBe(folder);
    const gone = { tree: '1', timestamp: renamed.timestamp, failOnError: true, extendedResponse: true };
    expect(await browser.put('folders', 'delete', gone, [folder])).not.toHaveProperty('code');
    expect((await browser.get('folders', 'get', { id: folder, tree: '1' })).code).toMatch(/^FLD-/);
  });

  it('4: shows a month of several calendars, one of which is gone, and halves what is too much', async () => {
    const monday = Date.UTC(2031, 0, 6);
    const make = (title: string, hour: number) => ({
      module: 'calendar',
      action: 'new',
      timezone: 'UTC',
      data: {
        ...{ title, folder_id: cast.U1.folder, ignore_conflicts: true },
        ...{ start_date: monday + hour * HOUR, end_date: monday + (hour + 1) * HOUR },
      },
    });
    await multiple([make('one', 0), make('two', 1)]);
    const range = { rangeStart: basic(monday - 7 * 24 * HOUR), rangeEnd: basic(monday + 35 * 24 * HOUR) };
    const month = { ...range, fields: FIELDS, expand: true, sort: 'startDate', order: 'asc' };
    const folders = [`cal://0/${cast.U1.folder}`, 'cal://0/999999', 'cal://0/allPublic'];
    const { data } = await browser.put('chronos', 'all', month, { folders });
    expect(data).toHaveLength(3);
    expect(data[0].events.map(({ summary }: any) => summary)).toEqual(['one', 'two']);
    expect(data[1].error.code).toMatch(/^(CAL|FLD|OX)-/);
    expect(data[2].events).toEqual([]);
    await multiple(Array.from({ length: 20 }, (_each, hour) => make('many', 2 + hour)));
    const { data: full } = await browser.put('chronos', 'all', month, { folders: folders.slice(0, 1) });
    expect(full[0].error.code).toBe('CAL-5072');
  });

  it('5: writes events: with a conflict, one of a series and all that follow, an answer, and a list with one that is gone', async () => {
    const folder = `cal://0/${cast.U1.folder}`;
    const day = (number: number, hour = 8) =>
      `203206${String(number).padStart(2, '0')}T${String(hour).padStart(2, '0')}0000Z`;
    const times = (number: number, hour = 8) => ({
      startDate: { value: day(number, hour) },
      endDate: { value: day(number, hour + 1) },
    });
    const common = { expand: true, fields: FIELDS, rangeStart: day(1), rangeEnd: day(30) };
    const create = async (event: object, query: object = {}) =>
      (await browser.put('chronos', 'new', { ...common, folder, ...query }, event)).data;
    const {
      created: [series],
    } = await create({ summary: 'Choir', ...times(1), rrule: 'FREQ=DAILY;COUNT=10' });
    const other = { summary: 'Dentist', ...times(3) };
    const refused = await create(other, { checkConflicts: true });
    expect(refused).toMatchObject({ conflicts: [{ hard_conflict: false, event: { summary: 'Choir' } }] });
    const {
      created: [single],
    } = await create(other, { checkConflicts: false });
    const following = { ...common, folder, id: series.id, recurrenceId: day(6), recurrenceRange: 'THISANDFUTURE' };
    const { timestamp } = await browser.get('chronos', 'get', { folder, id: series.id });
    const moved = await browser.put('chronos', 'update', { ...following, timestamp }, { event: times(6, 18) });
    expect(moved).not.toHaveProperty('code');
    const { data: shown } = await browser.get('chronos', 'all', { ...common, folder });
    const starts = shown.filter(({ summary }: any) => summary === 'Choir').map(({ startDate }: any) => startDate.value);
    expect(starts.sort()).toEqual(
      [1, 2, 3, 4, 5].map((each) => day(each)).concat([6, 7, 8, 9, 10].map((each) => day(each, 18))),
    );

    const attendees = [cast.U2, cast.U1].map(({ userId }) => ({ cuType: 'INDIVIDUAL', entity: userId }));
    const calendar = `cal://0/${cast.U2.folder}`;
    const invited = await cast.U2.put(
      'chronos',
      'new',
      { folder: calendar },
      { summary: 'Lunch', ...times(20), attendees },
    );
    const [lunch] = invited.data.created;
    const waiting = await browser.get('chronos', 'needsAction', common);
    expect(waiting.data.map(({ summary }: any) => summary)).toEqual(['Lunch']);
    const query = { ...common, folder, id: lunch.id, timestamp: waiting.timestamp ?? invited.timestamp };
    const attendee = { cuType: 'INDIVIDUAL', entity: cast.U1.userId, partStat: 'ACCEPTED' };
    expect(await browser.put('chronos', 'updateAttendee', query, { attendee })).not.toHaveProperty('code');
    expect((await browser.get('chronos', 'needsAction', common)).data).toEqual([]);
    const events = [single.id, '999999999'].map((id) => ({ id, folder }));
    const { data: deleted } = await browser.put(
      'chronos',
      'delete',
      { ...common, timestamp: Date.now() + 1e6 },
      { events },
    );
    expect(deleted).toMatchObject([{ deleted: [{ id: single.id }] }, { error: { code: 'CAL-4040' } }]);
  });

  it('6: asks for what waits, and again every five minutes in one batch', async () => {
    const range = { rangeStart: basic(Date.UTC(2031, 0, 1)), rangeEnd: basic(Date.UTC(2031, 11, 1)) };
    expect((await browser.get('chronos', 'needsAction', { ...range, fields: FIELDS })).data).toEqual([]);
    const list = {
      module: 'folders',
      action: 'list',
      tree: '1',
      altNames: true,
      timezone: 'UTC',
      columns: FOLDER_COLUMNS,
    };
    const answers = await multiple([
      ...['1', '2', '3'].map((parent) => ({ ...list, parent })),
      { ...list, action: 'allVisible', content_type: 'event', all: true },
      { module: 'chronos', action: 'needsAction', ...range, fields: FIELDS },
      { module: 'reminder', action: 'range', end: Date.UTC(2031, 0, 1) },
      { module: 'quota', action: 'filestore' },
      { module: 'system', action: 'ping' },
    ]);
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => undefined));
    for (const answer of answers.slice(0, 4)) expect(answer.timestamp).toEqual(expect.any(Number));
  });

  it('7: keeps settings, for every session and in the configuration tree', async () => {
    const { data } = await browser.put('jslob', 'list', {}, ['io.ox/core']);
    const tree = { ...data[0].tree, timezone: 'Europe/Berlin', theme: 'dark' };
    expect(await browser.put('jslob', 'set', { id: 'io.ox/core' }, tree)).not.toHaveProperty('code');
    const elsewhere = new Client(`${world.publicUrl}/appsuite/api`, 'another browser');
    const answer = await logIn(elsewhere);
    expect(answer.rampup.jslobs['io.ox/core'].tree).toMatchObject({ timezone: 'Europe/Berlin', theme: 'dark' });
    const config = await elsewhere.fetch('GET', '/config/timezone', { session: elsewhere.session });
    expect(((await config.json()) as Envelope).data).toBe('Europe/Berlin');
  });

  it('8: logs out by POST, and is told to log in again afterwards', async () => {
    const body = new URLSearchParams({ action: 'logout' });
    expect((await browser.fetch('POST', '/login', { session: browser.session }, { body })).status).toBe(200);
    expect((await browser.get('folders', 'list', { parent: '1', columns: '1' })).code).toMatch(/^SES-/);
  });
});
