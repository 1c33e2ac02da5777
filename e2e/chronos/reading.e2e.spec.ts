import { created, DAY, HOUR, update } from '../calendar/calendar';
import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, dataOf, folderOf, get, refusal, THIRTIES, updates } from './events';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `reader${(count += 1)}`, timezone);

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const subfolderOf = async (player: TestUser): Promise<string | undefined> =>
  (await player.put('folders', 'new', { folder_id: 1, tree: 1 }, { title: 'Empty', module: 'event' })).data;
/** A picture of one pixel. */
const PIXEL = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  contentType: 'image/png',
};
const june5 = Date.UTC(2031, 5, 5, 8);
const times = (start = june5, end = start + HOUR) => ({ start_date: start, end_date: end });

describe('chronos: reading what the older door made', () => {
  it('CE-22: an appointment is the same event, with its class and transparency', async () => {
    const { U1 } = cast;
    const id = await created(U1, { ...times(), title: 'A', shown_as: 4, private_flag: true, color_label: 2 });
    const event = await get(U1, id);
    expect(event).toMatchObject({
      id,
      folder: folderOf(U1),
      summary: 'A',
      transp: 'TRANSPARENT',
      class: 'CONFIDENTIAL',
    });
    expect(event).toMatchObject({ startDate: { value: '20310605T080000Z' }, endDate: { value: '20310605T090000Z' } });
    expect(event).toMatchObject({ createdBy: { entity: U1.userId, email: U1.email }, color: '#9BC8F7' });
    expect(event.flags).toEqual(expect.arrayContaining(['transparent', 'confidential', 'event_confirmed']));
    await update(U1, id, { title: 'B' });
    expect((await get(U1, id)).summary).toBe('B');
    expect((await get(U1, id, { folder: U1.folder })).folder).toBe(folderOf(U1));
    expect((await U1.get('calendar', 'get', { id, folder: folderOf(U1) })).data).toMatchObject({ title: 'B' });
  });

  it('CE-10, CE-11: only the fields asked for, by either name; nothing that is not set', async () => {
    const player = await someone();
    const id = await created(player, { ...times(), title: 'E' });
    const named = { summary: 'E', startDate: { value: '20310605T080000Z' } };
    expect(await get(player, id, { fields: 'SUMMARY,START_DATE' })).toEqual(named);
    expect(await get(player, id, { fields: 'summary,startDate' })).toEqual(named);
    const event = await get(player, id);
    for (const name of ['location', 'rrule', 'attendees', 'organizer', 'alarms'])
      expect(event).not.toHaveProperty(name);
    expect(JSON.stringify(event)).not.toContain('null');
    expect(await refusal(player, id, { fields: 'summary,colour' })).toBe('SVL-0010');
    expect(await refusal(player, id, { timezone: 'Middle/Earth' })).toBe('CAL-4001');
  });

  it('CE-12: sorted by a field', async () => {
    const player = await someone();
    for (const title of ['b', 'a', 'c']) await created(player, { ...times(), title });
    const summaries = async (query: object) => (await all(player, { ...query })).map(({ summary }) => summary);
    expect(await summaries({ sort: 'lastModified', order: 'desc' })).toEqual(['c', 'a', 'b']);
    expect(await summaries({ sort: 'summary', order: 'asc' })).toEqual(['a', 'b', 'c']);
    expect(await summaries({ sort: 'endDate' })).toEqual(['b', 'a', 'c']);
    const wrong = { folder: folderOf(player), ...THIRTIES, sort: 'asc', order: 'summary' };
    expect((await player.get('chronos', 'all', wrong)).code).toBe('SVL-0010');
  });

  it('CE-13, CE-14: a range the wrong way round is empty; days are those of UTC', async () => {
    const player = await someone();
    await created(player, { ...times(), title: 'E' });
    expect(await all(player, { rangeStart: '20310605T090000Z', rangeEnd: '20310605T080000Z' })).toEqual([]);
    expect(await all(player, { rangeStart: '20310605', rangeEnd: '20310606' })).toHaveLength(1);
    expect(await all(player, { rangeStart: '20310605T090000Z', rangeEnd: '20310606' })).toHaveLength(0);
    const wrong = { folder: folderOf(player), rangeStart: '1938412800000', rangeEnd: '20310606' };
    expect((await player.get('chronos', 'all', wrong)).code).toBe('SVL-0010');
    expect((await player.get('chronos', 'all', { folder: folderOf(player) })).code).toBe('SVL-0002');
  });

  it('CE-15: whole days are those of the zone of the request', async () => {
    const player = await someone('Europe/Berlin');
    const day = Date.UTC(2031, 5, 6);
    await created(player, { ...times(day, day + DAY), full_time: true, title: 'Day' });
    const hour = { rangeStart: '20310605T220000Z', rangeEnd: '20310605T230000Z' };
    expect(await all(player, hour)).toMatchObject([
      { startDate: { value: '20310606' }, endDate: { value: '20310607' } },
    ]);
    expect(await all(player, { ...hour, timezone: 'America/New_York' })).toEqual([]);
  });

  it('CE-16, CE-19: without folder what the user takes part in; each sees it in his own calendar', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(bob, { ...times(), title: 'Shared', participants: [{ type: 1, id: ann.userId }] });
    await created(bob, { ...times(), title: 'Own' });
    const seen = await all(ann, { folder: undefined });
    expect(seen).toMatchObject([{ id, folder: folderOf(ann), summary: 'Shared' }]);
    expect(seen[0]!.attendees).toHaveLength(2);
    expect(seen[0]!.flags).toEqual(expect.arrayContaining(['scheduled', 'attendee', 'needs_action']));
    expect((await get(bob, id)).flags).toEqual(expect.arrayContaining(['organizer', 'accepted']));
    expect(await refusal(ann, id, { folder: folderOf(bob) })).toBe('FLD-0003');
    expect(await refusal(ann, id, { folder: 'cal://0/999989' })).toBe('FLD-0008');
    expect(await refusal(ann, id, { folder: 'cal://7/1' })).toBe('CAL-4044');
    expect(await refusal(ann, id, { folder: 'cal://0/35' })).toBe('CAL-4060');
    expect(await refusal(ann, '999999999')).toBe('CAL-4040');
    const other = await created(ann, { ...times(), title: 'Mine' });
    expect(await refusal(bob, other)).toBe('CAL-4041');
  });

  it('CE-17: an answer or an error for each of several folders, each once', async () => {
    const player = await someone();
    await created(player, { ...times(), title: 'E' });
    const folder = folderOf(player);
    const body = { folders: [folder, 'cal://0/999989', player.folder, 'cal://0/allPublic'] };
    const answer = await player.put('chronos', 'all', { ...THIRTIES, fields: 'summary,flags' }, body);
    expect(answer.code).toBeUndefined();
    expect(answer.data).toEqual([
      { folder, events: [{ summary: 'E', flags: ['event_confirmed'] }], timestamp: expect.any(Number) },
      { folder: 'cal://0/999989', error: expect.objectContaining({ code: 'FLD-0008' }) },
      { folder: 'cal://0/allPublic', events: [], timestamp: expect.any(Number) },
    ]);
    expect((await player.put('chronos', 'all', { ...THIRTIES, sort: 'x' }, body)).code).toBe('SVL-0010');
    expect((await player.put('chronos', 'all', { ...THIRTIES, timezone: 'Middle/Earth' }, body)).code).toBe('CAL-4001');
  });

  it('tells the same of events whether their attendees are asked for or not', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const access = { bits: 403710016, group: false };
    const permissions = [
      { ...access, entity: bob.userId },
      { ...access, entity: ann.userId },
    ];
    const made = await bob.put(
      'folders',
      'new',
      { folder_id: 2 },
      { title: 'Open', module: 'calendar', folder_id: 2, permissions },
    );
    const open = String(dataOf(made));
    const elsewhere = { organizer: 'boss@elsewhere.example' };
    const invite = (who: TestUser) => ({ participants: [{ type: 1, id: who.userId }] });
    for (const folder of [bob.folder, open]) {
      await created(bob, { ...times(), title: 'own', folder_id: folder });
      await created(bob, { ...times(), title: 'reminded', folder_id: folder, alarm: 15 });
      await created(bob, { ...times(), title: 'invited', folder_id: folder, ...invite(ann) });
      await created(bob, { ...times(), title: 'organized elsewhere', folder_id: folder, ...elsewhere });
      const guests = [{ type: 5, mail: 'guest@elsewhere.example', display_name: 'Guest' }];
      await created(bob, { ...times(), title: 'with a guest', folder_id: folder, participants: guests });
    }
    const fields = 'id,summary,organizer,flags,alarms';
    for (const user of [ann, bob]) {
      const read = async (names: string) => {
        const body = { folders: [folderOf(user), `cal://0/${open}`] };
        const answer = await user.put('chronos', 'all', { ...THIRTIES, fields: names, sort: 'id' }, body);
        return dataOf(answer).map(({ events }: { events: object[] }) =>
          events.map((event) => ({ ...event, attendees: undefined })),
        );
      };
      const brief = await read(fields);
      expect(brief.map(({ length }: object[]) => length)).toEqual(user === ann ? [1, 5] : [5, 5]);
      expect(brief).toEqual(await read(`${fields},attendees`));
    }
  });

  it('answers CAL-5072 when there are too many, in its place among folders', async () => {
    const player = await someone();
    await created(player, { ...times(), title: 'Daily', recurrence_type: 1, interval: 1 });
    const query = { folder: folderOf(player), ...THIRTIES };
    expect((await player.get('chronos', 'all', { ...query, expand: true })).code).toBe('CAL-5072');
    expect(dataOf(await player.get('chronos', 'all', query))).toHaveLength(1);
    const several = await player.put('chronos', 'all', { ...THIRTIES, expand: true }, { folders: [player.folder] });
    expect(several.data).toMatchObject([{ folder: folderOf(player), error: { code: 'CAL-5072' } }]);
    expect((await player.get('chronos', 'updates', { ...query, timestamp: 0, expand: true })).code).toBeUndefined();
  });

  it('CE-18: list in the order asked for, null for what is gone', async () => {
    const player = await someone();
    const [first, second] = [await created(player, times()), await created(player, times())];
    const folder = folderOf(player);
    const body = [
      { id: second, folder },
      { id: '999999999', folder },
      { id: first, folder: player.folder },
      { id: first, folder: 'cal://9/1' },
    ];
    const list = dataOf(await player.put('chronos', 'list', { fields: 'id' }, body));
    expect(list).toEqual([{ id: second }, null, { id: first }, null]);
    expect(dataOf(await player.put('chronos', 'list', {}, [{ id: 'x', folder }]))).toEqual([null]);
    expect((await player.put('chronos', 'list', { fields: 'x' }, body)).code).toBe('SVL-0010');
  });

  it('CE-20: details of attendees on request', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const participants = [
      { type: 1, id: bob.userId },
      { type: 3, id: cast.room },
      { type: 2, id: cast.team },
    ];
    const id = await created(ann, { ...times(), title: 'E', participants });
    const byId = async (query: object): Promise<Map<number, any>> =>
      new Map((await get(ann, id, { ...query })).attendees.map((each: any) => [each.entity, each]));
    const detailed = await byId({ extendedEntities: true });
    expect(detailed.get(bob.userId)).toMatchObject({ cuType: 'INDIVIDUAL', contact: { last_name: 'Player' } });
    expect(detailed.get(cast.room)).toMatchObject({ cuType: 'ROOM', resource: { display_name: 'Room' } });
    expect(detailed.get(cast.team)).toMatchObject({ cuType: 'GROUP', group: { display_name: 'Team' } });
    expect((await byId({})).get(bob.userId)).not.toHaveProperty('contact');
    expect(detailed.get(bob.userId).contact).not.toHaveProperty('image1_url');
    await cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/users/${bob.userId}`, { image: PIXEL });
    const [[picture]] = dataOf(await ann.put('user', 'list', { columns: '606' }, [bob.userId]));
    expect(picture).toContain(`id=${bob.userId}&timestamp=`);
    expect((await byId({ extendedEntities: true })).get(bob.userId).contact).toMatchObject({ image1_url: picture });
  });

  it('expands series; the ids of occurrences are instants', async () => {
    const player = await someone('Europe/Berlin');
    const start = Date.UTC(2031, 2, 28, 9);
    const series = { recurrence_type: 1, interval: 1, occurrences: 4, title: 'S' };
    const id = await created(player, { ...times(start), timezone: 'Europe/Berlin', ...series });
    await update(player, id, { recurrence_position: 2, title: 'Other' });
    const whole = await all(player);
    expect(whole.map(({ summary }) => summary)).toEqual(['S', 'Other']);
    expect(whole[0]).toMatchObject({ id, seriesId: id, rrule: expect.stringContaining('COUNT=4') });
    expect(whole[0]!.changeExceptionDates).toEqual(['20310329T080000Z']);
    const shown = await all(player, { expand: true });
    expect(shown.map(({ recurrenceId }) => recurrenceId)).toEqual([
      ...['20310328T080000Z', '20310329T080000Z', '20310330T070000Z', '20310331T070000Z'],
    ]);
    expect(shown[0]!.startDate).toEqual({ value: '20310328T090000', tzid: 'Europe/Berlin' });
    expect(shown[0]).not.toHaveProperty('rrule');
    expect(shown[0]!.flags).toEqual(expect.arrayContaining(['series', 'first_occurrence']));
    expect(shown[1]!.flags).toContain('overridden');
    expect(shown[3]!.flags).toContain('last_occurrence');
    const exception = await get(player, id, { recurrenceId: 'Europe/Berlin:20310329T090000' });
    expect(exception).toMatchObject({ summary: 'Other', seriesId: id, recurrenceId: '20310329T080000Z' });
    expect(await get(player, exception.id)).toEqual(exception);
    expect(await get(player, id, { recurrenceId: '20310330T070000Z' })).toMatchObject({ id, summary: 'S' });
    expect(await refusal(player, id, { recurrenceId: '20310330T080000Z' })).toBe('CAL-4042');
    expect(await refusal(player, id, { recurrenceId: 'soon' })).toBe('SVL-0010');
  });

  it('resolve: by id or unique id, in the own calendar', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(bob, { ...times(), participants: [{ type: 1, id: ann.userId }] });
    const event = dataOf(await ann.get('chronos', 'resolve', { id }));
    expect(event).toMatchObject({ id, folder: folderOf(ann), sequence: 0 });
    const resolve = (query: object) => ann.get('chronos', 'resolve', { ...query });
    expect(dataOf(await resolve({ uid: event.uid, sequence: 0, fields: 'id' }))).toEqual({ id });
    expect((await resolve({ uid: event.uid, sequence: 3 })).code).toBe('CAL-4048');
    // Existing clients call the id so.
    expect(dataOf(await resolve({ sequence: id, fields: 'id' }))).toEqual({ id });
    expect((await resolve({ sequence: 999_999_999 })).code).toBe('CAL-4040');
    expect((await resolve({ id: '999999999' })).code).toBe('CAL-4040');
    expect((await resolve({})).code).toBe('SVL-0002');
    expect((await resolve({ id, timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
  });

  it('resolve: a confidential event of a shared calendar as `get` shows it, a private one not', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const permissions = [
      { entity: ann.userId, group: false, bits: 403_710_016 },
      { entity: bob.userId, group: false, bits: 257 },
    ];
    const calendar = { title: 'Shared', module: 'calendar', permissions };
    const { data } = await ann.put('folders', 'new', { folder_id: '1', tree: 1 }, calendar);
    const folder = `cal://0/${data}`;
    const create = async (classification: string): Promise<string> => {
      const event = { summary: 'Secret', startDate: { value: '20310605' }, endDate: { value: '20310606' } };
      const answer = await ann.put('chronos', 'new', { folder }, { ...event, class: classification });
      return dataOf(answer).created[0].id;
    };
    const [confidential, secret] = [await create('CONFIDENTIAL'), await create('PRIVATE')];
    const shown = dataOf(await bob.get('chronos', 'resolve', { id: confidential }));
    expect(shown).toEqual(await get(bob, confidential, { folder }));
    expect(shown).toMatchObject({ folder, summary: 'Private' });
    expect((await bob.get('chronos', 'resolve', { id: secret })).code).toBe('CAL-4040');
    expect(dataOf(await ann.get('chronos', 'resolve', { id: confidential })).summary).toBe('Secret');
  });

  it('needsAction: what the user has not answered, a series once', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const participants = [{ type: 1, id: ann.userId }];
    const id = await created(bob, { ...times(), title: 'Once', participants });
    const series = { recurrence_type: 1, interval: 1, occurrences: 3, title: 'Thrice' };
    const seriesId = await created(bob, { ...times(), ...series, participants });
    await bob.put(
      'calendar',
      'confirm',
      { id: seriesId, folder: bob.folder, timestamp: 9e12, occurrence: 2 },
      { confirmation: 3 },
    );
    const waiting = dataOf(await ann.get('chronos', 'needsAction', THIRTIES));
    expect(waiting.map((event: any) => event.summary).sort()).toEqual(['Once', 'Thrice']);
    await ann.put('calendar', 'confirm', { id, folder: ann.folder, timestamp: 9e12 }, { confirmation: 1 });
    expect(dataOf(await ann.get('chronos', 'needsAction', { ...THIRTIES, fields: 'id' }))).toEqual([{ id: seriesId }]);
    expect((await ann.get('chronos', 'needsAction', { ...THIRTIES, sort: 'x' })).code).toBe('SVL-0010');
    expect((await ann.get('chronos', 'needsAction', { ...THIRTIES, timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
  });

  it('needsAction in a folder: what its owner has not answered, as far as the reader may see it', async () => {
    const [ann, bob, eve] = [await someone(), await someone(), await someone()];
    const invite = async (fields: object, guest = ann): Promise<string> =>
      created(bob, { ...times(), participants: [{ type: 1, id: guest.userId }], ...fields });
    const open = await invite({ title: 'Open' });
    const secret = { summary: 'Secret', class: 'CONFIDENTIAL', attendees: [{ entity: ann.userId }] };
    const time = { startDate: { value: '20310605T080000Z' }, endDate: { value: '20310605T090000Z' } };
    dataOf(await bob.put('chronos', 'new', { folder: folderOf(bob) }, { ...secret, ...time }));
    const own = await invite({ title: 'Own' }, eve);
    const shared = [
      { entity: ann.userId, group: false, bits: 403_710_016 },
      { entity: eve.userId, group: false, bits: 257 },
    ];
    const folder = { id: ann.folder, timestamp: 9e15, tree: 0 };
    const waiting = (player: TestUser, query: object = {}) =>
      player.get('chronos', 'needsAction', { ...THIRTIES, fields: 'id,folder', ...query });
    const inAnns = { folder: folderOf(ann) };
    expect((await waiting(eve, inAnns)).code).toBe('FLD-0003');
    expect((await ann.put('folders', 'update', folder, { permissions: shared })).error).toBeUndefined();
    expect(dataOf(await waiting(eve, inAnns))).toEqual([{ id: open, folder: folderOf(ann) }]);
    expect(dataOf(await waiting(ann, inAnns))).toHaveLength(2);
    expect(dataOf(await waiting(ann))).toHaveLength(2);
    for (const query of [{}, { folder: folderOf(eve) }])
      expect(dataOf(await waiting(eve, query))).toEqual([{ id: own, folder: folderOf(eve) }]);
    expect(dataOf(await waiting(ann, { folder: (await subfolderOf(ann))! }))).toEqual([]);
    expect((await waiting(eve, { folder: 'cal://0/999999999' })).code).toBe('FLD-0008');
    expect((await waiting(eve, { folder: 'cal://7/1' })).code).toBe('CAL-4044');
    expect((await waiting(eve, { folder: '6' })).code).toBe('CAL-4060');
    const seen = [shared[0], { entity: eve.userId, group: false, bits: 1 }];
    await ann.put('folders', 'update', folder, { permissions: seen });
    expect((await waiting(eve, inAnns)).code).toBe('CAL-4030');
  });

  it('CD-04, CD-06, CD-07, CD-12: updates since a stamp, per folder and over all', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(bob, { ...times(), title: 'E', participants: [{ type: 1, id: ann.userId }] });
    const { timestamp } = await get(ann, id);
    expect((await updates(ann, timestamp)).newAndModified).toEqual([]);
    expect((await updates(ann, timestamp - 1)).newAndModified).toMatchObject([{ id, folder: folderOf(ann) }]);
    const july = { rangeStart: '20310701', rangeEnd: '20310801' };
    expect(await updates(ann, timestamp - 1, july)).toEqual({ newAndModified: [], deleted: [] });
    const answer = await ann.get('chronos', 'updates', { folder: folderOf(ann), timestamp });
    expect(answer.timestamp).toBeGreaterThanOrEqual(timestamp);
    await bob.put('calendar', 'delete', { timestamp: 9e12 }, { id, folder: bob.folder });
    const gone = [{ id, folder: folderOf(ann), timestamp: expect.any(Number) }];
    expect(await updates(ann, timestamp)).toEqual({ newAndModified: [], deleted: gone });
    expect(await updates(ann, timestamp, { folder: undefined })).toEqual({ newAndModified: [], deleted: gone });
    const query = { folder: folderOf(ann), timestamp: 0 };
    expect((await ann.get('chronos', 'updates', { ...query, timezone: 'Middle/Earth' })).code).toBe('CAL-4001');
  });
});
