import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_MAX_ITEMS, fieldsOf, operations } from '@groupware/contracts';
import { ALL_TIME, create, created, DAY, HOUR } from '../calendar/calendar';
import { AdminClient } from '../client';
import { ask as makeCall, isUnforeseen, validCall, type AttemptCaller } from '../edge/attempts';
import { createContext, createFixtures, PASSWORD, type Fixtures, type TestUser } from '../fixtures';
import { nameOf, sampleBody, sampleValue } from '../samples';
import { createSingleProcessWorld, type SingleProcessWorld } from '../processes';
import { HoldMonitor, LONGEST_HOLD_MS } from './event-loop';

let monitor: HoldMonitor;
let world: SingleProcessWorld;
let cast: Fixtures;
let player: TestUser;
/** Makes calls of all operations, in a calendar without dense series. */
let caller: AttemptCaller;

const START = Date.UTC(2035, 4, 7, 9);
/** Time for the tries of one input on a busy machine, ms. */
const TIMEOUT_MS = 120_000;
const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_none, index) => item(index));
const numbers = (from: number, to: number): string => many(to - from + 1, (index) => from + index).join(',');

/** An instant in iCalendar. */
const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

/** Rules with as many occurrences as rules can have, and some that take long to find one. */
const RULES = [
  'FREQ=SECONDLY',
  'FREQ=SECONDLY;COUNT=2000000000',
  'FREQ=SECONDLY;UNTIL=20991231T235959Z',
  'FREQ=MINUTELY',
  `FREQ=MINUTELY;BYSECOND=${numbers(0, 59)};BYSETPOS=-60`,
  'FREQ=MINUTELY;INTERVAL=1441;BYHOUR=3;COUNT=2000000000',
  'FREQ=SECONDLY;INTERVAL=61;BYHOUR=5;BYMINUTE=7;BYSECOND=9;BYMONTHDAY=-31;BYDAY=MO',
  'FREQ=SECONDLY;INTERVAL=86401;BYSECOND=1;BYSETPOS=1',
  `FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${numbers(0, 23)};BYMINUTE=${numbers(0, 59)};BYSECOND=${numbers(0, 59)}`,
  `FREQ=YEARLY;BYYEARDAY=${numbers(1, 366)};BYWEEKNO=${numbers(1, 53)}`,
];
const SERIES = 300;

const component = (name: string, ...lines: string[]): string => [`BEGIN:${name}`, ...lines, `END:${name}`].join('\r\n');
const event = (uid: string, ...lines: string[]): string => component('VEVENT', `UID:${uid}`, ...lines);
const plain = (uid: string, ...lines: string[]): string =>
  event(uid, `DTSTART:${utc(START)}`, 'DURATION:PT1H', ...lines);
const calendar = (...components: string[]): string =>
  `${component('VCALENDAR', 'VERSION:2.0', 'PRODID:hostile', ...components)}\r\n`;
const moved = (uid: string, index: number, range = ''): string =>
  event(
    uid,
    `RECURRENCE-ID${range}:${utc(START + index * DAY)}`,
    `DTSTART:${utc(START + index * DAY + HOUR)}`,
    'DURATION:PT10M',
  );
const zone = (index: number): string =>
  component(
    'VTIMEZONE',
    `TZID:Zone ${index}`,
    component(
      'STANDARD',
      ...['DTSTART:19700101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0137', 'RRULE:FREQ=SECONDLY'],
    ),
  );

/** Imports a calendar file into a calendar of the player. */
async function importCalendar(text: string): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([text]), 'calendar.ics');
  const query = { action: 'ICAL', session: player.session, folder: player.folder };
  await (await player.fetch('POST', '/import', query, { body: form })).text().catch(() => undefined);
}

/** A provisioning import, until its job has ended. */
async function provision(kind: string, type: string, body: string): Promise<void> {
  const path = `/admin/v1/contexts/${cast.contextId}`;
  const { body: job } = await cast.admin.request('POST', `${path}/import?kind=${kind}`, body, { 'content-type': type });
  const isRunning = async () => (await cast.admin.expect('GET', `${path}/jobs/${job.id}`)).state === 'running';
  while (job?.id !== undefined && (await isRunning())) await wait(50);
}

const ask = (action: string, parameters: Record<string, string | number | boolean>) => () =>
  player.get('calendar', action, parameters);

