import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Envelope } from '../client';
import { createFixtures, type Fixtures, type TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

const MAX_BYTES = 20_000;
const item = (title: string, date: string) =>
  `<item><title>${title}</title><link>https://news.test/${title}</link><pubDate>${date}</pubDate>
   <description>&lt;p&gt;text&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</description></item>`;
const rss = (items: string) => `<rss version="2.0"><channel><title>News</title>${items}</channel></rss>`;
const PAGES: Readonly<Record<string, string>> = {
  '/news': rss(item('a', '2020-01-01T00:00:00Z') + item('c', '2020-01-03T00:00:00Z')),
  '/more': rss(item('b', '2020-01-02T00:00:00Z')),
  '/page': '<html><body>no feed</body></html>',
  '/large': rss('x'.repeat(MAX_BYTES)),
  '/bomb': `<!DOCTYPE r [<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]>${rss(item('&b;', ''))}`,
};

let server: Server;
let url: string;
let world: TestEnvironment;
let cast: Fixtures;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const page = PAGES[request.url!];
    if (request.url === '/inward') response.writeHead(302, { location: 'http://127.0.0.2/news' });
    else if (page === undefined) response.statusCode = 404;
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world = await startTestEnvironment({
    variables: {
      GROUPWARE_OUTBOUND_ALLOW: '127.0.0.1',
      GROUPWARE_OUTBOUND_WEB_PORTS: '1024-65535',
      GROUPWARE_OUTBOUND_FAILURE_STEP_MS: '0',
    },
    properties: { 'com.example.messaging.rss.feed.size': String(MAX_BYTES) },
  });
  cast = await createFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (paths: readonly string[], query: Parameters<TestUser['put']>[2] = {}) =>
  cast.U1.put('rss', '', query, { feedUrl: paths.map((path) => url + path) });
const subjects = ({ data }: Envelope): string[] => data.map(({ subject }: { subject: string }) => subject);

describe('news feeds', () => {
  it('are read with what a client shows, the newest first', async () => {
    const answer = await ask(['/news', '/more']);
    expect(subjects(answer)).toEqual(['c', 'b', 'a']);
    expect(answer.data[0]).toEqual({
      url: 'https://news.test/c',
      feedUrl: `${url}/news`,
      feedTitle: 'News',
      imageUrl: '',
      author: '',
      subject: 'c',
      date: Date.UTC(2020, 0, 3),
      body: expect.stringContaining('<p>text</p>'),
      format: 'text/html',
    });
    expect(JSON.stringify(answer.data)).not.toContain('script');
    expect(subjects(await ask(['/news', '/more'], { order: 'asc' }))).toEqual(['a', 'b', 'c']);
    expect(subjects(await ask(['/more', '/news'], { sort: 'source' }))).toEqual(['b', 'a', 'c']);
    expect(subjects(await ask(['/news'], { limit: 1 }))).toEqual(['a']);
  });

  it('are named by the query as well, and fetched once for a while', async () => {
    await ask(['/news']);
    const before = asked.length;
    expect(subjects(await cast.U2.get('rss', '', { feedUrl: `${url}/news` }))).toEqual(['c', 'a']);
    expect(asked).toHaveLength(before);
    expect((await cast.U1.get('rss', '')).code).toBe('SVL-0002');
  });

  it('XR-01 one that is none is a warning beside others, and an error alone', async () => {
    const both = await ask(['/page', '/more']);
    expect(subjects(both)).toEqual(['b']);
    expect(JSON.stringify(both)).toContain('RSS-0003');
    expect((await ask(['/page'])).code).toBe('RSS-0003');
    expect((await ask(['/missing'])).code).toBe('RSS-0004');
  });

  it.each(['/inward', '//127.0.0.2/', '@127.0.0.1/'])('XR-02 lead to no address inside: %s', async (path) => {
    expect((await ask([path])).code).toMatch(/^RSS-000[47]$/);
  });

  it('XR-02 have public addresses, and those of the web', async () => {
    for (const address of ['http://10.0.0.1/', 'http://[::1]/', 'file:///etc/passwd', 'http://169.254.169.254/', 'x'])
      expect((await cast.U1.put('rss', '', {}, { feedUrl: [address] })).code).toBe('RSS-0007');
  });

  it('XR-03, XR-05 are bounded', async () => {
    expect((await ask(['/large'])).code).toBe('RSS-0006');
    expect((await ask(['/bomb'])).code).toBe('RSS-0003');
    expect((await ask(Array.from({ length: 21 }, (_each, index) => `/${index}`))).code).toBe('SVL-0031');
  });
});
