import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ADMIN_ATTEMPTS_PER_MINUTE, operations, RequestErrors, type Operation } from '@groupware/contracts';
import { createContext, PASSWORD } from '../cast';
import { AdminClient } from '../client';
import { nameOf, samplePath } from '../samples';
import { startWorld, type World } from '../world';

const rest = operations.filter((operation) => operation.kind === 'rest' && operation.auth !== 'none');
const all = rest.map((operation): [string, Operation] => [nameOf(operation), operation]);
const ofMaster = all.filter(([, operation]) => operation.auth === 'master');
const ofContext = all.filter(([, operation]) => operation.auth === 'contextAdmin');

let world: World;
let one: number;
let two: number;
const OTHER_PASSWORD = 'different 1 password';
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rest-refusals-'));

beforeAll(async () => {
  const properties = path.join(folder, 'server.properties');
  fs.writeFileSync(properties, `${ADMIN_ATTEMPTS_PER_MINUTE.key}=100000\n`);
  world = await startWorld({
    modules: ['identity', 'gateway'],
    variables: { GATEWAY_REST_FAILURES_PER_MINUTE: '100000', GROUPWARE_PROPERTIES_FILE: properties },
  });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  one = await createContext(master, 'one');
  two = await createContext(master, 'two');
  // The administrators have the same name; their passwords must not be the same, too.
  await master.expect('PUT', `/admin/v1/contexts/${two}/users/2/password`, { password: OTHER_PASSWORD });
}, 120_000);
afterAll(async () => {
  await world?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const attempt = (operation: Operation, contextId: number, headers: Record<string, string>): Promise<Response> =>
  fetch(`${world.internalUrl}${samplePath(operation, { 'context-id': contextId, 'user-id': 2 })}`, {
    method: operation.http,
    headers: { ...(operation.body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(operation.body ? { body: '{}' } : {}),
  });
const basic = (login: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
});

async function expectUnauthorized(response: Response, operation?: Operation): Promise<void> {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status: 401 });
  expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
  expect(JSON.parse(text)).toMatchObject({
    code: operation?.unauthorized?.entry.code ?? 'REST-0401',
    error_id: expect.any(String),
  });
}

describe('the administrative REST API refuses', () => {
  it('has operations to check', () => {
    expect(ofMaster.length).toBeGreaterThan(3);
    expect(ofContext.length).toBeGreaterThan(10);
  });

  it.each(all)('%s without credentials', async (_name, operation) => {
    await expectUnauthorized(await attempt(operation, one, {}), operation);
    await expectUnauthorized(await attempt(operation, one, { authorization: 'Bearer abc' }), operation);
    await expectUnauthorized(await attempt(operation, one, { authorization: 'Basic ???' }), operation);
  });

  it.each(all)('%s with a wrong password', async (_name, operation) => {
    await expectUnauthorized(await attempt(operation, one, basic(world.master.login, 'wrong')), operation);
    await expectUnauthorized(await attempt(operation, one, basic('', '')), operation);
  });

  it.each(all)('%s with the credentials of a cooperating service', async (_name, operation) => {
    if (operation.auth === 'basic') return;
    await expectUnauthorized(
      await attempt(operation, one, basic(world.service.login, world.service.password)),
      operation,
    );
  });

  it.each(ofMaster)('%s to the administrator of a context', async (_name, operation) => {
    const response = await attempt(operation, one, basic('admin', PASSWORD));
    expect([401, 403]).toContain(response.status);
    expect(await response.json()).toMatchObject({ code: expect.stringMatching(/^REST-040[13]$/) });
  });

  it.each(ofContext)("%s in another administrator's context", async (_name, operation) => {
    const response = await attempt(operation, one, basic('admin', OTHER_PASSWORD));
    expect([401, 403]).toContain(response.status);
    expect(await response.json()).toMatchObject({ code: expect.stringMatching(/^REST-040[13]$/) });
  });

  it('everything on the public listener', async () => {
    for (const [, operation] of all) {
      const url = `${world.publicUrl}${samplePath(operation, { 'context-id': one })}`;
      const response = await fetch(url, {
        method: operation.http,
        headers: basic(world.master.login, world.master.password),
      });
      expect({ url, status: response.status }).toEqual({ url, status: 404 });
    }
  });

  it('an unknown path and a wrong method', async () => {
    const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
    expect(await master.request('GET', '/admin/v1/nosuch')).toMatchObject({ status: 404, body: { code: 'REST-0404' } });
    const wrong = await master.request('PUT', '/admin/v1/contexts', {});
    expect(wrong).toMatchObject({ status: 405, body: { code: 'REST-0405' } });
    expect(wrong.headers.get('allow')?.split(/, */).sort()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it('broken JSON, a missing body and a body that is too large', async () => {
    const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
    const post = (body: string) => master.request('POST', '/admin/v1/contexts', body);
    for (const body of ['{"a":', '[]', '']) expect((await post(body)).status).toBe(400);
    const large = await post(JSON.stringify({ name: 'x'.repeat(2_000_000) }));
    expect(large).toMatchObject({ status: 413, body: { code: 'REST-0413' } });
  });

  it('an address that failed too often, for a while, and says for how long', async () => {
    const strict = await startWorld({
      modules: ['identity', 'gateway'],
      variables: { GATEWAY_REST_FAILURES_PER_MINUTE: '3', REDIS_URL: world.environment.REDIS_URL! },
    });
    try {
      const request = (password: string) =>
        fetch(`${strict.internalUrl}/admin/v1/contexts`, { headers: basic(strict.master.login, password) });
      const statuses: number[] = [];
      for (let attempts = 0; attempts < 6; attempts++) statuses.push((await request('wrong')).status);
      expect(statuses[0]).toBe(401);
      expect(statuses.at(-1)).toBe(429);
      const refused = await request(strict.master.password);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ code: RequestErrors.tooManyRequests.entry.code });
    } finally {
      await strict.close();
    }
  });
});
