import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { calendarFolders, chronos, identityEvents, type UserPrincipal } from '@groupware/contracts';
import { Bus, EventBus } from '@groupware/messaging';
import { until, WebServer } from '@groupware/test-kit';
import { runServices, type RunningServices } from '@groupware/service-kit';
import { service } from '../index';
import { codeOf, person, removeEntity, runCalendar, type RunningCalendar } from '../testing/running-calendar';

/** Calendars that fall due at once; `CALENDAR_FEEDS=10000` for the long form. */
const FEEDS = Number(process.env.CALENDAR_FEEDS ?? 200);
const REPLICAS = 2;
const PARALLEL = 3;
const RANGE = { rangeStart: '20310101T000000Z', rangeEnd: '20320101T000000Z' };
/** Attempts of a user in a minute and process; what falls due by itself is none. */
const ATTEMPTS = 20;
const ENVIRONMENT = {
  GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
  GROUPWARE_OUTBOUND_WEB_PORTS: '80,443,1024-65535',
  GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
  GROUPWARE_OUTBOUND_PER_MINUTE: String(ATTEMPTS),
  CALENDAR_FEED_SECONDS: '1',
  CALENDAR_IMPORT_BATCH: '3',
  CALENDAR_FEED_PARALLEL: String(PARALLEL),
};
const event = (uid: string): string =>
  `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTAMP:20300101T000000Z\r\nDTSTART:20310601T100000Z\r\nSUMMARY:${uid}\r\nEND:VEVENT\r\n`;
const calendar = (...uids: string[]): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${uids.map(event).join('')}END:VCALENDAR\r\n`;

let web: WebServer;
let url: string;
let running: RunningCalendar;
let replica: RunningServices;
let bus: Bus;
let events: EventBus;
let next = 7100;
const pages: Record<string, string> = {};
const fetches: string[] = [];
/** Answers that are held back. */
const waiting: ServerResponse[] = [];
let isSlow = false;
/** Requests that wait for their answers, and the most of them so far. */
const load = { open: 0, most: 0 };

beforeAll(async () => {
  web = await WebServer.start((path, response) => {
    fetches.push(path);
    load.open += 1;
    load.most = Math.max(load.most, load.open);
    response.on('close', () => (load.open -= 1));
    if (isSlow) waiting.push(response);
    else response.end(pages[path]);
  });
  ({ url } = web);
  running = await runCalendar(ENVIRONMENT);
  replica = await runServices([service], running.environment);
  bus = await Bus.connect({ url: running.environment.NATS_URL!, prefix: running.environment.GROUPWARE_BUS_PREFIX! });
  events = new EventBus(bus);
  await events.open();
}, 120_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await replica?.close();
  await running?.close();
  await web?.close();
});

const someone = (): UserPrincipal => person((next += 1));
const as = (user: UserPrincipal) =>
  ({ kind: 'internal', service: 'folders', contextId: user.contextId, user }) as const;
const subscribe = async (user: UserPrincipal, path: string): Promise<number> =>
  (
    await running.call(calendarFolders.create, {
      principal: as(user),
      query: { title: path, parent: 1, account: { provider: 'ical', config: { uri: url + path } } },
    })
  ).id;
const uidsOf = async (user: UserPrincipal, folder: number): Promise<string[]> =>
  (await running.call(chronos.all, { principal: user, query: { folder: `cal://${folder}/0`, ...RANGE } })).map(
    ({ uid }: { uid: string }) => uid,
  );
const makeDue = (folder: number): Promise<unknown> =>
  running.sql('update feed set due_at = 1 where folder_id = $1', [folder]);
const feedOf = async (folder: number): Promise<any> =>
  (await running.sql('select * from feed where folder_id = $1', [folder]))[0];

