import {
  taskAttachments,
  taskEvents,
  taskFolders,
  taskReminders,
  tasks,
  tasksQuota,
  type DueAlarm,
  type EventMessage,
  type UserPrincipal,
} from '@groupware/contracts';
import { TombstoneCleaner } from '@groupware/folders';
import { Bus, EventBus } from '@groupware/messaging';
import { AlarmLoop, Clock, runServices, type RunningServices } from '@groupware/service-kit';
import { until } from '@groupware/test-kit';
import { service } from './index';
import {
  as,
  changeTask,
  createFolder,
  createTask,
  listIds,
  person,
  removeTask,
  runTasks,
  type RunningTasks,
} from './testing/running-tasks';

const DAY = 86_400_000;
let running: RunningTasks;
let twin: RunningServices;
let cleaner: TombstoneCleaner;
let loops: AlarmLoop[];
let bus: Bus;
let events: EventBus;
const heard: DueAlarm[] = [];

beforeAll(async () => {
  const bootstraps = [TombstoneCleaner, AlarmLoop].map((type) => jest.spyOn(type.prototype, 'onApplicationBootstrap'));
  // Rounds are those of the tests.
  running = await runTasks({ TASKS_ALARM_SECONDS: '0', TASKS_TOMBSTONE_DAYS: '30' });
  twin = await runServices([service], running.environment);
  cleaner = bootstraps[0]!.mock.contexts[0] as TombstoneCleaner;
  loops = bootstraps[1]!.mock.contexts;
  bus = await Bus.connect({ url: running.environment.NATS_URL!, prefix: running.environment.GROUPWARE_BUS_PREFIX! });
  events = new EventBus(bus);
  await events.open();
  await events.subscribe('listener', taskEvents['alarm.due'], async ({ payload }: EventMessage<any>) => {
    heard.push(payload as DueAlarm);
  });
}, 60_000);
afterAll(async () => {
  await events?.close();
  await bus?.close();
  await twin?.close();
  await running?.close();
});
afterEach(() => jest.restoreAllMocks());

const user = ({ userId }: UserPrincipal) => ({ type: 1, id: userId });
const dataOf = (reader: UserPrincipal, folder: number, id: string) =>
  running.call(tasks.get, { principal: reader, query: { id, folder: String(folder) } });
const updates = (reader: UserPrincipal, folder: number, timestamp: number) =>
  running.request(tasks.updates, {
    principal: reader,
    query: { folder: String(folder), columns: ['1'], timestamp, ignore: 'none' },
  });
async function defaultOf(owner: UserPrincipal): Promise<number> {
  const [row] = await running.sql<{ id: number }>(
    'select id from folder where context_id = $1 and created_by = $2 and is_default',
    [owner.contextId, owner.userId],
  );
  return row!.id;
}
describe('folders of tasks', () => {
  const [ann, bob] = [person(601), person(602)];

  it('are counted, emptied and deleted; delegated tasks lose who saw them there', async () => {
    const folder = await createFolder(running, ann);
    await createTask(running, ann, folder);
    const delegated = await createTask(running, ann, folder, { participants: [user(bob)] });
    const get = { principal: as(ann), query: { id: folder, counts: true } };
    expect((await running.call(taskFolders.get, get)).counts).toEqual({ total: 2 });
    const home = await defaultOf(bob);
    await running.call(taskFolders.clear, { principal: as(bob), query: { ids: [home] } });
    expect(await listIds(running, bob, home)).toEqual([]);
    expect(await dataOf(ann, folder, delegated)).not.toHaveProperty('users');
    await running.call(taskFolders.remove, { principal: as(ann), query: { ids: [folder], strict: true } });
    await expect(dataOf(ann, folder, delegated)).rejects.toMatchObject({ code: 'FLD-0008' });
  });

  it('stay where they hold what the user may not delete', async () => {
    const permissions = [
      { entity: ann.userId, group: false, bits: 403710016 },
      { entity: bob.userId, group: false, bits: 2 + (2 << 7) + (2 << 14) + (1 << 21) + (1 << 28) },
    ];
    const folder = await createFolder(running, ann, { parent: 2, permissions });
    await createTask(running, ann, folder);
    const query = { ids: [folder], strict: true };
    const removal = running.call(taskFolders.remove, { principal: as(bob), query });
    await expect(removal).rejects.toMatchObject({ code: expect.stringMatching(/^FLD-/) });
  });
});

