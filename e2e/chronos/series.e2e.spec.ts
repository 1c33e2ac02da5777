import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, answer, at, attendeeOf, create, created, dataOf, folderOf, get, JUNE_5, type Json } from './events';
import { refusal, remove, THIRTIES, update, updates } from './events';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (timezone = 'UTC'): Promise<TestUser> =>
  createTestUser(world, cast.admin, cast.contextId, `series${(count += 1)}`, timezone);
const pair = async (): Promise<[TestUser, TestUser]> => [await someone(), await someone()];

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = (start: string, end: string, tzid?: string): Json => ({
  startDate: at(start, tzid),
  endDate: at(end, tzid),
});
/** A daily series from 2 June 2031, 10:00Z. */
const daily = (occurrences?: number): Json => ({
  ...times('20310602T100000Z', '20310602T110000Z'),
  rrule: `FREQ=DAILY${occurrences ? `;COUNT=${occurrences}` : ''}`,
});
/** The id of the n-th occurrence of it. */
const nth = (number: number): string => `203106${String(number + 1).padStart(2, '0')}T100000Z`;
/** The occurrences of a series, by their original starts. */
const shown = async (player: TestUser, range: Json = THIRTIES): Promise<Json[]> =>
  all(player, { ...range, expand: true });
const starts = async (player: TestUser, range: Json = THIRTIES): Promise<string[]> =>
  (await shown(player, range)).map(({ startDate }) => startDate.value);

describe('chronos: rules', () => {
  it('CS-05, CS-06: UNTIL is a day in a series of whole days, an instant in a timed one', async () => {
    const player = await someone('Europe/Berlin');
    const rule = async (id: string): Promise<string> => (await get(player, id, { fields: 'rrule' })).rrule;
    const morning = times('20310601T003000', '20310601T013000', 'Europe/Berlin');
    const { id } = await created(player, { ...morning, rrule: 'INTERVAL=1;FREQ=DAILY;UNTIL=20310603T223000Z' });
    expect(await starts(player)).toHaveLength(4);
    await update(player, id, times('20310601', '20310602'));
    expect(await rule(id)).toBe('INTERVAL=1;FREQ=DAILY;UNTIL=20310604');
    expect(await starts(player)).toEqual(['20310601', '20310602', '20310603', '20310604']);
    // Clients may send back the rule that they know.
    await update(player, id, { ...morning, rrule: await rule(id) });
    expect(await rule(id)).toBe('INTERVAL=1;FREQ=DAILY;UNTIL=20310604T215959Z');
    expect(await starts(player)).toHaveLength(4);
    await update(player, id, times('20310601T003000', '20310601T013000'));
    expect(await rule(id)).toBe('INTERVAL=1;FREQ=DAILY;UNTIL=20310604');
    expect(await starts(player)).toHaveLength(4);
  });

  it('CS-01: a time that the clocks skip is shown as the one after it', async () => {
    const player = await someone('Europe/Berlin');
    const zoned = times('20310316T023000', '20310316T033000', 'Europe/Berlin');
    const { id } = await created(player, { ...zoned, rrule: 'FREQ=WEEKLY' });
    const occurrences = await shown(player, { rangeStart: '20310316', rangeEnd: '20310414' });
    expect(occurrences.map(({ startDate }) => startDate.value)).toEqual([
      ...['20310316T023000', '20310323T023000', '20310330T033000', '20310406T023000', '20310413T023000'],
    ]);
    const ids = occurrences.map(({ recurrenceId }) => recurrenceId);
    expect(ids[2]).toBe('20310330T013000Z');
    expect(new Set(ids).size).toBe(5);
    expect(await get(player, id, { recurrenceId: ids[2] })).toMatchObject({ recurrenceId: ids[2] });
  });

  it('CS-02, CS-03, CS-04, CS-05, CS-06: rules as RFC 5545 means them', async () => {
    const days = async (fields: Json, range: Json = THIRTIES): Promise<string[]> => {
      const player = await someone();
      await created(player, fields);
      return starts(player, range);
    };
    const january = times('20310131', '20310201');
    expect(await days({ ...january, rrule: 'FREQ=MONTHLY;BYMONTHDAY=31;COUNT=4' })).toEqual([
      ...['20310131', '20310331', '20310531', '20310731'],
    ]);
    const lastFridays = { ...january, rrule: 'FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1' };
    expect(await days(lastFridays, { rangeStart: '20310131', rangeEnd: '20310501' })).toEqual([
      ...['20310131', '20310228', '20310328', '20310425'],
    ]);
    const leapDays = { ...times('20320229', '20320301'), rrule: 'FREQ=YEARLY' };
    expect(await days(leapDays, { ...THIRTIES, rangeEnd: '20410101T000000Z' })).toEqual([
      ...['20320229', '20360229', '20400229'],
    ]);
    const bogota = times('20310608T220000', '20310608T230000', 'America/Bogota');
    expect(await days({ ...bogota, rrule: 'FREQ=DAILY;UNTIL=20310610T235959Z' })).toEqual([
      ...['20310608T220000', '20310609T220000'],
    ]);
    const player = await someone();
    await created(player, { ...times('20310610', '20310611'), rrule: 'FREQ=DAILY;UNTIL=20310612' });
    expect((await shown(player)).map(({ recurrenceId }) => recurrenceId)).toEqual(['20310610', '20310611', '20310612']);
  });

  it('days name occurrences of timed series, and added ones begin when the others do', async () => {
    const player = await someone();
    const series = { ...times('20310601T100000', '20310601T110000', 'Europe/Berlin'), rrule: 'FREQ=DAILY;COUNT=3' };
    const { id } = await created(player, { ...series, recurrenceDates: ['20310610'] });
    expect(await starts(player)).toEqual([
      ...['20310601T100000', '20310602T100000', '20310603T100000', '20310610T100000'],
    ]);
    const [changed] = dataOf(await update(player, id, { deleteExceptionDates: ['20310602', '20310610'] })).updated;
    expect(changed).toMatchObject({ deleteExceptionDates: ['20310602T080000Z', '20310610T080000Z'] });
    expect((await update(player, id, { deleteExceptionDates: ['20310605'] })).code).toBe('CAL-4061');
    expect((await create(player, { ...series, deleteExceptionDates: ['20310605'] })).code).toBe('CAL-4061');
  });

  it('a series has an occurrence', async () => {
    const player = await someone();
    const past = 'FREQ=DAILY;UNTIL=20310601T000000Z';
    expect((await create(player, { ...JUNE_5, rrule: past })).code).toBe('CAL-4002');
    const never = 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30';
    expect((await create(player, { ...JUNE_5, rrule: never })).code).toBe('CAL-4002');
    const { id } = await created(player, { ...JUNE_5, rrule: 'FREQ=DAILY;UNTIL=20310610T000000Z' });
    expect((await update(player, id, { rrule: past })).code).toBe('CAL-4002');
    expect((await update(player, id, times('20310611T080000Z', '20310611T090000Z'))).code).toBe('CAL-4002');
    expect(await shown(player)).toHaveLength(5);
  });

  it('a series has an occurrence that is not deleted', async () => {
    const player = await someone();
    const days = (count: number): string[] => Array.from({ length: count }, (_, index) => nth(index + 1));
    expect((await create(player, { ...daily(2), deleteExceptionDates: days(2) })).code).toBe('CAL-4002');
    const single = await created(player, times('20310602T100000Z', '20310602T110000Z'));
    const emptied = { rrule: 'FREQ=DAILY;COUNT=2', deleteExceptionDates: days(2) };
    expect((await update(player, single.id, emptied)).code).toBe('CAL-4002');
    const series = await created(player, { ...daily(4), deleteExceptionDates: days(2) });
    expect((await update(player, series.id, { rrule: 'FREQ=DAILY;COUNT=2' })).code).toBe('CAL-4002');
    expect((await update(player, series.id, { rrule: 'FREQ=DAILY;UNTIL=20310603T100000Z' })).code).toBe('CAL-4002');
    expect(await starts(player)).toEqual(['20310602T100000Z', '20310604T100000Z', '20310605T100000Z']);
    dataOf(await update(player, series.id, { location: 'L' }, { recurrenceId: nth(3) }));
    dataOf(await update(player, series.id, { rrule: 'FREQ=DAILY;COUNT=3', deleteExceptionDates: days(2) }));
    // A changed occurrence is left.
    expect(await starts(player)).toEqual(['20310602T100000Z', '20310604T100000Z']);
    expect((await update(player, series.id, { rrule: 'FREQ=DAILY;COUNT=2' })).code).toBe('CAL-4002');
  });

  it('CU-17, CS-21: a single event becomes a series, and occurrences are answered inside the range', async () => {
    const player = await someone();
    const single = await created(player, daily(1).rrule && times('20310602T100000Z', '20310602T110000Z'));
    const range = { expand: true, rangeStart: '20310601', rangeEnd: '20310701' };
    const result = dataOf(await update(player, single.id, { rrule: 'FREQ=DAILY;COUNT=4' }, range));
    expect(result.created.map(({ recurrenceId }: Json) => recurrenceId)).toEqual([1, 2, 3, 4].map(nth));
    expect(result.updated).toEqual([]);
    expect(result.deleted).toMatchObject([{ id: single.id }]);
    expect(await get(player, single.id)).toMatchObject({ seriesId: single.id, rrule: 'FREQ=DAILY;COUNT=4' });
    const again = dataOf(await update(player, single.id, { rrule: 'COUNT=4;FREQ=DAILY', summary: 'S' }));
    expect(again.updated).toMatchObject([{ rrule: 'FREQ=DAILY;COUNT=4', sequence: 2 }]);
    const made = dataOf(await create(player, daily(6), { ...range, rangeEnd: '20310604' }));
    expect(made.created).toHaveLength(2);
    const endless = { ...range, rangeEnd: '20350101' };
    expect((await create(player, daily(), endless)).code).toBe('CAL-5072');
    expect((await all(player)).filter(({ rrule }) => rrule === 'FREQ=DAILY')).toEqual([]);
    const [back] = dataOf(await update(player, single.id, { rrule: null })).updated;
    expect(back).not.toHaveProperty('seriesId');
  });
});

