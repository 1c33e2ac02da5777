import { renameSync, rmSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { EICAR, filesBelow, startClamd, until, type Clamd } from '@groupware/test-kit';
import sharp from 'sharp';
import { unzipped } from '../attachments/zip';
import type { TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  addVersion,
  change,
  BITS,
  column,
  createFileFixtures,
  createFolder,
  dataOf,
  download,
  FORCE,
  remove,
  tryCreate,
  tryUpload,
  upload,
  usedBytes,
  type FileFixtures,
} from './files';

let clamd: Clamd;
let world: TestEnvironment;
let cast: FileFixtures;

beforeAll(async () => {
  clamd = await startClamd();
  world = await startTestEnvironment({
    variables: { CLAMD_URL: clamd.url, CLAMD_MAX_BYTES: '1000000' },
    properties: { 'com.example.infostore.maxUploadSize': '1500000' },
  });
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(async () => {
  await world?.close();
  await clamd?.stop();
});

const configure = (key: string, value: string) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/config/${key}`, { value });
const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

/** A frame of ID3v2.3. */
function frame(id: string, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.write(id, 'latin1');
  head.writeUInt32BE(data.length, 4);
  return Buffer.concat([head, data]);
}
const textFrame = (id: string, text: string): Buffer =>
  frame(id, Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from(text, 'utf16le')]));
const pictureFrame = (picture: Buffer): Buffer =>
  frame('APIC', Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), picture]));
const AUDIO = { file_mimetype: 'audio/mpeg' };
/** Frames in front of some silence. */
function audioFile(...frames: Buffer[]): Buffer {
  const tags = Buffer.concat(frames);
  const size = [21, 14, 7, 0].map((shift) => (tags.length >> shift) & 127);
  const silence = Buffer.alloc(4 * 417);
  for (let place = 0; place < silence.length; place += 417) silence.set([0xff, 0xfb, 0x90, 0], place);
  return Buffer.concat([Buffer.from('ID3\x03\0\0', 'latin1'), Buffer.from(size), tags, silence]);
}
describe('files that are to be stored', () => {
  const check = (files: object[], type = 'filestorage') =>
    cast.U1.put('folders', 'checklimits', { id: cast.A, type }, { files });

  it('PD-14 are told the limits that they exceed, each its own and all together the quota', async () => {
    expect((await check([{ name: 'a', size: 1_500_000 }, { name: 'b' }])).data).toEqual({ errors: [] });
    const { data } = await check([
      { name: 'a', size: 1_500_001 },
      { name: 'b', size: 1 },
    ]);
    expect(data.errors).toMatchObject([{ code: 'UPL-0005', error_params: ['1500001', '1500000'] }]);
    expect((await check([], 'pigeons')).code).toBe('UPL-LIM-4001');
  });

  it('are refused when other bytes arrive than were announced', async () => {
    const send = async (parameters: object) => {
      const query = { action: 'upload', binary: true, session: cast.U1.session, folder_id: cast.A };
      const headers = { 'content-type': 'application/octet-stream' };
      const options = { body: 'hello', headers };
      const answer = await cast.U1.fetch('PUT', '/infostore', { ...query, filename: 'h.txt', ...parameters }, options);
      return (await answer.json()) as { code?: string; data?: string };
    };
    expect((await send({ file_md5sum: '0'.repeat(32) })).code).toBe('SVL-0010');
    const md5 = '5D41402ABC4B2A76B9719D911017C592';
    const { data } = await send({ file_size: 5, file_md5sum: md5 });
    expect(await dataOf(cast.U1, data!)).toMatchObject({ file_md5sum: md5.toLowerCase(), file_size: 5 });
    // A size is a hint only: the bytes tell it.
    expect(await dataOf(cast.U1, (await send({ file_size: 6 })).data!)).toMatchObject({ file_size: 5 });
  });
});

describe('the bytes of a document', () => {
  it('FL-105 FL-106 FL-107 FL-108 are read in parts', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'parts.bin', '0123456789');
    const part = (range: string, headers: object = {}) => download(U1, id, {}, { range, ...headers });
    const one = await part('bytes=2-4');
    expect([one.status, one.headers.get('content-range'), await one.text()]).toEqual([206, 'bytes 2-4/10', '234']);
    const two = await part('bytes=0-0,5-6');
    const type = two.headers.get('content-type')!;
    const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(type)![1]!;
    const partOf = (range: string, bytes: string) =>
      `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes ${range}/10\r\n\r\n${bytes}`;
    const whole = `${partOf('0-0', '0')}${partOf('5-6', '56')}\r\n--${boundary}--\r\n`;
    expect([two.status, await two.text()]).toEqual([206, whole]);
    expect(two.headers.get('content-length')).toBe(String(whole.length));
    expect((await part('bytes=0-5,5-6')).status).toBe(416);
    expect(await (await part('bytes=5-6,90-')).text()).toBe('56');
    const many = Array.from({ length: 17 }, () => '0-0').join();
    expect((await part(`bytes=${many}`)).status).toBe(200);
    expect([200, 416]).toContain((await part('bytes=abc')).status);
    expect((await part('bytes=90-')).status).toBe(416);
    expect((await part('bytes=0-0', { 'if-range': '"old"' })).status).toBe(200);
    const query = { action: 'document', session: U1.session, id, folder: A };
    const empty = await download(U1, await upload(U1, A, 'empty.bin', ''), {}, { range: 'bytes=0-4' });
    expect([empty.status, empty.headers.get('accept-ranges'), await empty.text()]).toEqual([200, 'none', '']);
    const head = await U1.fetch('HEAD', '/infostore', query);
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
    expect(await (await download(U1, id, { off: 3, len: 4 })).text()).toBe('3456');
    expect(await (await download(U1, id, { off: 8, len: 90 })).text()).toBe('89');
    const beyond = await download(U1, id, { off: 11 });
    expect([beyond.status, await codeOf(beyond)]).toEqual([416, 'FLS-0019']);
    expect(await codeOf(await download(U1, id, { off: 1, len: -2 }))).toBe('FLS-0020');
    const tag = head.headers.get('etag')!;
    expect((await download(U1, id, {}, { 'if-none-match': tag })).status).toBe(304);
    const modified = head.headers.get('last-modified')!;
    const since = async (date: string, more: Record<string, string> = {}) =>
      (await download(U1, id, {}, { 'if-modified-since': date, ...more })).status;
    expect(await since(modified)).toBe(304);
    expect(await since(new Date(Date.parse(modified) - 1000).toUTCString())).toBe(200);
    expect(await since('yesterday')).toBe(200);
    // A tag says more than a date.
    expect(await since(modified, { 'if-none-match': '"old"' })).toBe(200);
    expect(await codeOf(await download(U1, id, { cryptoAction: 'Decrypt' }))).toBe('SVL-0010');
    expect(await codeOf(await download(cast.U2, id))).toBe('IFO-0400');
    expect(await codeOf(await download(U1, `${A}/2000000000`))).toBe('IFO-0300');
    expect(await codeOf(await download(U1, id, { version: 9 }))).toBe('FILE_STORAGE-0039');
  });

  it('have another tag once a change alters how they are sent', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'tagged.txt', '<p>text</p>');
    const tag = (await download(U1, id)).headers.get('etag')!;
    expect((await download(U1, id, {}, { 'if-none-match': tag })).status).toBe(304);
    const change = { filename: 'tagged.html', file_mimetype: 'text/html' };
    const { code } = await U1.put('infostore', 'update', { id, timestamp: 9e15 }, change);
    expect(code).toBeUndefined();
    const renamed = await download(U1, id, {}, { 'if-none-match': tag });
    expect(renamed.status).toBe(200);
    expect(renamed.headers.get('content-disposition')).toMatch(/^attachment.*tagged\.html/);
  });

  it('that are gone are not found for a page, and an error for clients', async () => {
    const { U1, U2, A } = cast;
    const id = await upload(U1, A, 'page.txt', 'text');
    const ofPage = (user: TestUser, query: object) =>
      user.fetch('GET', '/infostore', { action: 'document', folder: A, ...query });
    expect(await (await ofPage(U1, { id })).text()).toBe('text');
    for (const [user, gone, code] of [
      [U1, `${A}/2000000000`, 'IFO-0300'],
      [U2, id, 'IFO-0400'],
    ] as const) {
      const answer = await ofPage(user, { id: gone });
      expect([answer.status, await codeOf(answer)]).toEqual([404, code]);
      expect((await download(user, gone)).status).toBe(200);
    }
    expect((await ofPage(U1, { id, version: 9 })).status).toBe(404);
    expect((await ofPage(U1, { id, cryptoAction: 'Decrypt' })).status).toBe(200);
  });

  it.each([
    ['page.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>'],
    ['page.html', '<script>alert(1)</script>'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['app.js', 'alert(1)'],
    ['mail.eml', 'content-type: text/html\n\n<script>alert(1)</script>'],
    ['picture.png', '<script>alert(1)</script>'],
  ])('FL-110 are nothing that a browser would run in %s', async (name, bytes) => {
    const { U1, A } = cast;
    const id = await upload(U1, A, name, bytes);
    for (const type of ['', 'text/html']) {
      const response = await download(U1, id, {
        ...{ delivery: 'view', content_disposition: 'inline' },
        ...(type && { content_type: type }),
      });
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toMatch(/sandbox/);
      expect(response.headers.get('content-type')).not.toMatch(/html|svg|xml|script|message/);
      expect(await response.text()).toBe(bytes);
    }
  });

  it('FL-109 FL-111 keep their name and, where that is safe, their type', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'ä"b.pdf', '%PDF-1.4\n', { file_mimetype: 'application/pdf' });
    const viewed = await download(U1, id, { delivery: 'view' });
    expect(viewed.headers.get('content-type')).toBe('application/pdf');
    expect(viewed.headers.get('content-disposition')).toMatch(/^inline; .*filename\*=UTF-8''.*%C3%A4/i);
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const picture = await upload(U1, A, 'p.png', Buffer.from(pixel, 'base64'), { file_mimetype: 'image/png' });
    const shown = await download(U1, picture, { delivery: 'view' });
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(shown.headers.get('content-disposition')).toMatch(/^inline/);
    // A sandbox would keep the viewers of browsers from starting.
    for (const { headers } of [viewed, shown]) {
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*object-src 'self'$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    // Browsers save other texts than plain ones.
    for (const name of ['notes.md', 'table.csv', 'data.json', 'card.vcf']) {
      const text = await upload(U1, A, name, '"a,b"', { file_mimetype: 'application/octet-stream' });
      const { headers } = await download(U1, text, { delivery: 'view' });
      expect([name, headers.get('content-type')]).toEqual([name, 'text/plain']);
      expect(headers.get('content-disposition')).toMatch(/^inline/);
      expect(headers.get('content-security-policy')).toMatch(/^sandbox/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const plain = await download(U1, text);
      expect([name, plain.headers.get('content-disposition')]).toEqual([name, expect.stringMatching(/^attachment/)]);
    }
    const saved = await download(U1, id, { delivery: 'download' });
    expect(saved.headers.get('content-type')).toBe('application/octet-stream');
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it.each([
    ['text.txt', 'text/plain', {}, 'inline'],
    ['sheet.pdf', 'application/pdf', {}, 'inline'],
    ['sheet.doc', 'application/msword', {}, 'attachment'],
    ['page.htm', 'text/html', {}, 'attachment'],
    ['no type', 'application/octet-stream', {}, 'attachment'],
    ['other.txt', 'text/plain', { content_disposition: 'attachment' }, 'attachment'],
    ['saved.txt', 'text/plain', { delivery: 'download' }, 'attachment'],
  ])('of %s are shown in their place where that is safe', async (name, type, query, disposition) => {
    const { U1, A } = cast;
    const id = await upload(U1, A, name, 'bytes', { file_mimetype: type });
    const { headers } = await download(U1, id, query);
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
  });

  it('FL-112 are shown as pictures of the size that is asked for', async () => {
    const { U1, U3, A } = cast;
    const lying = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'teal' } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const id = await upload(U1, A, 'photo.jpg', lying, { file_mimetype: 'image/jpeg' });
    const show = async (wanted: Record<string, string | number | boolean>) => {
      const response = await download(U1, id, wanted);
      const bytes = Buffer.from(await response.arrayBuffer());
      const { width, height } = await sharp(bytes).metadata();
      return { sides: [width, height], bytes, headers: response.headers };
    };
    const preview = await show({ format: 'preview_image', width: 100 });
    expect(preview.sides).toEqual([100, 200]);
    expect(Object.fromEntries(preview.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'inline; filename="photo.jpg"',
      'x-content-type-options': 'nosniff',
    });
    expect((await show({ format: 'preview_image' })).sides).toEqual([200, 400]);
    expect((await show({ format: 'thumbnail_image' })).sides).toEqual([75, 150]);
    expect((await show({ width: 50, height: 50, scaleType: 'coverandcrop' })).sides).toEqual([50, 50]);
    expect((await show({ cropX: 10, cropY: 20, cropWidth: 30, cropHeight: 40 })).sides).toEqual([30, 40]);
    expect((await show({ width: 900, shrinkOnly: true })).sides).toEqual([200, 400]);
    const attached = await show({ width: 100, content_disposition: 'attachment' });
    expect(attached.headers.get('content-disposition')).toMatch(/^attachment/);
    for (const unchanged of [
      await show({ delivery: 'download', width: 100 }),
      await show({ width: 10_001 }),
      await show({ format: 'other' }),
    ])
      expect(unchanged.bytes.equals(lying)).toBe(true);
    const tag = preview.headers.get('etag')!;
    const known = await download(U1, id, { format: 'preview_image', width: 100 }, { 'if-none-match': tag });
    expect(known.status).toBe(304);
    expect(await codeOf(await download(U3, id, { format: 'preview_image', width: 100 }))).toMatch(/^IFO-/);
    // There is no preview of it.
    const pdf = await upload(U1, A, 'a.pdf', '%PDF-1.4\n', { file_mimetype: 'application/pdf' });
    const whole = await download(U1, pdf, { format: 'preview_image', width: 100 });
    expect(whole.headers.get('content-type')).toBe('application/pdf');
    expect(whole.headers.get('content-disposition')).toMatch(/^inline/);
    expect(await whole.text()).toBe('%PDF-1.4\n');
  });

  it('FL-132 tell of a picture when, where and by what it was taken', async () => {
    const { U1, A } = cast;
    const picture = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: 'teal' } });
    const exif = {
      IFD0: { Model: 'Camera X' },
      IFD2: { DateTimeOriginal: '2024:02:29 12:30:45', ISOSpeedRatings: '200', FNumber: '28/10' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 15/1 36/1' },
    };
    const lying = await picture(40, 20).withExif(exif).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const id = await upload(U1, A, 'taken.jpg', lying, { file_mimetype: 'application/octet-stream' });
    const captured = Date.UTC(2024, 1, 29, 12, 30, 45);
    const media = {
      ...{ width: 20, height: 40, capture_date: captured, media_date: captured, geolocation: '52.5,13.26' },
      ...{ camera_model: 'Camera X', camera_iso_speed: 200, camera_aperture: '2.8', media_status: 'done_success' },
      media_meta: expect.objectContaining({ width: 20, height: 40, model: 'Camera X' }),
    };
    expect(await dataOf(U1, id)).toMatchObject(media);
    const copy = await U1.put('infostore', 'copy', { id }, {});
    expect(await dataOf(U1, copy.data)).toMatchObject(media);
    await change(U1, id, { title: 'Another' });
    expect(await dataOf(U1, id)).toMatchObject(media);
    // A new version has data of its own.
    const next = await picture(30, 10).jpeg().toBuffer();
    await addVersion(U1, id, next, { file_mimetype: 'image/jpeg' }, {}, 'new.jpg');
    const newer = await dataOf(U1, id);
    expect(newer).toMatchObject({ width: 30, height: 10, media_date: newer.last_modified });
    expect(newer).not.toHaveProperty('capture_date');
    expect(await dataOf(U1, id, { version: 1 })).toMatchObject(media);
    expect(await dataOf(U1, await upload(U1, A, 'no picture.txt'))).not.toHaveProperty('media_status');
  });

  it('FL-133 are kept of a picture that lies about itself', async () => {
    const { U1, A } = cast;
    const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    png.writeUInt32BE(60_000, 16);
    png.writeUInt32BE(60_000, 20);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    const tiff = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'teal' } })
      .tiff()
      .toBuffer();
    const directory = tiff.readUInt32LE(4);
    // Each entry of the directory claims more values than the file has bytes.
    for (let entry = 0; entry < tiff.readUInt16LE(directory); entry++)
      tiff.writeUInt32LE(0x7fff_ffff, directory + 2 + 12 * entry + 4);
    const before = process.memoryUsage().rss;
    for (const [name, bytes] of [
      ['large.png', png],
      ['long.tiff', tiff],
    ] as const) {
      const id = await upload(U1, A, name, bytes, { file_mimetype: `image/${name.split('.')[1]}` });
      expect(await dataOf(U1, id)).toMatchObject({ media_status: 'done_with_error', file_size: bytes.length });
      expect(await dataOf(U1, id)).not.toHaveProperty('width');
      expect(Buffer.from(await (await download(U1, id)).arrayBuffer()).equals(bytes)).toBe(true);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('FL-132 tell of an audio file who plays what, with its cover', async () => {
    const { U1, U2, A } = cast;
    const cover = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const bytes = audioFile(
      ...[textFrame('TIT2', 'Größe'), textFrame('TPE1', 'The Band'), textFrame('TALB', 'First')],
      ...[textFrame('TRCK', '3/9'), textFrame('TCON', 'Jazz'), textFrame('TYER', '2001'), pictureFrame(cover)],
    );
    const id = await upload(U1, A, 'song.mp3', bytes, AUDIO);
    const said = { title: 'Größe', artist: 'The Band', album: 'First', track: 3, genre: 'Jazz', year: 2001 };
    expect(await dataOf(U1, id)).toMatchObject({
      ...{ file_mimetype: 'audio/mpeg', media_status: 'done_success', media_meta: said },
    });
    const coverOf = (of: string, parameters: object = {}, user: TestUser = U1) =>
      user.fetch('GET', '/image/file/mp3cover', { id: of, ...parameters });
    const shown = await coverOf(id);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await shown.arrayBuffer()).equals(cover)).toBe(true);
    const small = await sharp(Buffer.from(await (await coverOf(id, { width: 20 })).arrayBuffer())).metadata();
    expect([small.width, small.height]).toEqual([20, 15]);
    const plain = await upload(U1, A, 'no cover.mp3', audioFile(textFrame('TIT2', 'Alone')), AUDIO);
    const script = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const lying = await upload(U1, A, 'lie.mp3', audioFile(pictureFrame(script)), AUDIO);
    const noise = await upload(U1, A, 'noise.mp3', new Uint8Array(randomBytes(50_000)), AUDIO);
    const text = await upload(U1, A, 'text.txt', 'no audio');
    for (const [reader, each] of [
      [U1, plain],
      [U1, lying],
      [U1, noise],
      [U1, text],
      [U1, `${A}/2000000000`],
      [U2, id],
    ] as const)
      expect([each, (await coverOf(each, {}, reader)).status]).toEqual([each, 404]);
    expect(await (await download(U1, noise)).arrayBuffer()).toHaveProperty('byteLength', 50_000);
  });

  it('FL-113 are scanned when asked, and never called clean without a look', async () => {
    const { U1, A } = cast;
    const [clean, bad, large] = [
      await upload(U1, A, 'clean.txt', 'clean'),
      await upload(U1, A, 'eicar.txt', new Uint8Array(EICAR)),
      await upload(U1, A, 'large.bin', new Uint8Array(1_000_001)),
    ];
    const scanned = (id: string) => download(U1, id, { scan: true });
    for (let round = 0; round < 2; round++) expect(await (await scanned(clean)).text()).toBe('clean');
    for (let round = 0; round < 2; round++) expect(await codeOf(await scanned(bad))).toBe('ANTIVIRUS-0001');
    expect(await codeOf(await scanned(large))).toBe('ANTIVIRUS-0003');
  });
});

describe('an archive', () => {
  const zipped = async (response: Response): Promise<Record<string, string>> => {
    if (response.headers.get('content-type') !== 'application/zip') throw new Error(await response.text());
    return unzipped(Buffer.from(await response.arrayBuffer()));
  };
  const zipFolder = (user: TestUser, folder: string, parameters: object = {}) =>
    user.fetch('GET', '/infostore', { action: 'zipfolder', session: user.session, folder, ...parameters });
  const zipSeveral = (user: TestUser, body: object[], parameters: object = {}) =>
    user.fetch(
      'PUT',
      '/infostore',
      { action: 'zipdocuments', session: user.session, ...parameters },
      { body: JSON.stringify(body) },
    );

  it('FL-114 FL-116 holds a folder, and those below it where that is asked for', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, cast.P1, [[U2.userId, BITS.viewer]], 'Many files');
    const none = await zipFolder(U1, folder);
    expect(none.headers.get('content-disposition')).toContain('Many_files.zip');
    expect(await zipped(none)).toEqual({});
    const below = await createFolder(U1, folder, [], 'Below');
    await createFolder(U1, folder, [[U2.userId, BITS.viewer]], 'Empty');
    await upload(U1, folder, 'ä 😀.txt', 'one');
    await upload(U1, below, 'b.txt', 'two');
    await tryCreate(U1, { folder_id: folder, title: 'no file' });
    expect(await zipped(await zipFolder(U1, folder))).toEqual({ 'ä 😀.txt': 'one' });
    const deep = await zipped(await zipFolder(U1, folder, { recursive: true }));
    expect(deep).toEqual({ 'ä 😀.txt': 'one', 'Below/b.txt': 'two', 'Empty/': '' });
    // Files that a user may not read are left out.
    expect(await zipped(await zipFolder(U2, folder, { recursive: true }))).toEqual({ 'ä 😀.txt': 'one', 'Empty/': '' });
    for (const [place, code] of [
      [cast.P1, 'IFO-0400'],
      ['6', 'IFO-0302'],
      ['160008', 'FLD-0008'],
      ['nonsense', 'FLD-1025'],
    ])
      expect(await codeOf(await zipFolder(U2, place!))).toBe(code);
  });

  it('holds what is shared with the user by itself', async () => {
    const { U1, U2, U3 } = cast;
    const id = await upload(U1, await createFolder(U1, cast.P1), 'for one.txt', 'bytes');
    await change(U1, id, { object_permissions: [{ entity: U2.userId, group: false, bits: 1 }] });
    const response = await zipFolder(U2, '10');
    expect(response.headers.get('content-disposition')).toContain('Shared_files.zip');
    expect(await zipped(response)).toEqual({ 'for one.txt': 'bytes' });
    for (const user of [U1, U3]) expect(await zipped(await zipFolder(user, '10', { recursive: true }))).toEqual({});
  });

  it('holds documents, versions of them and folders', async () => {
    const { U1, U2 } = cast;
    const [folder, other] = [await createFolder(U1, cast.P1, [], 'Whole'), await createFolder(U1, cast.P1)];
    await upload(U1, folder, 'in.txt', 'in');
    const [first, second] = [await upload(U1, cast.A, 'same.txt', 'one'), await upload(U1, other, 'same.txt', 'two')];
    await addVersion(U1, first, 'newer', {}, {}, 'same.txt');
    const parts = [{ id: first }, { id: first, version: '1' }, { id: second, folder: other }, { folder }];
    expect(await zipped(await zipSeveral(U1, parts))).toEqual({
      ...{ 'same.txt': 'newer', 'same (2).txt': 'one', 'same (3).txt': 'two' },
      'Whole/in.txt': 'in',
    });
    expect(await zipped(await zipSeveral(U1, []))).toEqual({});
    // Browsers save it by an address.
    const linked = { action: 'zipdocuments', session: U1.session, body: JSON.stringify(parts.slice(0, 1)) };
    expect(Object.values(await zipped(await U1.fetch('GET', '/infostore', linked)))).toEqual(['newer']);
    for (const [body, code] of [
      ['{', 'SVL-0029'],
      ['{}', 'SVL-0028'],
    ] as const)
      expect(await codeOf(await U1.fetch('GET', '/infostore', { ...linked, body }))).toBe(code);
    expect(await codeOf(await zipSeveral(U1, [{ id: first, version: '9' }]))).toBe('FILE_STORAGE-0039');
    expect(await codeOf(await zipSeveral(U1, [{ id: `${folder}/2000000000` }]))).toBe('IFO-0300');
    expect(await codeOf(await zipSeveral(U2, [{ id: first }]))).toBe('IFO-0400');
    expect(await codeOf(await zipSeveral(U2, [{ folder }]))).toBe('IFO-0400');
    expect(await codeOf(await zipSeveral(U1, [{ folder: '6' }]))).toBe('IFO-0302');
    expect(await codeOf(await zipSeveral(U1, [{ folder: '160008' }]))).toBe('FLD-0008');
    expect(await codeOf(await zipSeveral(U1, [{ folder: 'nonsense' }]))).toBe('FLD-1025');
  });

  it('FL-117 that nobody reads on keeps no file open', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1, cast.P1);
    // More than the buffers on the way hold.
    for (let index = 0; index < 12; index++)
      await upload(U1, folder, `${index}.bin`, new Uint8Array(randomBytes(1_400_000)));
    // Gateway and services are in this process.
    const opened = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path.join(world.environment.DATA_DIR!, 'files'));
        } catch {
          return false;
        }
      }).length;
    const left = new AbortController();
    const query = { action: 'zipfolder', session: U1.session, folder };
    const response = await U1.fetch('GET', '/infostore', query, { signal: left.signal });
    await response.body!.getReader().read();
    await until(() => opened() > 0);
    left.abort();
    await until(() => opened() === 0);
    expect(opened()).toBe(0);
  });

  it('FL-115 is refused when it would be too large, or one file is infected', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1, cast.P1);
    const id = await upload(U1, folder, 'eicar.txt', new Uint8Array(EICAR));
    expect(await codeOf(await zipFolder(U1, folder, { scan: true }))).toBe('ANTIVIRUS-0001');
    expect(await codeOf(await zipSeveral(U1, [{ id }], { scan: true }))).toBe('ANTIVIRUS-0001');
    const large = await upload(U1, folder, 'large.bin', new Uint8Array(1_000_001));
    await remove(U1, [id]);
    expect(await codeOf(await zipFolder(U1, folder, { scan: true }))).toBe('ANTIVIRUS-0003');
    expect(await codeOf(await zipSeveral(U1, [{ id: large }], { scan: true }))).toBe('ANTIVIRUS-0003');
    await configure('com.example.file.storage.zipFolderThreshold', '1000000');
    expect(await codeOf(await zipFolder(U1, folder))).toBe('FILE_STORAGE-0034');
    expect(await codeOf(await zipSeveral(U1, [{ folder }]))).toBe('FILE_STORAGE-0034');
    await configure('com.example.file.storage.zipFolderThreshold', '0');
    expect(Object.keys(await zipped(await zipFolder(U1, folder)))).toEqual(['large.bin']);
  });
});

describe('an upload', () => {
  const folderOfStore = () => path.join(world.environment.DATA_DIR!, 'files');
  const stored = () => filesBelow(folderOfStore()).sort();

  /** Sends half of a form and goes away. */
  const sendHalf = (user: TestUser, form: string) =>
    new Promise<void>((resolve) => {
      const before = stored().length;
      const outgoing = request(`${world.publicUrl}/infostore?action=new&session=${user.session}`, {
        method: 'POST',
        headers: {
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': String(2 * form.length),
          'user-agent': user.userAgent,
          cookie: [...user.jar].map((pair) => pair.join('=')).join('; '),
        },
      });
      outgoing.on('error', () => undefined).on('close', resolve);
      outgoing.write(form);
      void until(() => stored().length > before).then(() => outgoing.destroy());
    });

  it('FL-17 of a client that goes away leaves nothing', async () => {
    const { U1, A } = cast;
    const state = async () => [await column(U1, A, 702), stored(), await usedBytes(U1)];
    const before = await state();
    const head = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const json = JSON.stringify({ folder_id: A });
    await sendHalf(U1, `${head('json')}${json}\r\n${head('file', '; filename="half.txt"')}${'x'.repeat(500_000)}`);
    await until(() => stored().length <= (before[1] as string[]).length);
    expect(await state()).toEqual(before);
  });

  it('FL-27 fails while the store does, and works afterwards', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1, cast.P1);
    const away = `${folderOfStore()}-away`;
    renameSync(folderOfStore(), away);
    writeFileSync(folderOfStore(), 'no folder');
    const failed = await tryUpload(U1, folder, 'a.txt', 'one');
    rmSync(folderOfStore());
    renameSync(away, folderOfStore());
    expect(failed.code).toBe('FLS-0003');
    expect(await column(U1, folder, 702)).toEqual([]);
    expect(await (await download(U1, await upload(U1, folder, 'a.txt', 'two'))).text()).toBe('two');
  });

  it('FL-25 is refused beyond its limit', async () => {
    const { U1, A } = cast;
    const before = await column(U1, A, 1);
    const id = before[0] as string;
    const large = 'x'.repeat(1_500_001);
    expect((await tryUpload(U1, A, 'large', large)).code).toBe('UPL-0005');
    expect((await addVersion(U1, id, large)).code).toBe('UPL-0005');
    const query = { action: 'upload', binary: true, session: U1.session, folder_id: A, filename: 'large' };
    expect(await codeOf(await U1.fetch('PUT', '/infostore', query, { body: large }))).toBe('UPL-0005');
    expect(await column(U1, A, 1)).toEqual(before);
    expect((await tryUpload(U1, A, 'fits', large.slice(1000))).code).toBeUndefined();
  });

  it('FL-26 FL-131 counts what versions use, up to the quota', async () => {
    const { U1, A, contextId } = cast;
    const folder = await createFolder(U1, cast.P1);
    const before = await usedBytes(U1);
    const id = await upload(U1, folder, 'one', 'x'.repeat(1000));
    await addVersion(U1, id, 'y'.repeat(500));
    expect(await usedBytes(U1)).toBe(before + 1500);
    await addVersion(U1, id, 'z'.repeat(100), {}, { ignoreVersion: true });
    expect(await usedBytes(U1)).toBe(before + 1100);
    const copy = await U1.put('infostore', 'copy', { id }, {});
    expect(await usedBytes(U1)).toBe(before + 1200);
    await remove(U1, [copy.data]);
    expect(await usedBytes(U1)).toBe(before + 1200);
    await U1.put('infostore', 'detach', { id, folder, timestamp: FORCE }, [1]);
    expect(await usedBytes(U1)).toBe(before + 200);
    await cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/quota`, { filestoreMb: 0 });
    expect((await tryUpload(U1, folder, 'more', 'more')).code).toBe('FLS-0024');
    expect((await addVersion(U1, id, 'more')).code).toBe('FLS-0024');
    expect((await U1.put('infostore', 'copy', { id }, {})).code).toBe('FLS-0024');
    const text = { folder_id: folder, filename: 'text', content: 'more' };
    expect((await tryCreate(U1, text)).code).toBe('FLS-0024');
    await cast.admin.expect('PUT', `/admin/v1/contexts/${contextId}/quota`, { filestoreMb: -1 });
    expect(await column(U1, folder, 702)).toEqual(['v.txt']);
    await remove(U1, [id], { hardDelete: true });
    expect(await usedBytes(U1)).toBe(before + 100);
    expect((await dataOf(U1, await upload(U1, A, 'after'))).version).toBe('1');
  });

  it('is scanned as it is set', async () => {
    const { U1, A } = cast;
    // Contents that were never seen are scanned, too, and not only looked up.
    for (const policy of ['ifAvailable', 'required']) {
      await configure('com.example.infostore.scanUploads', policy);
      const unseen = Buffer.concat([EICAR, Buffer.from(`\n${' '.repeat(policy.length)}`)]);
      expect((await tryUpload(U1, A, 'unseen.txt', new Uint8Array(unseen))).code).toBe('ANTIVIRUS-0001');
      expect((await tryUpload(U1, A, 'clean.txt', `clean, ${policy}`)).code).toBeUndefined();
      expect((await tryCreate(U1, { folder_id: A, filename: 'c.txt', content: `in ${policy}` })).code).toBeUndefined();
    }
    expect((await tryUpload(U1, A, 'eicar.txt', new Uint8Array(EICAR))).code).toBe('ANTIVIRUS-0001');
    expect((await tryUpload(U1, A, 'large.bin', new Uint8Array(1_000_001))).code).toBe('ANTIVIRUS-0003');
    await clamd.stop();
    expect((await tryUpload(U1, A, 'b.txt', 'never seen before')).code).toBe('ANTIVIRUS-0002');
    const id = (await column(U1, A, 1))[0] as string;
    expect((await addVersion(U1, id, 'never seen before')).code).toBe('ANTIVIRUS-0002');
    await configure('com.example.infostore.scanUploads', 'ifAvailable');
    expect((await tryUpload(U1, A, 'b.txt', 'never seen before')).code).toBeUndefined();
    expect(await codeOf(await download(U1, id, { scan: true }))).toBe('ANTIVIRUS-0002');
    const zip = { session: U1.session, scan: true };
    const [folder, several] = await Promise.all([
      U1.fetch('GET', '/infostore', { ...zip, action: 'zipfolder', folder: A }),
      U1.fetch('PUT', '/infostore', { ...zip, action: 'zipdocuments' }, { body: JSON.stringify([{ id }]) }),
    ]);
    expect([await codeOf(folder), await codeOf(several)]).toEqual(['ANTIVIRUS-0002', 'ANTIVIRUS-0002']);
  });
});
