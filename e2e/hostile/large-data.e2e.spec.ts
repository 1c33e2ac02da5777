import { fieldsOf, operations, type Operation } from '@groupware/contracts';
import { Client as Database } from 'pg';
import { attachFiles, newObject } from '../attachments/attachments';
import { created, DAY, FAR_FUTURE, HOUR, remove } from '../calendar/calendar';
import { ask, isUnforeseen, validCall, type AttemptCaller } from '../edge/attempts';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { createSingleProcessWorld, type SingleProcessWorld } from '../processes';
import { nameOf } from '../samples';
import { HoldMonitor, LONGEST_HOLD_MS } from './event-loop';
import { toEventTime } from '../times';

/** In the calendar of one user. */
const APPOINTMENTS = 20_000;
const SERIES = 500;
/** In one context. */
const USERS = 5_000;
const GROUPS = 1_000;
const RESOURCES = 1_000;
const CONTEXTS = 3_000;
/** As many as one user may have. */
const ACCOUNTS = 50;
const ATTACHMENTS = 1_000;
const PARTICIPANTS = 999;
/** As many as a request of the module multiple may have. */
const CALLS = 500;
const FIRST_ID = 1_000_000;
const START = Date.UTC(2035, 4, 7, 9);
/** Time for the tries of one piece of work on a busy machine, ms. */
const TIMEOUT_MS = 300_000;

let monitor: HoldMonitor;
let world: SingleProcessWorld;
let cast: Fixtures;
let player: TestUser;
let caller: AttemptCaller;
/** An appointment with as many participants as there may be. */
let meeting: string;
/** An appointment with as many attachments as there may be. */
let target: Awaited<ReturnType<typeof newObject>>;

const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_none, index) => item(index));

/** Copies rows; `changes` are expressions of their columns, in which `i` counts the copies. */
async function copyRows(
  database: Database,
  [schema, table]: readonly [string, string],
  where: string,
  count: number,
  changes: Readonly<Record<string, string>>,
): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [schema, table],
  );
  const names = rows.map(({ name }) => name);
  const values = names.map((name) => changes[name] ?? name);
  await database.query(
    `insert into ${schema}.${table} (${names.join(', ')})
     select ${values.join(', ')} from ${schema}.${table}, generate_series(1, ${count}) i where ${where}`,
  );
}

async function copyAppointments(database: Database, id: string, count: number, firstId: number): Promise<void> {
  const shift = `i * 900000::bigint`;
  await copyRows(database, ['calendar', 'appointment'], `context_id = ${cast.contextId} and id = ${id}`, count, {
    id: `${firstId} + i`,
    series_id: `case when series_id is null then null else ${firstId} + i end`,
    uid: `uid || '-' || i`,
    start_ms: `start_ms + ${shift}`,
    end_ms: `end_ms + ${shift}`,
    range_end_ms: `range_end_ms + ${shift}`,
    title: `title || ' ' || i`,
  });
  await copyRows(
    database,
    ['calendar', 'attendee'],
    `context_id = ${cast.contextId} and appointment_id = ${id}`,
    count,
    {
      appointment_id: `${firstId} + i`,
      start_ms: `start_ms + ${shift}`,
      range_end_ms: `range_end_ms + ${shift}`,
    },
  );
}

/** Copies an appointment with its reminder until the calendar is full. @param firstId of the copies, which no others have */
async function fillCalendar(database: Database, id: string, firstId: number): Promise<void> {
  await copyAppointments(database, id, APPOINTMENTS, firstId);
  await copyRows(
    database,
    ['calendar', 'reminder'],
    `context_id = ${cast.contextId} and target_id = ${id}`,
    APPOINTMENTS,
    {
      ...{ id: `id + 16 * i`, target_id: `${firstId} + i`, root_id: `${firstId} + i` },
      ...{ occurrence: 'occurrence + i', due_ms: 'least(due_ms, 1) + i' },
    },
  );
}