describe('chronos: exceptions', () => {
  it('CS-07, CS-08, CS-09, CS-14, CS-22: a changed occurrence is an event of its own in its place', async () => {
    const player = await someone();
    const { id } = await created(player, daily(6));
    const first = dataOf(await update(player, id, { location: 'B' }, { recurrenceId: nth(3) }));
    expect(first.created).toMatchObject([{ seriesId: id, recurrenceId: nth(3), location: 'B' }]);
    expect(first.updated).toMatchObject([{ id, changeExceptionDates: [nth(3)] }]);
    const exception = first.created[0].id;
    expect(await shown(player)).toHaveLength(6);
    expect(await get(player, id, { recurrenceId: nth(3) })).toEqual(await get(player, exception));
    await update(player, exception, { summary: 'Other' });
    await update(player, exception, times('20310605T150000Z', '20310605T160000Z'));
    expect(await get(player, exception)).toMatchObject({ recurrenceId: nth(3), summary: 'Other', location: 'B' });
    expect(await starts(player)).toContain('20310605T150000Z');
    // CS-24: moved out of the range that its original start lies in.
    expect(await starts(player, { rangeStart: '20310604', rangeEnd: '20310605' })).toEqual([]);
    expect((await update(player, exception, { rrule: 'FREQ=WEEKLY' })).code).toBe('CAL-4035');
    expect((await update(player, exception, { rrule: null })).code).toBeUndefined();
    expect((await update(player, exception, { class: 'PRIVATE' })).code).toBe('CAL-4227');
  });

  it('an occurrence that is sent back as it was answered leaves no exception and no stamp', async () => {
    const [player, guest] = [await someone(), await someone()];
    const attendees = [{ entity: player.userId }, { entity: guest.userId }];
    const { id } = await created(player, { rrule: 'FREQ=DAILY;COUNT=3', attendees });
    const recurrenceId = '20310606T080000Z';
    const series = await get(player, id);
    const occurrence = await get(player, id, { recurrenceId });
    const own = { attendee: attendeeOf(occurrence, guest.userId) };
    for (const fields of [{ summary: occurrence.summary }, occurrence])
      expect(dataOf(await update(player, id, fields, { recurrenceId }))).toMatchObject({
        ...{ created: [], deleted: [], updated: [{ id, timestamp: series.timestamp }] },
      });
    expect((await answer(guest, id, own, { recurrenceId })).code).toBeUndefined();
    expect(await get(player, id)).toEqual(series);
    // A difference makes an exception as ever.
    const { created: made } = dataOf(await update(player, id, { summary: 'Other' }, { recurrenceId }));
    expect(made).toMatchObject([{ summary: 'Other', seriesId: id }]);
  });

  it('CS-10, CS-11: deleted occurrences come back, and people answer again', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(6), attendees: [{ entity: bob.userId }] });
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'ACCEPTED' } });
    const dates = (deleteExceptionDates: string[]) => update(ann, id, { deleteExceptionDates });
    await update(ann, id, { summary: 'X' }, { recurrenceId: nth(4) });
    const [without] = dataOf(await dates([nth(4)])).updated;
    expect(without).toMatchObject({ deleteExceptionDates: [nth(4)] });
    expect(without).not.toHaveProperty('changeExceptionDates');
    expect(attendeeOf(without, bob.userId).partStat).toBe('ACCEPTED');
    expect(await shown(ann)).toHaveLength(5);
    const [back] = dataOf(await dates([])).updated;
    expect(await shown(ann)).toHaveLength(6);
    expect(attendeeOf(back, bob.userId).partStat).toBe('NEEDS-ACTION');
    expect((await dates(['20310602T110000Z'])).code).toBe('CAL-4061');
    expect((await dates(['now'])).code).toBe('SVL-0010');
  });

  it('CS-19: a list of deleted occurrences that leaves none deletes the series', async () => {
    const [ann, bob] = await pair();
    const uninvited = await created(ann, daily(3));
    await update(ann, uninvited.id, { summary: 'Changed' }, { recurrenceId: nth(2) });
    const rest = { deleteExceptionDates: [nth(1), nth(3)] };
    // A changed occurrence is left.
    expect(dataOf(await update(ann, uninvited.id, rest))).toMatchObject({ deleted: [] });
    const [exception] = await shown(ann);
    const gone = dataOf(await update(ann, uninvited.id, { deleteExceptionDates: [1, 2, 3].map(nth) }));
    expect(gone).toMatchObject({ created: [], updated: [] });
    expect(gone.deleted.map(({ id }: Json) => id).sort()).toEqual([uninvited.id, exception!.id].sort());
    for (const { id } of [uninvited, exception!]) expect(await refusal(ann, id)).toBe('CAL-4040');
    const shared = await created(ann, { ...daily(2), attendees: [{ entity: bob.userId }] });
    dataOf(await update(ann, shared.id, { deleteExceptionDates: [1, 2].map(nth) }));
    expect((await updates(bob, 1)).deleted.map(({ id }: Json) => id)).toContain(shared.id);
    const split = await created(ann, daily(4));
    const following = { recurrenceId: nth(3), recurrenceRange: 'THISANDFUTURE' };
    const parts = dataOf(await update(ann, split.id, { deleteExceptionDates: [nth(3), nth(4)] }, following));
    expect(parts).toMatchObject({
      created: [{ rrule: expect.stringContaining('UNTIL') }],
      deleted: [{ id: split.id }],
    });
    expect(await starts(ann)).toEqual(['20310602T100000Z', '20310603T100000Z']);
  });

  it('CS-10, CS-16: deleted occurrences that come with another start are named as they were, or as they will be', async () => {
    const player = await someone();
    const change = async (fields: Json, stored: Json = { ...daily(6), deleteExceptionDates: [nth(2)] }) => {
      const { id } = await created(player, stored);
      const answer = await update(player, id, fields);
      if (answer.code) return answer.code;
      await remove(player, [{ id }]);
      return dataOf(answer).updated[0].deleteExceptionDates;
    };
    const later = (number: number): string => nth(number).replace('T10', 'T11');
    const eleven = times('20310602T110000Z', '20310602T120000Z');
    for (const named of [nth(2), later(2)])
      expect(await change({ ...eleven, deleteExceptionDates: [named] })).toEqual([later(2)]);
    for (const named of [nth(4), later(4)]) {
      expect(await change({ ...eleven, deleteExceptionDates: [nth(2), named] })).toEqual([later(2), later(4)]);
      expect(await change({ ...eleven, deleteExceptionDates: [named] })).toEqual([later(4)]);
    }
    expect(await change({ ...eleven, deleteExceptionDates: [nth(2), '20310605T103000Z'] })).toBe('CAL-4061');
    const nextDay = times('20310603T100000Z', '20310603T110000Z');
    expect(await change({ ...nextDay, deleteExceptionDates: [nth(2), nth(5)] })).toEqual([nth(3), nth(5)]);
    expect(await change({ ...nextDay, deleteExceptionDates: [nth(3)] })).toEqual([nth(3)]);
    expect(await change({ ...times('20310602', '20310603'), deleteExceptionDates: [nth(2), nth(4)] })).toEqual([
      ...['20310603', '20310605'],
    ]);
    const zoned = (tzid: string): Json => times('20310602T100000', '20310602T110000', tzid);
    const berlin = { ...daily(6), ...zoned('Europe/Berlin'), deleteExceptionDates: ['20310603T080000Z'] };
    for (const named of ['20310603T080000Z', '20310603T140000Z'])
      expect(await change({ ...zoned('America/New_York'), deleteExceptionDates: [named] }, berlin)).toEqual([
        '20310603T140000Z',
      ]);
  });

  it('CS-10, CS-16: an exception goes with its occurrence, which is deleted as the series begins at another time', async () => {
    const player = await someone();
    const { id } = await created(player, daily(6));
    const [exception] = dataOf(await update(player, id, { summary: 'X' }, { recurrenceId: nth(3) })).created;
    const eleven = times('20310602T110000Z', '20310602T120000Z');
    dataOf(await update(player, id, { ...eleven, deleteExceptionDates: ['20310604T110000Z'] }));
    expect(await refusal(player, exception.id)).toBe('CAL-4040');
    expect(await starts(player)).toEqual([1, 2, 4, 5, 6].map((number) => nth(number).replace('T10', 'T11')));
  });

  it('CS-15, CS-16, CS-23: exceptions follow their series where they are like it', async () => {
    const player = await someone();
    const { id } = await created(player, { ...daily(6), location: 'A' });
    const exception = async (number: number, fields: Json) =>
      dataOf(await update(player, id, fields, { recurrenceId: nth(number) })).created[0].id;
    const moved = await exception(2, { location: 'C', ...times('20310603T150000Z', '20310603T160000Z') });
    const named = await exception(3, { summary: 'Named' });
    await update(player, id, { location: 'B', color: 'teal', url: 'https://example.org/' });
    expect(await get(player, moved)).toMatchObject({ location: 'C', color: 'teal', url: 'https://example.org/' });
    expect(await get(player, named)).toMatchObject({ location: 'B', color: 'teal' });
    await update(player, id, times('20310602T110000Z', '20310602T120000Z'));
    expect(await get(player, moved)).toMatchObject({
      recurrenceId: '20310603T110000Z',
      ...times('20310603T150000Z', '20310603T160000Z'),
    });
    expect(await get(player, named)).toMatchObject({
      recurrenceId: '20310604T110000Z',
      ...times('20310604T110000Z', '20310604T120000Z'),
    });
    expect((await get(player, id)).changeExceptionDates).toEqual(['20310603T110000Z', '20310604T110000Z']);
    await update(player, id, times('20310603T110000Z', '20310603T120000Z'));
    expect((await get(player, id)).changeExceptionDates).toEqual(['20310604T110000Z', '20310605T110000Z']);
    const { deleted } = dataOf(await update(player, id, { rrule: 'FREQ=WEEKLY;COUNT=2' }));
    expect(deleted.map((each: Json) => each.id).sort()).toEqual([moved, named].sort());
    expect(await refusal(player, moved)).toBe('CAL-4040');
  });

  it('rights of attendees are those of the whole series, and its class stays on one side of public', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(3), attendees: [{ entity: bob.userId }] });
    const change = (fields: Json, query: Json = {}) => update(ann, id, fields, query);
    const [exception] = dataOf(await change({ location: 'B' }, { recurrenceId: nth(2) })).created;
    dataOf(await change({ attendeePrivileges: 'MODIFY' }));
    expect((await get(ann, exception.id)).attendeePrivileges).toBe('MODIFY');
    dataOf(await change({ attendeePrivileges: 'DEFAULT' }));
    expect(await get(ann, exception.id)).not.toHaveProperty('attendeePrivileges', 'MODIFY');
    expect(await change({ class: 'CONFIDENTIAL' })).toMatchObject({ code: 'CAL-4227' });
    const other = await created(ann, { ...daily(3), class: 'CONFIDENTIAL' });
    dataOf(await update(ann, other.id, { location: 'B' }, { recurrenceId: nth(2) }));
    expect(await update(ann, other.id, { class: 'PUBLIC' })).toMatchObject({ code: 'CAL-4227' });
    dataOf(await update(ann, other.id, { class: 'PRIVATE' }));
  });

  it('CS-17, CS-18: each sees his own exceptions', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(4), attendees: [{ entity: bob.userId }] });
    await remove(bob, [{ id, recurrenceId: nth(2) }]);
    expect(await starts(bob)).toHaveLength(3);
    const his = await get(bob, id);
    expect(his.deleteExceptionDates).toEqual([nth(2)]);
    expect(his).not.toHaveProperty('changeExceptionDates');
    expect((await get(ann, id)).changeExceptionDates).toEqual([nth(2)]);
    expect(attendeeOf(await get(ann, id, { recurrenceId: nth(2) }), bob.userId).partStat).toBe('DECLINED');
    await update(
      ann,
      id,
      { attendees: [{ entity: ann.userId }, { uri: 'mailto:x@outside.test' }] },
      { recurrenceId: nth(3) },
    );
    expect(await starts(bob)).toHaveLength(2);
    expect((await all(bob)).find((event) => event.id === id)!.deleteExceptionDates).toEqual([nth(2), nth(3)]);
  });

  it('CS-17, CS-18: a changed exception touches its series, in which others see its date as deleted', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(6), attendees: [{ entity: bob.userId }] });
    const exception = async (number: number): Promise<Json> =>
      dataOf(await update(ann, id, { summary: 'X' }, { recurrenceId: nth(number) })).created[0];
    const [second, third] = [await exception(2), await exception(3)];
    let stamp = third.timestamp;
    const touched = async (answer: Json): Promise<void> => {
      const { timestamp } = await get(bob, id);
      expect(timestamp).toBeGreaterThan(stamp);
      expect(answer.updated).toContainEqual(expect.objectContaining({ id, timestamp }));
      stamp = timestamp;
    };
    await touched(dataOf(await update(ann, second.id, { location: 'L' })));
    const accepted = { attendee: { entity: bob.userId, partStat: 'ACCEPTED' } };
    await touched(dataOf(await answer(bob, second.id, accepted)));
    const changesOfBob = async () => {
      const { newAndModified, deleted } = await updates(bob, stamp);
      return [newAndModified, deleted.map((each: Json) => each.id)];
    };
    const [outcome] = dataOf(await remove(bob, [{ id: second.id, recurrenceId: nth(2) }]));
    expect(outcome).toMatchObject({ deleted: [{ id: second.id }], updated: [await get(bob, id)] });
    expect(await changesOfBob()).toMatchObject([[{ id, deleteExceptionDates: [nth(2)] }], [second.id]]);
    await touched(outcome);
    const alone = { attendees: [{ entity: ann.userId }, { uri: 'mailto:x@outside.test' }] };
    const removal = dataOf(await update(ann, third.id, alone));
    expect(await changesOfBob()).toMatchObject([[{ id, deleteExceptionDates: [nth(2), nth(3)] }], [third.id]]);
    await touched(removal);
    // The older interface tells it, too.
    const rename = { id: second.id, folder: ann.folder, timestamp: 9e15 };
    expect((await ann.put('calendar', 'update', rename, { title: 'Y' })).code).toBeUndefined();
    expect((await updates(bob, stamp)).newAndModified).toMatchObject([{ id, deleteExceptionDates: [nth(2), nth(3)] }]);
    // An answer of his shows all dates that are deleted for him.
    const [fourth] = dataOf(await answer(bob, id, accepted, { recurrenceId: nth(4) })).updated;
    expect(fourth).toMatchObject({ deleteExceptionDates: [nth(2), nth(3)], changeExceptionDates: [nth(4)] });
  });

  it('an occurrence that an attendee excludes is off for him alone; what he knows already says nothing', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const { id } = await created(ann, { rrule: 'FREQ=DAILY;COUNT=5', attendees: [{ entity: bob.userId }] });
    const day = (number: number): string => `2031060${number}T080000Z`;
    const changed = (fields: Json) => update(bob, id, fields, { folder: folderOf(bob) });
    dataOf(await changed({ deleteExceptionDates: [day(6)] }));
    const seen = await get(bob, id);
    expect([seen.deleteExceptionDates, seen.changeExceptionDates]).toEqual([[day(6)], undefined]);
    const hers = await get(ann, id);
    expect([hers.deleteExceptionDates, hers.changeExceptionDates]).toEqual([undefined, [day(6)]]);
    const occurrence = await get(ann, id, { recurrenceId: day(6) });
    expect(attendeeOf(occurrence, bob.userId)).toMatchObject({ partStat: 'DECLINED' });
    // His client sends the whole event back, with alarms of his own.
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT15M', related: 'START' } }];
    dataOf(await changed({ deleteExceptionDates: seen.deleteExceptionDates, alarms }));
    expect(await get(bob, id)).toMatchObject({ deleteExceptionDates: [day(6)], alarms });
    dataOf(await changed({ deleteExceptionDates: [day(6), day(7)], alarms: [] }));
    const last = await get(bob, id);
    expect([last.deleteExceptionDates, last.alarms]).toEqual([[day(6), day(7)], undefined]);
    expect(await changed({ deleteExceptionDates: ['20310607T090000Z'] })).toMatchObject({ code: 'CAL-4061' });
    expect(await changed({ deleteExceptionDates: [day(8)], summary: 'Other' })).toMatchObject({ code: 'CAL-4038' });
    expect((await get(bob, id)).deleteExceptionDates).toEqual([day(6), day(7)]);
  });

  it('CU-09: an attendee who acts for the organizer loses no occurrence of others, and deletes for all', async () => {
    const [ann, bob] = await pair();
    const people = { attendees: [{ entity: bob.userId }], attendeePrivileges: 'MODIFY' };
    const { id } = await created(ann, { ...daily(5), ...people });
    dataOf(await remove(bob, [{ id, recurrenceId: nth(2) }]));
    const without = { attendees: [{ entity: ann.userId }, { uri: 'mailto:x@outside.test' }] };
    dataOf(await update(ann, id, without, { recurrenceId: nth(3) }));
    const seen = await get(bob, id);
    expect(seen.deleteExceptionDates).toEqual([nth(2), nth(3)]);
    // His client sends the whole event back.
    const { updated, deleted } = dataOf(await update(bob, id, { ...seen, location: 'There' }));
    expect([updated, deleted]).toMatchObject([[{ id, location: 'There', deleteExceptionDates: [nth(2), nth(3)] }], []]);
    const hers = await get(ann, id);
    expect([hers.location, hers.deleteExceptionDates]).toEqual(['There', undefined]);
    expect(hers.changeExceptionDates).toEqual([nth(2), nth(3)]);
    expect(await starts(ann)).toEqual([1, 2, 3, 4, 5].map(nth));
    expect((await get(ann, id, { recurrenceId: nth(2) })).location).toBe('There');
    dataOf(await update(bob, id, { deleteExceptionDates: [nth(2), nth(3), nth(5)] }));
    expect(await starts(ann)).toEqual([1, 2, 3, 4].map(nth));
    expect(await starts(bob)).toEqual([1, 4].map(nth));
  });

  it('CU-09: an attendee who acts for the organizer keeps to the classes of events', async () => {
    const [ann, bob] = await pair();
    const of = (fields: Json, attendees: Json[] = []) =>
      created(ann, { attendeePrivileges: 'MODIFY', attendees: [{ entity: bob.userId }, ...attendees], ...fields });
    const room = { entity: cast.room, cuType: 'RESOURCE' };
    const booked = await of(times('20310721T100000Z', '20310721T110000Z'), [room]);
    expect((await update(bob, booked.id, { class: 'PRIVATE' })).code).toBe('CAL-42210');
    expect((await get(ann, booked.id)).class).toBe('PUBLIC');
    const series = await of(daily(3));
    const [{ id }] = dataOf(await update(bob, series.id, { location: 'B' }, { recurrenceId: nth(2) })).created;
    expect((await update(bob, id, { class: 'PRIVATE' })).code).toBe('CAL-4227');
    expect((await get(ann, id)).class).toBe('PUBLIC');
    const single = await of({});
    dataOf(await update(bob, single.id, { class: 'PRIVATE' }));
    expect((await get(ann, single.id)).class).toBe('PRIVATE');
  });

  it('CA-07, CL-09: an answer, or alarms, for one occurrence', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(4), attendees: [{ entity: bob.userId }] });
    const declined = { attendee: { entity: bob.userId, partStat: 'DECLINED' } };
    const { created: exceptions } = dataOf(await answer(bob, id, declined, { recurrenceId: nth(3) }));
    expect(exceptions).toMatchObject([{ seriesId: id, recurrenceId: nth(3), sequence: 0 }]);
    const waiting = dataOf(await bob.get('chronos', 'needsAction', { ...THIRTIES, fields: 'id' }));
    expect(waiting).toEqual([{ id }]);
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'TENTATIVE' } });
    expect(attendeeOf(await get(ann, exceptions[0].id), bob.userId).partStat).toBe('DECLINED');
    const alarms = [{ action: 'DISPLAY', trigger: { duration: '-PT5M' } }];
    const own = dataOf(await answer(bob, id, { alarms }, { recurrenceId: nth(2) })).created[0];
    expect(own).toMatchObject({ alarms, sequence: 0 });
    expect(await get(ann, own.id)).not.toHaveProperty('alarms');
    expect(await get(bob, id)).not.toHaveProperty('alarms');
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'ACCEPTED' } });
    expect(attendeeOf(await get(ann, own.id), bob.userId).partStat).toBe('ACCEPTED');
  });
});