describe('tasks', () => {
  const [ann, bob] = [person(611), person(612)];

  it('tell how many files they carry, and who may change them', async () => {
    const folder = await createFolder(running, ann);
    const id = await createTask(running, ann, folder);
    const object = Number(id);
    const changed = (query: object) =>
      running.call(taskAttachments.changed, { principal: as(ann, 'attachments'), query });
    const files = { object, count: 2, newest: 5, revision: 1, userId: ann.userId };
    const lastModified = await changed(files);
    expect(await changed({ ...files, count: 9, revision: 0 })).toBe(lastModified);
    expect(await changed({ ...files, object: 999_999 })).toBe(0);
    expect(await dataOf(ann, folder, id)).toMatchObject({
      last_modified_utc: lastModified,
      number_of_attachments: 2,
      lastModifiedOfNewestAttachmentUTC: 5,
    });
    const access = (who: UserPrincipal, query: object = {}) =>
      running.call(taskAttachments.access, {
        principal: as(who, 'attachments'),
        query: { object, folder, write: true, ...query },
      });
    expect(await access(ann)).toBe(true);
    await expect(access(bob)).rejects.toMatchObject({ code: 'TSK-0059' });
    await expect(access(ann, { object: 999_999 })).rejects.toMatchObject({ code: 'TSK-0019' });
    await expect(access(person(613, { capabilities: [] }))).rejects.toMatchObject({ code: 'SVL-0016' });
  });

  it('count towards the quota of their context', async () => {
    const eve = person(605, { contextId: 3 });
    await createTask(running, eve, await createFolder(running, eve));
    const usage = running.call(tasksQuota.usage, { principal: as(eve, 'settings'), query: { module: 'task' } });
    expect(await usage).toEqual([{ account_id: '0', countquota: -1, countuse: 1 }]);
  });

  it('are loaded anew once it is no longer known what was deleted', async () => {
    const folder = await createFolder(running, ann);
    const old = await createTask(running, ann, folder);
    const start = await updates(ann, folder, 0);
    await removeTask(running, ann, folder, old);
    jest.spyOn(Clock.prototype, 'now').mockImplementation(() => Date.now() + 31 * DAY);
    await cleaner.deleteExpired();
    await expect(updates(ann, folder, start.timestamp!)).rejects.toMatchObject({ code: 'TASK-0003' });
  });

  it('remind once, whatever the number of processes, and again when asked', async () => {
    const folder = await createFolder(running, ann);
    const id = await createTask(running, ann, folder, { title: 'Remember', alarm: 1_000, participants: [user(bob)] });
    await changeTask(running, bob, await defaultOf(bob), id, { alarm: 2_000 });
    const round = () => Promise.all(loops.map((loop) => loop.notifyDue()));
    await round();
    await round();
    const mine = () => heard.filter(({ targetId }) => targetId === Number(id));
    await until(() => mine().length >= 2);
    expect(
      mine()
        .map(({ userId, alarm, again }) => [userId, alarm, again])
        .sort(),
    ).toEqual([
      [ann.userId, 1_000, false],
      [bob.userId, 2_000, false],
    ]);
    const reminderId = mine().find(({ userId }) => userId === ann.userId)!.reminderId;
    const query = { id: reminderId, alarm: 3_000 };
    await running.call(taskReminders.snooze, { principal: as(ann, 'settings'), query });
    await changeTask(running, ann, folder, id, { title: 'Other', alarm: 1_000 });
    await round();
    await until(() => mine().length >= 3);
    expect(mine()[2]).toMatchObject({ userId: ann.userId, alarm: 3_000, again: true, folderId: folder, module: 4 });
  });

  it('make the next instance once, when many complete one while a replica goes', async () => {
    const leaving = await runServices([service], running.environment);
    const folder = await createFolder(running, ann);
    const dates = { start_date: 0, end_date: DAY, recurrence_type: 1, interval: 1 };
    const ids: string[] = [];
    for (let series = 0; series < 40; series += 1)
      ids.push(await createTask(running, ann, folder, { ...dates, title: `s${series}` }));
    // 25 completions of each, and reopenings between them.
    const attempts = Array.from({ length: 25 }, () => ids)
      .flat()
      .map((id, index) => ({ id, status: index % 7 === 3 ? 2 : 3 }));
    let closing: Promise<void> | undefined;
    const complete = async (): Promise<void> => {
      for (let attempt = attempts.pop(); attempt; attempt = attempts.pop()) {
        if (attempts.length < 500) closing ??= leaving.close();
        await changeTask(running, ann, folder, attempt.id, { status: attempt.status }).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 16 }, complete));
    await closing;
    for (const id of ids) await changeTask(running, ann, folder, id, { status: 3 });
    const rows = await running.sql<{ title: string; starts: number[] }>(
      `select a.title, array_agg(a.start_ms order by a.start_ms) as starts from task a
       join task_folder l on l.context_id = a.context_id and l.task_id = a.id and l.folder_id = $1
       where a.context_id = 1 group by a.title`,
      [folder],
    );
    expect(rows).toHaveLength(ids.length);
    for (const { starts } of rows) expect(starts.map(Number)).toEqual([0, DAY]);
  }, 120_000);
});
