import { create as createContact } from '../contacts/contacts';
import type { Envelope } from '../client';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type LocalTestEnvironment } from '../test-environment';
import { dataOf, FORCE, type Json } from './events';

const COLUMNS = '1,300,301,305,308,314,3201,3203,3204,3205';
const YEARS = { rangeStart: '20310101T000000Z', rangeEnd: '20330101T000000Z' };
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

let world: LocalTestEnvironment;
let cast: Fixtures;
let count = 0;

beforeAll(async () => {
  world = await startTestEnvironment({ properties: {} });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const someone = (locale = 'en_US'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `born${(count += 1)}`, 'Europe/Berlin', locale);
const foldersOf = async (player: TestUser, type = 'event'): Promise<Json[]> => {
  const rows =
    dataOf(await player.get('folders', 'allVisible', { content_type: type, columns: COLUMNS })).private ?? [];
  return rows.map((row: unknown[]) => Object.fromEntries(COLUMNS.split(',').map((name, index) => [name, row[index]])));
};
const birthdaysOf = async (player: TestUser): Promise<string> =>
  (await foldersOf(player)).find((each) => each['3203'] === 'birthdays')!['1'];
const eventsOf = async (player: TestUser, folder: string, query: Json = {}): Promise<Json[]> =>
  dataOf(await player.get('chronos', 'all', { folder, ...YEARS, expand: true, ...query }));
const addressBookOf = async (player: TestUser): Promise<string> => {
  const rows = dataOf(
    await player.get('folders', 'allVisible', { content_type: 'contacts', columns: '1,308' }),
  ).private;
  return rows.find(([, isStandard]: [string, boolean]) => isStandard)[0];
};
const remove = (player: TestUser, id: string): Promise<Envelope> =>
  player.put('folders', 'delete', { tree: '0', timestamp: FORCE }, [id]);

describe('the calendar of birthdays', () => {
  it('is one of every user with contacts, among calendars with accounts, and has no settings', async () => {
    const ann = await someone('de_DE');
    const found = (await foldersOf(ann)).filter((each) => each['3203'] === 'birthdays');
    expect(found).toMatchObject([
      { 300: 'Geburtstage', 301: 'event', 305: 268435713, 308: false, 314: true, 3204: null, 3205: { enabled: true } },
    ]);
    const [{ 1: id }] = found as [Json];
    expect(id).toMatch(/^cal:\/\/[1-9]\d*\/0$/);
    // Requests at the same time make one.
    const [twins] = [await someone()];
    await Promise.all([1, 2, 3].map(() => foldersOf(twins)));
    expect((await foldersOf(twins)).filter((each) => each['3203'] === 'birthdays')).toHaveLength(1);
    const other = await someone();
    expect((await other.get('chronos', 'all', { folder: id, ...YEARS })).code).toBe('CAL-4044');
  });

  it('PF-09: is not for clients that know plain ids alone', async () => {
    const ann = await someone();
    const id = await birthdaysOf(ann);
    const idsBelow = async (query: Json): Promise<string[]> =>
      dataOf(await ann.get('folders', 'list', { parent: '1', columns: '1', ...query })).map(([each]: string[]) => each);
    expect(await idsBelow({ allowed_modules: 'event' })).toEqual([`cal://0/${ann.folder}`, id]);
    expect(await idsBelow({ allowed_modules: 'calendar' })).toEqual([ann.folder]);
    expect(await idsBelow({})).toContain(ann.folder);
    expect((await idsBelow({})).filter((each) => each.startsWith('cal:'))).toEqual([]);
    expect((await foldersOf(ann, 'calendar')).map((each) => each['1'])).toEqual([ann.folder]);
    const query = { timestamp: 0, columns: '1', allowed_modules: 'calendar' };
    const changed = dataOf(await ann.get('folders', 'updates', query));
    expect(changed.filter((each: unknown) => String(each).startsWith('cal:'))).toEqual([]);
  });

  it('holds the birthdays of contacts that its user may read, each year, and follows them', async () => {
    const [ann, bob] = [await someone(), await someone('de_DE')];
    const [hers, his] = [await addressBookOf(ann), await addressBookOf(bob)];
    const folder = await birthdaysOf(ann);
    expect(await eventsOf(ann, folder)).toEqual([]);
    const { timestamp: before } = await ann.get('chronos', 'all', { folder, ...YEARS });
    const { id } = await createContact(ann, hers, { display_name: 'Ada L', birthday: day('1815-12-10') });
    await createContact(ann, hers, { display_name: 'Leap', birthday: day('2000-02-29') });
    await createContact(ann, hers, { display_name: 'Yearless', birthday: Date.parse('0001-03-04T00:00:00Z') });
    await createContact(ann, hers, { display_name: 'Nobody' });
    await createContact(bob, his, { display_name: 'Secret of Bob', birthday: day('1990-01-01') });
    const found = await eventsOf(ann, folder);
    expect(found.map(({ summary, startDate }) => [summary, startDate.value])).toEqual([
      ['Birthday of Leap', '20310301'],
      ['Birthday of Yearless', '20310304'],
      ['Birthday of Ada L', '20311210'],
      ['Birthday of Leap', '20320229'],
      ['Birthday of Yearless', '20320304'],
      ['Birthday of Ada L', '20321210'],
    ]);
    const ada = found.find(({ summary }) => summary === 'Birthday of Ada L')!;
    expect(ada).toMatchObject({ folder, endDate: { value: '20311211' }, transp: 'TRANSPARENT' });
    expect(ada).not.toHaveProperty('attendees');
    expect(dataOf(await ann.get('chronos', 'get', { folder, id: ada.id }))).toMatchObject({
      startDate: { value: '18151210' },
      rrule: 'FREQ=YEARLY',
    });
    expect((await eventsOf(bob, await birthdaysOf(bob), { expand: false })).map(({ summary }) => summary)).toEqual([
      'Geburtstag von Secret of Bob',
    ]);
    const updates = dataOf(await ann.get('chronos', 'updates', { folder, timestamp: before }));
    expect([updates.newAndModified.length, updates.deleted]).toEqual([3, []]);

    // An unchanged list of birthdays is not written again.
    const { timestamp } = await ann.get('chronos', 'all', { folder, ...YEARS, updateCache: true });
    expect(dataOf(await ann.get('chronos', 'updates', { folder, timestamp }))).toEqual({
      newAndModified: [],
      deleted: [],
    });
    dataOf(
      await ann.put(
        'contacts',
        'update',
        { folder: hers, id, timestamp: FORCE },
        { display_name: 'Ada King', birthday: null },
      ),
    );
    const { newAndModified, deleted } = dataOf(await ann.get('chronos', 'updates', { folder, timestamp }));
    expect([newAndModified, deleted]).toMatchObject([[], [{ id: ada.id, folder }]]);
    expect((await eventsOf(ann, folder)).map(({ summary }) => summary)).not.toContain('Birthday of Ada L');
  });

  it('shows birthdays of shared address books as long as they are shared', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const share = (entries: object[]): Promise<Envelope> =>
      ann.put(
        'folders',
        'update',
        { id: book, tree: '0', timestamp: FORCE },
        { permissions: [{ entity: ann.userId, group: false, bits: 403710016 }, ...entries] },
      );
    const book = dataOf(
      await ann.put('folders', 'new', { folder_id: '1', tree: '0' }, { title: 'Shared', module: 'contacts' }),
    );
    await createContact(ann, book, { display_name: 'Known', birthday: day('1980-05-05') });
    const secret = { display_name: 'Hidden', birthday: day('1980-05-06'), private_flag: true };
    await createContact(ann, book, secret);
    dataOf(await share([{ entity: bob.userId, group: false, bits: 257 }]));
    const folder = await birthdaysOf(bob);
    const summaries = async (): Promise<string[]> =>
      (await eventsOf(bob, folder, { expand: false })).map(({ summary }) => summary);
    expect(await summaries()).toEqual(['Birthday of Known']);
    dataOf(await share([]));
    expect(await summaries()).toEqual([]);
  });

  it('is read-only, but for alarms, name, colour and subscription', async () => {
    const ann = await someone();
    const folder = await birthdaysOf(ann);
    await createContact(ann, await addressBookOf(ann), { display_name: 'A', birthday: day('1980-06-10') });
    const [{ id }] = (await eventsOf(ann, folder, { expand: false })) as [Json];
    const query = { folder, id, timestamp: FORCE };
    const times = { startDate: { value: '20310605' }, endDate: { value: '20310606' } };
    const refused = { code: 'CAL-4228', error_params: ['birthdays'] };
    expect(await ann.put('chronos', 'new', { folder }, { summary: 'x', ...times })).toMatchObject(refused);
    expect(await ann.put('chronos', 'update', query, { event: { summary: 'x' } })).toMatchObject(refused);
    const [gone] = dataOf(await ann.put('chronos', 'delete', { timestamp: FORCE }, { events: [{ folder, id }] }));
    expect(gone).toMatchObject({ error: refused });
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT15M' } }];
    dataOf(await ann.put('chronos', 'update', query, { event: { alarms } }));
    const rangeEnd = '20400101T000000Z';
    const pending = dataOf(await ann.get('chronos/alarm', 'pending', { rangeEnd, actions: 'DISPLAY' }));
    expect(pending).toMatchObject([{ eventId: id, folder }]);
    const update = (body: Json): Promise<Envelope> =>
      ann.put('folders', 'update', { id: folder, tree: '0', timestamp: FORCE }, { folder: body });
    const EXTENDED = 'com.openexchange.calendar.extendedProperties';
    dataOf(await update({ title: 'Cake', [EXTENDED]: { color: { value: 'red' } }, subscribed: false }));
    expect(dataOf(await ann.get('folders', 'get', { id: folder, tree: '0' }))).toMatchObject({
      title: 'Cake',
      subscribed: false,
      [EXTENDED]: { color: { value: 'red' } },
    });
    expect(await eventsOf(ann, folder, { expand: false })).toMatchObject([{ id, alarms }]);
  });

  it('has alarms for all birthdays for which its user sets none, by its folder or his settings', async () => {
    const ann = await someone();
    const [folder, book] = [await birthdaysOf(ann), await addressBookOf(ann)];
    await createContact(ann, book, { display_name: 'A', birthday: day('1980-06-10') });
    const CONFIG = 'com.openexchange.calendar.config';
    const setAlarms = (alarms: unknown): Promise<Envelope> =>
      ann.put(
        'folders',
        'update',
        { id: folder, tree: '0', timestamp: FORCE },
        { folder: { [CONFIG]: { enabled: true, defaultAlarmDate: alarms, defaultAlarmDateTime: [] } } },
      );
    const configOf = async (): Promise<Json> =>
      dataOf(await ann.get('folders', 'get', { id: folder, tree: '0' }))[CONFIG];
    const alarm = (duration: string): Json => ({ action: 'DISPLAY', trigger: { duration, related: 'START' } });
    const { timestamp } = await ann.get('chronos', 'all', { folder, ...YEARS });
    dataOf(await setAlarms([alarm('PT9H')]));
    expect(await configOf()).toMatchObject({ defaultAlarmDate: [alarm('PT9H')] });
    const pending = async (): Promise<Json[]> =>
      dataOf(await ann.get('chronos/alarm', 'pending', { rangeEnd: '20400101T000000Z', actions: 'DISPLAY' }));
    const [{ id }] = (await eventsOf(ann, folder, { expand: false })) as [Json];
    expect(await eventsOf(ann, folder, { expand: false })).toMatchObject([{ alarms: [alarm('PT9H')] }]);
    // His devices hear of it.
    expect(dataOf(await ann.get('chronos', 'updates', { folder, timestamp })).newAndModified).toMatchObject([{ id }]);
    // A birthday that comes later has it without anybody looking at the calendar.
    await createContact(ann, book, { display_name: 'B', birthday: day('1980-06-11') });
    const [first, second, ...more] = await pending();
    expect([first, second, more]).toMatchObject([{ eventId: id, folder }, { folder, action: 'DISPLAY' }, []]);
    // On the clock of the user: nine in the morning in Berlin.
    expect([first!.time.slice(4), second!.time.slice(4)]).toEqual(['0610T070000Z', '0611T070000Z']);
    expect(first!.recurrenceId.slice(4)).toBe('0610');
    dataOf(await ann.get('chronos/alarm', 'ack', { id, folder, alarmId: first!.alarmId }));
    expect((await pending()).map(({ time }) => time.slice(4))).toEqual(['0611T070000Z', '0610T070000Z']);
    // One alarm of his own comes before what counts for all, and so does none.
    const own = [alarm('-PT15M')];
    dataOf(await ann.put('chronos', 'update', { folder, id, timestamp: FORCE }, { event: { alarms: own } }));
    dataOf(await setAlarms([alarm('PT10H'), alarm('-PT12H')]));
    const durations = async (): Promise<string[][]> =>
      (await eventsOf(ann, folder, { expand: false })).map(({ alarms = [] }) =>
        alarms.map(({ trigger }: Json) => trigger.duration),
      );
    expect(await durations()).toEqual([['-PT15M'], ['PT10H', '-PT12H']]);
    dataOf(await ann.put('chronos', 'update', { folder, id, timestamp: FORCE }, { event: { alarms: [] } }));
    expect(await durations()).toEqual([[], ['PT10H', '-PT12H']]);
    // Clients have the same among their settings.
    const settings = async (): Promise<Json> => dataOf(await ann.put('jslob', 'list', {}, ['io.ox/calendar']))[0].tree;
    expect((await settings()).birthdays.defaultAlarmDate).toMatchObject([alarm('PT10H'), alarm('-PT12H')]);
    const stored = { birthdays: { defaultAlarmDate: [alarm('PT8H')] }, chronos: { defaultAlarmDate: own } };
    dataOf(await ann.put('jslob', 'update', { id: 'io.ox/calendar' }, stored));
    expect(await settings()).toMatchObject(stored);
    expect(await configOf()).toMatchObject({ defaultAlarmDate: [alarm('PT8H')] });
    expect(await durations()).toEqual([[], ['PT8H']]);
    // Other values are refused, and change nothing.
    const at = { action: 'DISPLAY', trigger: { dateTime: '20310101T000000Z' } };
    for (const bad of ['x', [7], [{}], [{ action: 'DISPLAY', trigger: { duration: 'soon' } }], [at]])
      expect([bad, (await setAlarms(bad)).code]).toEqual([bad, 'CAL-4005']);
    expect((await setAlarms(Array(101).fill(alarm('PT1H')))).code).toBe('CAL-5074');
    expect(await durations()).toEqual([[], ['PT8H']]);
    dataOf(await setAlarms([]));
    expect([await durations(), await pending()]).toEqual([[[], []], []]);
    expect((await settings()).birthdays.defaultAlarmDate).toEqual([]);
  });

  it('CP-08: is not deleted', async () => {
    const ann = await someone();
    const folder = await birthdaysOf(ann);
    expect(await remove(ann, folder)).toMatchObject({ data: [folder], code: 'FLD-0032' });
    expect(await birthdaysOf(ann)).toBe(folder);
  });

  it('is none where the property says so', async () => {
    const ann = await someone();
    const folder = await birthdaysOf(ann);
    await world.setProperties({ 'com.example.calendar.birthdays.enabled': 'false' });
    expect((await foldersOf(ann)).map((each) => each['3203'])).toEqual(['chronos']);
    expect((await ann.get('chronos', 'all', { folder, ...YEARS })).code).toBe('CAL-4044');
    await world.setProperties();
    expect(await birthdaysOf(ann)).not.toBe(folder);
  });
});
