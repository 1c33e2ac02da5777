import { createFixtures, createTestUser, type Fixtures, type TestUser } from '../fixtures';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, created, FAR_FUTURE, HOUR, read, remove, update } from './calendar';

let world: TestEnvironment;
let cast: Fixtures;
let count = 0;
const someone = (): Promise<TestUser> => createTestUser(world, cast.admin, cast.contextId, `d${(count += 1)}`);

beforeAll(async () => {
  world = await startTestEnvironment({ variables: SENT_TWICE });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const times = { start_date: 1588582800000, end_date: 1588586400000 };
const gone = async (player: TestUser, id: string) =>
  (await player.get('calendar', 'get', { id, folder: player.folder })).code;

describe('calendar: delete and update', () => {
  it('DU-01: deletes several at once', async () => {
    const player = await someone();
    const [a, b] = [await created(player, times), await created(player, times)];
    expect((await remove(player, [{ id: a }, { id: b }])).data).toEqual([]);
    expect([await gone(player, a), await gone(player, b)]).toEqual(['OX-0001', 'OX-0001']);
  });

  it('DU-01: also a series together with its exceptions, and what is named twice', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const participants = [owner, guest].map(({ userId }) => ({ type: 1, id: userId }));
    const [single, id] = [
      await created(owner, { ...times, participants }),
      await created(owner, { ...times, participants, recurrence_type: 1, interval: 1, occurrences: 3 }),
    ];
    const exception = (await update(owner, id, { recurrence_position: 2, title: 'changed' })).data.id;
    const items = [{ id: single }, { id }, { id: exception }, { id: single }];
    for (const player of [guest, owner]) {
      expect((await remove(player, items)).data).toEqual([]);
      for (const each of [single, id, exception]) expect(await gone(player, each)).toMatch(/^(OX-0001|APP-0059)$/);
      expect((await remove(player, items)).code).toMatch(/^(OX-0001|APP-0059)$/);
    }
  });

  it('DU-02: one changed after the timestamp is named and stays', async () => {
    const player = await someone();
    const [a, b] = [await created(player, times), await created(player, times)];
    const before = (await read(player, b)).last_modified_utc;
    const changed = await update(player, a, { title: 'changed' });
    expect(changed.timestamp).toBeGreaterThan(before);
    const answer = await remove(player, [{ id: a }, { id: b }], before);
    expect(answer.data).toEqual([expect.objectContaining({ id: a, folder: player.folder })]);
    expect((await read(player, a)).id).toBe(a);
    expect(await gone(player, b)).toBe('OX-0001');
    expect((await remove(player, [{ id: a }], FAR_FUTURE)).data).toEqual([]);
  });

  it('DU-03: deleting an occurrence answers a later timestamp', async () => {
    const player = await someone();
    const id = await created(player, { ...times, recurrence_type: 1, interval: 1, occurrences: 5 });
    const { last_modified_utc: before } = await read(player, id);
    const answer = await remove(player, [{ id, pos: 3 }], before);
    expect(answer.data).toEqual([]);
    expect(answer.timestamp).toBeGreaterThan(before);
    expect((await read(player, id)).last_modified_utc).toBe(answer.timestamp);
    const refused = await remove(player, [{ id, pos: 2 }, { id }], before);
    expect(refused.data).toEqual([
      expect.objectContaining({ id, folder: player.folder, pos: 2 }),
      expect.not.objectContaining({ pos: expect.anything() }),
    ]);
    expect((await read(player, id)).delete_exceptions).toHaveLength(1);
  });

  it('DU-04, DU-05: the organizer deletes an occurrence for all, a member of the group takes himself out', async () => {
    const participants = [
      { type: 1, id: cast.U1.userId },
      { type: 2, id: cast.team },
    ];
    const series = { ...times, recurrence_type: 1, interval: 1, occurrences: 5, participants };
    const second = Date.UTC(2020, 4, 5);
    const exceptions = async (player: TestUser, id: string) => {
      const { change_exceptions, delete_exceptions } = await read(player, id);
      return { changed: change_exceptions ?? [], deleted: delete_exceptions ?? [] };
    };
    const byOrganizer = await created(cast.U1, series);
    expect((await remove(cast.U1, [{ id: byOrganizer, pos: 2 }])).data).toEqual([]);
    for (const player of [cast.U1, cast.U2])
      expect(await exceptions(player, byOrganizer)).toEqual({ changed: [], deleted: [second] });

    const byMember = await created(cast.U1, series);
    expect((await remove(cast.U2, [{ id: byMember, pos: 2 }])).data).toEqual([]);
    for (const player of [cast.U1, cast.U2])
      expect(await exceptions(player, byMember)).toEqual({ changed: [second], deleted: [] });
    const exception = await read(cast.U1, byMember, { recurrence_position: 2 });
    expect(exception.users.map((user: any) => user.id)).toEqual([cast.U1.userId]);
    const mine = (await all(cast.U2, '1,206,201')).filter(([, series]) => String(series) === byMember);
    expect(mine).toHaveLength(4);
    expect((await read(cast.U2, byMember)).users).toHaveLength(2);
  });

  it('DU-05: an occurrence from which the organizer takes a user is deleted for him in all answers', async () => {
    const [owner, guest] = [await someone(), await someone()];
    const participants = [owner, guest].map(({ userId }) => ({ type: 1, id: userId }));
    const id = await created(owner, { ...times, participants, recurrence_type: 1, interval: 1, occurrences: 5 });
    const [second, fourth] = [5, 7].map((day) => Date.UTC(2020, 4, day));
    const { last_modified_utc: before } = await read(guest, id);
    const alone = { recurrence_position: 4, participants: participants.slice(0, 1) };
    expect((await update(owner, id, alone)).code).toBeUndefined();
    expect((await remove(guest, [{ id, pos: 2 }])).data).toEqual([]);
    const columns = '1,210,211';
    const shown = async (player: TestUser): Promise<unknown[]> => {
      const { change_exceptions, delete_exceptions } = await read(player, id);
      const query = { columns, folder: player.folder, recurrence_master: true };
      const listed = await player.put('calendar', 'list', query, [{ id, folder: player.folder }]);
      const views = await all(player, columns, undefined, { recurrence_master: true });
      const { data: updated } = await player.get('calendar', 'updates', { ...query, timestamp: before });
      const rows = [...listed.data, ...views, ...updated].filter(([each]: any[]) => each === id);
      return [[id, change_exceptions ?? null, delete_exceptions ?? null], ...rows];
    };
    expect(await shown(guest)).toEqual(Array(4).fill([id, [second], [fourth]]));
    expect(await shown(owner)).toEqual(Array(4).fill([id, [second, fourth], null]));
    const place = { id, folder: guest.folder, recurrence_position: 4 };
    expect((await guest.get('calendar', 'get', place)).code).toBe('APP-0098');
    expect(await all(guest, '1')).toHaveLength(3);
  });

  it('DU-06: an invited user who deletes leaves the appointment to the others', async () => {
    const participants = [cast.U1, cast.U2].map((player) => ({ type: 1, id: player.userId }));
    const id = await created(cast.U1, { ...times, participants });
    expect((await remove(cast.U2, [{ id }])).data).toEqual([]);
    expect((await all(cast.U2, '1')).flat()).not.toContain(id);
    expect((await read(cast.U1, id)).id).toBe(id);
  });

  it('DU-07: a wrong folder deletes nothing', async () => {
    const player = await someone();
    const id = await created(player, times);
    expect((await remove(player, [{ id, folder: cast.U1.folder }])).error).toBeDefined();
    expect((await read(player, id)).id).toBe(id);
  });

  it('DU-08: a stale timestamp is a conflict and changes nothing', async () => {
    const player = await someone();
    const id = await created(player, times);
    const answer = await update(player, id, { title: 'late' }, { timestamp: 1000 });
    expect(answer).toMatchObject({ code: 'CAL-4120', categories: 'CONFLICT', category: 9 });
    expect((await read(player, id)).title).toBe('T');
  });

  it('DU-09: update needs an id', async () => {
    const answer = await cast.U1.put('calendar', 'update', { folder: cast.U1.folder, timestamp: FAR_FUTURE }, {});
    expect(answer).toMatchObject({ code: 'SVL-0002', error_params: ['id'] });
  });

  it('another user’s and another context’s appointments are out of reach', async () => {
    const id = await created(cast.U1, { ...times, title: 'mine' });
    for (const stranger of [cast.U3, cast.X1]) {
      for (const folder of [stranger.folder, cast.U1.folder]) {
        expect((await stranger.get('calendar', 'get', { id, folder })).error).toBeDefined();
        expect((await update(stranger, id, { title: 'yours' }, { folder })).error).toBeDefined();
        expect((await remove(stranger, [{ id, folder }])).error).toBeDefined();
      }
    }
    expect((await read(cast.U1, id)).title).toBe('mine');
    await update(cast.U1, id, { start_date: times.start_date + HOUR, end_date: times.end_date + HOUR });
  });
});
