import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import path from 'node:path';
import { filesBelow } from '@groupware/test-kit';
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { attachFiles, countOf, download, envelopeOf, newObject, type Target } from './attachments';

const MEGABYTE = 1024 * 1024;
let world: TestEnvironment;
let cast: Fixtures;
let target: Target;

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
  target = await newObject(cast.U1);
}, 120_000);
afterAll(() => world?.close());

const storedFiles = (): string[] => filesBelow(path.join(world.environment.DATA_DIR!, 'files'));

/** Head and tail of a form with one file. */
const head = (json: object): string =>
  `--b\r\nContent-Disposition: form-data; name="json_0"\r\n\r\n${JSON.stringify(json)}\r\n` +
  '--b\r\nContent-Disposition: form-data; name="file_0"; filename="streamed"\r\n' +
  'Content-Type: application/octet-stream\r\n\r\n';
const TAIL = '\r\n--b--\r\n';

/** Sends a form piece by piece, as fast as the server takes it; `giveUpAfter` bytes the connection is cut. */
function upload(pieces: Iterable<Buffer>, giveUpAfter = Infinity): Promise<any> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${world.publicUrl}/attachment?action=attach&session=${cast.U1.session}`,
      {
        method: 'POST',
        headers: {
          'content-type': 'multipart/form-data; boundary=b',
          'user-agent': cast.U1.userAgent,
          cookie: [...cast.U1.jar].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      },
      (response) => {
        let page = '';
        response.on('data', (data) => (page += data)).on('end', () => resolve(envelopeOf(page)));
      },
    );
    outgoing.on('error', reject);
    void (async () => {
      let sent = 0;
      outgoing.write(head(target));
      for (const piece of pieces) {
        if (!outgoing.write(piece)) await new Promise((resume) => outgoing.once('drain', resume));
        if ((sent += piece.length) >= giveUpAfter) return outgoing.destroy(new Error('the client went away'));
      }
      outgoing.end(TAIL);
    })();
  });
}

describe('bytes', () => {
  it.each([0, 1, 65_537])('of a file of %i bytes come back', async (size) => {
    const content = randomBytes(size);
    const [id] = await attachFiles(cast.U1, target, [{ name: 'x', content, type: 'application/octet-stream' }]);
    const response = await download(cast.U1, target, id!);
    expect(response.headers.get('content-length')).toBe(String(size));
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    const zip = await cast.U1.fetch(
      'PUT',
      '/attachment',
      { action: 'zipDocuments', session: cast.U1.session, ...target },
      { body: JSON.stringify([id]) },
    );
    expect((await zip.arrayBuffer()).byteLength).toBeGreaterThan(size);
  });

  it('of 25 MB pass in both directions without being kept in memory', async () => {
    const piece = randomBytes(MEGABYTE);
    const expected = createHash('sha256');
    function* pieces(): Generator<Buffer> {
      for (let index = 0; index < 25; index++) {
        piece.writeUInt32LE(index, 0);
        const copy = Buffer.from(piece);
        expected.update(copy);
        yield copy;
      }
    }
    global.gc?.();
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
    const answer = await upload(pieces());
    const hash = createHash('sha256');
    const response = await download(cast.U1, target, answer.data[0]);
    for await (const chunk of response.body!) hash.update(chunk as Uint8Array);
    clearInterval(watch);
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    // Client, gateway, service and test runner are one process here, so this bound holds for all of them together.
    expect(most - before).toBeLessThan(64 * MEGABYTE);
  }, 60_000);

  it('of a client that goes away in the middle leave nothing', async () => {
    const before = storedFiles();
    const count = (await countOf(cast.U1, target)).number_of_attachments;
    const piece = randomBytes(256 * 1024);
    function* endless(): Generator<Buffer> {
      for (;;) yield piece;
    }
    await expect(upload(endless(), 3 * MEGABYTE)).rejects.toThrow('went away');
    for (let round = 0; round < 100 && storedFiles().length > before.length; round++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(storedFiles().sort()).toEqual(before.sort());
    expect((await countOf(cast.U1, target)).number_of_attachments).toBe(count);
  });

  it('a download that is left early leaves the file whole', async () => {
    const content = randomBytes(5 * MEGABYTE);
    const [id] = await attachFiles(cast.U1, target, [{ name: 'x', content }]);
    for (let round = 0; round < 5; round++) {
      const left = new AbortController();
      const response = await download(cast.U1, target, id!, {}, { signal: left.signal });
      await response.body!.getReader().read();
      left.abort();
    }
    expect(Buffer.from(await (await download(cast.U1, target, id!)).arrayBuffer()).equals(content)).toBe(true);
  });
});

describe('ranges and conditions', () => {
  const content = Buffer.from('0123456789');
  let id: number;
  let etag: string;
  const ask = (headers: Record<string, string>): Promise<Response> => download(cast.U1, target, id, {}, { headers });

  beforeAll(async () => {
    [id] = (await attachFiles(cast.U1, target, [{ name: 'digits', content }])) as [number];
    etag = (await download(cast.U1, target, id)).headers.get('etag')!;
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  });

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=5-999', '56789', 'bytes 5-9/10'],
  ])('%s is answered with that part', async (range, part, contentRange) => {
    const response = await ask({ range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(part.length));
    expect(await response.text()).toBe(part);
  });

  it('several parts are answered together', async () => {
    const response = await ask({ range: 'bytes=0-1,3-4' });
    expect(response.status).toBe(206);
    const boundary = /^multipart\/byteranges; boundary=(.+)$/.exec(response.headers.get('content-type')!)![1]!;
    const parts = (await response.text()).split(`--${boundary}`).slice(1, -1);
    expect(parts.map((part) => part.split('\r\n\r\n')[1]!.trimEnd())).toEqual(['01', '34']);
    expect(parts.map((part) => /content-range: (.*)\r/i.exec(part)![1])).toEqual(['bytes 0-1/10', 'bytes 3-4/10']);
  });

  it.each(['bytes=4-2', 'lines=1-2', 'bytes=x-'])('%s is ignored', async (range) => {
    const response = await ask({ range });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('0123456789');
  });

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s has no bytes', async (range) => {
    const response = await ask({ range });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */10');
    expect(await response.text()).toBe('');
  });

  it('bytes that the client has are not sent again', async () => {
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await ask({ 'if-none-match': known });
      expect(response.status).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
      expect(await response.text()).toBe('');
    }
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask({ 'if-match': '"other"' })).status).toBe(412);
    expect((await ask({ 'if-match': etag })).status).toBe(200);
  });

  it('a download goes on only with the same bytes', async () => {
    expect((await ask({ range: 'bytes=5-', 'if-range': etag })).status).toBe(206);
    expect((await ask({ range: 'bytes=5-', 'if-range': '"other"' })).status).toBe(200);
  });
});