/** A body as it is, to an operation that takes JSON. */
const send = (module: string, action: string, body: () => string) => async () =>
  (await player.fetch('PUT', `/${module}`, { action, session: player.session }, { body: body() })).text();

const COLUMNS = '1,200,201,207';
const inDay = { columns: COLUMNS, start: START, end: START + DAY };

const series: [string, () => Promise<unknown>][] = [
  ['all', ask('all', inDay)],
  ['all, until far away', ask('all', { ...inDay, end: ALL_TIME.end })],
  ['all, as series', ask('all', { ...inDay, ...ALL_TIME, recurrence_master: true })],
  ['newappointments', ask('newappointments', { ...inDay, limit: '1000' })],
  [
    'newappointments in ten years',
    ask('newappointments', { ...inDay, start: START + 3650 * DAY, end: ALL_TIME.end, limit: '9' }),
  ],
  ['updates', ask('updates', { ...inDay, timestamp: 0, ignore: 'deleted' })],
  ['has', ask('has', { start: START, end: START + 3600 * DAY })],
  ['freebusy', () => ask('freebusy', { id: player.userId, type: 1, start: START, end: START + 3650 * DAY })()],
  [
    'freeBusy of other modules',
    () => player.put('freebusy', 'list', { from: START + 365 * DAY, until: START + 395 * DAY }, [player.email]),
  ],
  ['search', () => player.put('calendar', 'search', { columns: COLUMNS }, { pattern: '*?*?*?*e*?*?*' })],
  ['reminders', () => player.get('reminder', 'range', { end: START + 365 * DAY })],
  [
    'export',
    async () =>
      (await player.fetch('GET', '/export', { action: 'ICAL', session: player.session, folder: player.folder })).text(),
  ],
  ['conflicts of one', () => create(player, { start_date: START, end_date: START + HOUR, ignore_conflicts: false })],
  [
    'conflicts of an endless series',
    () =>
      create(player, {
        ...{ start_date: START, end_date: START + HOUR, ignore_conflicts: false },
        ...{ recurrence_type: 1, interval: 1 },
      }),
  ],
];

const files: [string, () => string][] = [
  [
    '3,000 changes of one series',
    () => calendar(plain('many', 'RRULE:FREQ=DAILY'), ...many(3_000, (index) => moved('many', index))),
  ],
  [
    'changes before their series',
    () => calendar(...many(1_000, (index) => moved('late', index)), plain('late', 'RRULE:FREQ=DAILY')),
  ],
  [
    'changes of all that follow',
    () =>
      calendar(
        plain('ranges', 'RRULE:FREQ=DAILY'),
        ...many(500, (index) => moved('ranges', index, ';RANGE=THISANDFUTURE')),
      ),
  ],
  [
    'dates in many lines',
    () =>
      calendar(
        plain(
          'dates',
          'RRULE:FREQ=DAILY',
          ...many(10_000, (index) => `EXDATE:${utc(START + index * DAY)}`),
          ...many(5_000, (index) => `RDATE:${utc(START + index * DAY + HOUR)}`),
        ),
      ),
  ],
  [
    'dates in one line',
    () =>
      calendar(plain('dates2', 'RRULE:FREQ=DAILY', `EXDATE:${many(50_000, (index) => utc(START + index)).join(',')}`)),
  ],
  [
    'dates in many long lines',
    () =>
      calendar(
        plain(
          'dates3',
          'RRULE:FREQ=DAILY',
          ...many(12, () => `EXDATE:${many(19_000, (index) => utc(START + index)).join(',')}`),
        ),
      ),
  ],
  [
    'dates within their limit',
    () =>
      calendar(plain('dates4', 'RRULE:FREQ=DAILY', ...many(19_900, (index) => `EXDATE:${utc(START + index * DAY)}`))),
  ],
  ['lines within their limit', () => calendar(plain('lines3', ...many(19_900, (index) => `X-A${index};B=c:b`)))],
  [
    'attendees with parameters',
    () => calendar(plain('people2', ...many(19_900, (index) => `ATTENDEE;CN=a;ROLE=b;X=c:mailto:a${index}@x.example`))),
  ],
  ['60,000 lines', () => calendar(plain('lines', many(60_000, (index) => `X-A${index}:b`).join('\r\n')))],
  ['lines with parameters', () => calendar(plain('lines2', ...many(40_000, (index) => `X-A${index};B=c;D="e":b`)))],
  ['one line of 5 MB', () => calendar(plain('long', `DESCRIPTION:${'x'.repeat(5_000_000)}`))],
  ['a line folded 200,000 times', () => calendar(plain('fold', `DESCRIPTION:${'x\r\n '.repeat(200_000)}`))],
  [
    'a line of escapes',
    () => calendar(plain('escapes', `DESCRIPTION:${'\\n'.repeat(500_000)}`, `CATEGORIES:${','.repeat(1_000_000)}`)),
  ],
  [
    'a line of parameters',
    () => calendar(plain('parameters', `ATTENDEE${';CN="a"'.repeat(140_000)}:b`, `X${';TZID='.repeat(170_000)}:b`)),
  ],
  ['nested components', () => calendar(many(20_000, (index) => `BEGIN:X${index % 7}`).join('\r\n'))],
  ['events that do not end', () => calendar(many(10_000, () => 'BEGIN:VEVENT').join('\r\n'))],
  ['events without anything', () => calendar(...many(10_000, (index) => event(`bad${index}`)))],
  [
    'time zones',
    () =>
      calendar(
        ...many(2_000, zone),
        ...many(200, (index) => event(`z${index}`, `DTSTART;TZID=Zone ${index}:20350507T090000`)),
      ),
  ],
  [
    'attendees',
    () => calendar(plain('people', ...many(20_000, (index) => `ATTENDEE;CN=a:mailto:a${index}@x.example`))),
  ],
  [
    'alarms',
    () => calendar(plain('alarms', ...many(8_000, () => component('VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT5M')))),
  ],
  ['no calendar', () => 'garbage\n'.repeat(200_000)],
];

