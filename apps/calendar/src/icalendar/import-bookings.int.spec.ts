import { calendar, type DirectoryResource } from '@groupware/contracts';
import { fileStoreFor } from '@groupware/file-store';
import { CalendarFiles, eventText as event, fileText as file } from '../testing/calendar-files';
import type { CalendarUser } from '../testing/calendar-user';
import { entity, runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
/** 2 March 2040, 00:00 UTC. */
const DAY = Date.UTC(2040, 2, 2);
let running: RunningCalendar;
let files: CalendarFiles;
let next = 91_000;

beforeAll(async () => {
  running = await runCalendar();
  files = new CalendarFiles(running, fileStoreFor(running.environment.FILESTORE_URL!));
}, 60_000);
afterAll(() => running?.close(), 60_000);

const room = (): { type: 3; id: number } => {
  const id = entity({
    kind: 'resource',
    id: (next += 1),
    displayName: `Room ${next}`,
    email: `room${next}@example.com`,
    available: true,
    room: true,
  } satisfies DirectoryResource);
  return { type: 3, id };
};

const at = (hour: number) => ({ start_date: DAY + hour * HOUR, end_date: DAY + (hour + 1) * HOUR });
const time = (hour: number): string => new Date(DAY + hour * HOUR).toISOString().replaceAll(/[-:]|\.\d+/g, '');
const times = (hour: number): string[] => [`DTSTART:${time(hour)}`, `DTEND:${time(hour + 1)}`];
const book = (user: CalendarUser, body: object) => user.create({ timezone: 'UTC', ...body, ignore_conflicts: true });
const starts = async (user: CalendarUser): Promise<number[]> =>
  (await user.all('201', { start: DAY, end: DAY + 240 * HOUR })).map(([start]) => (Number(start) - DAY) / HOUR);
const codes = (results: any[]): string[] => results.map(({ code, id }) => code ?? (id ? 'stored' : '?'));

describe('an import that moves bookings', () => {
  it('is refused for every event of a uid that would book a room twice; all else is stored', async () => {
    const [ann, bob, location] = [await files.enter(), await files.enter(), room()];
    await book(bob, { ...at(10), participants: [location] });
    await book(ann, { ...at(8), uid: 'single', participants: [location] });
    await book(ann, {
      ...at(6),
      uid: 'series',
      participants: [location],
      recurrence_type: 1,
      interval: 1,
      occurrences: 3,
    });
    const text = (hour: number): string =>
      file(
        event('UID:single', ...times(hour), 'SUMMARY:moved'),
        event('UID:series', ...times(6), 'RRULE:FREQ=DAILY;COUNT=3', 'SUMMARY:new title'),
        event('UID:series', `RECURRENCE-ID:${time(6)}`, ...times(hour), 'SUMMARY:moved too'),
        event('UID:other', ...times(10), 'SUMMARY:without a room'),
      );
    const before = await files.state(ann);
    expect(codes(await files.load(ann, text(10)))).toEqual(['I_E-0513', 'I_E-0513', 'I_E-0513', 'stored']);
    expect((await files.state(ann)).filter(({ uid }) => uid !== 'other')).toEqual(before);
    // Free for both is only one of them: the first of the file has it.
    expect(codes(await files.load(ann, text(12)))).toEqual(['stored', 'I_E-0513', 'I_E-0513', 'CAL-4090']);
    expect(await starts(ann)).toEqual([6, 10, 12, 30, 54]);
  });

  it('gives a new exception the people and rooms of its series, and frees the place of the occurrence', async () => {
    const [ann, guest, location] = [await files.enter(), await files.enter(), room()];
    const series = { recurrence_type: 1, interval: 1, occurrences: 3 };
    await book(ann, { ...at(6), uid: 's', ...series, participants: [location, guest.participant] });
    const text = file(
      event('UID:s', ...times(6), 'RRULE:FREQ=DAILY;COUNT=3'),
      event('UID:s', `RECURRENCE-ID:${time(30)}`, ...times(33)),
    );
    expect(codes(await files.load(ann, text))).toEqual(['stored', 'stored']);
    expect(await starts(guest)).toEqual([6, 33, 54]);
    const other = await files.enter();
    const wanted = (hour: number) =>
      other.call(calendar.new, {}, { folder_id: other.folder, ...at(hour), participants: [location] });
    expect((await wanted(33)).conflicts).toMatchObject([{ hard_conflict: true }]);
    expect((await wanted(30)).id).toBeDefined();
  });

  it('asks guests again when the file moves an appointment', async () => {
    const [ann, guest] = [await files.enter(), await files.enter()];
    const id = await book(ann, { ...at(6), uid: 'm', participants: [guest.participant] });
    await guest.update(id, { users: [{ id: guest.id, confirm: 1 }] }, { folder: guest.folder });
    const answer = async (): Promise<number> =>
      (await ann.read(id)).users.find((each: { id: number }) => each.id === guest.id).confirm;
    await files.load(ann, file(event('UID:m', ...times(6), 'SUMMARY:renamed')));
    expect(await answer()).toBe(1);
    await files.load(ann, file(event('UID:m', ...times(5))));
    expect(await answer()).toBe(0);
  });

  it('and races with others has one winner', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [ann, bob, cat] = [await files.enter(), await files.enter(), await files.enter()];
      const [location, second] = [room(), room()];
      // In different orders, so that they would meet in a deadlock.
      await book(ann, { ...at(0), uid: 'a', participants: [location] });
      await book(ann, { ...at(0), uid: 'b', participants: [second] });
      await book(bob, { ...at(3), uid: 'b', participants: [second] });
      await book(bob, { ...at(3), uid: 'a', participants: [location] });
      const text = (...uids: string[]): string => file(...uids.map((uid) => event(`UID:${uid}`, ...times(20))));
      const body = { folder_id: cat.folder, ...at(20), participants: [location] };
      const [left, right, made] = await Promise.all([
        files.load(ann, text('a', 'b')),
        files.load(bob, text('b', 'a')),
        cat.call(calendar.new, { timezone: 'UTC' }, body),
      ]);
      const one = [codes(left)[0], codes(right)[1], made.id ? 'stored' : 'I_E-0513'];
      expect(one.sort()).toEqual(['I_E-0513', 'I_E-0513', 'stored']);
      expect([codes(left)[1], codes(right)[0]].sort()).toEqual(['I_E-0513', 'stored']);
    }
  }, 60_000);
});
