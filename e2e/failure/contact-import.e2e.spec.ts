import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Client as Database } from 'pg';
import { createFolder } from '../contacts/contacts';
import { card, uploadFile } from '../contacts/transfer';
import { AdminClient } from '../client';
import { createContext, createTestUser } from '../fixtures';
import { createProcessWorld, type HostProcess, type ProcessWorld } from '../processes';

/** Cards of the file; `E2E_IMPORT_ROWS=100000` for the long form. */
const CARDS = Number(process.env.E2E_IMPORT_ROWS ?? 2_000);
/** One card in so many is broken. */
const BROKEN_EVERY = 100;
/** Memory that the last third of the cards may add to the process, MB: a process takes its share, and then no more. */
const MOST_MORE_MB = 100;
const isBroken = (index: number): boolean => index % BROKEN_EVERY === BROKEN_EVERY / 2;

let world: ProcessWorld;
let master: AdminClient;
let database: Database;

beforeAll(async () => {
  world = await createProcessWorld(['identity,folders,calendar', 'contacts']);
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
}, 120_000);
afterAll(async () => {
  await database?.end();
  await world?.close();
}, 60_000);

const memoryMb = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

describe('an import of contacts whose process is killed', () => {
  it('goes on when the file is sent again: nothing is missing or there twice, and memory stays flat', async () => {
    const contextId = await createContext(master, 'cards');
    const user = await createTestUser(world, master, contextId, 'ann');
    const folder = await createFolder(user);
    const [, contacts] = world.processes as [HostProcess, HostProcess];
    // Neither has a UID of its own, by which a second import would know it.
    const text = Array.from({ length: CARDS }, (_none, index) =>
      isBroken(index)
        ? card('9.9', `FN:Broken ${index}`)
        : card(
            '3.0',
            `FN:Person ${index}`,
            `N:Surname ${index};Given`,
            `EMAIL:p${index}@x.example`,
            `X-NUMBER:${index}`,
          ),
    ).join('');
    const send = () => uploadFile(user, 'VCARD', [text], { folder, plainJson: true });
    const count = async (): Promise<number> => {
      const { rows } = await database.query<{ count: number }>(
        'select count(*)::int as count from contacts.contact where context_id = $1 and folder_id = $2',
        [contextId, folder],
      );
      return rows[0]!.count;
    };
    // The call loses its process: it is not waited for.
    void send().catch(() => undefined);
    while ((await count()) < CARDS / 3) await wait(10);
    await contacts.kill();
    const before = await count();
    expect(before).toBeLessThan(CARDS - CARDS / BROKEN_EVERY);
    await contacts.start();

    let [early, late] = [0, 0];
    const sent = send();
    let isDone = false;
    void sent.finally(() => (isDone = true));
    while (!isDone) {
      const [stored, used] = [await count(), memoryMb(contacts.pid)];
      if (stored < (CARDS * 2) / 3) early = Math.max(early, used);
      else late = Math.max(late, used);
      await wait(CARDS > 10_000 ? 500 : 50);
    }
    const { data } = (await (await sent).json()) as { data: { id?: string; code?: string }[] };
    expect(data).toHaveLength(CARDS);
    const refused = data.flatMap(({ code }, index) => (code === undefined ? [] : [index]));
    expect(refused).toEqual(data.flatMap((_item, index) => (isBroken(index) ? [index] : [])));
    expect(new Set(data.map(({ id }) => id)).size - 1).toBe(CARDS - refused.length);
    expect(await count()).toBe(CARDS - refused.length);
    const { rows } = await database.query<{ names: number }>(
      'select count(distinct display_name)::int as names from contacts.contact where context_id = $1 and folder_id = $2',
      [contextId, folder],
    );
    expect(rows).toEqual([{ names: CARDS - refused.length }]);
    if (early > 0) expect(late - early).toBeLessThan(MOST_MORE_MB);
  }, 1_800_000);
});
