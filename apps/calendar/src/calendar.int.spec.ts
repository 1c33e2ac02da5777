import { calendar, calendarFolders, type UserPrincipal } from '@groupware/contracts';
import { codeOf, entity, person, runCalendar, type RunningCalendar } from './testing/running-calendar';

const HOUR = 3_600_000;
const FUTURE = 9_000_000_000_000;
let running: RunningCalendar;
let next = 100;

/** A user with an empty calendar. */
async function someone(options: Partial<UserPrincipal> = {}) {
  const user = person((next += 1), options);
  const [folders] = await running.call(calendarFolders.visible, {
    query: { parts: [{}] },
    principal: { kind: 'internal', service: 'folders', contextId: user.contextId, user },
  });
  return { user, folder: String(folders.find((folder: any) => folder.isDefault).id) };
}
type Someone = Awaited<ReturnType<typeof someone>>;

const create = ({ user, folder }: Someone, body: object, query: object = {}) =>
  running.request(calendar.new, {
    principal: user,
    query: { timezone: 'UTC', ...query },
    body: {
      title: 'T',
      folder_id: folder,
      start_date: 1588582800000,
      end_date: 1588586400000,
      ignore_conflicts: true,
      ...body,
    },
  });
const created = async (who: Someone, body: object = {}): Promise<string> => (await create(who, body)).json.id;
const read = ({ user, folder }: Someone, id: string, query: object = {}) =>
  running.call(calendar.get, { principal: user, query: { id, folder, timezone: 'UTC', ...query } });
const all = ({ user, folder }: Someone, columns: string, query: object = {}) =>
  running.call(calendar.all, {
    principal: user,
    query: { start: 631152000000, end: 2524608000000, columns: columns.split(','), folder, timezone: 'UTC', ...query },
  });
const update = ({ user, folder }: Someone, id: string, body: object, query: object = {}) =>
  running.request(calendar.update, {
    principal: user,
    query: { id, folder, timestamp: FUTURE, timezone: 'UTC', ...query },
    body: { ignore_conflicts: true, ...body },
  });
const remove = ({ user, folder }: Someone, references: object[], timestamp = FUTURE) =>
  running.request(calendar.delete, {
    principal: user,
    query: { timestamp },
    body: references.map((reference) => ({ folder, ...reference })),
  });

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