const bodies: [string, () => Promise<unknown>][] = [
  ['arrays', send('calendar', 'new', () => `[${'[],'.repeat(1_300_000)}1]`)],
  ['escapes', send('calendar', 'new', () => `{"title":"${'\\u0041'.repeat(650_000)}"}`)],
  ['fields', send('calendar', 'new', () => `{${many(300_000, (index) => `"${index}":1`).join(',')}}`)],
  ['depth', send('calendar', 'new', () => '['.repeat(4_000_000))],
  ['parts of multiple', send('multiple', '', () => JSON.stringify(many(250_000, () => ({}))))],
  [
    'calls of multiple',
    send('multiple', '', () =>
      JSON.stringify(many(400, () => ({ module: 'calendar', action: 'has', start: START, end: START + 3000 * DAY }))),
    ),
  ],
  [
    'ids of a list',
    () =>
      player.put(
        'calendar',
        'list',
        { columns: COLUMNS },
        many(2_000, (id) => ({ id: id + 1, folder: player.folder })),
      ),
  ],
  [
    'ids to delete',
    () =>
      player.put(
        'calendar',
        'delete',
        { timestamp: 0 },
        many(2_000, (id) => ({ id: 900_000 + id, folder: player.folder })),
      ),
  ],
  [
    'users of an appointment',
    () => create(player, { start_date: START, end_date: START + HOUR, users: many(90_000, (id) => ({ id })) }),
  ],
  ['a long note', () => create(player, { start_date: START, end_date: START + HOUR, note: 'x'.repeat(4_000_000) })],
  ['columns of a query', () => ask('all', { ...inDay, columns: `${'1,'.repeat(2_000)}1` })()],
  [
    'fields of a form',
    () =>
      player
        .fetch('POST', '/login', { action: 'login' }, { body: 'a=b&'.repeat(900_000) })
        .then((answer) => answer.text()),
  ],
  ['a search pattern', () => player.put('group', 'search', {}, { pattern: `${'*a'.repeat(2_000)}b` })],
];

/** A mail that a mail server hands over, as JSON. */
const pushed =
  (mail: string, others = '') =>
  async () => {
    const { login, password } = world.service;
    const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
    const url = `${world.internalUrl}/chronos/v1/itip/pushmail`;
    const body = `{"event":"messageNew","folder":"INBOX","user":"nobody",${others}"body":"${mail}"}`;
    await (await fetch(url, { method: 'PUT', headers: { authorization }, body })).text();
  };
const HEAD = 'From: a@x.example\\r\\nTo: b@x.example\\r\\nContent-Type: ';
const multipart = (parts: string): string => `${HEAD}multipart/mixed; boundary=x\\r\\n\\r\\n${parts}--x--\\r\\n`;
const part = (type: string, text: string): string => `--x\\r\\nContent-Type: ${type}\\r\\n\\r\\n${text}\\r\\n`;

