import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createContext } from '../fixtures';
import { AdminClient } from '../client';
import { createProcessWorld, type HostProcess, type ProcessWorld } from '../processes';

/** Rows of the file; `E2E_IMPORT_ROWS=100000` for the long form. */
const ROWS = Number(process.env.E2E_IMPORT_ROWS ?? 600);
/** One row in so many is faulty. */
const FAULTY_EVERY = 100;
/** Memory that the last third of the rows may add to the process, MB: a process takes its share, and then no more. */
const MOST_MORE_MB = 100;
/** How often to look, ms: looking costs, and a long list of errors costs more. */
const LOOK_MS = ROWS > 10_000 ? 2_000 : 100;
const isFaulty = (row: number): boolean => row % FAULTY_EVERY === FAULTY_EVERY / 2;

let world: ProcessWorld;
let master: AdminClient;

beforeAll(async () => {
  world = await createProcessWorld(['identity'], { IDENTITY_JOB_TAKEOVER_MS: '1000' });
  master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
}, 120_000);
afterAll(() => world?.close(), 60_000);

const memoryMb = (pid: number | undefined): number => {
  const status = pid === undefined ? '' : readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
};

describe('an import whose process is killed', () => {
  it('goes on in the next one, with the same end, the faulty rows by number, and flat memory', async () => {
    const contextId = await createContext(master, 'import');
    const base = `/admin/v1/contexts/${contextId}`;
    const hash = `{SSHA512}${Buffer.alloc(72, 1).toString('base64')}`;
    const lines = Array.from({ length: ROWS }, (_none, row) => {
      const zone = isFaulty(row) ? 'Mars/Base' : 'Europe/Berlin';
      return `user${row},Surname ${row},Given,user${row}@i${contextId}.example,${hash},${zone}`;
    });
    const csv = ['name,surname,givenname,email,passwordHash,timezone', ...lines].join('\n');
    // The call loses its process, and would wait for its answer until its deadline: this test does not wait for it.
    void master
      .request('POST', `${base}/import?kind=users`, csv, { 'content-type': 'text/csv' })
      .catch(() => undefined);
    const [identity] = world.processes as [HostProcess];
    let killed = false;
    let early = 0;
    let late = 0;
    for (;;) {
      await wait(LOOK_MS);
      // While the process is away there is no answer.
      const [job] = (await master.request('GET', `${base}/jobs`)).body?.items ?? [];
      const now = job && (await master.request('GET', `${base}/jobs/${job.id}`)).body;
      if (now?.state && now.state !== 'running') break;
      if ((now?.result?.rows ?? 0) < ROWS / 3) continue;
      if (!killed) {
        killed = true;
        await identity.kill();
        await identity.start();
      }
      const used = memoryMb(identity.pid);
      if (now.result.rows < (ROWS * 2) / 3 || early === 0) early = Math.max(early, used);
      else late = Math.max(late, used);
    }
    expect(killed).toBe(true);
    const [{ id }] = (await master.expect('GET', `${base}/jobs`)).items;
    const job = await master.expect('GET', `${base}/jobs/${id}`);
    const faulty = Array.from({ length: ROWS }, (_none, row) => row).filter(isFaulty);
    expect(job).toMatchObject({ state: 'done', result: { rows: ROWS, created: ROWS - faulty.length } });
    // The header is row 1.
    expect(job.result.errors.map((error: { row: number }) => error.row)).toEqual(faulty.map((row) => row + 2));
    expect((await master.expect('GET', `${base}/users/count`)).count).toBe(ROWS - faulty.length + 1);
    expect(late - early).toBeLessThan(MOST_MORE_MB);
  }, 3_600_000);
});
