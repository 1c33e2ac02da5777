import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { MAX_RESULTS } from '@groupware/contracts';
import { moduleNamesOf } from '@groupware/host';
import { until } from '@groupware/test-kit';
import { all, ALL_TIME, HOUR } from '../calendar/calendar';
import { AdminClient, type Client, type Envelope } from '../client';
import { createContext, createTestUser, type TestUser } from '../fixtures';
import { MAIL_PASSWORD, startOutside, type Outside } from '../mail-account/outside';
import { CHECKOUT, HostProcess } from '../processes';
import { expectNoSecretInLogs, watchEvents } from '../secrets';
import { createEnvironment, type Environment } from '../test-environment';
import { Balancer } from './balancer';
import { buildNextVersion } from './next-version';
import { idOf, otherWrites, type Write } from './writes';

/** Requests from the beginning to the end of a run; `npm run test:faults` makes 10,000 of them. */
const REQUESTS = Number(process.env.E2E_UPGRADE_REQUESTS ?? 2_000);
/** Of appointments; each other kind of objects has one. */
const CLIENTS = 6;
const SERVICES = moduleNamesOf({})
  .filter((name) => name !== 'gateway')
  .join(',');
/** The modules of each process that runs in two versions. */
const GROUPS = [SERVICES, 'gateway'];
/** Requests after each step. */
const BETWEEN = 120;
/** Pause of a client between two requests: what starts meanwhile needs the machine, too. */
const PAUSE_MS = 20;

/** One process of the installation, and the version that it runs. */
class Replica extends HostProcess {
  constructor(
    readonly modules: string,
    version: string,
  ) {
    super(
      `${modules} of ${path.basename(version)}`,
      { ...environment.variables, GROUPWARE_MODULES: modules },
      (line) => {
        if (line.includes('"level":"error"')) errors.push(`${step}: ${line}`);
      },
      version,
    );
  }