const mails: [string, () => Promise<unknown>][] = [
  ['parts', pushed(multipart(part('text/plain', 'a').repeat(100_000)))],
  ['parts in parts', pushed(multipart(part('multipart/mixed; boundary=x', '').repeat(50_000)))],
  ['messages in messages', pushed(multipart(part('message/rfc822', HEAD).repeat(30_000)))],
  ['one line', pushed(`${HEAD}text/plain\\r\\n\\r\\n${'x'.repeat(8_000_000)}`)],
  ['empty lines', pushed(`${HEAD}text/plain\\r\\n\\r\\n${'\\r\\n'.repeat(2_000_000)}`)],
  ['a large header', pushed(`${'X: y\\r\\n'.repeat(40_000)}${HEAD}text/plain\\r\\n\\r\\na`)],
  ['a folded header', pushed(`Subject: a\\r\\n${' b\\r\\n'.repeat(60_000)}${HEAD}text/plain\\r\\n\\r\\na`)],
  ['recipients', pushed(`Cc: ${'"a,b" <c@x.example>, (d '.repeat(10_000)}\\r\\n${HEAD}text/plain\\r\\n\\r\\na`)],
  ['encoded words', pushed(`To: ${'=?utf-8?q?=41=42?= '.repeat(13_000)}\\r\\n${HEAD}text/plain\\r\\n\\r\\na`)],
  ['a calendar of nothing', pushed(multipart(part('text/calendar', 'x'.repeat(260_000))))],
  [
    'a calendar that is encoded',
    pushed(
      `${HEAD}text/calendar\\r\\nContent-Transfer-Encoding: quoted-printable\\r\\n\\r\\n${'=41=\\r\\n'.repeat(120_000)}`,
    ),
  ],
  [
    'a calendar of many events',
    pushed(
      multipart(
        part(
          'text/calendar; method=REPLY',
          `BEGIN:VCALENDAR\\r\\n${'BEGIN:VEVENT\\r\\nUID:a\\r\\nEND:VEVENT\\r\\n'.repeat(7_000)}END:VCALENDAR`,
        ),
      ),
    ),
  ],
  ['escapes', pushed(`${HEAD}text/plain\\r\\n\\r\\n${'\\u0041'.repeat(1_300_000)}`)],
  ['backslashes', pushed(`${HEAD}text/plain\\r\\n\\r\\n${'\\\\'.repeat(4_000_000)}`)],
  ['other members', pushed('a', many(6_000, (index) => `"${index}":[],`).join(''))],
  ['brackets', pushed('a', `"x":${'['.repeat(4_000_000)}`)],
];

/** The element of a list, or its id, with a number of its own. */
function withNumber(sample: unknown, number: number): unknown {
  if (typeof sample === 'number') return number;
  if (typeof sample === 'string') return String(number);
  const object = sample as { id?: unknown };
  return object.id === undefined ? object : { ...object, id: withNumber(object.id, number) };
}

/** Bodies with as many elements as the gateway takes, of all operations that take lists. */
const lists = operations.flatMap((operation): [string, () => Promise<unknown>][] => {
  const { body, kind } = operation;
  if (kind === 'internal' || !body || !/^json/.test(body.kind)) return [];
  const longest = (sample: unknown, most = DEFAULT_MAX_ITEMS): unknown[] => {
    const bytes = JSON.stringify(sample).length + 5;
    return many(Math.min(most, Math.floor(950_000 / bytes)), (index) => withNumber(sample, index + 1));
  };
  const call = (name: string, bodyOf: (valid: unknown) => unknown): [string, () => Promise<unknown>] => [
    `${nameOf(operation)}${name}`,
    async () => {
      const { query, body: valid } = validCall(operation, caller);
      const answer = await makeCall(operation, { what: name, query, body: bodyOf(valid) }, caller);
      expect([isUnforeseen(answer), answer.text.slice(0, 300)]).toEqual([false, expect.anything()]);
    },
  ];
  const isList = body.kind !== 'json' && body.kind !== 'jsonValue';
  // Valid calls may have an empty list.
  const firstOf = (valid: unknown) => (valid as unknown[])[0] ?? (sampleBody(operation) as unknown[])[0];
  const ofList = isList ? [call('', (valid) => longest(firstOf(valid), body.maxItems))] : [];
  const inLists = (body.model ? fieldsOf(body.model) : [])
    .filter(({ type, readOnly }) => type === 'list' && !readOnly)
    .map((field) =>
      call(`.${field.wireName}`, (valid) => {
        const changed = {
          ...((isList ? firstOf(valid) : valid) as object),
          [field.wireName]: longest((sampleValue(field) as unknown[])[0], field.maxItems),
        };
        return isList ? [changed] : changed;
      }),
    );
  return [...ofList, ...inLists];
});

