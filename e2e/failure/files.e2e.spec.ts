import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { BreakableLink, S3Process, until } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { addVersion, all, createFolder, download, homeOf, move, read, remove, upload, usedBytes } from '../files/files';
import { createFixtures, type Fixtures } from '../fixtures';
import { createProcessWorld, type ProcessWorld } from '../processes';

/** Writes of each kind; 1000 for the full size. */
const WRITES = Number(process.env.E2E_FILE_WRITES ?? 60);
/** Postgres itself loses a process and recovers, which others who use the same one would notice: for runs of this test alone. */
const KILLS_POSTGRES = process.env.E2E_KILL_POSTGRES === '1';
const DOWN_MS = 400;
const CLIENTS = 6;
/** Clients that wait longer go away. */
const PATIENCE_MS = 8_000;
/** Younger files may belong to a call under way; short, so that the test sees the sweep. */
const SWEEP_AGE_MS = 4_000;
const SWEEP_INTERVAL_MS = 1_000;
/** Longest wait of a round for a byte of the store: see the file store. */
const STORE_TIMEOUT_MS = 60_000;
/**
 * Time within which bytes without an owner go, ms: with the first round that begins when they are old enough; another round may just have begun, and wait
 * for a store that went away.
 */
const SWEPT_WITHIN_MS = SWEEP_AGE_MS + 2 * (SWEEP_INTERVAL_MS + STORE_TIMEOUT_MS);

let store: S3Process;
let link: BreakableLink;
let world: ProcessWorld;
let cast: Fixtures;
let places: readonly string[];

/** Facts of a document: hashes of its content, one of them, and its folder, one of them. */
interface Known {
  id: string;
  hashes: Set<string>;
  folders: Set<string>;
  /** A deletion was asked for; `true` once it was acknowledged. */
  gone: 'no' | 'perhaps' | 'yes';
}

beforeAll(async () => {
  store = await S3Process.start('files');
  world = await createProcessWorld(
    ['identity,folders,settings,calendar,attachments', 'files', 'files'],
    {
      FILESTORE_URL: store.storeUrl('all'),
      FILES_SWEEP_AGE_MS: String(SWEEP_AGE_MS),
      FILES_INCOMING_AGE_MS: String(SWEEP_AGE_MS),
      FILES_SWEEP_INTERVAL_MS: String(SWEEP_INTERVAL_MS),
    },
    async (variables) => {
      link = await BreakableLink.openTo(variables.DATABASE_URL!);
      variables.DATABASE_URL = link.url(variables.DATABASE_URL!);
    },
  );
  cast = await createFixtures(world);
  const home = await homeOf(cast.U1);
  places = [await createFolder(cast.U1, home), await createFolder(cast.U1, home)];
}, 300_000);
afterAll(async () => {
  await world?.close();
  await link?.close();
  await store?.close();
}, 60_000);

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** Fails for a client that waited too long: nothing was promised. */
const patiently = <T>(call: Promise<T>): Promise<T> =>
  Promise.race([call, wait(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('too slow')))]);
const accepted = ({ error, data }: { error?: string; data?: unknown }): boolean =>
  error === undefined && (!Array.isArray(data) || data.length === 0);

const counts = { upload: 0, version: 0, move: 0, delete: 0 };
const documents: Known[] = [];

/** One client with documents of its own. */
async function work(client: number): Promise<void> {
  const user = cast.U1.copy();
  for (let turn = 0; Object.values(counts).some((count) => count < WRITES); turn++) {
    try {
      const content = randomBytes(64 + (turn % 5) * 20_000);
      const id = await patiently(upload(user, places[0]!, `${client} ${turn}`, content));
      counts.upload++;
      const known: Known = { id, hashes: new Set([hashOf(content)]), folders: new Set([places[0]!]), gone: 'no' };
      documents.push(known);
      await change(user, known, turn);
    } catch {
      await wait(100); // something is down: nothing was promised
    }
  }
}

