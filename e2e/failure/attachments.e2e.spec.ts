import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { filesBelow } from '@groupware/test-kit';
import { attach, download, newObject, rows, type Target } from '../attachments/attachments';
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
