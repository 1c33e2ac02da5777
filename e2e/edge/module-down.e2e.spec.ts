import { contracts, MODULE, operations } from '@groupware/contracts';
import { Client as Database } from 'pg';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient, Client } from '../client';
import { callOperation, nameOf, sampleQuery } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { EVERY_MODULE } from './attempts';

const DEADLINE_MS = 1_000;
const RUNNING = new Set(['identity', 'gateway']);
const absent = operations.filter(({ kind, service }) => kind === 'action' && !RUNNING.has(service));
let world: TestEnvironment;
let client: Client;

beforeAll(async () => {
  world = await startTestEnvironment({
    modules: [...RUNNING],
    properties: EVERY_MODULE,
    variables: { GATEWAY_DEADLINE_MS: String(DEADLINE_MS) },
  });
  const admin = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  const contextId = await createContext(admin, 'lonely');
  client = new Client(world.publicUrl);
  expect(await client.login(`admin@${contextId}`, PASSWORD)).toHaveProperty('session');
}, 120_000);
afterAll(() => world?.close());

describe('a module that is not running', () => {
  const simple = absent
    .filter((operation) => !operation.body)
    .map((operation) => [nameOf(operation), operation] as const);

  it('exists in this test', () => {
    expect(simple.length).toBeGreaterThan(3);
    expect(contracts.map((contract) => contract[MODULE].service)).toContain('calendar');
  });

  it.each(simple)('%s is answered at once with HTTP 503', async (_name, operation) => {
    const started = Date.now();
    const { status, body } = await callOperation(client, operation, sampleQuery(operation));
    expect(Date.now() - started).toBeLessThan(DEADLINE_MS);
    expect({ status, ...body }).toMatchObject({
      status: 503,
      code: 'SVL-0032',
      categories: 'SERVICE_DOWN',
      category: 5,
      error_params: [operation.module],
    });
  });

  it('does not keep the others from answering', async () => {
    expect((await client.call('GET', 'user/me', 'get')).error_id).toBeDefined();
    const answer = await client.fetch('GET', '/user/me', { session: client.session });
    expect(await answer.json()).toHaveProperty('data.user_id', client.userId);
  });

  it('leaves its part out of the start data, and the login stands', async () => {
    const body = { rampup: 'true', rampUpFor: 'web' };
    const { session, rampup } = await new Client(world.publicUrl).login(`admin@${client.contextId}`, PASSWORD, body);
    expect(session).toBeDefined();
    expect(rampup).toMatchObject({
      user: { id: String(client.userId) },
      errors: { serverConfig: { code: 'SVL-0032' }, jslobs: { code: 'SVL-0032' }, folderlist: { code: 'SVL-0032' } },
    });
  });
});

describe('a module that does not answer in time', () => {
  it('gives the error of the deadline, names no table, and answers again when it can', async () => {
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    try {
      const { rows } = await database.query(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'identity' and tablename not in ('outbox', 'consumed_event', 'migration')`,
      );
      await database.query('begin');
      await database.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`);
      const started = Date.now();
      const answer = await client.get('user', 'all', { columns: '1,500' });
      expect(answer).toMatchObject({ code: 'SVL-0033', categories: 'TRY_AGAIN', error_params: ['user'] });
      expect(JSON.stringify(answer)).not.toMatch(/lock|select|identity\./);
      expect(Date.now() - started).toBeGreaterThanOrEqual(DEADLINE_MS - 50);
      expect(Date.now() - started).toBeLessThan(5 * DEADLINE_MS);
      await database.query('rollback');
      expect((await client.get('user', 'all', { columns: '1,500' })).data).toHaveLength(1);
    } finally {
      await database.end();
    }
  });
});
