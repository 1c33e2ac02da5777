import { until } from '@groupware/test-kit';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, created, DAY, FAR_FUTURE, HOUR, read, remove, update } from './calendar';
import { FOREIGN, MIXED_KINDS } from './foreign-calendars';
import { independentStarts } from './independent-starts';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `i${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const event = (...lines: string[]): string =>
  ['BEGIN:VEVENT', 'DTSTAMP:20200101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');
const file = (...components: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//T//EN', ...components, 'END:VCALENDAR', ''].join('\r\n');

/** Uploads a file as the form of a browser does. */
function upload(
  player: TestUser,
  content: string | Uint8Array | undefined,
  parameters: object = {},
): Promise<Response> {
  return send(player, formOf(...(content === undefined ? [] : [content])), parameters);
}

function formOf(...contents: (string | Uint8Array)[]): FormData {
  const form = new FormData();
  for (const content of contents) form.append('file', new Blob([content], { type: 'text/calendar' }), 'calendar.ics');
  return form;
}

function send(player: TestUser, form: FormData, parameters: object = {}): Promise<Response> {
  return player.fetch(
    'POST',
    '/import',
    { action: 'ICAL', session: player.session, folder: player.folder, ...parameters },
    { body: form },
  );
}

const results = async (...parameters: Parameters<typeof upload>): Promise<any> => {
  const response = await upload(parameters[0], parameters[1], { plainJson: true, ...parameters[2] });
  expect(response.status).toBe(200);
  return response.json();
};

async function exportCalendar(player: TestUser, folder = player.folder): Promise<string> {
  const response = await player.fetch('GET', '/export', { action: 'ICAL', session: player.session, folder });
  expect(response.headers.get('content-type')).toMatch(/^text\/calendar/);
  expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
  return response.text();
}

const SERIES = [
  event(
    'UID:series',
    'DTSTART;TZID=Europe/Berlin:20240326T090000',
    'DTEND;TZID=Europe/Berlin:20240326T100000',
    'RRULE:FREQ=DAILY;COUNT=8',
    'EXDATE;TZID=Europe/Berlin:20240328T090000',
    'SUMMARY:Series',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'DESCRIPTION:x',
    'TRIGGER:-PT15M',
    'END:VALARM',
  ),
  event(
    'UID:series',
    'RECURRENCE-ID;TZID=Europe/Berlin:20240401T090000',
    'DTSTART;TZID=Europe/Berlin:20240401T140000',
    'DTEND;TZID=Europe/Berlin:20240401T150000',
    'SUMMARY:Moved',
  ),
];
const SERIES_STARTS = [
  '2024-03-26T08:00',
  '2024-03-27T08:00',
  '2024-03-29T08:00',
  '2024-03-30T08:00',
  '2024-03-31T07:00',
  '2024-04-01T12:00',
  '2024-04-02T07:00',
];

describe('the quota of a context', () => {
  const FREE = Date.UTC(2031, 0, 1);
  const quota = (items: object) =>
    cast.admin.expect('PUT', `/admin/v1/contexts/${cast.otherContextId}/quota`, { filestoreMb: -1, items });
  const newCodes = async (player: TestUser, starts: readonly number[]): Promise<string[]> => {
    const answers = starts.map((start) =>
      player.put(
        'calendar',
        'new',
        {},
        { folder_id: player.folder, title: 'q', start_date: start, end_date: start + 1 },
      ),
    );
    return (await Promise.all(answers)).map(({ code }) => code ?? 'ok').sort();
  };

  it('limits appointments, also created at the same time, copied and imported; what is there stays', async () => {
    const player = cast.X1;
    expect(await quota({ calendar: 3 })).toEqual({ filestoreMb: -1, items: { calendar: 3 } });
    const starts = [1, 2, 3, 4, 5].map((day) => Date.UTC(2030, 0, day));
    expect(await newCodes(player, starts)).toEqual(['QUOTA-0003', 'QUOTA-0003', 'ok', 'ok', 'ok']);
    const body = { folder_id: player.folder, title: 'q', start_date: FREE, end_date: FREE + 1 };
    expect(await player.put('calendar', 'new', {}, body)).toMatchObject({
      code: 'QUOTA-0003',
      error_params: ['calendar', '3', '3'],
      category: 1,
    });
    await quota({ calendar: 5 });
    const events = ['a', 'b', 'c', 'd'].map((uid) => event(`UID:${uid}`, 'DTSTART:20300201T090000Z', 'SUMMARY:x'));
    const { data } = await results(player, file(...events));
    expect(data.map(({ code }: any) => code ?? 'ok')).toEqual(['ok', 'ok', 'QUOTA-0003', 'QUOTA-0003']);
    // Known ones are brought up to date whatever the limit.
    await quota({ calendar: 1 });
    const changed = events[0]!.replace('SUMMARY:x', 'SUMMARY:y');
    expect((await results(player, file(changed))).data[0]).not.toHaveProperty('code');
    await quota({ calendar: -1, tasks: 7 });
    expect(await newCodes(player, [FREE, FREE + DAY])).toEqual(['ok', 'ok']);
    expect(await cast.admin.expect('GET', `/admin/v1/contexts/${cast.otherContextId}/quota`)).toEqual({
      filestoreMb: -1,
      items: { calendar: -1, tasks: 7 },
    });
  });

  it('counts changed occurrences: none more beyond it, while those that are there change, and what is deleted goes', async () => {
    const [ann, guest] = [cast.X1, await createTestUser(world, cast.admin, cast.otherContextId, 'guest')];
    const participants = [ann, guest].map(({ userId }) => ({ type: 1, id: userId }));
    const daily = { recurrence_type: 1, interval: 1, occurrences: 9, start_date: FREE, end_date: FREE + HOUR };
    const id = await created(ann, { ...daily, participants });
    const own = { id, folder: ann.folder, timestamp: FAR_FUTURE };
    const title = (position: number) => update(ann, id, { recurrence_position: position, title: `at ${position}` });
    const answer = (occurrence: number) =>
      guest.put(
        'calendar',
        'confirm',
        { ...own, folder: guest.folder, occurrence },
        { confirmation: 2, confirmmessage: '' },
      );
    for (const call of [title(2), answer(3)]) expect(await call).not.toHaveProperty('error');
    await quota({ calendar: 1 });
    const state = async () => [await read(ann, id), await all(ann, '1,200,207')];
    const before = await state();
    const copy = ann.put(
      'calendar',
      'copy',
      { ...own, ignore_conflicts: true, timezone: 'UTC' },
      { folder_id: ann.folder },
    );
    for (const call of [title(4), answer(5), copy]) expect(await call).toMatchObject({ code: 'QUOTA-0003' });
    expect(await state()).toEqual(before);
    for (const call of [title(2), title(3), answer(2), answer(3), update(ann, id, { title: 'all' })])
      expect(await call).not.toHaveProperty('error');
    const gone = [{ id, folder: guest.folder, recurrence_position: 6 }];
    expect(await guest.put('calendar', 'delete', { timestamp: FAR_FUTURE }, gone)).toMatchObject({ data: [] });
    expect(await remove(ann, [{ id, recurrence_position: 7 }])).not.toHaveProperty('error');
    await quota({ calendar: -1 });
    expect(await title(4)).not.toHaveProperty('error');
  });
});

describe('import?action=ICAL', () => {
  it('answers a page that calls the client back, with a result per item', async () => {
    const player = await someone();
    const response = await upload(player, file(...SERIES));
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await response.text();
    expect(page).toContain('callback_import');
    const json = JSON.parse(/\["callback_import"\]\)\((.*)\)\n<\/script>/s.exec(page)![1]!);
    expect(json.data).toEqual(
      [0, 1].map((index) => ({
        id: expect.stringMatching(/^\d+$/),
        folder_id: player.folder,
        last_modified: expect.any(Number),
        index,
      })),
    );
  });

  it('PI-03: stores series, exceptions, deleted occurrences and alarms in the zone of the file', async () => {
    const player = await someone();
    const { data } = await results(player, file(...SERIES));
    expect(data.map(({ id }: any) => typeof id)).toEqual(['string', 'string']);
    const rows = await all(player, '201,200,204', undefined, { timezone: 'UTC', range: 'overlap' });
    expect(rows.map(([start]) => new Date(start).toISOString().slice(0, 16))).toEqual(SERIES_STARTS);
    expect(rows.map(([, title]) => title).filter((title) => title === 'Moved')).toHaveLength(1);
    expect(rows[0]![2]).toBe(15);
  });

  it('PI-01, PI-02: tells what it does not take, item by item, and stores the rest', async () => {
    const player = await someone();
    const { data, ...told } = await results(
      player,
      file(
        ['BEGIN:VTODO', 'UID:t', 'SUMMARY:task', 'END:VTODO'].join('\r\n'),
        event('UID:1', 'DTSTART:20240101T090000Z'),
        event('UID:2', 'SUMMARY:no start'),
        event('UID:3', 'DTSTART:20240101T090000Z', 'RRULE:FREQ=NEVER'),
        event('UID:4', 'DTSTART:20240102', 'SUMMARY:repaired'),
      ),
    );
    expect(data.map(({ code, index }: any) => [index, code])).toEqual([
      [0, 'I_E-1310'],
      [1, undefined],
      [2, 'I_E-1310'],
      [3, 'I_E-1310'],
      [4, undefined],
    ]);
    expect(data[0].error).toContain('VTODO');
    expect(data[2].line_number).toBeGreaterThan(1);
    expect(data[4].warnings).toEqual([
      { code: 'date-repaired', message: expect.any(String), line_number: expect.any(Number) },
    ]);
    expect(told).toMatchObject({ code: 'I_E-0514', category: 13, error_params: ['1'] });
    expect(await all(player, '200')).toHaveLength(2);
  });

  it('PI-05: tells that events are there when the same file comes again, and makes new ones when asked to', async () => {
    const player = await someone();
    await results(player, file(...SERIES));
    const again = await results(player, file(...SERIES));
    expect(again.data.map(({ code }: any) => code)).toEqual(SERIES.map(() => 'CAL-4090'));
    expect(await all(player, '1')).toHaveLength(7);
    await results(player, file(...SERIES), { ignoreUIDs: true });
    expect(await all(player, '1')).toHaveLength(14);
  });

  it('brings an event up to date that is another one in the file, beside those that are there', async () => {
    const player = await someone();
    const lines = (summary: string): string[] => ['UID:kept', 'DTSTART:20240108T090000Z', `SUMMARY:${summary}`];
    const kept = event(...lines('Review'));
    await results(player, file(kept, event('UID:moved', 'DTSTART:20240109T090000Z', 'SUMMARY:Retro')));
    const moved = event('UID:moved', 'DTSTART:20240110T090000Z', 'SUMMARY:Retro');
    const { data } = await results(player, file(kept, moved, moved));
    expect(data.map(({ code }: any) => code)).toEqual(['CAL-4090', undefined, undefined]);
    expect(
      (await all(player, '200,201')).map(([title, start]) => [title, new Date(start as number).getUTCDate()]),
    ).toEqual([
      ['Review', 8],
      ['Retro', 10],
    ]);
  });

  it('PI-04, PI-06: takes an exception without its series as an event, and people of the file as names alone', async () => {
    const [player, named] = [await someone(), await someone()];
    const alone = event('UID:lost', 'RECURRENCE-ID:20240101T090000Z', 'DTSTART:20240101T100000Z', 'SUMMARY:Alone');
    const invited = event('UID:met', 'DTSTART:20240102T090000Z', `ATTENDEE:mailto:${named.email}`, 'SUMMARY:Met');
    const { data } = await results(player, file(alone, invited));
    expect(data.map(({ code }: any) => code)).toEqual([undefined, undefined]);
    expect((await all(player, '200,209')).map(([title, kind]) => [title, kind])).toEqual([
      ['Alone', 0],
      ['Met', 0],
    ]);
    expect(await all(named, '1')).toEqual([]);
  });

  it('stores nothing in a dry run', async () => {
    const player = await someone();
    const { data } = await results(player, file(...SERIES, event('UID:x')), { dryRun: true });
    expect(data.map(({ uid, id, code }: any) => [uid, id, code])).toEqual([
      ['series', undefined, undefined],
      ['series', undefined, undefined],
      [undefined, undefined, 'I_E-1310'],
    ]);
    expect(await all(player, '1')).toEqual([]);
  });

  it('PI-09: answers broken files with errors or nothing, never with a fault of the server', async () => {
    const player = await someone();
    const good = file(...SERIES);
    const broken: (string | Uint8Array)[] = [
      'no calendar at all',
      '\u0000\u0001\u0002',
      new Uint8Array(5_000).map((_, index) => (index * 7919) % 256),
      'BEGIN:VCALENDAR\r\n',
      'BEGIN:VEVENT\r\n'.repeat(1_000),
      good.slice(0, good.length / 2),
      good.replaceAll('END:VEVENT', 'END:VTODO'),
      good.replaceAll(':', ''),
      good.replaceAll('2024', '99999'),
      good.replace('Europe/Berlin', 'Not/AZone'),
      file(event('UID:\uD800', 'DTSTART:20240101T090000Z', 'SUMMARY:a\u0000b')),
      file(event('UID:z', 'DTSTART:20240101T090000Z', `SUMMARY:${'ä'.repeat(100_000)}`)),
      file(event('UID:z', 'DTSTART:20240101T090000Z', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')),
    ];
    for (const content of broken) {
      const answer = await results(player, content);
      expect(answer.code ?? '').not.toMatch(/^SVL-0005|-9999$/);
      for (const item of answer.data ?? []) if (item.code) expect(item.code).toMatch(/^(I_E|CAL|APP)-/);
    }
    expect((await results(player, '')).code).toBe('I_E-1303');
    const noCalendars = ['no calendar at all', '\u0000\u0001\u0002', 'BEGIN:VCALENDAR\r\n'];
    for (const content of noCalendars) expect(await results(player, content)).toMatchObject({ code: 'I_E-1315' });
    expect(await results(player, file())).toMatchObject({ data: [] });
  });

  it('PI-07, PI-08: refuses what lacks a file, a folder or a right', async () => {
    const [player, other] = [await someone(), await someone()];
    const good = file(...SERIES);
    expect((await results(player, good, { folder: undefined })).code).toBe('SVL-0002');
    expect((await results(player, good, { folder: `${player.folder},${player.folder}` })).code).toBe('I_E-0800');
    const repeated = `/import?action=ICAL&folder=${player.folder}&folder=${player.folder}`;
    const twice = await player.fetch(
      'POST',
      `${repeated}&plainJson=true&session=${player.session}`,
      {},
      { body: formOf(good) },
    );
    expect(((await twice.json()) as any).code).toBe('I_E-0800');
    expect((await results(player, undefined)).code).toBe('I_E-1309');
    const noFile = new FormData();
    noFile.set('json', '{}');
    const codeOf = async (form: FormData) =>
      ((await (await send(player, form, { plainJson: true })).json()) as any).code;
    expect(await codeOf(noFile)).toBe('I_E-1309');
    expect(await codeOf(formOf(good, good))).toBe('I_E-1300');
    expect((await results(player, good, { folder: '999999' })).code).toMatch(/^(I_E-0500|FLD-\d+)$/);
    expect((await results(player, good, { folder: other.folder })).code).toMatch(/^(FLD-0003|CAL-4031|I_E-0500)$/);
    expect((await results(player, good, { session: 'x' })).code).toBe('SES-0203');
    expect(await all(other, '1')).toEqual([]);
    await cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/users/${other.userId}`, {
      capabilities: { remove: ['calendar'] },
    });
    await until(async () => (await results(other, good)).code === 'I_E-0507');
  });
});

