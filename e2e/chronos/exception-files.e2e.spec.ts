import { until } from '@groupware/test-kit';
import { attachFiles, download, rows, type Target } from '../attachments/attachments';
import { unzipped } from '../attachments/zip';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { answer, created, dataOf, FORCE, folderOf, get, type Json, remove, update } from './events';
import { upload } from './uploads';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `copier${(count += 1)}`);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const SECOND = { recurrenceId: '20310606T080000Z' };
const THIRD = { recurrenceId: '20310607T080000Z' };
const FILES = [
  { name: 'a.txt', content: 'first' },
  { name: 'b.csv', content: 'second', type: 'text/csv' },
];
const targetOf = (player: TestUser, id: string): Target => ({
  attached: Number(id),
  folder: Number(player.folder),
  module: 1,
});

/** A daily series with two files, which begins on 5 June 2031. */
async function createSeries(player: TestUser, fields: Json = {}): Promise<Json> {
  const { id } = await created(player, { rrule: 'FREQ=DAILY;COUNT=6', ...fields });
  await attachFiles(player, targetOf(player, id), FILES);
  return get(player, id);
}

const namesOf = ({ attachments = [] }: Json): string[] => attachments.map(({ filename }: Json) => filename);
const idsOf = ({ attachments = [] }: Json): number[] => attachments.map(({ managedId }: Json) => managedId);
const used = async (player: TestUser): Promise<number> => (await player.get('quota', 'filestore')).data.use;

/** Expects an exception with files of its own, like those of its series, that are there and counted. */
async function expectCopies(player: TestUser, series: Json, exception: Json): Promise<void> {
  expect(exception.seriesId).toBe(series.id);
  expect(namesOf(exception)).toEqual(['a.txt', 'b.csv']);
  expect(exception.attachments).toMatchObject([{ size: 5 }, { size: 6, fmtType: 'text/csv' }]);
  expect(exception.flags).toContain('attachments');
  expect(new Set([...idsOf(series), ...idsOf(exception)]).size).toBe(4);
  const target = targetOf(player, exception.id);
  expect(await rows(player, 'all', target, '1,803,804')).toEqual([
    [idsOf(exception)[0], 'a.txt', 5],
    [idsOf(exception)[1], 'b.csv', 6],
  ]);
  expect(await (await download(player, target, idsOf(exception)[0]!)).text()).toBe('first');
  const { data } = await player.get('calendar', 'get', { id: exception.id, folder: player.folder, timezone: 'UTC' });
  expect(data).toMatchObject({ number_of_attachments: 2 });
}

