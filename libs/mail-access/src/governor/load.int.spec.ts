import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { OutboundGuard, OutboundSettings, PortList } from '@groupware/outbound';
import { testAuthority, uniquePrefix, until } from '@groupware/test-kit';
import { Redis } from 'ioredis';
import { MailConnector } from '../mail-connector';
import { mailFailureOf } from '../mail-failure';
import { ConnectionGovernor } from './connection-governor';
import { GovernorSettings } from './governor-settings';

/** Accounts without a connection; the agreed load by hand: MAIL_LOAD=5000 MAIL_LOAD_RATE=60. */
const ACCOUNTS = Number(process.env.MAIL_LOAD ?? 100);
/** How many of them come each second. */
const RATE = Number(process.env.MAIL_LOAD_RATE ?? 20);
/** Connections that the server allows. */
const PER_ACCOUNT = 10;
const IN_TOTAL = ACCOUNTS < 1_000 ? 40 : 200;
/** Processes that share the budgets. */
const PROCESSES = 4;
/** One account in so many wants more connections than it may have. */
const GREEDY_EVERY = 50;
const OUTAGE_MS = 1_500;

const authority = testAuthority();
const folder = mkdtempSync(path.join(os.tmpdir(), 'mail-load-'));
const clients: Redis[] = [];

/** Counts of the server. */
interface Counts {
  readonly open: number;
  readonly mostOpen: number;
  readonly mostOfOne: number;
  readonly refused: number;
  /** When connections came, ms. */
  readonly attempts: readonly number[];
}

let server: Worker;
let connectors: MailConnector[];
let governor: ConnectionGovernor;
let port: number;

beforeAll(async () => {
  const workerData = { ...authority.issue(['127.0.0.1']), perAccount: PER_ACCOUNT, inTotal: IN_TOTAL };
  server = new Worker(path.join(__dirname, 'counting-mail-server.cjs'), { workerData });
  port = await told<number>();
  const caFile = path.join(folder, 'ca.pem');
  writeFileSync(caFile, authority.cert);
  const outbound = Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], caFile, failureStepMs: 0 });
  const settings = Object.assign(new GovernorSettings(), {
    perAccount: PER_ACCOUNT,
    perHost: IN_TOTAL,
    connectsPerSecond: 3 * RATE,
    breakerPauseMs: 200,
    breakerMaxPauseMs: 500,
  });
  const prefix = uniquePrefix();
  connectors = Array.from({ length: PROCESSES }, () => {
    const redis = new Redis(process.env.REDIS_URL!);
    clients.push(redis);
    governor = new ConnectionGovernor(redis, prefix, settings);
    return new MailConnector(new OutboundGuard(outbound), governor, new PortList(['1024-65535']));
  });
  // The accounts are cold, the processes are not.
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 8 }, (_each, turn) => use(1_000_000, turn)));
});
afterAll(async () => {
  await server.terminate();
  for (const redis of clients) redis.disconnect();
  rmSync(folder, { recursive: true, force: true });
});

const told = <T>(): Promise<T> => new Promise((resolve) => server.once('message', resolve));
const counts = (): Promise<Counts> => {
  const answer = told<Counts>();
  server.postMessage('count');
  return answer;
};

/** One use of an account by one of the processes: `ok`, or the kind of the failure, and how long it took. */
async function use(
  account: number,
  turn: number,
  work: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ outcome: string; ms: number }> {
  const begin = performance.now();
  const target = { protocol: 'imap', host: '127.0.0.1', port, protection: 'tls', allowPlain: false } as const;
  const login = `ann${account}`;
  const done = (outcome: string) => ({ outcome, ms: performance.now() - begin });
  return connectors[(account + turn) % PROCESSES]!.withImap(
    target,
    { login, password: 'secret' },
    { account: login },
    ({ client }) => client.noop().then(work),
  ).then(
    () => done('ok'),
    (error: unknown) => done(mailFailureOf(error).kind),
  );
}