describe('files of other programs', () => {
  const range = { start: Date.UTC(2024, 2, 1), end: Date.UTC(2024, 4, 15) };
  const shown = async (player: TestUser): Promise<string[]> => {
    const rows = await all(player, '201,200', range, { range: 'overlap', timezone: 'UTC' });
    return rows.map(([start, title]) => `${new Date(start).toISOString().slice(0, 16)} ${title}`).sort();
  };
  const plain = (ics: string) =>
    ics
      .replace(/^DTSTAMP:.*\r\n/gm, '')
      .split('BEGIN:VEVENT')
      .sort();

  it.each(FOREIGN.map((foreign) => [foreign.name, foreign] as const))(
    '%s: a result per item, a view, and an export that others read as we show it',
    async (_name, { content, items, starts }) => {
      const player = await someone('Europe/Berlin');
      const { data } = await results(player, content);
      expect(data.map(({ index }: any) => index)).toEqual(items.map((_, index) => index));
      for (const [index, refusal] of items.entries())
        if (refusal)
          expect(data[index]).toMatchObject({
            code: refusal === MIXED_KINDS ? 'CAL-4229' : 'I_E-1310',
            error: expect.stringMatching(refusal),
          });
        else expect(data[index]).toMatchObject({ id: expect.any(String), folder_id: player.folder });
      expect(await shown(player)).toEqual(starts);
      const text = await exportCalendar(player);
      expect(independentStarts(text, range)).toEqual(starts);
      // The same file again.
      const other = await someone('Europe/Berlin');
      expect((await results(other, text)).data.filter(({ id }: any) => id === undefined)).toEqual([]);
      expect(await shown(other)).toEqual(starts);
      expect(plain(await exportCalendar(other))).toEqual(plain(text));
    },
    30_000,
  );

  it('changes of all that follow are series of their own, and what was called off takes no time', async () => {
    const player = await someone('Europe/Berlin');
    const { content } = FOREIGN.find(({ name }) => name === 'changed occurrences')!;
    const { data } = await results(player, content);
    expect(data.filter(({ warnings }: any) => warnings)).toEqual([]);
    expect(await exportCalendar(player)).not.toContain('RANGE=');
    const rows = await all(player, '200,402', range, { range: 'overlap' });
    expect(rows.filter(([, shownAs]) => shownAs === 4)).toEqual([['called off', 4]]);
  });

  it('shows changes of all that follow as another program does, also when they come again', async () => {
    const player = await someone();
    const change = (id: string, ...lines: string[]): string => event('UID:daily', `RECURRENCE-ID${id}`, ...lines);
    const text = file(
      event('UID:daily', 'DTSTART:20240311T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY', 'SUMMARY:first'),
      change(':20240325T090000Z', 'DTSTART:20240325T150000Z', 'DURATION:PT1H', 'SUMMARY:once'),
      change(';RANGE=THISANDFUTURE:20240320T090000Z', 'DTSTART:20240320T110000Z', 'DURATION:PT2H', 'SUMMARY:second'),
      change(';RANGE=THISANDFUTURE:20240401T090000Z', 'DTSTART:20240402T080000Z', 'DURATION:PT1H', 'SUMMARY:third'),
      change(':20240403T090000Z', 'DTSTART:20240403T070000Z', 'DURATION:PT1H', 'SUMMARY:once more'),
    );
    const expected = independentStarts(text, range);
    expect(new Set(expected.map((line) => line.slice(17)))).toEqual(
      new Set(['first', 'once', 'second', 'third', 'once more']),
    );
    for (const round of [1, 2]) {
      const { data } = await results(player, text);
      expect([round, data.map(({ id, code, warnings }: any) => [typeof id, code, warnings])]).toEqual([
        round,
        data.map(() => (round === 1 ? ['string', undefined, undefined] : ['undefined', 'CAL-4090', undefined])),
      ]);
      expect(await shown(player)).toEqual(expected);
    }
    // An export has three series; who reads it sees the same.
    const other = await someone();
    const exported = await exportCalendar(player);
    expect(independentStarts(exported, range)).toEqual(expected);
    await results(other, exported);
    expect(await shown(other)).toEqual(expected);
    // Without its series such a change is that of one occurrence, and told to be.
    const alone = await results(
      await someone(),
      file(change(';RANGE=THISANDFUTURE:20240320T090000Z', 'DTSTART:20240320T110000Z')),
    );
    expect(alone.data[0].warnings).toEqual([{ code: 'range-not-applied', message: expect.any(String) }]);
  });
});

