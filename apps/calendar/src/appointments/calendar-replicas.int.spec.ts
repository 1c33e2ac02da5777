import { calendarAnswers, calendarViews } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';
import fc from 'fast-check';
import { ALL_TIME, CalendarUser, FUTURE } from '../testing/calendar-user';
import { runCalendar, type RunningCalendar } from '../testing/running-calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = Date.UTC(2020, 4, 4);
const VIEWER = 257;
/** Sees the folder, creates in it, reads what is his own. */
const OWN_ONLY = 2 | (1 << 7);
/** Scenes that are played; `CALENDAR_UPDATES_RUNS=1000` for long. */
const RUNS = Number(process.env.CALENDAR_UPDATES_RUNS ?? 25);
let running: RunningCalendar;

beforeAll(async () => {
  running = await runCalendar();
}, 60_000);
afterAll(() => running?.close());

interface Answer {
  readonly json: (unknown[] | { id: string; folder: string })[];
  readonly timestamp?: number;
}
const updates = (user: CalendarUser, timestamp: number, query: object = {}): Promise<Answer> =>
  user.ask(calendarViews.updates, { folder: user.folder, columns: ['1', '200'], timestamp, ...query });

/** Copy of a folder that a client keeps: rows by id, brought up to date by `updates` alone. */
class Replica {
  private rows = new Map<string, string[]>();
  private timestamp = 0;

  constructor(
    private readonly user: CalendarUser,
    readonly query: object,
  ) {}

  async sync(): Promise<void> {
    const answer = await updates(this.user, this.timestamp, this.query);
    const changed = new Map<string, string[]>();
    for (const entry of answer.json) {
      if (!Array.isArray(entry)) continue;
      const id = entry[0] as string;
      changed.set(id, [...(changed.get(id) ?? []), JSON.stringify(entry)]);
    }
    for (const [id, rows] of changed) this.rows.set(id, rows);
    for (const entry of answer.json) if (!Array.isArray(entry)) this.rows.delete(entry.id);
    expect(answer.timestamp).toBeGreaterThanOrEqual(this.timestamp);
    this.timestamp = answer.timestamp!;
  }

  get content(): string[] {
    return [...this.rows.values()].flat().sort();
  }
}

/** One thing that one of the writers does. */
interface Step {
  readonly kind:
    | 'create'
    | 'series'
    | 'title'
    | 'time'
    | 'move'
    | 'delete'
    | 'occurrence'
    | 'except'
    | 'hide'
    | 'invite'
    | 'answer'
    | 'copy'
    | 'rights';
  readonly target: number;
  readonly value: number;
  readonly clockMinutes: number;
  /** The next step does not wait for this one. */
  readonly together: boolean;
  readonly sync: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  // Moves are tried more often: there and back between two readings is the hard case.
  kind: fc.constantFrom<Step['kind'][]>(
    ...([
      'create',
      'series',
      'title',
      'time',
      'delete',
      'occurrence',
      'except',
      'hide',
      'invite',
      'answer',
      'copy',
    ] as const),
    ...(['move', 'move', 'move', 'move', 'invite'] as const),
  ),
  target: fc.nat(3),
  value: fc.nat(20),
  clockMinutes: fc.integer({ min: -10, max: 10 }),
  together: fc.boolean(),
  sync: fc.nat(6),
});

/** The calendars of two people while they change. */
class Scene {
  private readonly ids: { id: string; folder: string; series: boolean }[] = [];

  constructor(
    private readonly ann: CalendarUser,
    private readonly bob: CalendarUser,
    private readonly folders: readonly string[],
  ) {}

  async act({ kind, target, value }: Step): Promise<void> {
    const start_date = MONDAY + value * DAY;
    const times = { start_date, end_date: start_date + HOUR };
    const folder = this.folders[value % this.folders.length]!;
    if (kind === 'create' || kind === 'series') {
      const rule = kind === 'series' ? { recurrence_type: 1, interval: 1 } : {};
      const participants = [this.ann.participant, ...(value % 2 ? [this.bob.participant] : [])];
      const id = await this.ann.create({ folder_id: folder, participants, ...times, ...rule });
      this.ids.push({ id, folder, series: kind === 'series' });
      return;
    }
    if (kind === 'rights') return this.ann.grant(this.folders[1]!, [this.bob, value % 2 ? VIEWER : OWN_ONLY]);
    const entry = this.ids[target % Math.max(this.ids.length, 1)];
    if (!entry) return;
    const change = (body: object) => this.ann.update(entry.id, body, { folder: entry.folder });
    // Failures of a step that another one made impossible meanwhile are no matter here.
    await this.changed(kind, entry, value, times, folder, change).catch((error: { code?: string }) => {
      if (!error.code || /^SVL/.test(error.code)) throw error;
    });
  }

