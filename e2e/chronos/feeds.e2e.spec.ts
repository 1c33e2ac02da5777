import { WebServer } from '@groupware/test-kit';
import type { Envelope } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';
import { dataOf, FORCE, type Json, THIRTIES } from './events';

const MEGABYTE = 1_048_576;
const PROVIDER = 'com.openexchange.calendar.provider';
const CONFIG = 'com.openexchange.calendar.config';
const EXTENDED = 'com.openexchange.calendar.extendedProperties';
const COLUMNS = '1,20,300,301,304,305,309,314,318,3201,3203,3204,3205';

/** Answer of the server at a path. */
interface Page {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
}

const event = (uid: string, ...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20300101T000000Z', ...lines, 'END:VEVENT', ''].join('\r\n');
const single = (uid: string, day: string, summary = uid): string =>
  event(uid, `DTSTART:${day}T100000Z`, `DTEND:${day}T110000Z`, `SUMMARY:${summary}`);
const calendar = (events: readonly string[], head: readonly string[] = []): string =>
  `${['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...head, ''].join('\r\n')}${events.join('')}END:VCALENDAR\r\n`;
const series = [
  event(
    'weekly',
    'DTSTART;TZID=Europe/Berlin:20310602T090000',
    'DURATION:PT1H',
    'RRULE:FREQ=WEEKLY;COUNT=4',
    'SUMMARY:W',
  ),
  event(
    'weekly',
    'RECURRENCE-ID;TZID=Europe/Berlin:20310609T090000',
    'DTSTART;TZID=Europe/Berlin:20310609T140000',
    'DURATION:PT1H',
    'SUMMARY:Moved',
  ),
];

let web: WebServer;
let url: string;
let world: LocalTestEnvironment;
let cast: Fixtures;
const pages: Record<string, Page> = {};

beforeAll(async () => {
  web = await WebServer.start((path, response, request) => {
    if (path.endsWith('drip')) return void response.writeHead(200).write('BEGIN:VCALENDAR\r\n');
    const { status = 200, headers = {}, body = '' } = pages[path] ?? { status: 404 };
    const isKnown = headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'];
    response.writeHead(isKnown ? 304 : status, headers).end(isKnown ? undefined : body);
  });
  ({ url } = web);
  world = await startTestEnvironment({
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '80,443,1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
      CALENDAR_FEED_TIMEOUT_MS: '3000',
      CALENDAR_FEED_SECONDS: '0',
    },
    properties: { 'com.example.calendar.ical.maxAccounts': '0' },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await web?.close();
});

const subscribe = (player: TestUser, path: string, folder: Json = {}, config: Json = {}): Promise<Envelope> =>
  player.put(
    'folders',
    'new',
    { tree: '0', folder_id: '1' },
    { folder: { module: 'event', [PROVIDER]: 'ical', [CONFIG]: { uri: url + path, ...config }, ...folder } },
  );
const subscribed = async (player: TestUser, path: string, folder: Json = {}, config: Json = {}): Promise<string> =>
  dataOf(await subscribe(player, path, folder, config));
const eventsOf = async (player: TestUser, folder: string, query: Json = {}): Promise<Json[]> =>
  dataOf(await player.get('chronos', 'all', { folder, ...THIRTIES, ...query }));
const summariesOf = async (player: TestUser, folder: string, query: Json = {}): Promise<string[]> =>
  (await eventsOf(player, folder, query)).map(({ summary }) => summary);
const folderOf = async (player: TestUser, id: string): Promise<Json> =>
  dataOf(await player.get('folders', 'get', { id, tree: '0' }));
const errorOf = async (player: TestUser, id: string): Promise<string | undefined> =>
  (await folderOf(player, id))['com.openexchange.calendar.accountError']?.code;
const change = (player: TestUser, folder: string, id: string, fields: Json): Promise<Envelope> =>
  player.put('chronos', 'update', { folder, id, timestamp: FORCE }, { event: fields });

describe('subscribed calendars of the web', () => {
  it('CP-02: are folders of an account of their own, which are read and carry alarms', async () => {
    pages['/a.ics'] = {
      body: calendar([single('one', '20310601'), ...series, single('two', '20310701')], ['X-WR-CALNAME:Holidays']),
    };
    const id = await subscribed(cast.U1, '/a.ics', { [EXTENDED]: { color: { value: '#00ff00' } } });
    expect(id).toMatch(/^cal:\/\/[1-9]\d*\/0$/);
    expect(await summariesOf(cast.U1, id)).toEqual(['one', 'W', 'Moved', 'two']);
    expect(await summariesOf(cast.U1, id, { expand: true })).toEqual(['one', 'W', 'Moved', 'W', 'W', 'two']);
    const [one, weekly, moved] = await eventsOf(cast.U1, id);
    const occurrence = (recurrenceId: string): Promise<Json> =>
      cast.U1.get('chronos', 'get', { folder: id, id: weekly!['id'], recurrenceId });
    expect((await occurrence('20310609T070000Z')).data).toMatchObject({ id: moved!['id'], seriesId: weekly!['id'] });
    expect((await occurrence('20310616T070000Z')).data).toMatchObject({
      summary: 'W',
      recurrenceId: '20310616T070000Z',
    });
    expect(one).toMatchObject({ folder: id, uid: 'one', calendarUser: { entity: expect.any(Number) } });
    expect(one).not.toHaveProperty('attendees');

    expect((await change(cast.U1, id, one!['id'], { summary: 'Mine' })).code).toBe('CAL-4228');
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT15M' } }];
    const { updated } = dataOf(await change(cast.U1, id, one!['id'], { alarms }));
    expect(updated).toMatchObject([{ id: one!['id'], folder: id, alarms }]);
    const after = dataOf(await cast.U1.get('chronos', 'get', { folder: id, id: one!['id'] }));
    expect(after).toMatchObject({ summary: 'one', alarms });
    const pending = dataOf(
      await cast.U1.get('chronos/alarm', 'pending', { rangeEnd: '20310601T094500Z', actions: 'DISPLAY' }),
    );
    expect(pending).toMatchObject([{ eventId: one!['id'], folder: id, time: '20310601T094500Z' }]);
    const alarmId = pending[0].alarmId;
    dataOf(await cast.U1.put('chronos/alarm', 'ack', { folder: id, id: one!['id'], alarmId }, {}));
    expect(
      dataOf(await cast.U1.get('chronos/alarm', 'pending', { rangeEnd: '20310601T094500Z', actions: 'DISPLAY' })),
    ).toEqual([]);
  });

  it('stand in the tree of their user alone, with provider, settings and colour', async () => {
    pages['/tree.ics'] = { body: calendar([single('t', '20310601')], ['X-WR-CALDESC:Of trees']) };
    const id = await subscribed(cast.U1, '/tree.ics', { title: 'Trees' }, { login: 'ann', password: 'hidden-one' });
    const list = async (player: TestUser): Promise<Json[]> => {
      const { private: rows = [] } = dataOf(
        await player.get('folders', 'allVisible', { content_type: 'event', columns: COLUMNS }),
      );
      const names = COLUMNS.split(',');
      return rows.map((row: unknown[]) => Object.fromEntries(row.map((cell, index) => [names[index], cell])));
    };
    const found = (await list(cast.U1)).find((each) => each['1'] === id);
    expect(found).toMatchObject({
      20: '1',
      300: 'Trees',
      301: 'event',
      305: 268435713,
      309: 1,
      314: true,
      318: id.replace(/\/0$/, ''),
      3201: { description: { value: 'Of trees' }, lastUpdate: { value: expect.any(Number) } },
      3203: 'ical',
      3204: null,
      3205: { uri: `${url}/tree.ics`, login: 'ann' },
    });
    expect(JSON.stringify(found)).not.toContain('hidden-one');
    expect((await list(cast.U2)).map((each) => each['1'])).not.toContain(id);
    expect((await cast.U2.get('folders', 'get', { id, tree: '0' })).code).toBe('FLD-0003');
    expect((await cast.U2.get('chronos', 'all', { folder: id, ...THIRTIES })).code).toBe('CAL-4044');
    const update = (folder: Json): Promise<Envelope> =>
      cast.U1.put('folders', 'update', { id, tree: '0', timestamp: FORCE }, { folder });
    expect(dataOf(await update({ title: 'Woods', [EXTENDED]: { color: { value: 'red' } } }))).toBe(id);
    expect(await folderOf(cast.U1, id)).toMatchObject({ title: 'Woods', [EXTENDED]: { color: { value: 'red' } } });
    expect((await update({ [CONFIG]: { uri: `${url}/a.ics` } })).code).toBe('ICAL-PROV-4044');
    expect((await update({ [CONFIG]: { refreshInterval: 'often' } })).code).toBe('ICAL-PROV-4045');
    dataOf(await update({ [CONFIG]: { uri: `${url}/tree.ics`, refreshInterval: 60 } }));
    expect((await folderOf(cast.U1, id))[CONFIG]).toMatchObject({ login: 'ann', refreshInterval: 60 });
    const permissions = [
      { entity: (await folderOf(cast.U1, id)).created_from.entity, bits: 403710016, group: false },
      { entity: 0, bits: 257, group: true },
    ];
    expect((await update({ permissions })).code).toBe('FLD-0072');
    dataOf(await update({ subscribed: false, [EXTENDED]: { usedForSync: { value: 'false' } } }));
    expect(await folderOf(cast.U1, id)).toMatchObject({ subscribed: false, used_for_sync: { value: 'false' } });
  });

  it('are read by clients of appointments, and exported, as others are', async () => {
    pages['/old.ics'] = { body: calendar([single('one', '20310601'), ...series, single('two', '20310701')]) };
    const folder = await subscribed(cast.U1, '/old.ics');
    const range = { start: Date.UTC(2031, 0), end: Date.UTC(2032, 0), timezone: 'UTC', columns: '1,20,200,201,207' };
    const rowsOf = async (query: Json = {}): Promise<any[][]> =>
      dataOf(await cast.U1.get('calendar', 'all', { folder, ...range, ...query }));
    const rows = await rowsOf();
    expect(rows.map(([, , title, , position]) => [title, position ?? 0])).toEqual([
      ['one', 0],
      ['W', 1],
      ['Moved', 2],
      ['W', 3],
      ['W', 4],
      ['two', 0],
    ]);
    expect(rows[0]!.slice(1)).toEqual([folder, 'one', Date.UTC(2031, 5, 1, 10), null]);
    expect((await rowsOf({ recurrence_master: true })).map(([, , title]) => title)).toEqual([
      'one',
      'W',
      'Moved',
      'two',
    ]);
    expect((await rowsOf({ sort: '200', order: 'desc' })).map(([, , title]) => title)[0]).toBe('two');
    const week = { start: Date.UTC(2031, 5, 15), end: Date.UTC(2031, 5, 17) };
    expect((await rowsOf(week)).map(([, , title]) => title)).toEqual(['W']);
    const [[one], [weekly]] = rows as [string[], string[]];
    const get = (query: Json) => cast.U1.get('calendar', 'get', { folder, timezone: 'UTC', ...query });
    expect(dataOf(await get({ id: one }))).toMatchObject({ id: one, folder_id: folder, title: 'one' });
    expect(dataOf(await get({ id: weekly, recurrence_position: 2 }))).toMatchObject({ title: 'Moved' });
    expect(dataOf(await get({ id: weekly, recurrence_position: 3 }))).toMatchObject({
      ...{ title: 'W', start_date: Date.UTC(2031, 5, 16, 7) },
    });
    expect((await get({ id: '999999' })).code).toBe('OX-0001');
    const references = [
      { id: weekly, folder, recurrence_position: 2 },
      { id: one, folder },
      { id: one, folder: cast.U1.folder },
    ];
    expect(dataOf(await cast.U1.put('calendar', 'list', { columns: '20,200' }, references))).toEqual([
      [folder, 'Moved'],
      [folder, 'one'],
    ]);
    const foreign = await cast.U2.get('calendar', 'all', { folder, ...range });
    expect(foreign.code).toBe('FLD-0008');
    expect((await cast.U2.get('calendar', 'get', { folder, id: one })).code).toBe('FLD-0008');

    const file = await cast.U1.fetch('GET', '/export', { action: 'ICAL', session: cast.U1.session, folder });
    const text = await file.text();
    expect(
      text
        .match(/^SUMMARY:.*$/gm)!
        .map((line) => line.trim())
        .sort(),
    ).toEqual([...['SUMMARY:Moved', 'SUMMARY:W', 'SUMMARY:one', 'SUMMARY:two']]);
    expect(text).toContain('RRULE:FREQ=WEEKLY;COUNT=4');
    expect((await cast.U2.get('export', 'ICAL', { folder })).code).toBe('FLD-0008');
  });

  it('refuse every write', async () => {
    pages['/ro.ics'] = { body: calendar([single('r', '20310601')]) };
    const folder = await subscribed(cast.U1, '/ro.ics');
    const [{ id }] = (await eventsOf(cast.U1, folder)) as [Json];
    const own = `cal://0/${cast.U1.folder}`;
    const query = { folder, id, timestamp: FORCE };
    const times = { startDate: { value: '20310605T080000Z' }, endDate: { value: '20310605T090000Z' } };
    expect(await cast.U1.put('chronos', 'new', { folder }, { summary: 'x', ...times })).toMatchObject({
      ...{ code: 'CAL-4228', error_params: ['ical'] },
    });
    expect((await cast.U1.put('chronos', 'move', { ...query, targetFolder: own }, {})).code).toBe('CAL-4228');
    const answer = { attendee: { entity: 1, partStat: 'DECLINED' } };
    expect((await cast.U1.put('chronos', 'updateAttendee', query, answer)).code).toBe('CAL-4228');
    const [deleted] = dataOf(
      await cast.U1.put('chronos', 'delete', { timestamp: FORCE }, { events: [{ folder, id }] }),
    );
    expect(deleted).toMatchObject({ folderId: folder, error: { code: 'CAL-4228' } });
    const write = async (action: string, parameters: Json, body: unknown): Promise<unknown> => {
      const { code, error_params } = await cast.U1.put('calendar', action, parameters, body);
      return [code, error_params];
    };
    const refused = ['CAL-4228', ['ical']];
    const hours = { start_date: Date.UTC(2031, 5, 5, 8), end_date: Date.UTC(2031, 5, 5, 9) };
    expect(await write('new', {}, { folder_id: folder, ...hours })).toEqual(refused);
    expect(await write('update', query, { title: 'x' })).toEqual(refused);
    expect(await write('delete', { timestamp: FORCE }, [{ id, folder }])).toEqual(refused);
    expect(await write('confirm', query, { confirmation: 2 })).toEqual(refused);
    const copying = { id, folder, ignore_conflicts: true, timezone: 'UTC' };
    expect(await write('copy', copying, { folder_id: cast.U1.folder })).toEqual(refused);
    expect(await cast.U1.put('folders', 'clear', { tree: '0' }, [folder])).toMatchObject({
      data: [folder],
      code: 'FLD-0032',
    });
    expect(
      dataOf(
        await cast.U1.put('chronos', 'list', {}, [
          { folder, id },
          { folder: own, id },
        ]),
      ),
    ).toMatchObject([{ id }, null]);
    expect((await cast.U1.get('chronos', 'get', { folder: own, id })).code).toBe('CAL-4040');
    expect((await cast.U1.get('chronos', 'get', { folder, id: '999999' })).code).toBe('CAL-4040');
  });

  it('CP-06: follow their server when they are asked to, and stay as they are while it is down', async () => {
    pages['/b.ics'] = { body: calendar([single('kept', '20310601'), single('gone', '20310602'), ...series]) };
    const id = await subscribed(cast.U1, '/b.ics');
    const before = await eventsOf(cast.U1, id);
    const { timestamp } = await cast.U1.get('chronos', 'all', { folder: id, ...THIRTIES });
    const idOf = (events: Json[], uid: string): string => events.find((each) => each['uid'] === uid)?.['id'];
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
    dataOf(await change(cast.U1, id, idOf(before, 'kept'), { alarms }));
    pages['/b.ics'] = {
      body: calendar([single('kept', '20310603', 'Changed'), single('new', '20310604'), ...series]),
    };
    expect(await summariesOf(cast.U1, id)).toContain('gone');
    const [{ events: after }] = dataOf(
      await cast.U1.put('chronos', 'all', { ...THIRTIES, updateCache: true }, { folders: [id] }),
    );
    expect(after.map((each: Json) => each['summary'])).toEqual(['W', 'Changed', 'new', 'Moved']);
    expect(after.find((each: Json) => each['uid'] === 'kept')).toMatchObject({ id: idOf(before, 'kept'), alarms });
    const { newAndModified, deleted } = dataOf(await cast.U1.get('chronos', 'updates', { folder: id, timestamp }));
    expect(newAndModified.map((each: Json) => each['uid']).sort()).toEqual(['kept', 'new']);
    expect(deleted).toMatchObject([{ id: idOf(before, 'gone'), folder: id }]);
    const moved = after.find((each: Json) => each['summary'] === 'Moved');
    expect(idOf(after, 'weekly')).toBe(idOf(before, 'weekly'));

    pages['/b.ics'] = { status: 503 };
    expect(await summariesOf(cast.U1, id, { updateCache: true })).toEqual(['W', 'Changed', 'new', 'Moved']);
    expect(await errorOf(cast.U1, id)).toBe('ICAL-PROV-5031');
    pages['/b.ics'] = { body: calendar(series) };
    expect(await summariesOf(cast.U1, id, { updateCache: true })).toEqual(['W', 'Moved']);
    expect(await errorOf(cast.U1, id)).toBeUndefined();
    expect((await eventsOf(cast.U1, id)).find(({ summary }) => summary === 'Moved')).toEqual(moved);
  });

  it('are not read again while they are the same', async () => {
    const body = calendar([single('same', '20310601')]);
    pages['/etag.ics'] = { headers: { etag: '"one"', 'last-modified': 'Sat, 01 Jan 2022 00:00:00 GMT' }, body };
    const id = await subscribed(cast.U1, '/etag.ics');
    const [before] = await eventsOf(cast.U1, id);
    expect(await eventsOf(cast.U1, id, { updateCache: true })).toEqual([before]);
    expect(web.asked.at(-1)!.headers).toMatchObject({
      'if-none-match': '"one"',
      'if-modified-since': 'Sat, 01 Jan 2022 00:00:00 GMT',
    });
    // Another file with the same events, as some servers write for each reader.
    pages['/etag.ics'] = { headers: { etag: '"two"' }, body: body.replace('DTSTAMP:2030', 'DTSTAMP:2031') };
    expect(await eventsOf(cast.U1, id, { updateCache: true })).toEqual([before]);
  });

  it('are bounded, reported and harmless whatever their server does', async () => {
    pages['/bad.ics'] = { body: calendar([single('good', '20310601')]) };
    const id = await subscribed(cast.U1, '/bad.ics');
    const refresh = async (page: Page): Promise<[string[], string | undefined]> => {
      pages['/bad.ics'] = page;
      return [await summariesOf(cast.U1, id, { updateCache: true }), await errorOf(cast.U1, id)];
    };
    const large = calendar([single('bad', '20310601')], [`X-NOTE:${'x'.repeat(6 * MEGABYTE)}`]);
    expect(await refresh({ body: large })).toEqual([['good'], 'ICAL-PROV-4001']);
    expect(await refresh({ body: '<html>BEGIN:VCALENDAR</html>' })).toEqual([['good'], 'ICAL-PROV-4043']);
    expect(await refresh({ status: 302, headers: { location: 'http://127.0.0.2/a' } })).toEqual([
      ['good'],
      'ICAL-PROV-4042',
    ]);
    expect(await refresh({ status: 302, headers: { location: '/drip' } })).toEqual([['good'], 'ICAL-PROV-5003']);
    const half = calendar([single('bad', '20310601')]).replace(/END:VCALENDAR\s*$/, '');
    expect(await refresh({ body: half })).toEqual([['good'], 'ICAL-PROV-5001']);
    expect(await refresh({ status: 410 })).toEqual([['good'], 'ICAL-PROV-4043']);
    const before = web.asked.length;
    expect(await refresh({ body: calendar([single('late', '20310601')]) })).toEqual([['good'], 'ICAL-PROV-4043']);
    expect(web.asked.length).toBe(before);
    for (const [path, code] of [
      ['/missing', 'ICAL-PROV-4043'],
      ['/drip', 'ICAL-PROV-5003'],
    ] as const)
      expect([path, (await subscribe(cast.U1, path)).code]).toEqual([path, code]);
    pages['/large'] = { body: large };
    expect((await subscribe(cast.U1, '/large')).code).toBe('ICAL-PROV-4001');
    expect((await subscribe(cast.U1, '/a.ics', { [PROVIDER]: 'google' })).code).toBe('CAL-5030');
    expect((await subscribe(cast.U1, '/a.ics', {}, { uri: 7 })).code).toBe('ICAL-PROV-4045');
    expect((await subscribe(cast.U1, '', {}, { uri: 'http://127.0.0.2/x.ics' })).code).toBe('ICAL-PROV-4042');
  });

  it('CP-07: are at most as many as the property says', async () => {
    await world.setProperties({ 'com.example.calendar.ical.maxAccounts': '2' });
    for (const name of ['1', '2', '3']) pages[`/limit${name}`] = { body: calendar([]) };
    await subscribed(cast.U2, '/limit1');
    await subscribed(cast.U2, '/limit2');
    expect((await subscribe(cast.U2, '/limit3')).code).toBe('CAL-5075');
    await world.setProperties();
  });

  it('CP-08: go with their folders', async () => {
    pages['/del.ics'] = { body: calendar([single('d', '20310601')]) };
    const id = await subscribed(cast.U3, '/del.ics');
    const [{ id: eventId }] = (await eventsOf(cast.U3, id)) as [Json];
    expect(dataOf(await cast.U3.put('folders', 'delete', { tree: '0', timestamp: FORCE }, [id]))).toEqual([]);
    expect((await cast.U3.get('chronos', 'all', { folder: id, ...THIRTIES })).code).toBe('CAL-4044');
    expect((await cast.U3.get('chronos', 'get', { folder: id, id: eventId })).code).toBe('CAL-4044');
    expect((await cast.U3.get('folders', 'get', { id, tree: '0' })).code).toBe('FLD-0008');
  });
});