const provisioning: [string, string, string, () => string][] = [
  [
    'members of a group',
    'groups',
    'text/x-ldif',
    () =>
      `dn: cn=big\nobjectClass: groupOfNames\ncn: big\n${many(50_000, (index) => `member: uid=u${index},ou=x`).join('\n')}\n`,
  ],
  ['a long name of an entry', 'users', 'text/x-ldif', () => `dn: uid=${'+'.repeat(4_900_000)}\nsn: a\n`],
  ['a folded line', 'users', 'text/x-ldif', () => `dn: uid=f\nuid: ${'x\n '.repeat(1_000_000)}\n`],
  ['a file without lines', 'users', 'text/x-ldif', () => 'x'.repeat(10_000_000)],
  [
    'columns of a table',
    'users',
    'text/csv',
    () => `name,${many(20_000, (index) => `x${index}`).join(',')}\n${','.repeat(100_000)}\n`,
  ],
  ['a table without rows', 'users', 'text/csv', () => 'x'.repeat(3_000_000)],
];

beforeAll(async () => {
  monitor = await HoldMonitor.prepare();
  world = await createSingleProcessWorld({
    GATEWAY_MAX_REST_BODY_BYTES: '10000000',
    // Calls are compared with their models in tests only, in one go.
    GROUPWARE_TEST: 'false',
    ...monitor.variables,
  });
  cast = await createFixtures(world);
  player = cast.U1;
  const appointment = await created(cast.U3, { start_date: START, end_date: START + HOUR });
  const contextId = await createContext(cast.admin, 'lists');
  const { id: userId } = await cast.admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, {
    ...{ name: 'v', displayName: 'v', surname: 'V', password: 'victims 1 password' },
    primaryEmail: `v@c${contextId}.example`,
  });
  let serial = 0;
  caller = { world, player: cast.U3, appointment, victim: { contextId, userId }, nextSerial: () => (serial += 1) };
}, 120_000);
afterAll(() => world?.close(), 60_000);

const expectShort = async (work: () => Promise<unknown>): Promise<void> =>
  expect(await monitor.holdOf(work)).toBeLessThanOrEqual(LONGEST_HOLD_MS);

describe('the event loop is not held', () => {
  it(
    `by importing ${SERIES} dense series`,
    async () => {
      const alarm = component('VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT15M');
      const events = many(SERIES, (index) => plain(`s${index}`, `RRULE:${RULES[index % RULES.length]}`, alarm));
      await expectShort(() => importCalendar(calendar(...events)));
    },
    TIMEOUT_MS,
  );

  it.each(series)('by dense series in %s', (_name, work) => expectShort(work), TIMEOUT_MS);

  // Another calendar: what is asked about it does not find the series.
  it.each(files)(
    'by a calendar file: %s',
    async (_name, text) => {
      player = cast.U2;
      const file = text();
      await expectShort(() => importCalendar(file));
    },
    TIMEOUT_MS,
  );

  it.each(bodies)('by a request: %s', (_name, work) => expectShort(work), TIMEOUT_MS);

  it.each(mails)('by a pushed mail: %s', (_name, work) => expectShort(work), TIMEOUT_MS);

  it.each(lists)('by a list: %s', (_name, work) => expectShort(work), TIMEOUT_MS);

  it(
    'by a pattern of passwords that goes through all ways to fail',
    async () => {
      const pattern = `/admin/v1/contexts/${cast.contextId}/config/com.example.passwordchange.regexp`;
      const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
      await master.expect('PUT', pattern, { value: '(a+)+' });
      const passwords = { old_password: PASSWORD, new_password: `${'a'.repeat(1000)}!` };
      let code: unknown;
      await expectShort(async () => ({ code } = await player.put('passwordchange', 'update', {}, passwords)));
      expect(code).toBe('USR-0026');
    },
    TIMEOUT_MS,
  );

  it.each(provisioning)(
    'by a provisioning file: %s',
    async (_name, kind, type, text) => {
      const file = text();
      await expectShort(() => provision(kind, type, file));
    },
    TIMEOUT_MS,
  );
});
