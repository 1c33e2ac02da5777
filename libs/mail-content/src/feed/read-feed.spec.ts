import { readFeed } from './read-feed';

const OPTIONS = { maxItems: 10, dropImages: true };
const read = (text: string, options: Partial<typeof OPTIONS> = {}) =>
  readFeed(Buffer.from(text), undefined, { ...OPTIONS, ...options });
const rss = (items: string, prologue = '') =>
  `<?xml version="1.0"?>${prologue}<rss version="2.0"><channel><title>News &amp; more</title>
   <image><url>https://news.test/i.png</url></image>${items}</channel></rss>`;

describe('news feeds', () => {
  it('of RSS are read with what a client shows', () => {
    const item = `<item><title>First</title><link>https://news.test/1</link><author>ann@news.test (Ann)</author>
      <pubDate>Mon, 04 May 2020 09:00:00 GMT</pubDate><description>&lt;p&gt;Hello&lt;/p&gt;</description></item>`;
    const { title, imageUrl, items } = read(rss(item));
    expect([title, imageUrl]).toEqual(['News & more', 'https://news.test/i.png']);
    expect(items).toEqual([
      expect.objectContaining({ title: 'First', url: 'https://news.test/1', date: Date.UTC(2020, 4, 4, 9) }),
    ]);
    expect(items[0]!.body).toContain('<p>Hello</p>');
  });

  it('name the author, or the address where there is no name', () => {
    const author = (text: string) =>
      read(rss(`<item><title>T</title><author>${text}</author></item>`)).items[0]!.author;
    expect([author('ann@news.test (Ann)'), author('ann@news.test')]).toEqual(['Ann', 'ann@news.test']);
  });

  it('of Atom, RDF and JSON are read alike', () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><entry><title>T</title>
      <link href="https://a.test/1"/><updated>2020-05-04T09:00:00Z</updated><author><name>Bo</name></author>
      <content type="html">&lt;b&gt;x&lt;/b&gt;</content></entry></feed>`;
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>A</title></channel><item><title>T</title>
      <link>https://a.test/1</link><dc:date>2020-05-04T09:00:00Z</dc:date><dc:creator>Bo</dc:creator>
      <description>&lt;b&gt;x&lt;/b&gt;</description></item></rdf:RDF>`;
    const json = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'A',
      items: [
        {
          id: '1',
          title: 'T',
          url: 'https://a.test/1',
          date_published: '2020-05-04T09:00:00Z',
          authors: [{ name: 'Bo' }],
          content_html: '<b>x</b>',
        },
      ],
    });
    for (const text of [atom, rdf, json]) {
      const { title, items } = read(text);
      expect([title, items[0]]).toEqual([
        'A',
        { title: 'T', url: 'https://a.test/1', author: 'Bo', date: Date.UTC(2020, 4, 4, 9), body: expect.any(String) },
      ]);
      expect(items[0]!.body).toContain('<b>x</b>');
    }
  });

  it('XR-04 run nothing, and show pictures only when asked to', () => {
    const item = `<item><title>&lt;b&gt;T&lt;/b&gt;</title><link>javascript:alert(1)</link><description><![CDATA[
      <script>alert(1)</script><img src="https://spy.test/p.png" onerror="alert(1)"><a href="javascript:alert(2)">x</a>]]></description></item>`;
    const [dropped, shown] = [read(rss(item)).items[0]!, read(rss(item), { dropImages: false }).items[0]!];
    for (const { title, url, body } of [dropped, shown]) {
      expect([title, url]).toEqual(['T', '']);
      expect(body).not.toMatch(/script|onerror/i);
    }
    expect(dropped.body).not.toContain('spy.test');
    expect(shown.body).toContain('https://spy.test/p.png');
  });

  it('XR-05 declare no entities', () => {
    const lol = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    expect(() => read(rss('<item><title>&b;</title></item>', lol))).toThrow('entities');
  });

  it('are limited, and read in their charset', () => {
    const items = Array.from({ length: 12 }, (_each, index) => `<item><title>${index}</title></item>`).join('');
    expect(read(rss(items)).items).toHaveLength(10);
    const latin = Buffer.from(
      rss('<item><title>Grün</title></item>').replace('"1.0"', '"1.0" encoding="ISO-8859-1"'),
      'latin1',
    );
    expect(readFeed(latin, undefined, OPTIONS).items[0]!.title).toBe('Grün');
  });

  it.each(['', '<html><body>no feed</body></html>', '{"a":1}', 'plain text', '<rss'])(
    'are nothing else: %j',
    (text) => {
      expect(() => read(text)).toThrow();
    },
  );
});