async function insertDirectory(database: Database): Promise<void> {
  const { contextId, U3, room, team } = cast;
  const entity = (first: number) => `${first} + i`;
  const ofUser = `context_id = ${contextId} and user_id = ${U3.userId}`;
  const address = `i || 'big@c${contextId}.example'`;
  await copyRows(database, ['identity', 'directory_user'], ofUser, USERS, {
    ...{ user_id: entity(FIRST_ID), name: `'big' || i`, display_name: `'Big ' || i`, primary_email: address },
    uid: 'gen_random_uuid()',
  });
  await copyRows(database, ['identity', 'membership'], ofUser, USERS, { user_id: entity(FIRST_ID) });
  await database.query(
    `insert into identity.membership (context_id, group_id, user_id) select ${contextId}, ${team}, ${FIRST_ID} + i from generate_series(1, ${USERS}) i`,
  );
  await copyRows(
    database,
    ['identity', 'mail_address'],
    `context_id = ${contextId} and entity_id = ${U3.userId}`,
    USERS,
    {
      ...{ entity_id: entity(FIRST_ID), address, spelled: address },
    },
  );
  await copyRows(
    database,
    ['identity', 'directory_group'],
    `context_id = ${contextId} and group_id = ${team}`,
    GROUPS,
    {
      ...{ group_id: entity(2 * FIRST_ID), name: `'group' || i`, display_name: `'Group ' || i` },
    },
  );
  await copyRows(
    database,
    ['identity', 'directory_resource'],
    `context_id = ${contextId} and resource_id = ${room}`,
    RESOURCES,
    {
      ...{
        resource_id: entity(3 * FIRST_ID),
        name: `'room' || i`,
        display_name: `'Room ' || i`,
        email: `'r' || ${address}`,
      },
    },
  );
  await copyRows(database, ['identity', 'context'], `context_id = ${cast.otherContextId}`, CONTEXTS, {
    ...{ context_id: entity(FIRST_ID), name: `'big-' || i` },
  });
  await copyRows(database, ['registry', 'context_shard'], `context_id = ${cast.otherContextId}`, CONTEXTS, {
    context_id: entity(FIRST_ID),
  });
  await database.query(`update identity.context set next_entity_id = ${4 * FIRST_ID} where context_id = ${contextId}`);
}

async function insertData(): Promise<void> {
  const times = { start_date: START, end_date: START + HOUR };
  const participants = [{ type: 1, id: player.userId }];
  const text = { note: 'N'.repeat(500), location: 'L', alarm: 15, participants };
  const single = await created(player, { ...times, ...text });
  const series = await created(player, {
    ...times,
    ...text,
    recurrence_type: 2,
    days: 2,
    interval: 1,
    occurrences: 50,
  });
  meeting = await created(player, {
    ...times,
    participants: [...participants, ...many(PARTICIPANTS, (index) => ({ type: 5, mail: `guest-${index}@x.example` }))],
  });
  const account = {
    name: 'A',
    login: 'a',
    password: 'secret of the mail server',
    mail_url: 'imap://mail.test.invalid',
  };
  const { data } = await player.put('account', 'new', {}, { ...account, primary_address: 'a@test.invalid' });
  target = await newObject(player);
  const files = many(100, (index) => ({ name: `${index}.txt`, content: 'content' }));
  for (let count = 0; count < ATTACHMENTS; count += files.length) await attachFiles(player, target, files);
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    await fillCalendar(database, single, FIRST_ID);
    await copyAppointments(database, series, SERIES, 2 * FIRST_ID);
    await database.query(`update calendar.appointment_counter set next_id = ${3 * FIRST_ID}`);
    await insertDirectory(database);
    await copyRows(
      database,
      ['mail_account', 'account'],
      `context_id = ${cast.contextId} and id = ${data.id}`,
      ACCOUNTS - 1,
      {
        ...{ id: `id + i`, name: `name || i`, login: `login || i`, primary_address: `i || primary_address` },
      },
    );
    await database.query('analyze');
  } finally {
    await database.end();
  }
}

beforeAll(async () => {
  monitor = await HoldMonitor.prepare();
  world = await createSingleProcessWorld({
    GROUPWARE_TEST: 'false',
    GATEWAY_REST_FAILURES_PER_MINUTE: '1000000',
    GATEWAY_LOGINS_PER_MINUTE: '1000000',
    IDENTITY_HASH_MEMORY_KIB: '64',
    IDENTITY_HASH_PASSES: '1',
    ...monitor.variables,
  });
  cast = await createFixtures(world);
  player = cast.U1;
  const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
  await cast.admin.expect('PATCH', path, { capabilities: { add: ['edit_group', 'edit_resource', 'edit_password'] } });
  await insertData();
  let serial = 0;
  const victim = { contextId: cast.contextId, userId: cast.U3.userId };
  caller = { world, player, appointment: meeting, victim, nextSerial: () => (serial += 1) };
}, 180_000);
afterAll(() => world?.close(), 60_000);

async function createUserWithFullCalendar(firstId: number): Promise<TestUser> {
  const user = await createTestUser(world, cast.admin, cast.contextId, `full${firstId}`);
  const times = { start_date: START, end_date: START + HOUR };
  const id = await created(user, { ...times, alarm: 15, participants: [{ type: 1, id: user.userId }] });
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  await fillCalendar(database, id, firstId).finally(() => database.end());
  return user;
}

const expectShort = async (work: () => Promise<unknown>): Promise<void> =>
  expect(await monitor.holdOf(work)).toBeLessThanOrEqual(LONGEST_HOLD_MS);

