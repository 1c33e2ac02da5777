import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, exportFolder, importFile, uploadFile } from '../contacts/transfer';
import type { TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, BITS, change, create, createFolder, createTaskFixtures, dataOf, idsOf, type TaskFixtures } from './tasks';

let world: TestEnvironment;
let cast: TaskFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createTaskFixtures(world);
}, 60_000);
afterAll(() => world?.close());

/** A file of tasks, each given by its lines. */
const fileOf = (...todos: readonly (readonly string[])[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//EN',
    ...todos.flatMap((lines) => ['BEGIN:VTODO', 'DTSTAMP:20310901T080000Z', ...lines, 'END:VTODO']),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const importTasks = async (user: TestUser, folder: string, content: string | Uint8Array, parameters: object = {}) => {
  const { data } = await importFile(user, 'ICAL', folder, content, parameters);
  return data as any[];
};

/** The only task of a file, as it is stored. */
async function importOne(user: TestUser, folder: string, ...lines: string[]): Promise<any> {
  const [result] = await importTasks(user, folder, fileOf(lines));
  if (!result.id) throw new Error(JSON.stringify(result));
  return dataOf(user, folder, result.id);
}

/** Lines of an exported folder, unfolded. */
async function exportLines(user: TestUser, folder: string): Promise<string[]> {
  const response = await exportFolder(user, 'ICAL', folder);
  expect(response.headers.get('content-type')).toBe('text/calendar; charset=UTF-8');
  return (await response.text()).replace(/\r\n[ \t]/g, '').split('\r\n');
}

/** A property of each task of exported lines. */
const valuesOf = (lines: readonly string[], name: string): string[] =>
  lines.filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`));

const day = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date);

describe('exported tasks', () => {
  it('TA-80 are due on the day itself', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const { id } = await create(U1, folder, { title: 'Due', end_date: day(2031, 9, 9) });
    const { uid } = await dataOf(U1, folder, id);
    const lines = await exportLines(U1, folder);
    expect(lines).toEqual(expect.arrayContaining(['DUE;VALUE=DATE:20310909', `UID:${uid}`]));
    expect([valuesOf(lines, 'DTSTAMP').length, valuesOf(lines, 'DTSTART')]).toEqual([1, []]);
  });

  it('TA-81 come back with their state', async () => {
    const { U1 } = cast;
    const [from, to] = [await createFolder(U1), await createFolder(U1)];
    await create(U1, from, {
      title: 'Half; done, more',
      note: 'line one\nline two',
      status: 2,
      percent_completed: 60,
      priority: 3,
      categories: 'a,b',
      color_label: 4,
      companies: 'ACME',
      actual_costs: 11.5,
      currency: 'EUR',
      target_duration: '90',
    });
    const response = await exportFolder(U1, 'ICAL', from);
    const text = await response.text();
    expect(text).toContain('PERCENT-COMPLETE:60\r\n');
    const [result] = await importTasks(U1, to, text);
    expect(await dataOf(U1, to, result.id)).toMatchObject({
      title: 'Half; done, more',
      note: 'line one\nline two',
      status: 2,
      percent_completed: 60,
      priority: 3,
      categories: 'a,b',
      color_label: 4,
      companies: 'ACME',
      actual_costs: 11.5,
      currency: 'EUR',
      target_duration: '90',
    });
    // The first folder has the unique id: importing again finds the copy, not the original.
    const [again] = await importTasks(U1, to, text);
    expect([again.id, await idsOf(U1, to)]).toEqual([result.id, [result.id]]);
  });

  it.each([
    [1, 'STATUS:NEEDS-ACTION'],
    [2, 'STATUS:IN-PROCESS'],
    [3, 'STATUS:COMPLETED'],
    [4, 'STATUS;X-SVC-STATUS=WAITING:CANCELLED'],
    [5, 'STATUS:CANCELLED'],
  ])('say status %i so that it is read again', async (status, line) => {
    const { U1 } = cast;
    const [from, to] = [await createFolder(U1), await createFolder(U1)];
    await create(U1, from, { title: 'S', status });
    const lines = await exportLines(U1, from);
    expect(valuesOf(lines, 'STATUS')).toEqual([line]);
    const [result] = await importTasks(U1, to, lines.join('\r\n'));
    expect(await dataOf(U1, to, result.id)).toMatchObject({ status });
  });

  it('repeat as they do, on the clock of their zone', async () => {
    const { U1 } = cast;
    const [from, to] = [await createFolder(U1), await createFolder(U1)];
    const start = Date.UTC(2031, 8, 9, 9);
    const series = {
      start_time: start,
      end_time: start + 3_600_000,
      full_time: false,
      recurrence_type: 2,
      days: 36,
      interval: 1,
    };
    await create(U1, from, { title: 'Weekly', ...series, occurrences: 4 }, { timezone: 'Europe/Berlin' });
    const lines = await exportLines(U1, from);
    expect(lines).toEqual(expect.arrayContaining(['DTSTART;TZID=Europe/Berlin:20310909T090000', 'BEGIN:VTIMEZONE']));
    const [result] = await importTasks(U1, to, lines.join('\r\n'));
    expect(await dataOf(U1, to, result.id, { timezone: 'Europe/Berlin' })).toMatchObject({ ...series, occurrences: 4 });
  });

  it('hold what their reader may see, and no more', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.own]] });
    await create(U1, folder, { title: 'of U1' });
    await create(U2, folder, { title: 'of U2' });
    await create(U1, folder, { title: 'secret', private_flag: true });
    expect(valuesOf(await exportLines(U2, folder), 'SUMMARY')).toEqual(['SUMMARY:of U2']);
    expect(valuesOf(await exportLines(U1, folder), 'SUMMARY').sort()).toEqual([
      'SUMMARY:of U1',
      'SUMMARY:of U2',
      'SUMMARY:secret',
    ]);
    const seen = await createFolder(U1, { rights: [[U2.userId, BITS.see]] });
    expect(await codeOf(exportFolder(U2, 'ICAL', seen))).toBe('TSK-0023');
    expect(await codeOf(exportFolder(U2, 'ICAL', cast.T1))).toBe('TSK-0059');
    expect(await codeOf(exportFolder(U2, 'ICAL', '160001'))).toBe('FLD-0008');
  });

  it('stand in a file one by one, with appointments before them', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.see]] });
    const [one, other] = [await create(U1, folder, { title: 'one' }), await create(U1, folder, { title: 'other' })];
    await create(U1, folder, { title: 'left out' });
    const put = (user: TestUser, body: object[]) =>
      user.fetch('PUT', '/export', { action: 'ICAL', session: user.session }, { body: JSON.stringify(body) });
    const references = [other, one].map(({ id }) => ({ id, folder_id: folder }));
    const response = await put(U1, references);
    expect(response.headers.get('content-type')).toBe('text/calendar; charset=UTF-8');
    expect(response.headers.get('content-disposition')).toContain('tasks.ics');
    const lines = (await response.text()).split('\r\n');
    expect(valuesOf(lines, 'SUMMARY')).toEqual(['SUMMARY:other', 'SUMMARY:one']);

    const appointment = await U1.put<{ id: string }>(
      'calendar',
      'new',
      {},
      {
        folder_id: U1.folder,
        title: 'meeting',
        start_date: day(2031, 9, 9),
        end_date: day(2031, 9, 10),
        full_time: true,
      },
    );
    const mixed = [references[0]!, { id: appointment.data!.id, folder_id: U1.folder }];
    const both = (await (await put(U1, mixed)).text()).split('\r\n');
    expect(valuesOf(both, 'SUMMARY')).toEqual(['SUMMARY:meeting', 'SUMMARY:other']);
    expect(both.filter((line) => line === 'END:VCALENDAR')).toHaveLength(2);

    const [reference] = references;
    expect(await codeOf(put(U2, [reference!]))).toBe('TSK-0023');
    expect(await codeOf(put(U2, [{ ...reference!, folder_id: cast.T1 }]))).toBe('TSK-0059');
    expect(await codeOf(put(U1, [{ ...reference!, folder_id: cast.T1 }]))).toBe('TSK-0046');
    expect(await codeOf(put(U1, [{ ...reference!, id: '999999' }]))).toBe('TSK-0019');
  });

  it('PI-16 are no vCards and no CSV', async () => {
    const folder = await createFolder(cast.U1);
    await create(cast.U1, folder, { title: 'Water the plants' });
    for (const format of ['VCARD', 'CSV']) expect(await codeOf(exportFolder(cast.U1, format, folder))).toBe('I_E-0100');
  });

  it('are an empty calendar where there are none', async () => {
    const lines = await exportLines(cast.U1, await createFolder(cast.U1));
    expect([lines[0], lines.filter((line) => line.includes('VTODO'))]).toEqual(['BEGIN:VCALENDAR', []]);
  });
});

describe('imported tasks', () => {
  it('TA-82 repeat by the rule of the file', async () => {
    const task = await importOne(
      cast.U1,
      await createFolder(cast.U1),
      'UID:ta-82',
      'SUMMARY:Weekly',
      'RRULE:FREQ=WEEKLY;BYDAY=TU,FR',
      'DTSTART;VALUE=DATE:20310909',
      'DUE;VALUE=DATE:20310910',
    );
    expect(task).toMatchObject({
      recurrence_type: 2,
      days: 36,
      interval: 1,
      start_date: day(2031, 9, 9),
      end_date: day(2031, 9, 10),
    });
  });

  it('TA-83 end a DURATION after their start', async () => {
    const task = await importOne(
      cast.U1,
      await createFolder(cast.U1),
      'UID:ta-83',
      'DTSTART:20310909T090000Z',
      'DURATION:P2D',
    );
    expect(task).toMatchObject({
      start_date: Date.UTC(2031, 8, 9, 9),
      end_date: Date.UTC(2031, 8, 11, 9),
      full_time: false,
    });
  });

  it.each([
    ['TA-84 wait', 'STATUS;X-ACME-STATUS=WAITING:CANCELLED', { status: 4 }],
    ['are deferred', 'STATUS;X-ACME-STATE=WAITING:CANCELLED', { status: 5 }],
    ['are done', 'COMPLETED:20310909T120000Z', { status: 3, date_completed: day(2031, 9, 9) }],
    ['are begun', 'PERCENT-COMPLETE:10', { status: 2, percent_completed: 10 }],
    ['are urgent', 'PRIORITY:4', { priority: 3 }],
    ['are neither urgent nor not', 'PRIORITY:5', { priority: 2 }],
    ['can wait', 'PRIORITY:6', { priority: 1 }],
    ['are private', 'CLASS:CONFIDENTIAL', { private_flag: true }],
  ])('%s by %s', async (_what, line, expected) => {
    expect(await importOne(cast.U1, await createFolder(cast.U1), 'UID:state', line)).toMatchObject(expected);
  });

  it('TA-85 have users and strangers as participants', async () => {
    const { U1, U2, H2 } = cast;
    const folder = await createFolder(U1);
    const { email1 } = (await U2.get<any>('user', 'get', { id: U2.userId })).data;
    const task = await importOne(
      U1,
      folder,
      'UID:ta-85',
      'SUMMARY:Delegated',
      'ORGANIZER:mailto:chief@example.org',
      `ATTENDEE;PARTSTAT=ACCEPTED:MAILTO:${email1}`,
      'ATTENDEE;CN=Stranger;PARTSTAT=DECLINED;X-ACME=1:mailto:stranger@example.org',
      'ATTENDEE:urn:uuid:5',
    );
    expect(task.organizer).toBe('chief@example.org');
    expect(task.participants).toEqual([
      expect.objectContaining({ type: 1, id: U2.userId }),
      expect.objectContaining({ type: 5, mail: 'stranger@example.org', display_name: 'Stranger' }),
    ]);
    // The answer of another user is not for a file to say.
    expect(task.users).toEqual([expect.objectContaining({ id: U2.userId, confirm: 0 })]);
    expect(task.confirmations).toEqual([expect.objectContaining({ mail: 'stranger@example.org', status: 2 })]);
    expect(await idsOf(U2, H2)).toContain(task.id);
    const attendees = valuesOf(await exportLines(U1, folder), 'ATTENDEE');
    expect(attendees).toEqual([
      'ATTENDEE:urn:uuid:5',
      `ATTENDEE;PARTSTAT=ACCEPTED:MAILTO:${email1}`,
      expect.stringMatching(
        /^ATTENDEE;(?=.*X-ACME=1)(?=.*PARTSTAT=DECLINED)(?=.*CN=Stranger).*:mailto:stranger@example.org$/,
      ),
    ]);
  });

  it('TA-86 remind the importing user relative to the edge that there is', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const alarm = (trigger: string) => ['BEGIN:VALARM', 'ACTION:DISPLAY', trigger, 'END:VALARM'];
    const [start, due] = [Date.UTC(2031, 8, 9, 9), Date.UTC(2031, 8, 9, 17)];
    const alarmOf = async (...lines: string[]) =>
      (await importOne(U1, folder, `UID:${Math.random()}`, ...lines)).alarm - (await offsetOf(U1, due));
    expect(await alarmOf('DUE:20310909T170000Z', ...alarm('TRIGGER:-PT30M'))).toBe(due - 1_800_000);
    const both = ['DTSTART:20310909T090000Z', 'DUE:20310909T170000Z'];
    expect(await alarmOf(...both, ...alarm('TRIGGER:-PT30M'))).toBe(start - 1_800_000);
    expect(await alarmOf(...both, ...alarm('TRIGGER;RELATED=END:-PT30M'))).toBe(due - 1_800_000);
    expect(await alarmOf(...alarm('TRIGGER;VALUE=DATE-TIME:20310909T120000Z'))).toBe(Date.UTC(2031, 8, 9, 12));
    // A task that is over or done reminds of nothing.
    const silent = [
      ['UID:past', 'DUE:20200909T170000Z', ...alarm('TRIGGER:-PT30M')],
      ['UID:done', 'STATUS:COMPLETED', 'DUE:20310909T170000Z', ...alarm('TRIGGER:-PT30M')],
    ];
    for (const lines of silent) expect(await importOne(U1, folder, ...lines)).not.toHaveProperty('alarm');
  });

  it('TA-87 are told one by one', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const event = ['BEGIN:VEVENT', 'UID:e', 'DTSTART:20310909T090000Z', 'END:VEVENT'].join('\r\n');
    const text = fileOf(
      ['UID:bad', 'DUE:tomorrow'],
      ['UID:good', 'SUMMARY:Good'],
      ['UID:order', 'DTSTART;VALUE=DATE:20310910', 'DUE;VALUE=DATE:20310909'],
      ['UID:long', `SUMMARY:${'x'.repeat(300)}`],
      [`UID:${'u'.repeat(1_100)}`],
    ).replace('END:VCALENDAR', `${event}\r\nEND:VCALENDAR`);
    const results = await importTasks(U1, folder, text);
    expect(results.map(({ id, code, index }) => [id ? 'stored' : code, index])).toEqual([
      ['I_E-1310', 0],
      ['stored', 1],
      ['TSK-0040', 2],
      ['TSK-0041', 3],
      ['TSK-0041', 4],
      ['I_E-1310', 5],
    ]);
    expect((await all(U1, folder, '200')).data).toEqual([['Good']]);
    expect(results[0]).toMatchObject({ line_number: 7 });
  });

  it('tell of what was repaired', async () => {
    const folder = await createFolder(cast.U1);
    const { data, ...told } = await importFile(cast.U1, 'ICAL', folder, fileOf(['UID:odd', 'STATUS:ODD']));
    expect(data).toMatchObject([{ id: expect.any(String), warnings: [{ code: 'unknown-value' }] }]);
    expect(told).toMatchObject({ code: 'I_E-0514', category: 13 });
  });

  it('TA-88 need the right to create', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    const code = (where: string, content = fileOf(['UID:ta-88'])) =>
      codeOf(uploadFile(U2, 'ICAL', [content], { folder: where, plainJson: true }));
    expect(await code(folder)).toBe('TSK-0025');
    // Also for files without tasks.
    expect(await code(folder, fileOf())).toBe('TSK-0025');
    expect(await code(cast.T1)).toBe('TSK-0059');
    expect(await code('160001')).toBe('FLD-0008');
    expect(await idsOf(U1, folder)).toEqual([]);
    const form = (contents: string[]) => codeOf(uploadFile(U1, 'ICAL', contents, { folder, plainJson: true }));
    expect([await form([]), await form(['a', 'b']), await form([''])]).toEqual(['I_E-1309', 'I_E-1300', 'I_E-1303']);
    for (const content of ['garbage', '\u0000\u0001\u0002', 'BEGIN:VCALENDAR\r\n'])
      expect(await form([content])).toBe('I_E-1315');
    expect((await importFile(U1, 'ICAL', folder, fileOf())).data).toEqual([]);
  });

  it('TA-57 complete a series with its next instance, once', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const lines = [
      'UID:ta-57',
      'SUMMARY:Water',
      'RRULE:FREQ=DAILY;INTERVAL=3',
      'DTSTART;VALUE=DATE:20310901',
      'DUE;VALUE=DATE:20310902',
    ];
    const first = await importOne(U1, folder, ...lines, 'STATUS:IN-PROCESS');
    await importOne(U1, folder, ...lines, 'STATUS:COMPLETED');
    const rows = async () => (await all(U1, folder, '1,300,201,202', { sort: 201, order: 'asc' })).data;
    expect(await rows()).toEqual([
      [first.id, 3, day(2031, 9, 1), day(2031, 9, 2)],
      [expect.any(String), 1, day(2031, 9, 4), day(2031, 9, 5)],
    ]);
    await importOne(U1, folder, ...lines, 'STATUS:COMPLETED');
    await importOne(U1, folder, ...lines, 'STATUS:IN-PROCESS');
    await importOne(U1, folder, ...lines, 'STATUS:COMPLETED');
    expect(await rows()).toHaveLength(2);
  });

  it('with a unique id that the folder has change that task, unless they are to be new', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const { id, last_modified_utc: before } = await importOne(U1, folder, 'UID:known', 'SUMMARY:One');
    expect(await importOne(U1, folder, 'UID:known', 'SUMMARY:One')).toMatchObject({ id, last_modified_utc: before });
    expect(await importOne(U1, folder, 'UID:known', 'SUMMARY:Two', 'DUE;VALUE=DATE:20310909')).toMatchObject({
      id,
      title: 'Two',
      end_date: day(2031, 9, 9),
    });
    expect(await importOne(U1, folder, 'UID:known', 'SUMMARY:Two')).not.toHaveProperty('end_date');
    await importTasks(U1, folder, fileOf(['UID:known', 'SUMMARY:Three']), { ignoreUIDs: true });
    expect((await all(U1, folder, '200', { sort: 200 })).data).toEqual([['Three'], ['Two']]);
  });

  it('with the unique id of a private task of another user are new ones, and tell nothing of it', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.author]] });
    const secret = await importOne(U1, folder, 'UID:secret', 'CLASS:PRIVATE', 'SUMMARY:Secret');
    const own = await importOne(U2, folder, 'UID:secret', 'SUMMARY:Mine');
    expect(own).toMatchObject({ title: 'Mine', created_by: String(U2.userId) });
    expect(own.id).not.toBe(secret.id);
    // The next import finds what is stored.
    expect(await importOne(U2, folder, 'UID:secret', 'SUMMARY:Again')).toMatchObject({ id: own.id, title: 'Again' });
    expect(await dataOf(U1, folder, secret.id)).toMatchObject({ title: 'Secret', uid: 'secret' });
    expect(await importOne(U1, folder, 'UID:secret', 'CLASS:PRIVATE', 'SUMMARY:Known')).toMatchObject({
      id: secret.id,
      title: 'Known',
    });
  });

  it.each<[string, number, string | undefined]>([
    ['nothing', 2, 'TSK-0033'],
    ['nothing, and writes all', 2 | (2 << 14), undefined],
    ['what is his own', 2 | (1 << 7) | (1 << 14), undefined],
  ])(
    'with the unique id of a task that the user does not read, who reads %s, are new ones',
    async (what, bits, code) => {
      const { U1, U2 } = cast;
      const uid = `unread ${what}`;
      const folder = await createFolder(U1, { rights: [[U2.userId, bits]] });
      const theirs = await importOne(U1, folder, `UID:${uid}`, 'SUMMARY:Theirs');
      const load = async (title: string): Promise<any> =>
        (await importTasks(U2, folder, fileOf([`UID:${uid}`, `SUMMARY:${title}`])))[0];
      const own = await load('Mine');
      expect(own).toMatchObject({ id: expect.any(String), folder_id: folder });
      expect(own.id).not.toBe(theirs.id);
      // The next import finds what is stored, whether or not the user may change it.
      const again = await load('Again');
      expect([again.id, again.code]).toEqual([code ? undefined : own.id, code]);
      expect(await dataOf(U1, folder, theirs.id)).toMatchObject({ title: 'Theirs', uid });
    },
  );

  it('of real programs come out as they went in, and changes show alone', async () => {
    const { U1 } = cast;
    const corpus = join(__dirname, '..', '..', 'libs', 'icalendar', 'testdata', 'todos');
    for (const name of readdirSync(corpus)) {
      const folder = await createFolder(U1);
      const content = readFileSync(join(corpus, name));
      const results = await importTasks(U1, folder, content);
      expect([name, results.filter(({ id }) => !id)]).toEqual([name, []]);
      const lines = await exportLines(U1, folder);
      const source = propertiesOf(
        content
          .toString()
          .replace(/\r?\n[ \t]/g, '')
          .split(/\r?\n/),
      );
      const exported = propertiesOf(lines);
      expect([name, source.filter((line) => !exported.includes(line))]).toEqual([name, []]);
      await change(U1, folder, results[0].id, { title: 'New title', percent_completed: 50, status: 2 });
      const changed = propertiesOf(await exportLines(U1, folder));
      const gone = exported.filter((line) => !changed.includes(line));
      expect(gone.map((line) => line.split(/[;:]/)[0])).toEqual(
        expect.not.arrayContaining([
          'RELATED-TO',
          'DUE',
          'DTSTART',
          'RRULE',
          'UID',
          'DESCRIPTION',
          'ATTENDEE',
          'TRIGGER',
          'PRIORITY',
        ]),
      );
      expect(gone.filter((line) => line.startsWith('X-'))).toEqual([]);
      expect(changed).toContain('SUMMARY:New title');
    }
  });

  it('are limited in number, size and by the quota', async () => {
    const { X1, otherContextId, admin } = cast;
    const set = (key: string, value: string) =>
      admin.expect('PUT', `/admin/v1/contexts/${otherContextId}/config/com.example.${key}`, { value });
    const folder = await createFolder(X1);
    await set('import.tasks.limit', '2');
    const three = fileOf(['UID:1'], ['UID:2'], ['UID:3']);
    const { data, warnings } = await importFile(X1, 'ICAL', folder, three);
    expect(data.map(({ id }: any) => Boolean(id))).toEqual([true, true]);
    expect(JSON.stringify(warnings)).toContain('I_E-1317');
    await set('import.tasks.limit', '-1');
    await set('quota.task', '3');
    const results = await importTasks(X1, folder, fileOf(['UID:3'], ['UID:4'], ['UID:5']));
    expect(results.map(({ id, code }) => (id ? 'stored' : code))).toEqual(['stored', 'QUOTA-0003', 'QUOTA-0003']);
    const large = fileOf(['UID:6', `DESCRIPTION:${'x'.repeat(1_100_000)}`], ['UID:1', 'SUMMARY:changed']);
    expect((await importTasks(X1, folder, large)).map(({ id, code }) => (id ? 'stored' : code))).toEqual([
      'I_E-1310',
      'stored',
    ]);
  });
});

/** Milliseconds by which answers are shifted for a user. */
async function offsetOf(user: TestUser, at: number): Promise<number> {
  const folder = await createFolder(user);
  const { id } = await create(user, folder, { alarm: at }, { timezone: 'UTC' });
  return (await dataOf(user, folder, id)).alarm - at;
}

/** Properties of the tasks of a file as sets of parameters, what every export writes anew aside. */
const propertiesOf = (lines: readonly string[]): string[] => {
  let zone = false;
  return lines.flatMap((line) => {
    if (/^(BEGIN|END):VTIMEZONE/.test(line)) zone = line.startsWith('BEGIN');
    if (
      zone ||
      /^(BEGIN|END|VERSION|PRODID|CALSCALE|NAME|X-WR-CALNAME|SEQUENCE|TZID|CLASS:PUBLIC)/.test(line) ||
      line === ''
    )
      return [];
    const [head = '', ...value] = line.split(':');
    const [name, ...parameters] = head.split(';').filter((part) => !/^VALUE=(DURATION|URI)$/.test(part));
    return [
      `${[name, ...parameters.sort()].join(';')}:${value.join(':')}`
        .replace(/"/g, '')
        .replace(/^DTSTAMP.*|^CREATED.*|^LAST-MODIFIED.*/, 'STAMP'),
    ];
  });
};
