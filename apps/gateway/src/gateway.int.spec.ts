import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  calendarImport,
  capabilities,
  FileReply,
  jsonText,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { FolderStore } from '@groupware/file-store';
import { defineService, Handles, runServices, setLogDestination, type RunningServices } from '@groupware/service-kit';
import { createLoginCookies, createSessionSettings, SessionStore, type Session } from '@groupware/sessions';
import { filesBelow, until } from '@groupware/test-kit';
import { service } from './index';

/** Behaviour of the handlers below. */
let behaviour: () => Promise<unknown> = async () => [];

@Handles(capabilities.all)
class AllHandler implements Handler<typeof capabilities.all> {
  handle(): Promise<never> {
    return behaviour() as Promise<never>;
  }
}
@Handles(capabilities.get)
class GetHandler implements Handler<typeof capabilities.get> {
  async handle({ principal, query }: { principal: UserPrincipal; query: { id: string } }) {
    return { id: query.id, attributes: { user: principal.userId, context: principal.contextId } };
  }
}

const prefix = `gw-${process.pid}-${randomBytes(4).toString('hex')}`;
const secretKey = randomBytes(32);
const agent = 'integration test';
let dataDir: string;
let running: RunningServices;
let store: SessionStore;
let session: Session;
let cookie: string;
const logLines: string[] = [];

const variables = (): Record<string, string | undefined> => ({
  PORT: '0',
  INTERNAL_PORT: '0',
  NATS_URL: process.env.NATS_URL,
  REDIS_URL: process.env.REDIS_URL,
  GROUPWARE_BUS_PREFIX: prefix,
  GROUPWARE_SECRET_KEY: secretKey.toString('base64'),
  GROUPWARE_MASTER_LOGIN: 'root',
  GROUPWARE_MASTER_PASSWORD: 'master',
  GROUPWARE_REST_LOGIN: 'services',
  GROUPWARE_REST_PASSWORD: 'secret',
  GATEWAY_MAX_INCOMING_BYTES: '3000000',
  DATA_DIR: dataDir,
  BASE_PATH: '/,/ajax',
});

beforeAll(async () => {
  setLogDestination({ write: (line) => void logLines.push(line) });
  dataDir = mkdtempSync(path.join(tmpdir(), 'gateway-'));
  running = await runServices(
    [
      service,
      defineService({
        name: 'identity',
        contracts: [capabilities],
        directory: path.join(dataDir, 'nothing'),
        handlers: [AllHandler, GetHandler],
      }),
    ],
    variables(),
  );
  store = await SessionStore.connect({ url: process.env.REDIS_URL!, prefix, secretKeys: [secretKey] });
  session = await newSession();
  cookie = cookiesOf(session);
});