describe('chronos: this and all that follow', () => {
  it('CS-12: the old id keeps the later part', async () => {
    const player = await someone();
    const weekly = { ...times('20310602T100000Z', '20310602T110000Z'), rrule: 'FREQ=WEEKLY;COUNT=10', summary: 'old' };
    const week = (number: number): string =>
      new Date(Date.UTC(2031, 5, 2 + 7 * (number - 1), 10)).toISOString().replace(/[-:]|\.000/g, '');
    const { id } = await created(player, weekly);
    const exception = async (number: number) =>
      dataOf(await update(player, id, { location: 'L' }, { recurrenceId: week(number) })).created[0].id;
    const [second, eighth] = [await exception(2), await exception(8)];
    await remove(player, [{ id, recurrenceId: week(9) }]);
    const split = { recurrenceId: week(5), recurrenceRange: 'THISANDFUTURE' };
    const result = dataOf(await update(player, id, { summary: 'new' }, split));
    const [detached] = result.created;
    expect(result.created).toHaveLength(1);
    expect(await get(player, id)).toMatchObject({
      summary: 'new',
      startDate: at(week(5)),
      rrule: expect.stringContaining('COUNT=6'),
    });
    expect(await get(player, detached.id)).toMatchObject({
      summary: 'old',
      startDate: at(week(1)),
      changeExceptionDates: [week(2)],
    });
    expect((await get(player, id)).relatedTo).toBe(detached.relatedTo);
    expect(detached.relatedTo).toMatch(/^X-CALENDARSERVER-RECURRENCE-SET:/);
    expect(await get(player, second)).toMatchObject({ seriesId: detached.id, summary: 'old' });
    expect(await get(player, eighth)).toMatchObject({ seriesId: id, summary: 'new', recurrenceId: week(8) });
    expect(await starts(player)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10].map(week));
    const legacy = await player.get('calendar', 'all', {
      ...{ columns: '1,201', start: 0, end: 3e12 },
      folder: player.folder,
      timezone: 'UTC',
    });
    expect(legacy.data).toHaveLength(9);
  });

  it('CS-12: occurrences that a split moves or leaves out are gone', async () => {
    const player = await someone();
    const split = async (fields: Json): Promise<Json> => {
      const { id } = await created(player, daily(5));
      const range = { expand: true, rangeStart: '20310601', rangeEnd: '20310701' };
      const answer = await update(player, id, fields, {
        recurrenceId: nth(3),
        recurrenceRange: 'THISANDFUTURE',
        ...range,
      });
      const { created: made, updated, deleted } = dataOf(answer);
      const named = (events: Json[]) => events.map((each) => [each.id === id, each.recurrenceId]);
      await remove(player, [{ id }]);
      return { made: named(made), updated: named(updated), deleted: deleted.map((each: Json) => each.recurrenceId) };
    };
    const later = (number: number): string => nth(number).replace('T10', 'T14');
    const moved = await split(times('20310604T140000Z', '20310604T150000Z'));
    expect(moved).toEqual({
      made: [...[1, 2].map((number) => [false, nth(number)]), ...[3, 4, 5].map((number) => [true, later(number)])],
      updated: [],
      deleted: [1, 2, 3, 4, 5].map(nth),
    });
    const thinned = await split({ rrule: 'FREQ=DAILY;INTERVAL=2;COUNT=3' });
    expect(thinned).toEqual({
      made: [...[1, 2].map((number) => [false, nth(number)]), [true, nth(7)]],
      updated: [3, 5].map((number) => [true, nth(number)]),
      deleted: [1, 2, 4].map(nth),
    });
  });

  it('CS-12: deleted occurrences of the earlier part are none of the later one', async () => {
    const player = await someone();
    const { id } = await created(player, { ...daily(6), deleteExceptionDates: [nth(2), nth(5)] });
    const split = { recurrenceId: nth(4), recurrenceRange: 'THISANDFUTURE' };
    const fields = { summary: 'new', deleteExceptionDates: [nth(2), nth(5)] };
    const { created: made, updated } = dataOf(await update(player, id, fields, split));
    expect(made).toMatchObject([{ deleteExceptionDates: [nth(2)] }]);
    expect(updated).toMatchObject([{ summary: 'new', deleteExceptionDates: [nth(5)] }]);
    expect(await starts(player)).toEqual([1, 3, 4, 6].map(nth));
  });

  it('CU-09: an attendee splits a series when he acts for the organizer', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(6), attendees: [{ entity: bob.userId }] });
    const split = { recurrenceId: nth(4), recurrenceRange: 'THISANDFUTURE' };
    dataOf(await remove(bob, [{ id, recurrenceId: nth(2) }]));
    const later = { location: 'Later', deleteExceptionDates: [nth(2)] };
    expect((await update(bob, id, later, split)).code).toBe('CAL-4038');
    dataOf(await update(ann, id, { attendeePrivileges: 'MODIFY' }));
    const { created: parts, updated } = dataOf(await update(bob, id, later, split));
    expect(parts).toMatchObject([{ startDate: at(nth(1)), deleteExceptionDates: [nth(2)] }]);
    expect(updated).toMatchObject([{ id, startDate: at(nth(4)), location: 'Later' }]);
    expect((await shown(ann)).map(({ startDate, location }) => [startDate.value, location])).toEqual([
      ...[1, 2, 3].map((number) => [nth(number), undefined]),
      ...[4, 5, 6].map((number) => [nth(number), 'Later']),
    ]);
    expect(await starts(bob)).toEqual([1, 3, 4, 5, 6].map(nth));
  });

  it('CS-13: no gap and no double; not before the first, not behind the last', async () => {
    const player = await someone();
    const { id } = await created(player, daily());
    const range = { rangeStart: '20310601', rangeEnd: '20310701' };
    const before = await starts(player, range);
    const split = (recurrenceId: string) =>
      update(player, id, { location: 'L' }, { recurrenceId, recurrenceRange: 'THISANDFUTURE' });
    await split(nth(10));
    expect(await starts(player, range)).toEqual(before);
    expect((await shown(player, range)).filter(({ location }) => location === 'L')).toHaveLength(before.length - 9);
    const whole = dataOf(await split(nth(10)));
    expect(whole.created).toEqual([]);
    const ended = await created(player, daily(3));
    const late = { recurrenceId: nth(9), recurrenceRange: 'THISANDFUTURE' };
    expect((await update(player, ended.id, {}, late)).code).toBe('CAL-4063');
    const last = { recurrenceId: nth(3), recurrenceRange: 'THISANDFUTURE' };
    await remove(player, [{ id: ended.id, recurrenceId: nth(3) }]);
    const left = await starts(player, range);
    expect((await update(player, ended.id, { location: 'L' }, last)).code).toBe('CAL-4063');
    expect(await starts(player, range)).toEqual(left);
  });

  it('CS-13: a split at a time that the clocks skip leaves the others where they were', async () => {
    const player = await someone('Europe/Berlin');
    const zoned = times('20310316T023000', '20310316T033000', 'Europe/Berlin');
    const { id } = await created(player, { ...zoned, rrule: 'FREQ=WEEKLY;COUNT=6' });
    const before = await starts(player);
    const split = { recurrenceId: '20310330T013000Z', recurrenceRange: 'THISANDFUTURE' };
    dataOf(await update(player, id, { summary: 'new' }, split));
    expect(await starts(player)).toEqual(before);
    const rest = await get(player, id);
    expect(rest).toMatchObject({ rrule: 'FREQ=WEEKLY;COUNT=4', startDate: at('20310330T033000', 'Europe/Berlin') });
    const { startDate, endDate } = rest;
    dataOf(await update(player, id, { startDate, endDate, location: 'L' }));
    expect(await starts(player)).toEqual(before);
    const query = { start: 0, end: 3e12, columns: '201', folder: player.folder, timezone: 'Europe/Berlin' };
    const { data } = (await player.get('calendar', 'all', query)) as { data: number[][] };
    expect(data.map(([start]) => new Date(start!).toISOString().replace(/[-:]|\.000Z/g, ''))).toEqual(before);
    const busy = await player.put(
      'chronos',
      'freeBusy',
      { from: '20310310', until: '20310501' },
      {
        attendees: [{ entity: player.userId }],
      },
    );
    expect(busy.data[0].freeBusyTime.map((each: Json) => new Date(each.startTime).toISOString().slice(0, 16))).toEqual([
      ...['2031-03-16T01:30', '2031-03-23T01:30', '2031-03-30T01:30', '2031-04-06T00:30', '2031-04-13T00:30'],
      '2031-04-20T00:30',
    ]);
  });

  it('CS-01: a series that begins at a time that the clocks skip goes on at that time', async () => {
    const player = await someone('Europe/Berlin');
    const zoned = times('20310330T023000', '20310330T040000', 'Europe/Berlin');
    const { id } = await created(player, { ...zoned, rrule: 'FREQ=DAILY;COUNT=3' });
    const all = ['20310330T033000', '20310331T023000', '20310401T023000'];
    expect(await starts(player)).toEqual(all);
    const { folder, session } = player;
    const exported = await player.fetch('GET', '/export', { action: 'ICAL', session, folder });
    expect(await exported.text()).toContain('DTSTART;TZID=Europe/Berlin:20310330T023000');
    dataOf(await update(player, id, times('20310330T100000', '20310330T113000', 'Europe/Berlin')));
    expect(await starts(player)).toEqual(['20310330T100000', '20310331T100000', '20310401T100000']);
  });

  it('refuses what stands in the way as a whole, and splits for the organizer only', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(6), attendees: [{ entity: bob.userId }] });
    await created(ann, times('20320101T100000Z', '20320101T110000Z'));
    const split = { recurrenceId: nth(3), recurrenceRange: 'THISANDFUTURE' };
    const later = times('20320101T103000Z', '20320101T113000Z');
    const { conflicts } = dataOf(await update(ann, id, later, { ...split, checkConflicts: true }));
    expect(conflicts).toHaveLength(1);
    expect(await get(ann, id)).toMatchObject({ rrule: 'FREQ=DAILY;COUNT=6', startDate: at('20310602T100000Z') });
    expect((await update(bob, id, {}, split)).code).toBe('CAL-4038');
  });

  it('CS-08, CS-18: a changed occurrence is deleted by the series that it belongs to', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, { ...daily(5), attendees: [{ entity: bob.userId }] });
    const change = async (number: number, fields: Json): Promise<string> =>
      dataOf(await update(ann, id, fields, { recurrenceId: nth(number) })).created[0].id;
    const [second, third] = [await change(2, { summary: '2' }), await change(3, { summary: '3' })];
    await change(4, { attendees: [{ entity: ann.userId }] });
    const own = { id, folder: folderOf(bob) };
    const [left, again, never] = dataOf(
      await remove(
        bob,
        [2, 2, 4].map((number) => ({ ...own, recurrenceId: nth(number) })),
      ),
    );
    expect(left).toMatchObject({ recurrenceId: nth(2), deleted: [{ id: second, recurrenceId: nth(2) }] });
    expect([again.error.code, never.error.code]).toEqual(['CAL-4042', 'CAL-4042']);
    expect(attendeeOf(await get(ann, second), bob.userId).partStat).toBe('DECLINED');
    const both = [2, 3].map((number) => ({ id, recurrenceId: nth(number) }));
    const gone = dataOf(await remove(ann, both)).map(({ deleted }: Json) => deleted[0].id);
    expect(gone).toEqual([second, third]);
    expect(await get(ann, id)).toMatchObject({ deleteExceptionDates: [nth(2), nth(3)] });
    const [twice] = dataOf(await remove(ann, both));
    expect(twice.error.code).toBe('CAL-4042');
  });

  it('CD-03: who took himself out of a series is asked again in all of it when it moves', async () => {
    const [ann, bob, cat] = [...(await pair()), await someone()];
    const attendees = [{ entity: bob.userId }, { entity: cat.userId }];
    const { id } = await created(ann, { ...daily(4), attendees });
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'DECLINED' } }, { recurrenceId: nth(2) });
    dataOf(await remove(cat, [{ id, recurrenceId: nth(3) }]));
    dataOf(await remove(cat, [{ id }]));
    expect(await starts(cat)).toEqual([]);
    dataOf(await update(ann, id, times('20310602T080000Z', '20310602T110000Z')));
    expect(await starts(cat)).toEqual(['02', '03', '04', '05'].map((day) => `203106${day}T080000Z`));
    for (const event of await shown(ann)) {
      expect(attendeeOf(event, cat.userId).partStat).toBe('NEEDS-ACTION');
      expect(attendeeOf(event, bob.userId).partStat).toBe('NEEDS-ACTION');
    }
  });

  it('CS-08: who is invited to an occurrence alone names it by its series, too', async () => {
    const [ann, bob] = await pair();
    const { id } = await created(ann, daily(4));
    const attendees = [{ entity: ann.userId }, { entity: bob.userId }];
    const [{ id: own }] = dataOf(await update(ann, id, { attendees }, { recurrenceId: nth(2) })).created;
    const name = { folder: folderOf(bob), id, recurrenceId: nth(2) };
    expect(await get(bob, id, { recurrenceId: nth(2) })).toMatchObject({ id: own, seriesId: id });
    expect(dataOf(await bob.put('chronos', 'list', {}, [name]))).toMatchObject([{ id: own }]);
    expect(await refusal(bob, id, { recurrenceId: nth(3) })).toBe('CAL-4041');
    expect(await refusal(bob, id)).toBe('CAL-4041');
    const accepted = { attendee: { entity: bob.userId, partStat: 'ACCEPTED' } };
    expect((await answer(bob, id, accepted, { recurrenceId: nth(3) })).code).toBe('CAL-4041');
    const { updated } = dataOf(await answer(bob, id, accepted, { recurrenceId: nth(2) }));
    expect(updated.map((each: Json) => each.id)).toContain(own);
    const [gone] = dataOf(await remove(bob, [{ id, recurrenceId: nth(2) }]));
    expect(gone).not.toHaveProperty('error');
    expect(await starts(bob)).toEqual([]);
    expect(attendeeOf(await get(ann, own), bob.userId).partStat).toBe('DECLINED');
  });

  it('CL-09: alarms of a series are those of the occurrences that nothing but answers make differ', async () => {
    const [ann, bob, cat] = [...(await pair()), await someone()];
    const { id } = await created(ann, { ...daily(3), attendees: [{ entity: bob.userId }, { entity: cat.userId }] });
    const alarm = (minutes: number): Json => ({ action: 'DISPLAY', trigger: { duration: `-PT${minutes}M` } });
    await answer(cat, id, { attendee: { entity: cat.userId, partStat: 'DECLINED' } }, { recurrenceId: nth(2) });
    const triggers = async () =>
      (await shown(bob)).map(({ alarms }) => alarms?.map((each: Json) => each.trigger.duration));
    await answer(bob, id, { attendee: { entity: bob.userId, partStat: 'ACCEPTED' }, alarms: [alarm(10)] });
    expect(await triggers()).toEqual([['-PT10M'], ['-PT10M'], ['-PT10M']]);
    // One of his own stays.
    await answer(bob, id, { alarms: [alarm(5)] }, { recurrenceId: nth(2) });
    await answer(bob, id, { alarms: [alarm(20)] });
    expect(await triggers()).toEqual([['-PT20M'], ['-PT5M'], ['-PT20M']]);
  });

  it('CS-19, CS-20: deletes one by one, and all that follow', async () => {
    const [ann, bob] = await pair();
    const short = await created(ann, daily(3));
    for (const number of [1, 2, 3]) {
      const [outcome] = dataOf(await remove(ann, [{ id: short.id, recurrenceId: nth(number) }]));
      if (number < 3) expect(outcome.updated).toMatchObject([{ id: short.id, sequence: number }]);
      else expect(outcome.deleted).toMatchObject([{ id: short.id }]);
    }
    expect(await refusal(ann, short.id)).toBe('CAL-4040');
    const { id } = await created(ann, { ...daily(8), attendees: [{ entity: bob.userId }] });
    const exception = dataOf(await update(ann, id, { summary: 'X' }, { recurrenceId: nth(5) })).created[0].id;
    const following = { id, recurrenceRange: 'THISANDFUTURE' };
    const [refused] = dataOf(await remove(bob, [{ ...following, recurrenceId: nth(3) }]));
    expect(refused.error.code).toBe('CAL-4038');
    const [outcome] = dataOf(await remove(ann, [{ ...following, recurrenceId: nth(3) }]));
    expect(outcome).toMatchObject({ updated: [{ id, sequence: 1 }], deleted: [{ id: exception }] });
    expect(await starts(ann)).toEqual(['20310602T100000Z', '20310603T100000Z']);
    const [gone] = dataOf(await remove(ann, [{ ...following, recurrenceId: nth(1) }]));
    expect(gone.deleted).toMatchObject([{ id, folder: folderOf(ann) }]);
    const single = await created(ann);
    const code = async (item: Json) => dataOf(await remove(ann, [item]))[0].error.code;
    expect(await code({ id: single.id, recurrenceId: nth(1) })).toBe('CAL-4042');
    const series = await created(ann, daily(3));
    await remove(ann, [{ id: series.id, recurrenceId: nth(2) }]);
    expect(await code({ id: series.id, recurrenceId: nth(2) })).toBe('CAL-4042');
    expect(await code({ id: series.id, recurrenceId: nth(2), recurrenceRange: 'THISANDPRIOR' })).toBe('SVL-0010');
  });
});

describe('chronos: batches', () => {
  it('an error for each call, and what was written before it stays', async () => {
    const player = await someone();
    const call = (data: Json, query: Json = {}) => ({
      module: 'chronos',
      action: 'new',
      folder: folderOf(player),
      ...query,
      data,
    });
    const body = [
      call({ summary: 'A', ...times('20310602', '20310603') }),
      call({ summary: 'B' }),
      call({}, { folder: 'cal://0/35' }),
    ];
    const answers = (await player.put('multiple', '', { action: undefined }, body)) as unknown as Json[];
    expect(answers).toMatchObject([
      { data: { created: [{ summary: 'A' }] } },
      { code: 'CAL-4220' },
      { code: 'CAL-4060' },
    ]);
    expect(await all(player)).toHaveLength(1);
  });
});