describe('export?action=ICAL', () => {
  it('PI-11: gives a calendar that another one takes unchanged, and that exports the same again', async () => {
    const [player, other] = [await someone('Europe/Berlin'), await someone('Europe/Berlin')];
    await results(player, file(...SERIES));
    const start = Date.UTC(2024, 4, 6, 9);
    await created(player, { start_date: start, end_date: start + HOUR, title: 'Ü; a,b\nc', note: 'n', location: 'l' });
    await created(player, { full_time: true, start_date: Date.UTC(2024, 4, 7), end_date: Date.UTC(2024, 4, 9) });
    await created(player, {
      start_date: start,
      end_date: start + HOUR,
      shown_as: 3,
      color_label: 4,
      categories: 'a,b',
    });
    await created(player, { start_date: start, end_date: start + DAY, private_flag: true, alarm: 30 });
    const text = await exportCalendar(player);
    // Alarms are those of a user; the file is for others, too.
    expect(text).not.toContain('VALARM');
    const { data } = await results(other, text);
    expect(data.filter(({ id }: any) => id === undefined)).toEqual([]);
    const columns = '200,201,202,203,207,208,400,401,402,100,101,102,223,213,215,222,210,211';
    const range = [columns, undefined, { range: 'overlap' }] as const;
    expect(await all(other, ...range)).toEqual(await all(player, ...range));
    const plain = (ics: string) =>
      ics
        .replace(/^(DTSTAMP|LAST-MODIFIED|CREATED):.*\r\n/gm, '')
        .replace(/^X-WR-CALNAME.*\r\n/gm, '')
        .split('BEGIN:VEVENT')
        .sort();
    expect(plain(await exportCalendar(other))).toEqual(plain(text));
  });

  it('PI-13, PI-14, PI-15: gives a file with a safe name and lines of 75 octets, without what is private', async () => {
    const [player, reader] = [await someone(), await someone()];
    const permissions = [
      { entity: player.userId, bits: 403710016, group: false },
      { entity: reader.userId, bits: 257, group: false },
    ];
    const body = { title: 'Büro/1', module: 'calendar', permissions };
    const folder = String((await player.put('folders', 'new', { folder_id: 1 }, body)).data);
    const at = { start_date: Date.UTC(2024, 4, 6, 9), end_date: Date.UTC(2024, 4, 6, 10), folder_id: folder };
    const title = '\u{1f600}'.repeat(200);
    await created(player, { ...at, title });
    await created(player, { ...at, title: 'Not for readers', private_flag: true, ignore_conflicts: true });
    const response = await player.fetch('GET', '/export', { action: 'ICAL', session: player.session, folder });
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[^"/\\]+\.ics"/);
    const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(text.replaceAll('\r\n ', '')).toContain(`SUMMARY:${title}`);
    expect(text).toContain('Not for readers');
    expect(await exportCalendar(reader, folder)).not.toContain('Not for readers');
  });

  it('PI-12: gives single appointments, a series with its exceptions', async () => {
    const player = await someone();
    const { data } = await results(player, file(...SERIES, event('UID:other', 'DTSTART:20240101T090000Z')));
    const response = await player.fetch(
      'PUT',
      '/export',
      { action: 'ICAL', session: player.session },
      {
        body: JSON.stringify([{ id: data[0].id, folder_id: player.folder }]),
        headers: { 'content-type': 'application/json' },
      },
    );
    const text = await response.text();
    expect(text.match(/^BEGIN:VEVENT/gm)).toHaveLength(2);
    expect(text).toContain('RECURRENCE-ID');
    expect(text).toContain('BEGIN:VTIMEZONE');
    expect(text).not.toContain('UID:other');
  });

  it('tells roles, kinds and wanted answers of attendees, and stamps of series and exceptions', async () => {
    const player = await someone();
    const query = { folder: `cal://0/${player.folder}`, timestamp: 2 ** 52, scheduling: 'none', checkConflicts: false };
    const { data } = await player.put('chronos', 'new', query, {
      ...{ summary: 'Plan', url: 'https://example.org/', rrule: 'FREQ=DAILY;COUNT=3' },
      ...{ startDate: { value: '20330808T100000Z' }, endDate: { value: '20330808T110000Z' } },
      attendees: [{ uri: 'mailto:ext@outside.test', role: 'OPT-PARTICIPANT', rsvp: true }, { entity: cast.room }],
    });
    const [{ id }] = data.created;
    const recurrenceId = '20330809T100000Z';
    await player.put('chronos', 'update', { ...query, id, recurrenceId }, { event: { summary: 'Other' } });
    const text = (await exportCalendar(player)).replaceAll('\r\n ', '');
    const guest = 'ATTENDEE;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ext@outside.test';
    const parts = text.split('BEGIN:VEVENT').slice(1);
    expect(parts).toHaveLength(2);
    for (const part of parts) {
      expect(part.match(/^ATTENDEE.*ext@outside.*$/m)?.[0]).toBe(guest);
      expect(part).toMatch(/^ATTENDEE.*CUTYPE=ROOM/m);
    }
    const exception = parts.find((part) => part.includes('RECURRENCE-ID'));
    for (const stamp of ['CREATED', 'LAST-MODIFIED']) expect(exception).toMatch(new RegExp(`^${stamp}:20`, 'm'));
  });

  it('PI-12: refuses calendars and appointments that the user does not see', async () => {
    const [player, other] = [await someone(), await someone()];
    const id = await created(other, { start_date: DAY, end_date: DAY + HOUR });
    const get = await player.get('export', 'ICAL', { folder: other.folder });
    expect(get.code).toBe('FLD-0003');
    const put = (body: unknown) => player.put('export', 'ICAL', {}, body);
    expect((await put([{ id, folder_id: other.folder }])).code).toBe('FLD-0003');
    const permissions = [
      { entity: other.userId, bits: 403710016, group: false },
      // Sees the folder and nothing in it.
      { entity: player.userId, bits: 1, group: false },
    ];
    const query = { id: other.folder, timestamp: 9_000_000_000_000 };
    expect((await other.put('folders', 'update', query, { permissions })).error).toBeUndefined();
    expect((await player.get('export', 'ICAL', { folder: other.folder })).code).toBe('I_E-0100');
    // That of contacts.
    expect((await player.get('export', 'ICAL', { folder: '6' })).code).toBe('I_E-0100');
    expect((await put([{ id, folder_id: '6' }])).code).toBe('I_E-0100');
    expect((await put([{ id, folder_id: other.folder }])).code).toBe('I_E-0100');
    expect((await put([{ id: '99999', folder_id: player.folder }])).code).toBe('OX-0001');
    expect((await player.get('export', 'ICAL')).code).toBe('SVL-0002');
  });
});