/** Everything that an operation has to tell. */
function widest({ query, reply }: Operation): Record<string, string> {
  const names = query ? fieldsOf(query).map(({ wireName }) => wireName) : [];
  const model = 'model' in reply ? reply.model : undefined;
  const columns = (model ? fieldsOf(model) : []).flatMap(({ column }) => (column === undefined ? [] : [column]));
  return {
    ...(names.includes('columns') && columns.length > 0 ? { columns: columns.join(',') } : {}),
    ...(names.includes('start') ? { start: String(START), end: String(START + 400 * DAY) } : {}),
    ...(names.includes('limit') ? { limit: '1000' } : {}),
    ...(names.includes('pattern') ? { pattern: '*' } : {}),
  };
}

/** Actions that end the session the others need, or look for one that does not exist. */
const ENDING = /logout|clear|validate-session/i;
const reads = operations.filter(
  (operation) =>
    operation.kind !== 'internal' &&
    (operation.repeatable || operation.http === 'GET') &&
    !ENDING.test(nameOf(operation)),
);

const work: [string, () => Promise<unknown>][] = [
  [
    'all appointments',
    () =>
      player.get('calendar', 'all', {
        columns: '1,20,200,201,202,203,206,220,221',
        folder: player.folder,
        start: START,
        end: START + 4 * DAY,
      }),
  ],
  [
    'updates of all appointments',
    () =>
      player.get('calendar', 'updates', {
        columns: '1,20,200,201,202,203,206,220,221',
        folder: player.folder,
        timestamp: 0,
        start: 0,
        end: FAR_FUTURE,
      }),
  ],
  [
    'search in all appointments',
    () =>
      player.put('calendar', 'search', { columns: '1,20,200,201,220,221' }, { pattern: '*77*', folder: player.folder }),
  ],
  [
    'list of appointments',
    () =>
      player.put(
        'calendar',
        'list',
        { columns: '1,20,200,201,203,220,221' },
        many(10_000, (index) => ({ id: FIRST_ID + 1 + index, folder: player.folder })),
      ),
  ],
  [
    'an export of the calendar',
    async () =>
      (await player.fetch('GET', '/export', { action: 'ICAL', session: player.session, folder: player.folder })).text(),
  ],
  [
    'an export of some appointments',
    async () =>
      (
        await player.fetch(
          'PUT',
          '/export',
          { action: 'ICAL', session: player.session },
          {
            body: JSON.stringify(
              many(10_000, (index) => ({ id: String(FIRST_ID + 1 + index), folder_id: player.folder })),
            ),
          },
        )
      ).text(),
  ],
  ['reminders', () => player.get('reminder', 'range', { end: START + 3_650 * DAY })],
  ['a meeting of many', () => player.get('calendar', 'get', { id: meeting, folder: player.folder })],
  [
    'a change of a meeting of many',
    () =>
      player.put(
        'calendar',
        'update',
        { id: meeting, folder: player.folder, timestamp: FAR_FUTURE },
        { title: `T${Math.random()}`, ignore_conflicts: true },
      ),
  ],
  [
    'a copy of a meeting of many',
    () =>
      player.put(
        'calendar',
        'copy',
        { id: meeting, folder: player.folder, ignore_conflicts: true, timezone: 'UTC' },
        { folder_id: player.folder },
      ),
  ],
  [
    'a meeting of many users',
    () =>
      player.put(
        'calendar',
        'new',
        {},
        {
          title: 'T',
          folder_id: player.folder,
          start_date: START,
          end_date: START + HOUR,
          ignore_conflicts: true,
          participants: many(990, (index) => ({ type: 1, id: FIRST_ID + 1 + index })),
        },
      ),
  ],
  [
    'conflicts with many',
    () =>
      player.put(
        'calendar',
        'new',
        {},
        {
          title: 'T',
          folder_id: player.folder,
          start_date: START,
          end_date: START + 300 * DAY,
          ignore_conflicts: false,
          participants: many(990, (index) => ({ type: 1, id: FIRST_ID + 1 + index })),
        },
      ),
  ],
  [
    'busy times of many',
    () =>
      player.put(
        'chronos',
        'freeBusy',
        { from: toEventTime(START), until: toEventTime(START + 300 * DAY) },
        { attendees: [{ entity: player.userId }, ...many(999, (index) => ({ entity: FIRST_ID + 1 + index }))] },
      ),
  ],
  [
    'busy times of one',
    () => player.get('calendar', 'freebusy', { id: player.userId, type: 1, start: START, end: START + 2 * DAY }),
  ],
  [
    'users of a list',
    () =>
      player.put(
        'user',
        'list',
        { columns: '1,500,501,502,555,592' },
        many(USERS, (index) => FIRST_ID + 1 + index),
      ),
  ],
  ['all users', () => player.get('user', 'all', { columns: '1,500,501,502,520,555,556,557,592,610,613' })],
  ['all users, sorted', () => player.get('user', 'all', { columns: '1,500,501,502,555', sort: '500', order: 'desc' })],
  ['a search of users', () => player.put('user', 'search', { columns: '1,500,501,502,555' }, { pattern: '*' })],
  ['all groups', () => player.put('group', 'all', { columns: '1,500,501,592,593' }, undefined)],
  ['a search of groups', () => player.put('group', 'search', {}, { pattern: '*' })],
  ['a large group', () => player.get('group', 'get', { id: cast.team })],
  ['all resources', () => player.get('resource', 'all')],
  ['updates of groups', () => player.get('group', 'updates', { timestamp: 0 })],
  [
    'attachments of an object',
    () => player.get('attachment', 'all', { ...target, columns: '1,800,801,802,803,804,805,806' }),
  ],
  ['mail accounts', () => player.get('account', 'all', { columns: '1001,1002,1003,1004,1005,1006,1007' })],
  [
    'calls of multiple, each large',
    () =>
      player.call(
        'PUT',
        'multiple',
        undefined as never,
        {},
        many(CALLS, (index) =>
          index % 2
            ? { module: 'group', action: 'get', id: cast.team }
            : { module: 'calendar', action: 'get', id: meeting, folder: player.folder },
        ),
      ),
  ],
  [
    'calls of multiple, each small',
    () =>
      player.call(
        'PUT',
        'multiple',
        undefined as never,
        {},
        many(CALLS, () => ({ module: 'user', action: 'get', id: player.userId })),
      ),
  ],
  [
    'a tree of settings',
    () =>
      player.put(
        'jslob',
        'set',
        { id: 'io.ox/large' },
        Object.fromEntries(many(5_000, (index) => [`k${index}`, { a: [index], b: 'text' }])),
      ),
  ],
  [
    'a change of a tree of settings',
    () => player.put('jslob', 'update', { id: 'io.ox/large' }, { k1: { c: Math.random() } }),
  ],
  ['a tree of settings, read', () => player.put('jslob', 'list', {}, ['io.ox/large'])],
  ['all settings', () => player.get('jslob', 'all')],
];

