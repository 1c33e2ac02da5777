import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const SCRIPT = `console.log('${'x'.repeat(5_000)}');`;
let folder: string;
let world: TestEnvironment;
let bare: TestEnvironment;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-client-'));
  const client = path.join(folder, 'client');
  fs.mkdirSync(path.join(client, 'assets'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'secret.txt'), 'a secret beside the client');
  fs.writeFileSync(path.join(client, 'index.html'), '<!doctype html><title>Client</title>');
  fs.writeFileSync(path.join(client, 'assets/app.4f3c2a1b.js'), SCRIPT);
  fs.writeFileSync(path.join(client, 'assets/ready.js'), SCRIPT);
  fs.writeFileSync(path.join(client, 'assets/ready.js.br'), 'made by the build');
  fs.writeFileSync(path.join(client, 'assets/picture.png'), Buffer.alloc(4_000, 7));
  fs.writeFileSync(path.join(client, 'login'), 'a file with the name of a module');
  fs.mkdirSync(path.join(client, 'api'));
  fs.writeFileSync(path.join(client, 'api/login'), 'a file below the base path of the API');
  fs.writeFileSync(path.join(client, '.hidden'), 'hidden');
  const modules = ['identity', 'gateway'];
  const common = { BASE_PATH: '/,/appsuite/api', GROUPWARE_CLIENT_DIR: client };
  [world, bare] = await Promise.all([
    startTestEnvironment({ modules, variables: common }),
    startTestEnvironment({ modules, variables: { ...common, GROUPWARE_CLIENT_DIR: '' } }),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all([world?.close(), bare?.close()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A request whose path and headers are sent as they stand here. */
function ask(
  target: string,
  headers: Record<string, string> = {},
  { method = 'GET', from = world } = {},
): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }> {
  const { hostname, port } = new URL(from.publicUrl);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path: target, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject).end();
  });
}

describe('a static client', () => {
  it('has its page, for its own routes too, which is asked for anew each time', async () => {
    const page = await ask('/appsuite/');
    expect(page).toMatchObject({ status: 200, body: Buffer.from('<!doctype html><title>Client</title>') });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("script-src 'self'; "),
    });
    expect((await ask('/appsuite/', { 'if-none-match': page.headers.etag! })).status).toBe(304);
    const route = await ask('/appsuite/mail/inbox?x=1', { accept: 'text/html,*/*' });
    expect([route.status, route.body]).toEqual([200, page.body]);
    for (const from of ['/', '/appsuite'])
      expect(await ask(from)).toMatchObject({ status: 302, headers: { location: '/appsuite/' } });
  });

  it('has files that are kept for a year where their names hold a hash, compressed as the browser takes it', async () => {
    const hashed = '/appsuite/assets/app.4f3c2a1b.js';
    const plain = await ask(hashed);
    expect(plain).toMatchObject({ status: 200, body: Buffer.from(SCRIPT) });
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    const br = await ask(hashed, { 'accept-encoding': 'gzip, br' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.body).toString()).toBe(SCRIPT);
    const zipped = await ask(hashed, { 'accept-encoding': 'gzip' });
    expect(gunzipSync(zipped.body).toString()).toBe(SCRIPT);
    const etags = [plain, br, zipped].map(({ headers }) => headers.etag!);
    expect(new Set(etags).size).toBe(3);
    expect((await ask(hashed, { 'accept-encoding': 'br', 'if-none-match': etags[1]! })).status).toBe(304);
    const head = await ask(hashed, { 'accept-encoding': 'br' }, { method: 'HEAD' });
    expect([head.headers['content-length'], head.body.length]).toEqual([String(br.body.length), 0]);
    const ready = await ask('/appsuite/assets/ready.js', { 'accept-encoding': 'br' });
    expect(ready.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-encoding': 'br' });
    expect(ready.body.toString()).toBe('made by the build');
    const picture = await ask('/appsuite/assets/picture.png', { 'accept-encoding': 'br' });
    expect(picture.headers).not.toHaveProperty('content-encoding');
    const part = await ask(hashed, { 'accept-encoding': 'br', range: 'bytes=0-6' });
    expect([part.status, part.body.toString()]).toEqual([206, 'console']);
  });

  it('leads nowhere else', async () => {
    const ways = [
      ...['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets/../../secret.txt', '//../secret.txt'],
      ...['/..%5csecret.txt', '/%00', '/.hidden', '/%', '/assets', '/assets/', '/lost.js', '/%2fetc%2fpasswd'],
    ];
    for (const way of ways) {
      const { status, body } = await ask(`/appsuite${way}`, { accept: '*/*' });
      expect([way, status]).toEqual([way, 404]);
      expect(body.toString()).not.toMatch(/secret beside|root:/);
    }
    expect((await ask('/appsuite/', {}, { method: 'POST' })).status).not.toBe(200);
  });

  it('never stands before the API', async () => {
    for (const base of ['', '/appsuite/api']) {
      const { body } = await ask(`${base}/login?action=hasAutologin`, { accept: 'text/html' });
      expect(JSON.parse(body.toString())).toEqual({ autologin: true });
      const ping = await ask(`${base}/system?action=ping`, { accept: 'text/html' });
      expect(JSON.parse(ping.body.toString())).toEqual({ data: true });
    }
    const unknown = await ask('/appsuite/api/nothing', { accept: 'text/html' });
    expect(JSON.parse(unknown.body.toString())).toMatchObject({ code: 'SVL-0007' });
    expect((await ask('/docs/', { accept: 'text/html' })).body.toString()).toContain('API explorer');
  });
});

describe('the root without a client', () => {
  it('says what this is and where the explorer is', async () => {
    const page = await ask('/', { accept: 'text/html' }, { from: bare });
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body.toString()).toContain('href="/docs/"');
    expect(page.body.toString()).not.toContain('<script');
    const style = await ask('/start-page.css', {}, { from: bare });
    expect(style).toMatchObject({ status: 200, headers: { 'content-type': 'text/css; charset=utf-8' } });
    expect((await ask('/appsuite/', { accept: 'text/html' }, { from: bare })).status).toBe(404);
  });
});