async function change(user: ReturnType<typeof cast.U1.copy>, known: Known, turn: number): Promise<void> {
  const newer = randomBytes(64 + (turn % 3) * 20_000);
  known.hashes.add(hashOf(newer));
  if (accepted(await patiently(addVersion(user, known.id, newer)))) {
    known.hashes = new Set([hashOf(newer)]);
    counts.version++;
  }
  known.folders.add(places[1]!);
  if (accepted(await patiently(move(user, [known.id], places[1]!)))) {
    known.folders = new Set([places[1]!]);
    counts.move++;
  }
  if (turn % 2 === 0) return;
  known.gone = 'perhaps';
  const number = known.id.split('/')[1]!;
  const ids = [...known.folders].map((folder) => `${folder}/${number}`).slice(-1);
  if (accepted(await patiently(remove(user, ids, { hardDelete: true })))) {
    known.gone = 'yes';
    counts.delete++;
  }
}

/** Ends a process of Postgres as a crash would, after which it recovers from its log. */
async function crashPostgres(): Promise<void> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  database.on('error', () => undefined);
  await database.connect();
  const { rows } = await database.query(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() limit 1',
  );
  process.kill(rows[0].pid as number, 'SIGKILL');
  await database.end().catch(() => undefined);
}

/** Stored objects that no document has, with the states of their rows. */
async function listOrphans(): Promise<string[]> {
  const database = new Database({ connectionString: world.environment.DATABASE_URL });
  await database.connect();
  try {
    const { rows } = await database.query<{ reference: string; state: string; touched: string }>(
      'select reference, state, touched from files.stored_file',
    );
    const known = new Map(rows.map((row) => [row.reference, row]));
    return store.objects().flatMap((name) => {
      const row = known.get(name.split('/').at(-1)!);
      return row?.state === 'kept' ? [] : [`${name} ${row ? `${row.state} ${row.touched}` : 'without row'}`];
    });
  } finally {
    await database.end();
  }
}

describe('servers and processes killed during writes of files', () => {
  it('lose nothing acknowledged, leave no bytes that nobody has, and keep the used space exact', async () => {
    const clients = Array.from({ length: CLIENTS }, (_each, client) => work(client));
    const [, files, other, gateway] = world.processes;
    const outages = [
      ...[files!, other!, gateway!].map((each) => async () => {
        await each.kill();
        await each.start();
      }),
      async () => {
        await store.kill();
        await wait(DOWN_MS);
        await store.run();
      },
      () => (KILLS_POSTGRES ? crashPostgres() : link.break(DOWN_MS)),
    ];
    for (let times = 1; times <= 2; times++)
      for (const [place, outage] of outages.entries()) {
        const share = (times - 1 + (place + 1) / (outages.length + 1)) / 2;
        await until(() => counts.upload >= share * WRITES, 120_000);
        await outage();
      }
    await Promise.all(clients);

    const user = cast.U1;
    await until(async () => (await all(user, places[0]!)).error === undefined, 30_000);
    const lost: unknown[] = [];
    for (const known of documents) {
      const number = known.id.split('/')[1]!;
      const answers = await Promise.all(places.map((folder) => read(user, `${folder}/${number}`)));
      const data = answers.find((answer) => answer.data)?.data as { id: string; folder_id: string } | undefined;
      if (!data) {
        if (known.gone === 'no') lost.push(['missing', known.id]);
        continue;
      }
      if (known.gone === 'yes') lost.push(['not deleted', known.id]);
      if (!known.folders.has(data.folder_id)) lost.push(['elsewhere', known.id, data.folder_id]);
      const bytes = Buffer.from(await (await download(user, data.id)).arrayBuffer());
      if (!known.hashes.has(hashOf(bytes))) lost.push(['other bytes', known.id]);
    }
    expect(lost).toEqual([]);

    // Every version that is listed has its bytes, and nothing else is stored or counted.
    let [used, contents] = [0, 0];
    for (const folder of places)
      for (const [id] of (await all(user, folder)).data!) {
        const { data } = await user.get<number[][]>('infostore', 'versions', { id: String(id), columns: '704' });
        for (const [size] of data!) {
          used += size!;
          contents++;
        }
      }
    await until(() => store.objects().length === contents, SWEPT_WITHIN_MS).catch(() => undefined);
    expect(await listOrphans()).toEqual([]);
    expect([store.objects().length, await usedBytes(user)]).toEqual([contents, used]);
  }, 3_600_000);
});