const provisioning: [string, string, string][] = [
  ['users', 'GET', `/users?limit=1000`],
  ['users without an end', 'GET', `/users`],
  ['groups', 'GET', `/groups?limit=1000`],
  ['a large group', 'GET', `/groups/TEAM`],
  ['resources', 'GET', `/resources?limit=1000`],
];

describe('the event loop is not held by much data', () => {
  it.each(reads.map((operation) => [nameOf(operation), operation] as const))(
    'in %s',
    async (name, operation) => {
      const attempt = () => {
        const { query, body } = validCall(operation, caller);
        return { what: name, query: { ...query, ...widest(operation) }, body };
      };
      await expectShort(async () => {
        const answer = await ask(operation, attempt(), caller);
        expect([isUnforeseen(answer), answer.text.slice(0, 300)]).toEqual([
          false,
          expect.not.stringContaining('SES-0203'),
        ]);
      });
    },
    TIMEOUT_MS,
  );

  it.each(work)(
    'in %s',
    (_name, call) =>
      expectShort(async () => {
        expect(await call()).not.toHaveProperty('error');
      }),
    TIMEOUT_MS,
  );

  it.each(provisioning)(
    'in a list of provisioning: %s',
    (_name, method, path) =>
      expectShort(() =>
        cast.admin.expect(method, `/admin/v1/contexts/${cast.contextId}${path.replace('TEAM', String(cast.team))}`),
      ),
    TIMEOUT_MS,
  );

  it(
    'in a list of all contexts',
    () => expectShort(() => cast.admin.expect('GET', '/admin/v1/contexts?limit=1000')),
    TIMEOUT_MS,
  );

  it(
    'by a new list of members of a large group',
    () =>
      expectShort(() =>
        cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/groups/${cast.team}`, {
          members: many(USERS - Math.floor(Math.random() * 100), (index) => FIRST_ID + 1 + index),
        }),
      ),
    TIMEOUT_MS,
  );

  it(
    'by deleting many appointments at once',
    async () => {
      let first = FIRST_ID + 1;
      await expectShort(() => {
        const items = many(2_000, (index) => ({ id: first + index, folder: player.folder }));
        first += items.length;
        return remove(player, items);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'by deleting the user whose calendar is full',
    async () => {
      const victims = [player];
      let firstId = 4 * FIRST_ID;
      await expectShort(async () => {
        // A user can be deleted once: each further try has one of its own.
        const { userId } = victims.pop() ?? (await createUserWithFullCalendar((firstId += FIRST_ID)));
        await cast.admin.expect('DELETE', `/admin/v1/contexts/${cast.contextId}/users/${userId}`);
      });
    },
    TIMEOUT_MS,
  );
});