  private async changed(
    kind: Step['kind'],
    entry: { id: string; folder: string; series: boolean },
    value: number,
    times: object,
    folder: string,
    change: (body: object) => Promise<unknown>,
  ): Promise<void> {
    const reference = { id: entry.id, folder: entry.folder };
    if (kind === 'title') await change({ title: `T${value}` });
    else if (kind === 'time') await change(times);
    else if (kind === 'hide') await change({ private_flag: value % 2 === 0 });
    else if (kind === 'move') {
      await change({ folder_id: folder });
      entry.folder = folder;
    } else if (kind === 'invite')
      await change({ participants: [this.ann.participant, ...(value % 2 ? [this.bob.participant] : [])] });
    else if (kind === 'delete') {
      if (value % 3 === 0) await this.bob.remove({ id: entry.id });
      else await this.ann.remove(reference);
    } else if (kind === 'answer') {
      const occurrence = entry.series && value % 2 ? { occurrence: 1 + (value % 5) } : {};
      const query = { id: entry.id, folder: this.bob.folder, timestamp: FUTURE, ...occurrence };
      await this.bob.ask(calendarAnswers.confirm, query, { confirmation: value % 4 });
    } else if (kind === 'copy') {
      const query = { ...reference, ignore_conflicts: true };
      const { json } = await this.ann.ask(calendarAnswers.copy, query, { folder_id: folder });
      this.ids.push({ ...entry, id: json.id, folder });
    } else if (kind === 'occurrence' && entry.series)
      await this.ann.remove({ ...reference, recurrence_position: 1 + (value % 5) });
    else if (kind === 'except' && entry.series)
      await change({ recurrence_position: 1 + (value % 5), title: `E${value}` });
  }
}

describe('calendar: replicas kept by updates', () => {
  afterEach(() => jest.restoreAllMocks());

  it(
    'equal the server, whatever writers, readers and the clock do',
    async () => {
      let offset = 0;
      const clock = jest.spyOn(Clock.prototype, 'now');
      clock.mockImplementation(() => Date.now() + offset);
      const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const [ann, bob] = [await CalendarUser.enter(running), await CalendarUser.enter(running)];
        const shared = await ann.share([bob, VIEWER]);
        const scene = new Scene(ann, bob, [ann.folder, shared]);
        const columns = ['1', '200', '201', '202', '101', '206', '207', '210', '211', '221'];
        const masters = { columns, recurrence_master: true };
        const week = { columns, start: MONDAY + 3 * DAY, end: MONDAY + 10 * DAY };
        const replicas: [CalendarUser, object][] = [
          [ann, { ...masters }],
          [bob, { ...masters }],
          [ann, { ...masters, folder: shared }],
          [bob, { ...masters, folder: shared }],
          [bob, { ...masters, folder: shared, showPrivate: true }],
          [ann, { ...week }],
          [bob, { ...week, folder: shared }],
        ];
        const kept = replicas.map(([user, query]) => new Replica(user, query));
        const busy: Promise<unknown>[] = [];
        const syncing = kept.map(() => Promise.resolve());
        for (const next of steps) {
          offset += next.clockMinutes * 60_000;
          busy.push(scene.act(next));
          for (let index = next.sync; index < kept.length; index += 7)
            syncing[index] = syncing[index]!.then(() => kept[index]!.sync());
          if (!next.together) await Promise.all([...busy.splice(0), ...syncing]);
        }
        await Promise.all([...busy, ...syncing]);
        for (const [index, replica] of kept.entries()) {
          await replica.sync();
          const [user, query] = replicas[index]!;
          const range = 'start' in query ? {} : ALL_TIME;
          const rows = await user.all('', { range: 'overlap', ...range, ...query });
          expect({ index, rows: replica.content }).toEqual({
            index,
            rows: rows.map((row) => JSON.stringify(row)).sort(),
          });
        }
      });
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    },
    Math.max(120_000, RUNS * 5_000),
  );
});