describe('calendar', () => {
  it('stores an appointment with its creator as accepted user', async () => {
    const ann = await someone();
    const answer = await create(ann, {});
    expect(answer.timestamp).toBeGreaterThan(0);
    expect(await read(ann, answer.json.id)).toMatchObject({
      id: answer.json.id,
      folder_id: ann.folder,
      title: 'T',
      start_date: 1588582800000,
      end_date: 1588586400000,
      users: [{ id: ann.user.userId, confirm: 1 }],
      recurrence_type: 0,
    });
    expect((await all(ann, '1,20,200,201,202,207,206')).map(String)).toEqual([
      String([answer.json.id, ann.folder, 'T', 1588582800000, 1588586400000, null, null]),
    ]);
  });

  it('answers the same values as row and as object', async () => {
    const ann = await someone();
    const bob = await someone();
    const team = entity({ kind: 'group', id: 9001, displayName: 'Team', members: [ann.user.userId, bob.user.userId] });
    const room = entity({ kind: 'resource', id: 9002, displayName: 'Room', email: 'room@example.com', room: true });
    const id = await created(ann, {
      alarm: 15,
      note: 'a\nb',
      location: 'L',
      categories: 'x,y',
      color_label: 3,
      shown_as: 3,
      participants: [
        { type: 2, id: team },
        { type: 3, id: room },
        { type: 5, mail: 'x@y.invalid', display_name: 'X' },
      ],
    });
    const columns =
      '1,2,3,4,5,6,20,100,101,102,104,105,200,201,202,203,204,206,207,208,209,220,221,223,224,225,226,227,228,229,400,401,402,408'.split(
        ',',
      );
    for (const who of [ann, bob])
      for (const timezone of ['UTC', 'Europe/Berlin', 'GMT+08:00']) {
        const object = await read(who, id, { timezone });
        const [row] = await all(who, columns.join(), { timezone });
        const [listed] = await running.call(calendar.list, {
          principal: who.user,
          query: { columns, timezone },
          body: [{ id, folder: who.folder }],
        });
        expect(row).toEqual(listed);
        expect(row[columns.indexOf('221')]).toEqual(object.users);
        expect(row[columns.indexOf('220')]).toEqual(object.participants);
        expect(row[columns.indexOf('201')]).toBe(object.start_date);
        expect(row[columns.indexOf('204')] ?? undefined).toBe(object.alarm);
      }
    expect((await read(ann, id)).users).toEqual([
      { id: ann.user.userId, display_name: `User ${ann.user.userId}`, confirm: 1 },
      { id: bob.user.userId, display_name: `User ${bob.user.userId}`, confirm: 0 },
    ]);
    expect((await read(bob, id)).folder_id).toBe(bob.folder);
  });

  it('expands a series and merges it with single appointments in the order of the start', async () => {
    const ann = await someone();
    const series = await created(ann, {
      recurrence_type: 1,
      interval: 1,
      occurrences: 5,
      start_date: 1590998400000,
      end_date: 1590998400000 + HOUR,
    });
    const single = await created(ann, { start_date: 1591084800000 + HOUR, end_date: 1591084800000 + 2 * HOUR });
    const rows = await all(ann, '1,201,207,206');
    expect(rows).toEqual([
      [series, 1590998400000, 1, Number(series)],
      [series, 1591084800000, 2, Number(series)],
      [single, 1591084800000 + HOUR, null, null],
      [series, 1591171200000, 3, Number(series)],
      [series, 1591257600000, 4, Number(series)],
      [series, 1591344000000, 5, Number(series)],
    ]);
    expect(await all(ann, '1,201', { recurrence_master: true })).toEqual([
      [series, 1590998400000],
      [single, 1591084800000 + HOUR],
    ]);
  });

  it('makes an exception of one occurrence, and deletes occurrences until the series is gone', async () => {
    const ann = await someone();
    const start = 1199149200000;
    const id = await created(ann, {
      recurrence_type: 1,
      interval: 1,
      occurrences: 3,
      start_date: start,
      end_date: start + HOUR,
    });
    const moved = await update(ann, id, { recurrence_position: 2, start_date: 1199242800000, end_date: 1199246400000 });
    expect(moved.json.id).not.toBe(id);
    expect(await all(ann, '201')).toEqual([[1199149200000], [1199242800000], [1199322000000]]);
    expect(await read(ann, id)).toMatchObject({ change_exceptions: [1199232000000], occurrences: 3 });
    expect(await read(ann, moved.json.id)).toMatchObject({ recurrence_id: Number(id), recurrence_position: 2 });
    expect(await codeOf(remove(ann, [{ id, pos: 2 }]))).toBe('APP-0074');
    const byDay = { id, recurrence_date_position: 1199232000000 };
    await expect(remove(ann, [byDay])).rejects.toMatchObject({ code: 'APP-0074', params: ['2008-01-02'] });
    const stale = { id, folder: ann.folder };
    expect((await remove(ann, [{ id, pos: 3 }], 0)).json).toEqual([{ ...stale, pos: 3 }]);
    expect((await remove(ann, [{ id, recurrence_date_position: 1199318400000 }], 0)).json).toEqual([
      { ...stale, pos: 3 },
    ]);
    const gone = await remove(ann, [{ id: moved.json.id }]);
    expect(gone.timestamp).toBeGreaterThan(moved.timestamp!);
    expect(await read(ann, id)).toMatchObject({ delete_exceptions: [1199232000000] });
    await remove(ann, [
      { id, pos: 1 },
      { id, pos: 3 },
    ]);
    expect(await codeOf(read(ann, id))).toBe('OX-0001');
  });

  it('refuses a stale update and keeps what a delete finds changed', async () => {
    const ann = await someone();
    const { json, timestamp } = await create(ann, {});
    const changed = await update(ann, json.id, { title: 'New' });
    expect(changed.timestamp).toBeGreaterThan(timestamp!);
    expect(await codeOf(update(ann, json.id, { title: 'Late' }, { timestamp }))).toBe('CAL-4120');
    expect((await remove(ann, [{ id: json.id }], timestamp)).json).toEqual([{ id: json.id, folder: ann.folder }]);
    expect((await read(ann, json.id)).title).toBe('New');
    expect((await remove(ann, [{ id: json.id }], changed.timestamp)).json).toEqual([]);
  });

  it('answers soft conflicts instead of storing, and never ignores hard ones', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const room = entity({ kind: 'resource', id: 9010, displayName: 'R', email: 'r@example.com', room: true });
    const soon = Math.floor(Date.now() / HOUR) * HOUR + 48 * HOUR;
    const id = await created(ann, {
      start_date: soon,
      end_date: soon + 2 * HOUR,
      participants: [{ type: 3, id: room }],
    });
    const clash = await create(ann, { start_date: soon, end_date: soon + HOUR, ignore_conflicts: false });
    expect(clash.json).toEqual({ conflicts: [expect.objectContaining({ id, title: 'T' })] });
    expect(clash.timestamp).toBeUndefined();
    const hard = await create(bob, {
      start_date: soon + HOUR,
      end_date: soon + 3 * HOUR,
      participants: [{ type: 3, id: room }],
    });
    expect(hard.json.conflicts).toEqual([
      {
        id,
        start_date: soon,
        end_date: soon + 2 * HOUR,
        shown_as: 1,
        participants: [{ id: room, type: 3 }],
        hard_conflict: true,
      },
    ]);
    expect(
      (
        await create(bob, {
          start_date: soon + 2 * HOUR,
          end_date: soon + 3 * HOUR,
          participants: [{ type: 3, id: room }],
        })
      ).json.id,
    ).toBeDefined();
  });

  it('lets only one of many racing bookings of a room win', async () => {
    const ann = await someone();
    const room = entity({ kind: 'resource', id: 9011, displayName: 'R', email: 'r2@example.com', room: true });
    const soon = Math.floor(Date.now() / HOUR) * HOUR + 72 * HOUR;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        create(ann, { start_date: soon, end_date: soon + HOUR, participants: [{ type: 3, id: room }] }),
      ),
    );
    expect(answers.filter(({ json }) => json.id)).toHaveLength(1);
  });

  it('takes somebody invited out when he deletes, and leaves the appointment to the organizer', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { participants: [{ type: 1, id: bob.user.userId }] });
    expect((await all(bob, '1')).length).toBe(1);
    await remove(bob, [{ id }]);
    expect(await all(bob, '1')).toEqual([]);
    expect((await read(ann, id)).users).toMatchObject([{ id: ann.user.userId, confirm: 1 }]);
    expect(await codeOf(update(bob, id, { title: 'x' }))).toBe('APP-0059');
  });

  it('lets an invited user answer and set an alarm, but not change the title', async () => {
    const [ann, bob] = [await someone(), await someone()];
    const id = await created(ann, { participants: [{ type: 1, id: bob.user.userId }] });
    expect(await codeOf(update(bob, id, { title: 'x' }))).toBe('CAL-4038');
    await update(bob, id, { alarm: 30, users: [{ id: bob.user.userId, confirm: 3 }] });
    expect(await read(bob, id)).toMatchObject({ alarm: 30 });
    expect((await read(ann, id)).alarm).toBeUndefined();
    expect((await read(ann, id)).users).toContainEqual(expect.objectContaining({ id: bob.user.userId, confirm: 3 }));
  });

  it('names a default folder in the language of the user, once, however often it is asked for', async () => {
    const user = person((next += 1), { locale: 'de_DE' });
    const ask = () =>
      running.call(calendarFolders.visible, {
        query: { parts: [{}] },
        principal: { kind: 'internal', service: 'folders', contextId: 1, user },
      });
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    for (const [folders] of answers) expect(folders.map((folder: any) => folder.title)).toEqual(['Kalender']);
  });

  it('keeps contexts apart', async () => {
    const ann = await someone();
    const id = await created(ann);
    const eve = person(ann.user.userId, { contextId: 2 });
    expect(await codeOf(running.call(calendar.get, { principal: eve, query: { id, folder: ann.folder } }))).toBe(
      'FLD-0008',
    );
    expect(
      await codeOf(
        running.call(calendar.all, {
          principal: eve,
          query: { start: 0, end: FUTURE, columns: ['1'], folder: ann.folder },
        }),
      ),
    ).toBe('FLD-0008');
  });
});