afterAll(async () => {
  await running?.close();
  await store?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const newSession = (): Promise<Session> =>
  store.createSession({
    contextId: 5,
    userId: 3,
    login: 'ann',
    client: 'c1',
    version: '1',
    userAgent: agent,
    hash: 'testhash',
    ip: '127.0.0.1',
    staySignedIn: false,
    principal: {
      kind: 'user',
      contextId: 5,
      userId: 3,
      groups: [0],
      locale: 'de_DE',
      timeZone: 'UTC',
      capabilities: ['calendar'],
      login: 'ann',
      displayName: 'Ann',
      email: 'ann@example.org',
    },
  });
const cookiesOf = (of: Session): string =>
  createLoginCookies(of, { userAgent: agent }, createSessionSettings())
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');

const call = (target: string, init: RequestInit = {}): Promise<Response> =>
  fetch(running.publicUrl + target.replace('$S', session.id), {
    ...init,
    headers: { 'user-agent': agent, cookie, ...(init.headers as Record<string, string>) },
  });
const answerOf = async (target: string, init?: RequestInit): Promise<Record<string, unknown>> =>
  (await (await call(target, init)).json()) as Record<string, unknown>;

describe('gateway with real NATS and Redis', () => {
  it('takes a call through session, bus and service, on every base path', async () => {
    const expected = { data: { id: 'calendar', attributes: { user: 3, context: 5 } } };
    expect(await answerOf('/capabilities?action=get&id=calendar&session=$S')).toEqual(expected);
    expect(await answerOf('/ajax/capabilities?action=get&id=calendar&session=$S')).toEqual(expected);
  });

  it('writes cookies the browser lacks, and only those', async () => {
    const secretOnly = cookie.split('; ').find((each) => each.includes('secret'))!;
    const response = await call('/capabilities?action=all&session=$S', { headers: { cookie: secretOnly } });
    expect(response.headers.getSetCookie().length).toBeGreaterThan(0);
    expect((await call('/capabilities?action=all&session=$S')).headers.getSetCookie()).toEqual([]);
  });

  it('refuses a session that is unknown, foreign or without its cookie', async () => {
    expect(await answerOf('/user/me')).toMatchObject({ code: 'SES-0201' });
    expect(await answerOf(`/capabilities?action=all&session=${'0'.repeat(32)}`)).toMatchObject({ code: 'SES-0203' });
    const other = await newSession();
    expect(await answerOf(`/capabilities?action=all&session=${other.id}`)).toMatchObject({ code: 'SES-0206' });
    const bare = await call('/capabilities?action=all&session=$S', { headers: { cookie: '' } });
    expect(await bare.json()).toMatchObject({ code: 'SES-0206', error: expect.stringMatching(/./) });
  });

  it('passes a large answer through in pieces', async () => {
    const text = JSON.stringify(
      Array.from({ length: 40_000 }, (_value, index) => ({ id: `item ${index}`, attributes: {} })),
    );
    behaviour = async () => jsonText(text);
    const response = await call('/capabilities?action=all&session=$S');
    expect(await response.text()).toBe(`{"data":${text}}`);
  });

  it('answers at once when nobody serves a module', async () => {
    const before = performance.now();
    const response = await call('/user/me?session=$S');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'SVL-0032', category: 5, error_params: ['user/me'] });
    expect(performance.now() - before).toBeLessThan(1000);
  });

  it('hides an unforeseen failure; the log of service and gateway have its id', async () => {
    behaviour = async () => {
      throw new Error('connect ECONNREFUSED db7.internal:5432, select * from secrets');
    };
    const response = await call('/capabilities?action=all&session=$S');
    const text = await response.text();
    expect(text).not.toMatch(/db7|select|ECONNREFUSED|\.ts|node_modules/);
    const answer = JSON.parse(text) as { error_id: string; error: string };
    expect(answer).toMatchObject({ code: 'SVL-0011', category: 8 });
    expect(answer.error).toBe('Auf dem Server ist ein Fehler aufgetreten. Die Anfrage konnte nicht ausgeführt werden.');
    const hops = logLines.filter((line) => line.includes(answer.error_id));
    expect(hops.some((line) => line.includes('.calls"') && line.includes('db7.internal'))).toBe(true);
    expect(hops.some((line) => line.includes('"logger":"gateway"'))).toBe(true);
  });

  it('streams a temporary file and removes it', async () => {
    const files = new FolderStore(path.join(dataDir, 'files'));
    const content = randomBytes(2_000_000);
    const { reference } = await files.write(
      (async function* () {
        yield content;
      })(),
      { maxBytes: 10_000_000 },
    );
    behaviour = async () =>
      new FileReply({
        reference,
        name: 'all.bin',
        contentType: 'application/x-test',
        sizeBytes: content.length,
        temporary: true,
      });
    const response = await call('/capabilities?action=all&session=$S');
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="all.bin"');
    while ((await files.size(reference)) !== undefined) await wait(5);
  });

  it('keeps nothing of an upload that no service took', async () => {
    const body = new FormData();
    body.append('file', new Blob(['x'.repeat(100_000)]), 'a.ics');
    const response = await call(`/import?action=${calendarImport.ICAL.action}&folder=1&session=$S`, {
      method: 'POST',
      body,
    });
    expect(await response.text()).toContain('SVL-0032');
    expect(filesBelow(path.join(dataDir, 'files'))).toEqual([]);
  });

  it('counts the bytes of uploads under way together with another gateway', async () => {
    const other = await runServices([service], { ...variables(), GATEWAY_COOKIE_SECURE: 'never' });
    try {
      const target = '/chronos/v1/itip/pushmail';
      const headers = { authorization: `Basic ${Buffer.from('services:secret').toString('base64')}` };
      const body = Buffer.alloc(2_000_000, 'x');
      const statusOfUpload = async (): Promise<number> =>
        (await fetch(other.internalUrl + target, { method: 'PUT', headers, body })).status;
      const first = request(running.internalUrl + target, { method: 'PUT', headers });
      first.write(body);
      const folder = path.join(dataDir, 'files');
      const sizeOf = (file: string): number => statSync(path.join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
      const files = () => readdirSync(folder, { recursive: true, encoding: 'utf8' });
      await until(() => files().some((file) => sizeOf(file) > 1_500_000));
      expect(await statusOfUpload()).toBe(413);
      first.end();
      // No service takes the module here; counted bytes are given back all the same.
      const [response] = (await once(first, 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(503);
      await until(async () => (await statusOfUpload()) === 503);
      expect(filesBelow(path.join(dataDir, 'files'))).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('answers an empty batch by itself', async () => {
    const response = await call('/multiple?session=$S', { method: 'PUT', body: '[]' });
    expect(await response.text()).toBe('[]');
  });

  it('shows probes, metrics and the explorer beside the administrative API', async () => {
    const inner = (target: string, headers = {}): Promise<Response> => fetch(running.internalUrl + target, { headers });
    expect((await inner('/live')).status).toBe(200);
    expect((await inner('/health')).status).toBe(200);
    expect(await (await inner('/metrics')).text()).toContain('groupware_http_request_seconds_bucket');
    expect((await inner('/docs/')).status).toBe(200);
    expect((await call('/docs/')).status).toBe(200);
    expect((await inner('/nothing')).status).toBe(404);
    const contexts = await inner('/admin/v1/contexts');
    expect(contexts.status).toBe(401);
    const authorization = `Basic ${Buffer.from('root:master').toString('base64')}`;
    const allowed = await inner('/admin/v1/contexts', { authorization });
    expect(allowed.status).toBe(503);
    expect(await allowed.json()).toMatchObject({ code: 'SVL-0032' });
    const own = await inner('/admin/v1/contexts/7/users', {
      authorization: `Basic ${Buffer.from('a:b').toString('base64')}`,
    });
    expect(own.status).toBe(503);
  });

  it('warns once that nothing will make its cookies Secure', () => {
    const warnings = logLines.filter((line) => line.includes('GATEWAY_COOKIE_SECURE'));
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', settings: 'GATEWAY_TRUSTED_PROXIES, GATEWAY_COOKIE_SECURE' }),
    ]);
  });

  it('writes no session id and no cookie into its logs', () => {
    expect(logLines.length).toBeGreaterThan(10);
    for (const secret of [session.id, session.secret, session.alternativeId])
      expect(logLines.filter((line) => line.includes(secret))).toEqual([]);
  });

  it('finishes the running call at shutdown and lets no idle connection hold it up', async () => {
    behaviour = async () => {
      await wait(300);
      return [];
    };
    await answerOf('/capabilities?action=get&id=a&session=$S');
    const slow = call('/capabilities?action=all&session=$S');
    await wait(100);
    const before = performance.now();
    const closed = running.close();
    expect(await (await slow).json()).toEqual({ data: [] });
    await closed;
    expect(performance.now() - before).toBeLessThan(5000);
  });
});