describe('files of exceptions', () => {
  it('a change of one occurrence by chronos answers with copies of the files, read one by one and as ZIP', async () => {
    const player = await someone();
    const series = await createSeries(player);
    const before = await used(player);
    const reply = await update(player, series.id, { summary: 'Once' }, SECOND);
    const [exception] = dataOf(reply).created;
    await expectCopies(player, series, exception);
    expect(await get(player, exception.id)).toEqual(exception);
    expect(await used(player)).toBe(before + 11);
    const parameters = { session: player.session, folder: folderOf(player), id: exception.id };
    const managedId = idsOf(exception)[1]!;
    const one = await player.fetch('GET', '/chronos', { action: 'getAttachment', ...parameters, managedId });
    expect([await one.text(), one.headers.get('content-type')]).toEqual(['second', 'text/csv']);
    const init = {
      body: JSON.stringify(idsOf(exception).map(String)),
      headers: { 'content-type': 'application/json' },
    };
    const zip = await player.fetch('PUT', '/chronos', { action: 'zipAttachments', ...parameters }, init);
    expect(unzipped(Buffer.from(await zip.arrayBuffer()))).toEqual({ 'a.txt': 'first', 'b.csv': 'second' });
    // The stamp of the answer is that of the event with its files.
    const { timestamp } = reply as Json;
    expect((await update(player, exception.id, { summary: 'Again' }, { timestamp })).code).toBeUndefined();
  });

  it('what goes from one stays with the other, and the space comes back', async () => {
    const player = await someone();
    const before = await used(player);
    const series = await createSeries(player);
    const [second] = dataOf(await update(player, series.id, { summary: 'Second' }, SECOND)).created;
    const [third] = dataOf(await update(player, series.id, { summary: 'Third' }, THIRD)).created;
    const target = targetOf(player, series.id);
    await player.put('attachment', 'detach', { ...target }, [idsOf(series)[0]]);
    expect(namesOf(await get(player, series.id))).toEqual(['b.csv']);
    await expectCopies(player, series, await get(player, second.id));
    await player.put('attachment', 'detach', { ...targetOf(player, second.id) }, [idsOf(second)[1]]);
    expect(namesOf(await get(player, second.id))).toEqual(['a.txt']);
    expect(namesOf(await get(player, series.id))).toEqual(['b.csv']);
    dataOf(await remove(player, [{ id: second.id }]));
    await expectCopies(player, series, await get(player, third.id));
    expect(await (await download(player, target, idsOf(series)[1]!)).text()).toBe('second');
    dataOf(await remove(player, [{ id: series.id }]));
    await until(async () => (await used(player)) === before);
  });

  it('a list of attachments says which files of the series the exception gets, beside new ones', async () => {
    const player = await someone();
    const series = await createSeries(player);
    const [first, second] = series.attachments;
    const body = { event: { attachments: [second, { uri: 'cid:file_0', filename: 'c.txt' }] } };
    const query = { id: series.id, timestamp: FORCE, ...SECOND };
    const [mixed] = dataOf(await upload(player, 'update', body, { file_0: 'third' }, query)).created;
    expect(namesOf(mixed)).toEqual(['b.csv', 'c.txt']);
    expect(idsOf(mixed)).not.toContain(second.managedId);
    expect(await get(player, mixed.id)).toEqual(mixed);
    // Nothing else changes.
    const [fewer] = dataOf(await update(player, series.id, { attachments: [first] }, THIRD)).created;
    expect(namesOf(fewer)).toEqual(['a.txt']);
    const none = { recurrenceId: '20310608T080000Z' };
    const [empty] = dataOf(await update(player, series.id, { attachments: [] }, none)).created;
    expect(namesOf(empty)).toEqual([]);
    expect(empty.flags).not.toContain('attachments');
    const same = { recurrenceId: '20310609T080000Z' };
    const unchanged = dataOf(await update(player, series.id, { attachments: series.attachments }, same));
    expect(unchanged.created).toEqual([]);
    expect((await get(player, series.id)).attachments).toEqual(series.attachments);
    const foreign = { attachments: [{ managedId: idsOf(mixed)[0] }] };
    expect((await update(player, series.id, foreign, same)).code).toBe('CAL-4047');
  });

  it('an attendee who answers one occurrence, or deletes it, makes an exception with the files', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const series = await createSeries(ann, { attendees: [{ entity: bob.userId }] });
    const attendee = { entity: bob.userId, partStat: 'DECLINED' };
    const reply = await answer(bob, series.id, { attendee }, SECOND);
    const [exception] = dataOf(reply).created;
    expect(namesOf(exception)).toEqual(['a.txt', 'b.csv']);
    const { timestamp } = reply as Json;
    expect(
      (await answer(bob, exception.id, { attendee: { ...attendee, partStat: 'ACCEPTED' } }, { timestamp })).code,
    ).toBe(undefined);
    await expectCopies(ann, series, await get(ann, exception.id));
    expect(namesOf(await get(bob, exception.id))).toEqual(['a.txt', 'b.csv']);
    dataOf(await remove(bob, [{ id: series.id, ...THIRD }]));
    const { id } = await get(ann, series.id, THIRD);
    expect(id).not.toBe(series.id);
    await expectCopies(ann, series, await get(ann, id));
    // Which files an event has is up to its organizer.
    const fewer = { attachments: [series.attachments[0]] };
    expect((await update(bob, series.id, fewer, { recurrenceId: '20310608T080000Z' })).code).toBe('CAL-4038');
  });

  it('the older interface makes exceptions with the files, and answers with their stamps', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const series = await createSeries(ann, { attendees: [{ entity: bob.userId }] });
    const change = (player: TestUser, id: string, body: Json, timestamp: number | string = FORCE) =>
      player.put('calendar', 'update', { id, folder: player.folder, timestamp, timezone: 'UTC' }, body);
    const moved = (await change(ann, series.id, { recurrence_position: 2, title: 'Once' })) as Json;
    await expectCopies(ann, series, await get(ann, moved.data.id));
    expect((await change(ann, moved.data.id, { title: 'Again' }, moved.timestamp)).code).toBeUndefined();
    const query = { id: series.id, folder: bob.folder, occurrence: 3, timestamp: FORCE };
    const { timestamp } = (await bob.put('calendar', 'confirm', query, { confirmation: 2 })) as Json;
    const third = await get(ann, series.id, THIRD);
    await expectCopies(ann, series, await get(ann, third.id));
    const again = { id: third.id, folder: bob.folder, timestamp };
    expect((await bob.put('calendar', 'confirm', again, { confirmation: 1 })).code).toBeUndefined();
  });

  it('a file of iCalendar that changes one occurrence makes an exception with the files', async () => {
    const player = await someone();
    const series = await createSeries(player);
    const text = [
      ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//T//EN', 'BEGIN:VEVENT', `UID:${series.uid}`],
      ...['DTSTAMP:20310101T000000Z', 'RECURRENCE-ID:20310606T080000Z', 'DTSTART:20310606T100000Z'],
      ...['DTEND:20310606T110000Z', 'SUMMARY:Moved', 'END:VEVENT', 'END:VCALENDAR', ''],
    ].join('\r\n');
    const form = new FormData();
    form.append('file', new Blob([text], { type: 'text/calendar' }), 'calendar.ics');
    const parameters = { action: 'ICAL', session: player.session, folder: player.folder, plainJson: true };
    const [{ id }] = ((await (await player.fetch('POST', '/import', parameters, { body: form })).json()) as Json).data;
    await expectCopies(player, series, await get(player, id));
  });
});
