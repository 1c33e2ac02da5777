import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '@groupware/test-kit';
import { all, HOUR } from '../calendar/calendar';
import { createContext, createTestUser, type TestUser } from '../fixtures';
import { AdminClient, type Client } from '../client';
import { HostProcess } from '../processes';
import { createEnvironment, type Environment, type TestEnvironment } from '../test-environment';

interface Line {
  readonly process: string;
  readonly at: number;
  readonly level: string;
  readonly logger: string;
  readonly user?: number;
}

/** A span as a collector gets it. */
interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: { readonly key: string; readonly value: object }[];
}

/** An OpenTelemetry collector (OTLP over HTTP, JSON) that keeps what it gets. */
async function startCollector() {
  const spans: CollectedSpan[] = [];
  const server = http
    .createServer((request, response) => {
      let text = '';
      request
        .on('data', (part: Buffer) => (text += part.toString()))
        .on('end', () => {
          for (const { scopeSpans } of JSON.parse(text).resourceSpans)
            for (const scope of scopeSpans) spans.push(...scope.spans);
          response.end('{}');
        });
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans, close: () => new Promise((resolve) => server.close(resolve)) };
}

const IN_FORCE_MS = 1000;
let collector: Awaited<ReturnType<typeof startCollector>>;
let environment: Environment;
const processes = new Map<string, HostProcess>();
const gateways: TestEnvironment[] = [];
const lines: Line[] = [];
let master: AdminClient;
let contextId: number;
let players: TestUser[];

async function start(name: string, modules: string, ports: Record<string, string> = {}): Promise<void> {
  const variables = { ...environment.variables, GROUPWARE_LOG_LEVEL: 'warn', GROUPWARE_MODULES: modules, ...ports };
  const started = new HostProcess(name, variables, (text) => {
    if (text.startsWith('{')) lines.push({ ...(JSON.parse(text) as Line), process: name, at: Date.now() });
  });
  processes.set(name, started);
  await started.start();
}

async function gateway(name: string): Promise<TestEnvironment> {
  const [port, internalPort] = [await findFreePort(), await findFreePort()];
  await start(name, 'gateway', { PORT: String(port), INTERNAL_PORT: String(internalPort) });
  return {
    ...environment,
    publicUrl: `http://127.0.0.1:${port}`,
    internalUrl: `http://127.0.0.1:${internalPort}`,
    environment: environment.variables,
    close: () => Promise.resolve(),
  };
}

beforeAll(async () => {
  collector = await startCollector();
  // Only requests with a traceparent are traced.
  environment = await createEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACING_SAMPLE_PERCENT: '0' });
  await start('base', 'identity,folders,admin');
  await Promise.all([start('calendar 1', 'calendar'), start('calendar 2', 'calendar')]);
  gateways.push(await gateway('gateway 1'), await gateway('gateway 2'));
  master = new AdminClient(gateways[0]!.internalUrl, environment.master.login, environment.master.password);
  contextId = await createContext(master, 'logs');
  players = [];
  for (const name of ['u1', 'u2', 'u3', 'u4'])
    players.push(await createTestUser(gateways[0]!, master, contextId, name));
}, 120_000);
afterAll(async () => {
  await Promise.all([...processes.values()].map((each) => each.kill('SIGTERM')));
  await environment?.drop();
  await collector?.close();
}, 60_000);

/** A client of the same user at another gateway. */
const at = (world: TestEnvironment, player: TestUser): Client =>
  Object.assign(player.copy(), { baseUrl: world.publicUrl });

/** All users ask through all gateways while something happens. */
async function underLoad(work: () => Promise<void>): Promise<void> {
  let stop = false;
  const load = players.flatMap((player) =>
    gateways.map(async (world) => {
      const client = at(world, player) as TestUser;
      while (!stop) await all(client, '1', { start: 0, end: HOUR }).catch(() => wait(50));
    }),
  );
  await work().finally(() => (stop = true));
  await Promise.all(load);
}

const verbose = (from: number) => lines.filter(({ at, level }) => at >= from && ['debug', 'info'].includes(level));
const processesOf = (some: readonly Line[]) => [...new Set(some.map(({ process }) => process))].sort();
const EVERYWHERE = ['calendar 1', 'calendar 2', 'gateway 1', 'gateway 2'];

async function until(check: () => boolean, patienceMs: number): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!check() && Date.now() < end) await wait(25);
}

describe('DEBUG for one user', () => {
  const path = () => `/admin/v1/logconf/contexts/${contextId}/users/${players[1]!.userId}/loggers/root`;

  it('shows the lines of that user in every process within a second, and of nobody else', async () => {
    await underLoad(async () => {
      await wait(500);
      expect(verbose(0).filter(({ user }) => user !== undefined)).toEqual([]);
      await master.request('PUT', path(), '"DEBUG"');
      const set = Date.now();
      const shown = () => verbose(set).filter(({ user }) => user === players[1]!.userId);
      // Lines wait a tenth of a second for their batch, and the load keeps the machine busy: only their order is exact.
      await until(() => processesOf(shown()).length === EVERYWHERE.length, 10 * IN_FORCE_MS);
      expect(processesOf(shown())).toEqual(EVERYWHERE);
      await wait(500);
      expect(verbose(0).filter(({ user }) => user !== undefined && user !== players[1]!.userId)).toEqual([]);
    });
    const first = new Map<string, number>();
    for (const { process, at, user } of lines)
      if (user === players[1]!.userId && !first.has(process)) first.set(process, at);
    const times = EVERYWHERE.map((name) => first.get(name)!);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(2 * IN_FORCE_MS);
  }, 60_000);

  it('holds for a process that starts later, and ends for all', async () => {
    await processes.get('calendar 1')!.kill('SIGTERM');
    await processes.get('calendar 1')!.start();
    const restarted = Date.now();
    await underLoad(async () => {
      await until(() => processesOf(verbose(restarted)).includes('calendar 1'), 10 * IN_FORCE_MS);
      expect(processesOf(verbose(restarted))).toContain('calendar 1');
      expect(await master.request('DELETE', path())).toMatchObject({ status: 200, body: 'DEBUG' });
      await wait(2 * IN_FORCE_MS);
      const removed = Date.now();
      await wait(500);
      expect(verbose(removed).filter(({ user }) => user !== undefined)).toEqual([]);
    });
  }, 60_000);
});

describe('traces of several processes', () => {
  it('a trace leads from the request of a client over the bus to the statements of services', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const login = (headers: Record<string, string>) =>
      fetch(`${gateways[0]!.publicUrl}/login?action=login`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ name: 'nobody@nowhere', password: 'wrong' }),
      });
    await login({});
    await login({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    const { spans } = collector;
    await until(() => spans.some(({ name }) => name === 'POST login.login'), 20_000);
    // Only what the client asked for: the share of the others is 0.
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const pathOf = (span: CollectedSpan | undefined): string[] =>
      span ? [...pathOf(byId.get(span.parentSpanId ?? '')), span.name] : [];
    const root = spans.find(({ name }) => name === 'POST login.login')!;
    expect(root.parentSpanId).toBe('00f067aa0ba902b7');
    const statement = spans.find((span) => span.name.startsWith('sql ') && pathOf(span).includes('login.login'))!;
    expect(pathOf(statement).slice(0, 3)).toEqual(['POST login.login', 'call login.login', 'login.login']);
    expect(root.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'LGI-0006' } });
    expect(JSON.stringify(spans)).not.toMatch(/nobody|nowhere|wrong/);
  }, 30_000);
});
