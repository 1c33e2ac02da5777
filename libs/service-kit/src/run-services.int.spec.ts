import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Bus, Caller } from '@groupware/messaging';
import { dropDatabases, findFreePort, until } from '@groupware/test-kit';
import { Client } from 'pg';
import { defineService, runServices, setLogDestination, type RunningServices, type ServiceDefinition } from './index';
import { NotedTooConsumer } from './testing/consumers/noted-too.consumer';
import { kitTest } from './testing/kit-test.contract';
import { NoteHandler } from './testing/handlers/note.handler';

class CreateNotes1763700000000 {
  async up(db: { query(sql: string): Promise<unknown> }) {
    await db.query('create table note (context_id int not null, text text not null)');
  }
  async down(db: { query(sql: string): Promise<unknown> }) {
    await db.query('drop table note');
  }
}

const definition: ServiceDefinition = defineService({
  name: 'kit-test',
  contracts: [kitTest],
  directory: path.join(__dirname, 'testing'),
  migrations: [CreateNotes1763700000000],
  http: ({ public: edge }) => {
    edge.use('/hello', (_request, response) => {
      response.send('hello');
    });
  },
});
const name = `kit_${randomBytes(6).toString('hex')}`;
const principal = { kind: 'internal' as const, service: 'spec', contextId: 4 };
let environment: Record<string, string>;
let running: RunningServices;
let bus: Bus;
let caller: Caller;

async function admin(sql: string): Promise<void> {
  const client = new Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query(sql);
  await client.end();
}

beforeAll(async () => {
  await admin(`create database ${name}`);
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = `/${name}`;
  environment = {
    DATABASE_URL: url.href,
    NATS_URL: process.env.NATS_URL!,
    GROUPWARE_BUS_PREFIX: name,
    GROUPWARE_LOG_LEVEL: 'silent',
    GROUPWARE_TEST: 'true',
    PORT: '0',
    INTERNAL_PORT: '0',
  };
  running = await runServices([definition], environment);
  bus = await Bus.connect({ url: process.env.NATS_URL!, prefix: name });
  caller = new Caller(bus);
}, 60_000);
afterAll(async () => {
  await running?.close();
  await bus?.close();
  await dropDatabases(name);
});

const get = (url: string) =>
  fetch(url).then(async (response) => ({ status: response.status, text: await response.text() }));

