import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ADMIN_ATTEMPTS_PER_MINUTE } from '@groupware/contracts';
import { PASSWORD } from '../fixtures';
import { AdminClient } from '../client';
import { ADMIN_MODULES, callersOf, newContext, newPerson, type Person } from '../admin/people';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

// Rules of all operations of the operators' API (API page "Administrative REST API", section "Common rules").
const ATTEMPTS = 4;
let world: TestEnvironment;
let master: AdminClient;
let services: AdminClient;
let contextId: number;
let user: Person;
const languages = fs.mkdtempSync(path.join(os.tmpdir(), 'languages-'));

beforeAll(async () => {
  fs.writeFileSync(path.join(languages, 'fr.json'), '{"REST.notFound":"Introuvable : %1"}');
  world = await startTestEnvironment({
    modules: ADMIN_MODULES,
    variables: {
      GATEWAY_REST_FAILURES_PER_MINUTE: '100000',
      GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
      GROUPWARE_LANGUAGES: languages,
    },
    properties: { [ADMIN_ATTEMPTS_PER_MINUTE.key]: String(ATTEMPTS), 'com.example.some/name': 'value' },
  });
  ({ master, services } = callersOf(world));
  contextId = await newContext(master);
  user = await newPerson(world, master, contextId, 'ann+tag');
}, 120_000);
afterAll(async () => {
  await world?.close();
  fs.rmSync(languages, { recursive: true });
});

const asAdmin = () => new AdminClient(world.internalUrl, 'admin', PASSWORD);
const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;