/** Lets accounts come at the rate; answers the first result of each. */
async function come(from: number, count: number): Promise<{ outcome: string; ms: number }[]> {
  const firsts: Promise<{ outcome: string; ms: number }>[] = [];
  const others: Promise<unknown>[] = [];
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const account = from + index;
    firsts.push(use(account, 0));
    const more = account % GREEDY_EVERY === 0 ? PER_ACCOUNT + 5 : 0;
    for (let turn = 1; turn <= more; turn++) others.push(use(account, turn));
    const early = start + ((index + 1) * 1000) / RATE - performance.now();
    if (early > 0) await sleep(early);
  }
  const results = await Promise.all(firsts);
  await Promise.all(others);
  return results;
}

const slowestHundredth = (results: readonly { ms: number }[]): number =>
  results.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(results.length * 0.99)]!;

/** Most connections within one second. */
function mostInOneSecond(times: readonly number[]): number {
  let [first, most] = [0, 0];
  times.forEach((time, last) => {
    while (times[first]! < time - 1000) first += 1;
    most = Math.max(most, last - first + 1);
  });
  return most;
}

const tell = (text: string) => process.env.MAIL_LOAD && process.stderr.write(`${text}\n`);

it(
  `${ACCOUNTS} cold accounts get their first answer soon, within what the server allows`,
  async () => {
    const before = process.cpuUsage();
    const results = await come(0, ACCOUNTS);
    const { user, system } = process.cpuUsage(before);
    const p99 = slowestHundredth(results);
    const { refused, mostOpen, mostOfOne, attempts } = await counts();
    const cpuMs = (user + system) / 1000 / attempts.length;
    tell(`${ACCOUNTS} accounts: p99 ${p99.toFixed(0)} ms, at most ${mostOpen} open, ${mostOfOne} of one`);
    tell(`${attempts.length} connections, ${cpuMs.toFixed(1)} ms of CPU each, client and server together`);
    expect(results.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect({ refused, mostOfOne }).toEqual({ refused: 0, mostOfOne: PER_ACCOUNT });
    expect(mostOpen).toBeLessThanOrEqual(IN_TOTAL);
    expect(p99).toBeLessThan(2_000);
    await until(async () => (await counts()).open === 0 && (await governor.countOf(`127.0.0.1:${port}`)) === 0);
  },
  120_000 + (ACCOUNTS / RATE) * 1000,
);

it('half as many again as the server allows share its places', async () => {
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const uses = Array.from({ length: IN_TOTAL * 1.5 }, (_each, index) => use(2_000_000 + index, 0, () => left));
  await until(async () => (await counts()).open === IN_TOTAL);
  leave();
  const results = await Promise.all(uses);
  tell(`${uses.length} at once: the slowest after ${slowestHundredth(results).toFixed(0)} ms`);
  expect(results.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(await counts()).toMatchObject({ refused: 0, mostOpen: IN_TOTAL });
}, 120_000);

it('nobody storms a server that is down, nor one that is back', async () => {
  const busy = come(ACCOUNTS, Math.ceil((RATE * (OUTAGE_MS + 3_000)) / 1000));
  await sleep(500);
  server.postMessage('down');
  const before = (await counts()).attempts.length;
  await sleep(OUTAGE_MS);
  const during = (await counts()).attempts.length - before;
  server.postMessage('up');
  await busy;
  const attempts = (await counts()).attempts.slice(before);
  tell(`${during} attempts while it was down, at most ${mostInOneSecond(attempts)} in one second after that`);
  // Those on their way when it went, the failures that trip the breaker, and one probe after each pause.
  expect(during).toBeLessThan(60);
  // A second's worth may come at once.
  expect(mostInOneSecond(attempts)).toBeLessThanOrEqual(6 * RATE);
  const results = await come(2 * ACCOUNTS, Math.min(ACCOUNTS, 100));
  expect(results.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(await counts()).toMatchObject({ refused: 0 });
}, 120_000);
