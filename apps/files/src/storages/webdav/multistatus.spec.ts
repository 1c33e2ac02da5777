import { MultistatusError, parseMultistatus, type DavResource } from './multistatus';

const LIMITS = { maxBytes: 1_000_000, maxResources: 1_000 };

async function* inParts(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield Promise.resolve(bytes.subarray(at, at + size));
}

const read = (text: string, limits = LIMITS): Promise<DavResource[]> => parseMultistatus(inParts(text), limits);
const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof MultistatusError ? error.reason : error),
  );
const inside = (content: string): string =>
  `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${content}</d:multistatus>`;
const response = (href: string, prop: string, status = 'HTTP/1.1 200 OK'): string =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${prop}</d:prop><d:status>${status}</d:status></d:propstat></d:response>`;

describe('descriptions of resources', () => {
  it('tell files and folders, whatever the prefix of the namespace and the parts in which they come', async () => {
    const text = `<multistatus xmlns="DAV:" xmlns:x="urn:x">
      <response><href>/dav/</href><propstat><prop><resourcetype><collection/></resourcetype>
        <getlastmodified>Wed, 01 Jan 2020 10:00:00 GMT</getlastmodified></prop><status>HTTP/1.1 200 OK</status></propstat></response>
      <response><href>/dav/a%20%26%20&amp;&#x42;ü.txt</href>
        <propstat><prop><resourcetype/><getcontentlength>12</getcontentlength><getetag>"7"</getetag>
          <getcontenttype>text/plain</getcontenttype><x:getcontentlength>99</x:getcontentlength></prop><status>HTTP/1.1 200 OK</status></propstat>
        <propstat><prop><creationdate/></prop><status>HTTP/1.1 404 Not Found</status></propstat></response>
    </multistatus>`;
    for (const size of [1, 7, 10_000])
      expect(await parseMultistatus(inParts(text, size), LIMITS)).toEqual([
        { href: '/dav/', isFolder: true, modified: Date.UTC(2020, 0, 1, 10) },
        { href: '/dav/a%20%26%20&Bü.txt', isFolder: false, sizeBytes: 12, contentType: 'text/plain', etag: '"7"' },
      ]);
  });

  it('take no value that the server refuses or that is none', async () => {
    const [file] = await read(
      inside(
        response('/a', '<d:getcontentlength>-1</d:getcontentlength><d:getlastmodified>soon</d:getlastmodified>') +
          response('/b', '<d:getcontentlength>1</d:getcontentlength>', 'HTTP/1.1 403 Forbidden'),
      ),
    );
    expect(file).toEqual({ href: '/a', isFolder: false });
  });

  it.each([
    ['an entity of its own', '<!DOCTYPE r [<!ENTITY a "aaaa">]><d:multistatus xmlns:d="DAV:">&a;</d:multistatus>'],
    ['a document type', '<!DOCTYPE r SYSTEM "http://inside.test/x"><d:multistatus xmlns:d="DAV:"/>'],
    ['an unknown entity', inside('&b;')],
    ['another document', '<html><body/></html>'],
    ['no document', 'hello'],
    ['nothing', ''],
    ['a document that ends early', '<d:multistatus xmlns:d="DAV:"><d:response>'],
    ['too many levels', inside('<a>'.repeat(100_000))],
    ['an endless text', inside(`<d:response><d:href>${'x'.repeat(200_000)}`)],
  ])('are refused with %s', async (_what, text) => {
    expect(await reasonOf(read(text))).toBe('malformed');
  });

  it('know vocabularies where they are named, and no element has more attributes than a hundred', async () => {
    const named =
      '<e:multistatus xmlns:e="DAV:"><response xmlns="DAV:"><e:href>/a</e:href><propstat><prop><x:resourcetype xmlns:x="DAV:"><collection/></x:resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response></e:multistatus>';
    expect(await read(named)).toEqual([expect.objectContaining({ href: '/a', isFolder: true })]);
    expect(await reasonOf(read('<x:multistatus/>'))).toBe('malformed');
    expect(await reasonOf(read(inside(response('/a', '<x:resourcetype/>'))))).toBe('malformed');
    const withAttributes = (count: number) =>
      read(
        inside(
          response('/a', `<d:resourcetype ${Array.from({ length: count }, (_none, at) => `a${at}="<>"`).join(' ')}/>`),
        ),
      );
    expect(await withAttributes(100)).toHaveLength(1);
    expect(await reasonOf(withAttributes(101))).toBe('malformed');
  });

  it('end at their bounds', async () => {
    const many = inside(response('/a', '<d:getetag>1</d:getetag>').repeat(3));
    expect(await reasonOf(read(many, { ...LIMITS, maxResources: 2 }))).toBe('too-many');
    expect(await reasonOf(read(many, { ...LIMITS, maxBytes: 100 }))).toBe('too-large');
  });
});