describe('rules of all REST operations', () => {
  it('administrators of a disabled context are refused, masters are not', async () => {
    const asleep = await newContext(master);
    const users = `/admin/v1/contexts/${asleep}/users`;
    expect(await statusOf(asAdmin().request('GET', users))).toBe(200);
    await master.expect('PUT', `/admin/v1/contexts/${asleep}/state`, { enabled: false });
    expect(await statusOf(asAdmin().request('GET', users))).toBe(401);
    expect(await statusOf(master.request('GET', users))).toBe(200);
  });

  it('failed tries count by address and context', async () => {
    const [one, other] = [await newContext(master), await newContext(master)];
    const ask = (context: number, password: string, address: string) =>
      new AdminClient(world.internalUrl, 'admin', password).request(
        'GET',
        `/admin/v1/contexts/${context}/users`,
        undefined,
        { 'x-forwarded-for': address },
      );
    for (let attempt = 0; attempt < ATTEMPTS; attempt++)
      expect(await statusOf(ask(one, 'wrong', '192.0.2.7'))).toBe(401);
    const refused = await ask(one, PASSWORD, '192.0.2.7');
    expect(refused).toMatchObject({ status: 429, body: { code: 'SVL-0019' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(ask(other, PASSWORD, '192.0.2.7'))).toBe(200);
    expect(await statusOf(ask(one, PASSWORD, '192.0.2.8'))).toBe(200);
  });

  it('ids are decimal numbers from 1 to 2^31-1', async () => {
    for (const id of ['0', '-1', '+1', '1.0', '1e1', '0x1', 'x', '%20', '2147483648', '9'.repeat(30)]) {
      const at = `/admin/v1/contexts/${contextId}/users/${id}/multifactor/devices`;
      expect({ id, status: await statusOf(asAdmin().request('GET', at)) }).toEqual({ id, status: 400 });
      const session = `/preliminary/capabilities/v1/all/${contextId}/${id}`;
      expect([400, 404]).toContain(await statusOf(services.request('GET', session)));
    }
  });

  it('booleans are true or false in any case', async () => {
    const close = (value: string) =>
      master.request('POST', `/admin/v1/close-sessions/by-id?global=${value}`, { sessionIds: ['0'.repeat(32)] });
    for (const value of ['true', 'TRUE', 'True']) expect(await statusOf(close(value))).toBe(200);
    const codes = async (value: string) => (await close(value)).body.error_params;
    for (const value of ['1', 'yes', 'maybe', 'False']) expect(await statusOf(close(value))).toBe(400);
    // Understood, but not offered.
    expect(await codes('False')).toEqual(await codes('false'));
    expect(await codes('maybe')).not.toEqual(await codes('false'));
  });

  it('bad bodies of the sessions are problem documents as well', async () => {
    const { status, body } = await master.request('POST', '/admin/v1/close-sessions/by-context', { contextIds: [] });
    expect(status).toBe(400);
    expect(body).toMatchObject({ title: expect.any(String), status: 400, error_params: expect.any(Array) });
  });

  it('segments of a path are decoded once, whatever characters they have', async () => {
    const email = `ann+tag@c${contextId}.example`;
    const resolve = async (text: string) =>
      (await services.request('GET', `/preliminary/utilities/mailResolver/v1/resolve/${text}`)).body;
    const found = { uid: user.userId, cid: contextId, user: expect.any(Object) };
    expect(await resolve(`${email};nobody@nowhere.example`)).toEqual({ [email]: found });
    expect(await resolve(encodeURIComponent(`x@y.example;${email}`))).toEqual({ [email]: found });
    expect(await resolve(encodeURIComponent(encodeURIComponent(email)))).toEqual({});
    const property = await services.request('GET', '/preliminary/configuration/v1/property/com.example.some%2Fname');
    expect(property).toMatchObject({ status: 200, body: { 'com.example.some/name': 'value' } });
    expect(await statusOf(services.request('GET', '/preliminary/utilities/mailResolver/v1/resolve/%zz'))).toBe(404);
  });

  it('errors speak the language of Accept-Language, else English', async () => {
    const ask = (language: Record<string, string>) => master.request('GET', '/admin/v1/nosuch', undefined, language);
    const [english, german] = [await ask({}), await ask({ 'accept-language': 'de-DE,de;q=0.9' })];
    // From a file of the operator.
    expect((await ask({ 'accept-language': 'fr-CA' })).body.error).toBe('Introuvable : /admin/v1/nosuch');
    expect(german.body.error).not.toBe(english.body.error);
    expect(german.body.error_desc).toBe(english.body.error_desc);
    expect(english.body).toMatchObject({
      error_params: ['/admin/v1/nosuch'],
      error_id: expect.stringMatching(/^\w+-\d+$/),
      code: 'REST-0404',
      categories: expect.any(String),
      version: expect.any(String),
    });
  });

  it('login statistics: all clients without a filter and with *, exclusive bounds, no empty span', async () => {
    const counts = (query: string) => services.request('GET', `/admin/v1/login-statistics/counts?${query}`);
    const span = 'startDate=0&endDate=9999999999999';
    const { body } = await counts(span);
    expect(body.sum).toBeGreaterThan(0);
    expect((await counts(`${span}&aggregate=TRUE`)).body).toEqual({ sum: expect.any(Number), clients: [] });
    for (const bad of [
      `${span}&aggregate=maybe`,
      'startDate=2&endDate=1',
      'startDate=1.5&endDate=9',
      'startDate=0&endDate=9007199254740993',
    ])
      expect({ bad, status: await statusOf(counts(bad)) }).toEqual({ bad, status: 400 });
    const last = `/admin/v1/login-statistics/contexts/${contextId}/users/${user.userId}/last-logins`;
    const { timestamps } = (await services.request('GET', last)).body;
    expect(timestamps.length).toBeGreaterThan(0);
    expect((await services.request('GET', `${last}?client=*`)).body.timestamps).toEqual(timestamps);
    const [{ timestamp }] = timestamps;
    const around = (from: number, to: number) => counts(`startDate=${from}&endDate=${to}&aggregate=true`);
    expect((await around(timestamp, timestamp + 1)).body.sum).toBe(0);
    expect((await around(timestamp - 1, timestamp + 1)).body.sum).toBeGreaterThan(0);
  });
});
