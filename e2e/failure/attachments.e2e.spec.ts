import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { filesBelow, forEachAtOnce, until } from '@groupware/test-kit';
import { attach, download, newObject, rows, type Target } from '../attachments/attachments';
import { FAR_FUTURE } from '../calendar/calendar';
import { createFixtures, type Fixtures } from '../fixtures';
import { createProcessWorld, type ProcessWorld } from '../processes';

const UPLOADS = 500;
/** Younger files may belong to a call under way; short, so that the test sees the sweep. */
const SWEEP_AGE_MS = 3_000;
let world: ProcessWorld;
let cast: Fixtures;

beforeAll(async () => {
  world = await createProcessWorld(['identity,folders,calendar', 'attachments', 'attachments'], {
    ATTACHMENTS_SWEEP_AGE_MS: String(SWEEP_AGE_MS),
    ATTACHMENTS_INCOMING_AGE_MS: String(SWEEP_AGE_MS),
    ATTACHMENTS_SWEEP_INTERVAL_MS: '1000',
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close(), 60_000);

const storedFiles = (): string[] => filesBelow(path.join(world.environment.DATA_DIR!, 'files'));

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function bytesOf(target: Target, id: number): Promise<Buffer> {
  return Buffer.from(await (await download(cast.U1, target, id)).arrayBuffer());
}

describe('processes killed during uploads and downloads', () => {
  it('lose and damage no acknowledged file, and leave none that nobody has', async () => {
    const target = await newObject(cast.U1);
    const acknowledged = new Map<number, string>();
    let attempted = 0;
    const clients = Array.from({ length: 8 }, async () => {
      while (attempted < UPLOADS) {
        attempted += 1;
        const content = randomBytes(32 + (attempted % 7) * 20_000);
        try {
          const answer = await attach(cast.U1, target, [{ name: `file ${attempted}`, content }]);
          const [id] = answer.data ?? [];
          if (id === undefined)
            await wait(200); // a service is down, and said so
          else {
            acknowledged.set(id, hashOf(content));
            await bytesOf(target, id);
          }
        } catch {
          await wait(200); // the gateway is down: nothing was promised
        }
      }
    });
    for (const each of world.processes) {
      await wait(500);
      await each.kill();
      await each.start();
    }
    await Promise.all(clients);

    const listed = await rows(cast.U1, 'all', target, '1');
    const ids = new Set(listed.map(([id]) => id as number));
    expect(acknowledged.size).toBeGreaterThan(UPLOADS / 3);
    expect([...acknowledged.keys()].filter((id) => !ids.has(id))).toEqual([]);
    for (const [id, hash] of acknowledged)
      expect({ id, hash: hashOf(await bytesOf(target, id)) }).toEqual({ id, hash });
    // An unacknowledged attachment is whole or not there; its bytes are there if and only if its row is.
    const end = Date.now() + 30_000;
    while (storedFiles().length !== ids.size && Date.now() < end) await wait(500);
    expect(storedFiles()).toHaveLength(ids.size);
  }, 180_000);
});

describe('processes killed while occurrences of a series become exceptions', () => {
  const DAYS = 60;
  const FILES = ['a', 'b'].map((name) => ({ name: `${name}.txt`, content: `content of ${name}` }));
  const change = (id: number, position: number) =>
    cast.U2.put(
      'calendar',
      'update',
      { id, folder: cast.U2.folder, timestamp: FAR_FUTURE, timezone: 'UTC' },
      { recurrence_position: position, title: `occurrence ${position}` },
    );
  const read = async (id: number, position: number): Promise<any> => {
    const query = { id, folder: cast.U2.folder, timezone: 'UTC', recurrence_position: position };
    return (await cast.U2.get('calendar', 'get', query)).data;
  };
  const namesOf = async (id: number): Promise<string[]> =>
    (await rows(cast.U2, 'all', { attached: id, folder: Number(cast.U2.folder), module: 1 }, '803')).map(
      ([name]) => name,
    );

  it('every exception has the files of its series once, and the count of them', async () => {
    const series = await newObject(cast.U2, { recurrence_type: 1, interval: 1, occurrences: DAYS });
    expect((await attach(cast.U2, series, FILES)).data).toHaveLength(2);
    const before = (await cast.U2.get('quota', 'filestore')).data.use;
    const positions = Array.from({ length: DAYS - 2 }, (_day, index) => index + 1);
    const exceptions = new Map<number, number>();
    const clients = forEachAtOnce(4, positions, async (position) => {
      await wait(50);
      try {
        const { data } = await change(series.attached, position);
        if (data) exceptions.set(position, Number(data.id));
        else await wait(200); // a service is down, and said so
      } catch {
        await wait(200); // the gateway is down: nothing was promised
      }
    });
    for (const each of world.processes.slice(0, 3)) {
      await wait(300);
      await each.kill();
      await each.start();
    }
    await clients;
    // Before the copies the exception has no files, and its count is zero.
    for (const each of world.processes.slice(1, 3)) await each.kill();
    const late = Number((await change(series.attached, DAYS - 1)).data.id);
    expect((await read(series.attached, DAYS - 1)).number_of_attachments).toBe(0);
    for (const each of world.processes.slice(1, 3)) await each.start();
    exceptions.set(DAYS - 1, late);
    expect(exceptions.size).toBeGreaterThan(DAYS / 3);
    // A call that was not answered may have made an exception all the same.
    const all: any[] = [];
    for (let position = 1; position < DAYS; position += 1) {
      const occurrence = await read(series.attached, position);
      if (Number(occurrence.id) !== series.attached) all.push([position, Number(occurrence.id)]);
    }
    expect(all).toEqual(expect.arrayContaining([...exceptions]));
    for (const [position, id] of all) {
      await until(async () => (await read(series.attached, position)).number_of_attachments === 2, 30_000);
      expect([position, await namesOf(id)]).toEqual([position, ['a.txt', 'b.txt']]);
      expect([position, (await read(series.attached, position)).number_of_attachments]).toEqual([position, 2]);
    }
    const copied = FILES.reduce((sum, { content }) => sum + content.length, 0) * all.length;
    expect((await cast.U2.get('quota', 'filestore')).data.use).toBe(before + copied);
    expect(await namesOf(series.attached)).toEqual(['a.txt', 'b.txt']);
  }, 180_000);
});