  /** How many operations its services answered. */
  async countAnswers(): Promise<number> {
    const metrics = await (await fetch(`${this.internalUrl}/metrics`)).text();
    const counts = [...metrics.matchAll(/^groupware_operations_total\{.*\} (\d+)$/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

let environment: Environment;
let endEvents: () => Promise<void>;
let folder: string;
/** The versions, as folders of the built product. */
let older: string;
let newer: string;
let replicas: Replica[] = [];
/** Lines of the logs that tell why a call failed. */
const errors: string[] = [];
let load: Load | undefined;
let balancer: Balancer<HostProcess>;
let outside: Outside;
let user: TestUser;
let writes: Write[];
let requests = 0;
/** Step under way, for the report of a failure. */
let step = 'before';

async function svcctl<T>(version: string, ...args: string[]): Promise<T> {
  const main = path.join(version, 'apps', 'svcctl', 'dist', 'main.js');
  const env = { ...process.env, ...environment.variables };
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--json', ...args], { env });
  return JSON.parse(stdout) as T;
}

async function startReplica(modules: string, version: string): Promise<void> {
  const replica = new Replica(modules, version);
  await replica.start();
  replicas.push(replica);
}

beforeAll(async () => {
  outside = await startOutside(['ann']);
  const mailServer = outside.dovecot.imaps;
  environment = await createEnvironment({
    ...outside.variables,
    MAIL_ACCOUNT_GLOBAL_PASSWORD: MAIL_PASSWORD,
    MAIL_ACCOUNT_GLOBAL_PASSWORD_SERVERS: `imaps://mail.test:${mailServer}`,
    MIGRATIONS: 'check',
    // As by default: on a busy machine the balancer needs a while to notice, as elsewhere.
    GROUPWARE_LEAVE_PAUSE_MS: '5000',
    GROUPWARE_LEAVE_LINGER_MS: '2000',
  });
  environment.variables.GROUPWARE_PROPERTIES_FILE = path.join(environment.variables.DATA_DIR!, 'server.properties');
  const properties = ['com.example.mail.passwordSource=global', 'com.example.snippet.maxPerUser=100000'];
  fs.writeFileSync(environment.variables.GROUPWARE_PROPERTIES_FILE, properties.join('\n'));
  endEvents = await watchEvents(environment.variables);
  folder = path.join(environment.variables.DATA_DIR!, 'next-version');
  // Two real versions, or this one and the one made from it.
  older = process.env.PREVIOUS_VERSION ?? CHECKOUT;
  newer = process.env.PREVIOUS_VERSION ? CHECKOUT : buildNextVersion(folder);
  await svcctl(older, 'migrate', 'forward');
  for (const modules of [...GROUPS, ...GROUPS]) await startReplica(modules, older);
  balancer = new Balancer(() => replicas.filter(({ modules }) => modules === 'gateway'));
  const { publicUrl, internalUrl } = replicas.at(-1)!;
  const { login, password } = environment.master;
  const admin = new AdminClient(internalUrl, login, password);
  const contextId = await createContext(admin, 'upgrade');
  await admin.expect('PUT', `/admin/v1/contexts/${contextId}/config/${MAX_RESULTS.key}`, { value: '1000000' });
  user = await createTestUser({ publicUrl }, admin, contextId, 'ann');
  await admin.expect('PUT', `/admin/v1/contexts/${contextId}/users/${user.userId}/mail-account`, {
    imap: { host: 'mail.test', port: mailServer, secure: true, login: 'ann' },
  });
  await until(() => Promise.resolve(balancer.targets.length > 0));
  // Each of his requests goes to the next gateway that is ready.
  Object.defineProperty(user, 'baseUrl', { get: nextGateway });
  writes = await otherWrites(user);
}, 240_000);
afterAll(async () => {
  await load?.end();
  await balancer?.close();
  await Promise.all(replicas.map((replica) => replica.kill('SIGTERM')));
  await endEvents?.();
  await environment?.drop();
  await outside?.close();
  expectNoSecretInLogs();
}, 60_000);

/** Counts a request, and tells whom to send it to. */
function nextGateway(): string {
  const { targets } = balancer;
  const target = targets[requests % targets.length];
  if (!target) throw new Error('no gateway is ready');
  requests += 1;
  return target.publicUrl;
}

/** Calls through the balancer until it is told to stop. */
class Load {
  /** Calls that failed. */
  readonly failures: string[] = [];
  /** Last titles of appointments that were acknowledged, by id. */
  readonly titles = new Map<string, string>();
  /** Acknowledged ids of each other kind of objects, by title. */
  readonly created = new Map<string, Map<string, string[]>>();
  private isOver = false;
  private readonly clients = [
    ...Array.from({ length: CLIENTS }, (_value, number) =>
      this.repeat((turn) =>
        this.writeAndRead(`${number}-${turn}`, Date.UTC(2030, 0, 1) + ((turn * CLIENTS + number) % 8_000) * HOUR),
      ),
    ),
    ...writes.map((write) => this.repeat((turn) => this.create(write, turn))),
  ];

  /** Waits for further requests. */
  async expectRequests(count: number): Promise<void> {
    const target = requests + count;
    while (requests < target) await wait(20);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private async repeat(work: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.isOver; turn++)
      try {
        await work(turn);
        await wait(PAUSE_MS);
      } catch (error) {
        this.failures.push(`${step}: ${(error as { cause?: Error }).cause?.message ?? (error as Error).message}`);
        await wait(50);
      }
  }

  private async create({ module, create }: Write, turn: number): Promise<void> {
    const title = `object ${turn}`;
    const answer = await create(title, turn);
    const id = idOf(answer);
    if (id === undefined) throw new Error(`${module}: ${JSON.stringify(answer)}`);
    const created = this.created.get(module) ?? new Map<string, string[]>();
    this.created.set(module, created.set(title, [id]));
  }

  /** Creates an appointment and changes it, through whatever gateway; reads see what was written. */
  private async writeAndRead(title: string, start: number): Promise<void> {
    const times = { start_date: start, end_date: start + HOUR / 2 };
    const folder_id = user.folder;
    const created = await this.request((client) =>
      client.put('calendar', 'new', {}, { title, folder_id, ignore_conflicts: true, ...times }),
    );
    const id = String(created.data.id);
    this.titles.set(id, title);
    const changed = `${title} changed`;
    const where = { id, folder: user.folder };
    await this.request((client) =>
      client.put(
        'calendar',
        'update',
        { ...where, timestamp: created.timestamp },
        { title: changed, ignore_conflicts: true },
      ),
    );
    this.titles.set(id, changed);
    const read = await this.request((client) => client.get('calendar', 'get', where));
    if (read.data.title !== changed) throw new Error(`${id} is ${read.data.title}, not ${changed}`);
    const range = { start: start - HOUR, end: start + HOUR };
    const rows = await this.request((client) => client.get('calendar', 'all', { ...where, columns: '1', ...range }));
    if (!rows.data.some(([found]: [unknown]) => String(found) === id)) throw new Error(`${id} is in no view`);
    await this.request((client) => client.get('folders', 'get', { id: user.folder }));
  }

  private async request(call: (client: Client) => Promise<Envelope>): Promise<Envelope> {
    const answer = await call(user.copy());
    if (answer.error) throw new Error(JSON.stringify(answer));
    return answer;
  }
}

/** Replaces all processes one by one, each new one before its old one leaves. */
async function rollOut(version: string, load: Load): Promise<void> {
  for (const leaving of [...replicas]) {
    const change = `${leaving.modules === 'gateway' ? 'gateway' : 'services'} of ${path.basename(version)}`;
    step = `${change} come`;
    await startReplica(leaving.modules, version);
    await load.expectRequests(BETWEEN);
    if (leaving.modules !== 'gateway') expect(await replicas.at(-1)!.countAnswers()).toBeGreaterThan(0);
    step = `${change} follow on others that leave`;
    await leaving.kill('SIGTERM');
    replicas = replicas.filter((replica) => replica !== leaving);
  }
  expect(replicas.map((replica) => replica.version)).toEqual(GROUPS.concat(GROUPS).map(() => version));
}

interface Step {
  readonly shard: string;
  readonly schema: string;
  readonly migration: string;
}

describe('two versions side by side', () => {
  it('roll forward and back under load, and no call fails', async () => {
    load = new Load();
    await load.expectRequests(BETWEEN);
    const steps = await svcctl<Step[]>(newer, 'migrate', 'forward');
    await rollOut(newer, load);
    // Back: first the processes, which work with the newer schemas, then the schemas.
    await rollOut(older, load);
    step = 'the schemas go back';
    const counts = new Map<string, number>();
    for (const { schema } of steps) counts.set(schema, (counts.get(schema) ?? 0) + 1);
    for (const count of new Set(counts.values())) {
      const schemas = [...counts.keys()].filter((schema) => counts.get(schema) === count);
      await svcctl(newer, 'migrate', 'back', ...schemas, '--steps', String(count));
    }
    await load.expectRequests(BETWEEN);
    while (requests < REQUESTS) await load.expectRequests(1);
    step = 'after';
    await load.end();
    expect({ failures: load.failures, errors }).toEqual({ failures: [], errors: [] });
    for (const { module, readStored } of writes) {
      const created = load.created.get(module);
      expect({ module, stored: [...(await readStored())].sort() }).toEqual({ module, stored: [...created!].sort() });
    }
    const stored = await all(user, '1,200', ALL_TIME);
    expect(stored.length).toBe(load.titles.size);
    expect(new Map(stored.map(([id, title]) => [String(id), title as string]))).toEqual(load.titles);
    if (!process.env.PREVIOUS_VERSION) expect(steps.filter(({ schema }) => schema === 'calendar')).toHaveLength(2);
  }, 900_000);
});
