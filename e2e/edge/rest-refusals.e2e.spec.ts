import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  ADMIN_ATTEMPTS_PER_MINUTE,
  operations,
  RequestErrors,
  type AdminCaller,
  type Operation,
} from '@groupware/contracts';
import { tellingTimes } from '@groupware/test-kit';
import { createContext, PASSWORD } from '../fixtures';
import { AdminClient } from '../client';
import { nameOf, samplePath } from '../samples';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const rest = operations.filter((operation) => operation.kind === 'rest' && operation.auth !== 'none');
const all = rest.map((operation): [string, Operation] => [nameOf(operation), operation]);
const openTo = (kind: AdminCaller) => all.filter(([, { callers }]) => callers?.some((caller) => caller === kind));
const ofMaster = openTo('master');
const ofContext = openTo('contextAdmin');

let world: TestEnvironment;
let one: number;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rest-refusals-'));

beforeAll(async () => {
  const properties = path.join(folder, 'server.properties');
  fs.writeFileSync(properties, `${ADMIN_ATTEMPTS_PER_MINUTE.key}=100000\n`);
  world = await startTestEnvironment({
    modules: ['identity', 'gateway'],
    variables: { GATEWAY_REST_FAILURES_PER_MINUTE: '100000', GROUPWARE_PROPERTIES_FILE: properties },
  });
  const master = new AdminClient(world.internalUrl, world.master.login, world.master.password);
  one = await createContext(master, 'one');
}, 120_000);
afterAll(async () => {
  await world?.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

const basic = (login: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
});

describe('the administrative REST API refuses', () => {
  it('has operations to check', () => {
    expect(ofMaster.length).toBeGreaterThan(3);
    expect(ofContext.length).toBeGreaterThan(10);
  });

  it('takes as long for an unknown context or login as for a wrong password', async () => {
    const [, operation] = ofContext.find(([, { http }]) => http === 'GET')!;
    const refused = (context: number, authorization: Record<string, string>) => async () => {
      const path = samplePath(operation, { 'context-id': context, contextId: context, 'user-id': 2, userId: 2 });
      expect((await fetch(`${world.internalUrl}${path}`, { headers: authorization })).status).toBe(401);
    };
    // A hash takes tens of ms, everything else together few: who skipped it would be several times as fast.
    const telling = await tellingTimes(
      {
        'a wrong password': refused(one, basic('admin', 'wrong')),
        'an unknown login': refused(one, basic('nobody', 'wrong')),
        'an unknown context': refused(2 ** 31 - 1, basic('admin', 'wrong')),
      },
      2.5,
    );
    expect(telling).toEqual([]);
  });

  it('everything on the public listener', async () => {
    for (const [, operation] of all.filter(([, { listener }]) => listener === 'internal')) {
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
    const strict = await startTestEnvironment({
      modules: ['identity', 'gateway'],
      variables: { GATEWAY_REST_FAILURES_PER_MINUTE: '3', REDIS_URL: world.environment.REDIS_URL! },
    });
    try {
      const own = new AdminClient(strict.internalUrl, strict.master.login, strict.master.password);
      const open = await createContext(own, 'open');
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
      const ofContext = new AdminClient(strict.internalUrl, 'admin', PASSWORD);
      expect((await ofContext.request('GET', `/admin/v1/contexts/${open}/users`)).status).toBe(200);
    } finally {
      await strict.close();
    }
  });
});
