import sharp from 'sharp';
import { contactIdOfUser } from '@groupware/contracts';
import { until } from '@groupware/test-kit';
import type { Client } from '../client';
import type { TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { createContactFixtures, createFolder, dataOf, type ContactFixtures } from './contacts';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

const FAR = '9223372036854775807';
const SIZED = { background: 'teal', channels: 3 } as const;
const image = (width: number, height: number) => sharp({ create: { width, height, ...SIZED } });
const jpeg = (width: number, height: number): Promise<Buffer> => image(width, height).jpeg().toBuffer();
const gif = (): Promise<Buffer> => image(8, 8).gif().toBuffer();

/** Sends a form with a contact and a picture; the answer of the page. */
async function send(
  user: TestUser,
  query: Record<string, string>,
  body: object | undefined,
  file: Uint8Array | undefined,
  { name = 'a.png', type = 'image/png' } = {},
): Promise<any> {
  const form = new FormData();
  if (body) form.append('json', JSON.stringify(body));
  if (file) form.append('file', new Blob([file], { type }), name);
  const response = await user.fetch('POST', '/contacts', { session: user.session, ...query }, { body: form });
  const html = await response.text();
  expect(html).toContain(`callback_${query.action}`);
  const json = /callback_\w+[^(]*\(([\s\S]*)\)/.exec(html)![1]!;
  return JSON.parse(json.replace(/\\u003[ce]|\\\//g, (escape) => JSON.parse(`"${escape}"`) as string));
}
const sendNew = (user: TestUser, body: object | undefined, file?: Uint8Array, as = {}) =>
  send(user, { action: 'new', plainJson: 'false' }, body, file, as);

async function createWith(user: TestUser, folder: string, file: Uint8Array, more: object = {}): Promise<any> {
  const { data, error } = await sendNew(user, { folder_id: folder, last_name: 'P', ...more }, file);
  expect(error).toBeUndefined();
  return dataOf(user, folder, data.id);
}

/** Makes a picture call and describes its answer: status, type, sides and entity tag. */
async function look(user: Client, path: string, query: object = {}, headers: Record<string, string> = {}) {
  const response = await user.fetch('GET', path, { session: user.session, ...query }, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type');
  const drawn = response.status === 200 && type?.startsWith('image/') ? await sharp(bytes).metadata() : undefined;
  return {
    status: response.status,
    type,
    bytes,
    width: drawn?.width,
    height: drawn?.height,
    tag: response.headers.get('etag'),
    headers: response.headers,
  };
}
const picture = (user: Client, query: object, headers: Record<string, string> = {}) =>
  look(user, '/contacts/picture', { action: 'get', ...query }, headers);
const FALLBACK = expect.objectContaining({ status: 200, type: 'image/gif', width: 1, tag: '"1-fallback-image"' });

describe('pictures of contacts', () => {
  it('CO-32 are scaled with their proportions, small ones stay as they are', async () => {
    const { U1, K1 } = cast;
    const large = await createWith(U1, K1, await jpeg(1_800, 1_800));
    expect(large).toMatchObject({ image1_content_type: 'image/jpeg', number_of_images: 1 });
    const shown = await picture(U1, { contact_id: large.id, folder_id: K1 });
    expect([shown.type, shown.width, shown.height]).toEqual(['image/jpeg', 800, 800]);
    const bytes = await jpeg(500, 2_000);
    const tall = await createWith(U1, K1, bytes);
    expect((await picture(U1, { contact_id: tall.id, folder_id: K1 })).bytes.equals(bytes)).toBe(true);
  });

  it('CO-33 have the type of their bytes', async () => {
    const contact = await createWith(cast.U1, cast.K1, await gif());
    expect(contact.image1_content_type).toBe('image/gif');
  });

  it('come in forms that are answered in JSON where the client asks for it', async () => {
    const { U1, K1 } = cast;
    const query = { action: 'new', session: U1.session, force_json_response: true };
    const sendForm = async (file: Uint8Array) => {
      const form = new FormData();
      form.append('json', JSON.stringify({ folder_id: K1, last_name: 'As JSON' }));
      form.append('file', new Blob([file], { type: 'image/gif' }), 'a.gif');
      const response = await U1.fetch('POST', '/contacts', query, { body: form });
      return [response.headers.get('content-type'), await response.json()];
    };
    const json = 'application/json; charset=UTF-8';
    const stored = [json, { data: { id: expect.any(String) }, timestamp: expect.any(Number) }];
    expect(await sendForm(await gif())).toEqual(stored);
    expect(await sendForm(Buffer.from('no picture'))).toEqual([json, expect.objectContaining({ code: 'SVL-0022' })]);
  });

  it('CO-34 are no drawings with scripts', async () => {
    const folder = await createFolder(cast.U1);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const body = { folder_id: folder, last_name: 'Drawn' };
    for (const type of ['image/svg+xml', 'image/png'])
      expect((await sendNew(cast.U1, body, svg, { name: 'a.svg', type })).code).toBe('SVL-0022');
    expect((await cast.U1.get('contacts', 'all', { folder, columns: '1' })).data).toEqual([]);
  });

  it('are refused unless they are pictures that fit', async () => {
    const { U1, K1 } = cast;
    const body = { folder_id: K1, last_name: 'Refused' };
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const html = Buffer.from('<html><script>alert(1)</script></html>');
    const whole = await jpeg(300, 300);
    const bomb = await image(12_000, 12_000).png({ compressionLevel: 9 }).toBuffer();
    const { id } = await createWith(U1, K1, await gif());
    const update = { action: 'update', id: String(id), folder: K1, timestamp: FAR };
    for (const query of [{ action: 'new' }, update]) {
      const refusal = async (file?: Uint8Array) => send(U1, query, body, file, { name: 'a.jpg', type: 'image/jpeg' });
      for (const file of [svg, html, whole.subarray(0, 200), bomb])
        expect(await refusal(file)).toMatchObject({ code: 'SVL-0022', error_params: ['a.jpg', 'image/jpeg'] });
      expect(await refusal()).toMatchObject({ code: 'SVL-0003', category: 8 });
      const large = Buffer.alloc(5_000_000, 1);
      expect(await refusal(large)).toMatchObject({ code: 'CON-0172', error_params: ['5000000', '4194304'] });
    }
    expect((await send(U1, { action: 'new' }, undefined, whole)).code).toBe('SVL-0002');
  });

  it('CO-35 CO-36 stay until they are removed, and their address tells when they changed', async () => {
    const { U1, K1 } = cast;
    const { id, image1_url: before } = await createWith(U1, K1, await gif());
    const update = (body: object) => U1.put('contacts', 'update', { id, folder: K1, timestamp: FAR }, body);
    await update({ note: 'n' });
    expect(await dataOf(U1, K1, id)).toMatchObject({ image1_url: before, note: 'n' });
    // Clients send back what they got.
    await update({ image1: before });
    expect((await dataOf(U1, K1, id)).image1_url).toBe(before);
    const url = `data:image/png;base64,${(await image(4, 4).png().toBuffer()).toString('base64')}`;
    await update({ image1: url });
    const changed = await dataOf(U1, K1, id);
    expect(changed.image1_content_type).toBe('image/png');
    expect(changed.image1_url).not.toBe(before);
    const broken = { image1: 'data:image/png;base64,AAAA' };
    expect((await update(broken)).code).toBe('CON-0101');
    expect((await U1.put('contacts', 'new', {}, { folder_id: K1, ...broken })).code).toBe('CON-0101');
    await update({ image1: '' });
    expect(await dataOf(U1, K1, id)).toMatchObject({ number_of_images: 0 });
    expect(await dataOf(U1, K1, id)).not.toHaveProperty('image1_url');
    expect(await picture(U1, { contact_id: id, folder_id: K1 })).toEqual(FALLBACK);
  });

  it('of users are changed by themselves where their contact is', async () => {
    const { U1, UB } = cast;
    const id = String(contactIdOfUser(UB.userId));
    const query = { action: 'update', id, folder: '6', timestamp: FAR };
    const answer = await send(UB, query, { nickname: 'Pictured' }, await gif());
    expect(answer).toMatchObject({ data: { id }, timestamp: expect.any(Number) });
    const before = await dataOf(UB, '6', id);
    expect(before).toMatchObject({ nickname: 'Pictured', image1_content_type: 'image/gif' });
    expect((await UB.get('user', 'get', { id: UB.userId })).data.number_of_images).toBe(1);
    const image1 = `data:image/png;base64,${(await image(4, 4).png().toBuffer()).toString('base64')}`;
    expect((await UB.put('contacts', 'update', { ...query, id }, { image1 })).error).toBeUndefined();
    expect((await dataOf(UB, '6', id)).image1_content_type).toBe('image/png');
    expect((await send(U1, query, {}, await gif())).code).toBe('CON-0176');
    const large = Buffer.concat([await gif(), Buffer.alloc(600_000)]);
    expect(await send(UB, query, {}, large)).toMatchObject({
      code: 'CON-0172',
      error_params: [expect.any(String), '524288'],
    });
  });

  it('CO-37 stay where the contact changed meanwhile', async () => {
    const { U1, K1 } = cast;
    const { id, image1_url: before } = await createWith(U1, K1, await gif());
    const query = { action: 'update', id, folder: K1, timestamp: '1' };
    expect((await send(U1, query, {}, await jpeg(10, 10))).code).toBe('CON-0119');
    expect((await dataOf(U1, K1, id)).image1_url).toBe(before);
    const { data } = await send(U1, { ...query, timestamp: FAR }, { note: 'with it' }, await jpeg(10, 10));
    expect(data.id).toBe(id);
    expect(await dataOf(U1, K1, id)).toMatchObject({ image1_content_type: 'image/jpeg', note: 'with it' });
  });

  it('CO-38 are shown by their address to those who read the contact', async () => {
    const { U1, U2, X1, K1 } = cast;
    const bytes = await gif();
    const { id, image1_url: address } = await createWith(U1, K1, bytes);
    const query = Object.fromEntries(new URLSearchParams(address.slice(address.indexOf('?') + 1)));
    const path = '/image/contact/picture';
    const shown = await look(U1, path, query);
    expect([shown.status, shown.type, shown.bytes.equals(bytes)]).toEqual([200, 'image/gif', true]);
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await look(U1, path, query, { 'If-None-Match': shown.tag! })).status).toBe(304);
    const changed = new Date(Number(query.timestamp)).toUTCString();
    expect(shown.headers.get('last-modified')).toBe(changed);
    const since = (date: string) => look(U1, path, query, { 'If-Modified-Since': date });
    expect((await since(changed)).status).toBe(304);
    expect((await since(new Date(Number(query.timestamp) - 2_000).toUTCString())).status).toBe(200);
    for (const other of [U2, X1]) expect((await look(other, path, query)).status).toBe(404);
    expect((await look(U1, path, { ...query, id: '999999' })).status).toBe(404);
    const nobody = await fetch(`${U1.baseUrl}${path}?${new URLSearchParams(query).toString()}`);
    expect([nobody.status, nobody.headers.get('content-type')]).toEqual([404, expect.not.stringMatching(/^image/)]);
    // Nothing tells whether there is such a contact.
    const asked = { contact_id: id, folder_id: K1 };
    for (const other of [U2, X1]) expect(await picture(other, asked)).toEqual(FALLBACK);
    expect(await picture(U1, { contact_id: 'x', folder_id: 'y' })).toEqual(FALLBACK);
    expect(await picture(U1, {})).toEqual(FALLBACK);
    expect((await picture(U1, {})).headers.get('last-modified')).toBeNull();
  });

  it('CO-39 CO-41 of users come first, then those of contacts by address', async () => {
    const { U1, U2, K1 } = cast;
    const bytes = await image(30, 20).png().toBuffer();
    const own = await createWith(U1, K1, await gif(), { email3: 'Face@Example.org' });
    expect((await picture(U1, { user_id: U2.userId, email: 'face@example.org' })).type).toBe('image/gif');
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'a.png');
    const query = { action: 'update', id: String(U2.userId), timestamp: FAR, session: U2.session };
    await U2.fetch('POST', '/user', query, { body: form });
    // The address book follows by event.
    await until(async () => (await picture(U1, { user_id: U2.userId })).type === 'image/png');
    const shown = await picture(U1, { user_id: U2.userId, email: 'face@example.org' });
    expect([shown.type, shown.bytes.equals(bytes)]).toEqual(['image/png', true]);
    const dateOf = async (query: object) => (await picture(U1, query)).headers.get('last-modified');
    const stampOf = ({ image1_url }: { image1_url: string }) =>
      new Date(Number(/timestamp=(\d+)/.exec(image1_url)![1])).toUTCString();
    expect(await dateOf({ user_id: U2.userId })).toBe(
      stampOf((await U1.get('contacts', 'getuser', { id: U2.userId })).data),
    );
    expect(await dateOf({ email: 'face@example.org', width: 4 })).toBe(stampOf(own));
    expect((await look(U1, '/halo/contact/picture', { internal_userid: U2.userId })).width).toBe(30);
    expect((await look(U1, '/halo/contact/picture', { email2: 'face@example.org' })).type).toBe('image/gif');
    expect(own.email3).toBe('Face@Example.org');
  });

  it('are shown turned, cut and scaled as asked, by each of their addresses', async () => {
    const { U1, K1 } = cast;
    const lying = await image(40, 20).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { id } = await createWith(U1, K1, lying, { email1: 'lying@example.org' });
    const byEach = async (wanted: object) => [
      await picture(U1, { contact_id: id, folder_id: K1, ...wanted }),
      await look(U1, '/image/contact/picture', { id, folder: K1, ...wanted }),
      await look(U1, '/halo/contact/picture', { email1: 'lying@example.org', ...wanted }),
      await look(U1, '/halo/contact/picture', { id, folder: K1, ...wanted }),
    ];
    for (const [wanted, sides] of [
      [{}, [40, 20]],
      [{ rotate: true }, [20, 40]],
      [{ width: 10 }, [10, 20]],
      [{ cropX: 5, cropY: 10, cropWidth: 10, cropHeight: 15 }, [10, 15]],
      [{ width: 30, height: 30, scaleType: 'containForceDimension' }, [30, 30]],
      [{ width: 10, height: 10, scaleType: 'coverAndCrop', compress: true }, [10, 10]],
      [{ width: 4_000, transformationNeeded: false }, [40, 20]],
      [{ width: 4_000, shrinkOnly: true }, [20, 40]],
      // Beyond the largest side of pictures of contacts.
      [{ height: 4_000 }, [1_024, 2_048]],
    ] as const)
      for (const shown of await byEach(wanted))
        expect([shown.type, shown.width, shown.height]).toEqual(['image/jpeg', ...sides]);
    const [first, ...others] = await byEach({ width: 10 });
    const known = { 'If-None-Match': first!.tag! };
    expect((await picture(U1, { contact_id: id, folder_id: K1, width: 10 }, known)).status).toBe(304);
    expect(others.map(({ tag }) => tag)).toEqual([first!.tag, first!.tag, first!.tag]);
  });

  it('CO-40 are the newest ones of an address', async () => {
    const { U1, K1, K2 } = cast;
    await createWith(U1, K1, await image(11, 5).png().toBuffer(), { email2: 'twice@example.org' });
    const newer = await createWith(U1, K2, await image(12, 5).png().toBuffer(), { email2: 'twice@example.org' });
    expect((await picture(U1, { email: 'twice@example.org' })).width).toBe(12);
    await U1.put('contacts', 'delete', { timestamp: FAR }, [{ id: newer.id, folder: K2 }]);
    expect((await picture(U1, { email: 'twice@example.org' })).width).toBe(11);
  });

  it('CO-42 go with the contact to another folder', async () => {
    const { U1, K1, K2 } = cast;
    const { id } = await createWith(U1, K1, await gif());
    await U1.put('contacts', 'update', { id, folder: K1, timestamp: FAR }, { folder_id: K2 });
    expect((await picture(U1, { contact_id: id, folder_id: K2 })).width).toBe(8);
    expect(await picture(U1, { contact_id: id, folder_id: K1 })).toEqual(FALLBACK);
  });

  it('are shown in the size asked for, within bounds', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const { id } = await createWith(U1, folder, await jpeg(400, 200));
    const sides = async (query: object) => {
      const { width, height } = await picture(U1, { contact_id: id, folder_id: folder, ...query });
      return [width, height];
    };
    expect(await sides({ width: 100, height: 100 })).toEqual([100, 50]);
    expect(await sides({ width: 100, height: 100, scaleType: 'cover' })).toEqual([200, 100]);
    expect(await sides({ width: 100, height: 100, scaleType: 'coverAndCrop' })).toEqual([100, 100]);
    expect(await sides({ width: 800, shrinkOnly: true })).toEqual([400, 200]);
    expect(await sides({ width: 100_000 })).toEqual([2_048, 1_024]);
    for (const query of [{ width: 0, height: -5 }, { width: 'abc' }, { rotate: 'maybe' }, { user_id: 'x'.repeat(99) }])
      expect(await sides(query)).toEqual([400, 200]);
  });
});