describe('feeds that are due', () => {
  it('are read once, whatever the number of processes', async () => {
    const ann = someone();
    pages['/once'] = calendar('a', 'b');
    const folder = await subscribe(ann, '/once');
    expect(await uidsOf(ann, folder)).toEqual(['a', 'b']);
    const feed = await feedOf(folder);
    expect(feed.claimed_until).toBe('0');
    // A week, and up to a tenth more.
    const dueIn = Number(feed.due_at) - Date.now();
    expect(dueIn).toBeGreaterThan(6.9 * 86_400_000);
    expect(dueIn).toBeLessThan(7.8 * 86_400_000);

    pages['/once'] = calendar('b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
    fetches.length = 0;
    isSlow = true;
    await makeDue(folder);
    await until(() => waiting.length > 0, 10_000);
    // Both processes look again while the answer is still to come, and so do readers who want it anew.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const query = { folder: `cal://${folder}/0`, ...RANGE, updateCache: true };
    const reading = running.call(chronos.all, { principal: ann, query });
    isSlow = false;
    for (const response of waiting.splice(0)) response.end(pages['/once']);
    await reading;
    await until(async () => (await feedOf(folder)).claimed_until === '0', 10_000);
    expect(await uidsOf(ann, folder)).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
    expect(fetches).toEqual(['/once']);
  }, 60_000);

  it('are read after the end of the claim of a process that died', async () => {
    const ann = someone();
    pages['/died'] = calendar('a');
    const folder = await subscribe(ann, '/died');
    pages['/died'] = calendar('b');
    await running.sql('update feed set due_at = 1, claimed_until = $2 where folder_id = $1', [
      folder,
      Date.now() + 2_000,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await uidsOf(ann, folder)).toEqual(['a']);
    await until(async () => (await uidsOf(ann, folder))[0] === 'b', 10_000);
  }, 30_000);

  it('write nothing when nothing changed, and keep no address that can be read', async () => {
    const ann = someone();
    pages['/same?key=hidden'] = calendar('a', 'b', 'c', 'd', 'e');
    const folder = await subscribe(ann, '/same?key=hidden');
    const before = await running.sql('select xmin::text, id from feed_event where folder_id = $1 order by id', [
      folder,
    ]);
    const { last_stamp: stamp } = (await running.sql('select * from appointment_counter'))[0];
    await makeDue(folder);
    await until(async () => Number((await feedOf(folder)).due_at) > 1, 10_000);
    expect(
      await running.sql('select xmin::text, id from feed_event where folder_id = $1 order by id', [folder]),
    ).toEqual(before);
    expect((await running.sql('select * from appointment_counter'))[0].last_stamp).toBe(stamp);
    expect(JSON.stringify(await feedOf(folder))).not.toContain('hidden');
  }, 30_000);

  it('are attempts of users who want them anew, but not where they fall due', async () => {
    const ann = someone();
    pages['/eager'] = calendar('a');
    const folder = await subscribe(ann, '/eager');
    fetches.length = 0;
    const query = { folder: `cal://${folder}/0`, ...RANGE, updateCache: true };
    const most = REPLICAS * ATTEMPTS;
    for (let count = 0; count < most + 10; count++) await running.call(chronos.all, { principal: ann, query });
    expect(fetches.length).toBeGreaterThan(most / 2);
    expect(fetches.length).toBeLessThan(most);
    fetches.length = 0;
    pages['/eager'] = calendar('b');
    await makeDue(folder);
    await until(async () => (await uidsOf(ann, folder)).includes('b'), 10_000);
    expect(fetches).toEqual(['/eager']);
  }, 30_000);

  it('go with their users', async () => {
    const ann = someone();
    pages['/user'] = calendar('a');
    const folder = await subscribe(ann, '/user');
    removeEntity(ann.userId);
    await events.publish({
      name: identityEvents['user.deleting'].name,
      contextId: ann.contextId,
      occurredAt: Date.now(),
      payload: { userId: ann.userId },
      id: randomUUID(),
    });
    await until(async () => (await feedOf(folder)) === undefined, 10_000);
    expect(await running.sql('select 1 from feed_event where folder_id = $1', [folder])).toEqual([]);
    expect(await codeOf(uidsOf(ann, folder))).toBe('CAL-4044');
  }, 30_000);

  it(
    'are read a few at a time, each once, however many fall due at the same moment, and not all at once again',
    async () => {
      const ann = someone();
      pages['/many'] = calendar('a');
      const folder = await subscribe(ann, '/many');
      await running.sql(
        `insert into folder (context_id, id, parent, type, title, created_by, modified_by, created, last_modified, changed,
           is_default, kind)
         select context_id, id + 16 * (100000 + n), parent, type, 'Many ' || n, created_by, modified_by, created, last_modified,
           changed, is_default, kind
         from folder, generate_series(1, $2) n where id = $1`,
        [folder, FEEDS],
      );
      fetches.length = 0;
      load.most = 0;
      await running.sql(
        `insert into feed select (jsonb_populate_record(f, jsonb_build_object('folder_id', f.folder_id + 16 * (100000 + n),
           'due_at', 1, 'refreshed_at', null, 'etag', null, 'modified', null))).*
         from feed f, generate_series(1, $2) n where f.folder_id = $1`,
        [folder, FEEDS],
      );
      const isOver = async (): Promise<boolean> => {
        const [{ waiting }] = (await running.sql<{ waiting: number }>(
          'select count(*)::int as waiting from feed where due_at = 1 or claimed_until > 0',
        )) as [{ waiting: number }];
        return waiting === 0;
      };
      await until(isOver, 20_000 + FEEDS * 100);
      expect(fetches).toHaveLength(FEEDS);
      expect(load.most).toBeLessThanOrEqual(REPLICAS * PARALLEL);
      const [spread] = await running.sql<{ events: number; failures: number; tenths: number }>(
        `select (select count(*)::int from feed_event where folder_id > $1 + 1600000) as events, sum(failures)::int as failures,
           count(distinct width_bucket(due_at, $2::bigint, $3::bigint, 10))::int as tenths
         from feed where folder_id > $1 + 1600000`,
        [folder, Date.now() + 7 * 86_400_000 - FEEDS * 1_000, Date.now() + 7.7 * 86_400_000],
      );
      expect(spread).toMatchObject({ events: FEEDS, failures: 0 });
      expect(spread!.tenths).toBeGreaterThanOrEqual(8);
    },
    60_000 + FEEDS * 150,
  );
});