describe('a process', () => {
  it('answers operations, and all its consumers of an event react once', async () => {
    expect(await caller.call(kitTest.note, { principal, query: { text: 'a' } })).toBe(1);
    let notes: string[] = [];
    for (let tries = 0; notes.length < 3 && tries < 100; tries += 1) {
      notes = await caller.call(kitTest.notes, { principal });
      await wait(20);
    }
    expect(notes).toEqual(['a', 'echo of a', 'second echo of a']);
    expect(await caller.call(kitTest.notes, { principal: { ...principal, contextId: 5 } })).toEqual([]);
  });

  it('tries again what follows the commit of a consumer, and not its effect', async () => {
    const { attempts } = NotedTooConsumer;
    await until(() => attempts.length === 2, 20_000);
    expect(attempts[0]).toBe(attempts[1]);
    expect(await caller.call(kitTest.notes, { principal })).toEqual(['a', 'echo of a', 'second echo of a']);
  });

  it('shows its health and metrics on the internal listener only', async () => {
    expect((await get(`${running.internalUrl}/live`)).status).toBe(200);
    expect(await get(`${running.internalUrl}/ready`)).toMatchObject({ status: 200 });
    const health = await get(`${running.internalUrl}/health`);
    expect(health.status).toBe(200);
    expect(JSON.parse(health.text)).toMatchObject({
      status: 'UP',
      checks: [
        { name: 'disk', status: 'UP' },
        { name: 'event-loop', status: 'UP' },
        { name: 'jetstream', status: 'UP' },
        { name: 'module-kit-test', status: 'UP' },
        { name: 'nats', status: 'UP' },
        { name: 'postgres-kit-test', status: 'UP' },
      ],
      service: { version: expect.any(String) },
      blacklist: [],
      ignorelist: [],
    });
    const metrics = await get(`${running.internalUrl}/metrics`);
    expect(metrics.text).toContain('groupware_operations_total{module="kit-test",action="note",outcome="ok"} 1');
    expect((await get(`${running.publicUrl}/health`)).status).toBe(404);
    expect((await get(`${running.publicUrl}/hello`)).text).toBe('hello');
  });

  it('answers /live while it waits for a schema that another process migrates, and ends the wait with a clear error', async () => {
    const other = new Client({ connectionString: environment.DATABASE_URL });
    await other.connect();
    try {
      await other.query(`select pg_advisory_lock(hashtextextended('groupware migrate kit_test', 0))`);
      const port = await findFreePort();
      const lines: string[] = [];
      setLogDestination({ write: (line) => void lines.push(line) });
      const starting = runServices([definition], {
        ...environment,
        INTERNAL_PORT: String(port),
        GROUPWARE_LOG_LEVEL: 'warn',
        MIGRATION_LOCK_TIMEOUT_MS: '1500',
      });
      const failure = expect(starting).rejects.toThrow(
        'another process migrates the schema kit_test; gave up after 1500 ms',
      );
      const url = `http://127.0.0.1:${port}`;
      while (!lines.some((line) => line.includes('another process migrates the schema kit_test'))) await wait(10);
      expect((await get(`${url}/live`)).status).toBe(200);
      expect((await get(`${url}/ready`)).status).toBe(503);
      expect((await get(`${url}/admin/v1/contexts`)).status).toBe(503);
      await failure;
      await expect(fetch(`${url}/live`)).rejects.toThrow();
    } finally {
      setLogDestination({ write: () => undefined }, 'silent');
      await other.end();
    }
  });

  it('refuses a schema that is behind where it may not migrate, and says what to do', async () => {
    class AddLater1763700000001 extends CreateNotes1763700000000 {}
    const next = { ...definition, migrations: [...definition.migrations!, AddLater1763700000001] };
    await expect(runServices([next], { ...environment, MIGRATIONS: 'check' })).rejects.toThrow(
      'The schema kit_test is behind this version, it lacks AddLater1763700000001: run `svcctl migrate forward`',
    );
    await (await runServices([definition], { ...environment, MIGRATIONS: 'check' })).close();
  });

  it('refuses to start without a handler, with a double one and with a foreign one, naming each', async () => {
    const broken = { ...definition, directory: '/nowhere', handlers: [NoteHandler, NoteHandler] };
    await expect(runServices([broken], environment)).rejects.toThrow(
      /kit-test\.note has several handlers[^]*kit-test\.notes has no handler/,
    );
    const foreign = { ...definition, contracts: [], handlers: [NoteHandler] };
    await expect(runServices([foreign], environment)).rejects.toThrow(/no contract of the service declares/);
  });

  it('reports all bad settings and a taken port by name, and leaves nothing behind', async () => {
    await expect(runServices([], { ...environment, PORT: 'x', INTERNAL_PORT: '70000' })).rejects.toThrow(
      /PORT[^]*INTERNAL_PORT/,
    );
    const { port } = new URL(running.internalUrl);
    await expect(runServices([], { ...environment, INTERNAL_PORT: port })).rejects.toThrow(
      new RegExp(`INTERNAL_PORT: port ${port}`),
    );
  });

  it('ends although somebody keeps a connection without asking anything', async () => {
    const other = await runServices([], { ...environment, INTERNAL_PORT: '0' });
    const { hostname, port } = new URL(other.internalUrl);
    const socket = net.connect(Number(port), hostname);
    await once(socket, 'connect');
    const gone = once(socket, 'close');
    socket.on('error', () => undefined).resume();
    await other.close();
    await gone;
  });
});
