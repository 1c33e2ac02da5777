import sharp from 'sharp';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  all,
  BITS,
  change,
  create,
  createContactFixtures,
  createFolder,
  dataOf,
  remove,
  type ContactFixtures,
} from './contacts';
import { card, codeOf, exportFolder, importFile, uploadFile } from './transfer';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await startTestEnvironment({ variables: { CONTACTS_IMPORT_BATCH: '20' } });
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

type User = ContactFixtures['U1'];
const imported = async (user: User, folder: string, content: string | Uint8Array, parameters: object = {}) => {
  const answer = await importFile(user, 'VCARD', folder, content, parameters);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data as any[];
};
const exported = async (user: User, folder: string, parameters: object = {}): Promise<string> => {
  const response = await exportFolder(user, 'VCARD', folder, parameters);
  expect(response.headers.get('content-type')).toMatch(/^text\/vcard/);
  return response.text();
};

describe('import of vCards', () => {
  it('FI-76 FI-77 answers a result per card, whatever is wrong with another', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const text = [card('3.0', 'FN:First', 'N:A;B;;;'), card('9.9', 'FN:x'), card('2.1', 'FN:Last')].join('');
    const results = await imported(U1, folder, text.replaceAll('\r\n', '\n').trimEnd());
    expect(results).toEqual([
      { id: expect.any(String), folder_id: folder, last_modified: expect.any(Number) },
      expect.objectContaining({ code: 'I_E-0609', line_number: 6 }),
      { id: expect.any(String), folder_id: folder, last_modified: expect.any(Number) },
    ]);
    expect((await all(U1, folder, '500,502,2')).data).toEqual([
      ['First', 'A', String(U1.userId)],
      ['Last', null, String(U1.userId)],
    ]);
  });

  it('FI-78 FI-81 FI-83 reads days without year, addresses without types, and properties of programs', async () => {
    const { U1, K1 } = cast;
    const [{ id }] = await imported(
      U1,
      K1,
      card(
        '4.0',
        'FN:Many',
        'BDAY:--0415',
        ...['a', 'b', 'c'].map((name) => `EMAIL:${name}@x.example`),
        'X-MANAGER:Max',
        'X-SPOUSE:Sue',
        'X-MS-CHILD:Cid',
      ),
    );
    expect(await dataOf(U1, K1, id)).toMatchObject({
      birthday: Date.parse('0001-04-15T00:00:00Z'),
      email1: 'a@x.example',
      email2: 'b@x.example',
      email3: 'c@x.example',
      manager_name: 'Max',
      spouse_name: 'Sue',
      number_of_children: 'Cid',
    });
  });

  it('reads a 29th of February without year, the anniversary of Apple, and fields of any vendor', async () => {
    const { U1, K1 } = cast;
    const [{ id }] = await imported(
      U1,
      K1,
      card(
        '3.0',
        'FN:Quirks',
        'BDAY:--0229',
        'item1.X-ABDATE;type=pref:2001-02-03',
        'item1.X-ABLabel:_$!<Anniversary>!$_',
        'X-SVC-USERFIELD-01:first',
        'X-OPEN-XCHANGE-USERFIELD-20:last',
      ),
    );
    const read = await dataOf(U1, K1, id);
    expect(read).toMatchObject({
      ...{ anniversary: Date.UTC(2001, 1, 3), userfield01: 'first', userfield20: 'last' },
      birthday: Date.parse('0004-02-29T00:00:00Z'),
    });
    const folder = await createFolder(U1);
    expect((await change(U1, K1, id, { folder_id: folder, anniversary: Date.UTC(2002, 1, 3) })).code).toBeUndefined();
    const text = await exported(U1, folder);
    expect(text).toMatch(/BDAY[^\r]*:--0229/);
    expect(text).toMatch(/ITEM1\.X-ABDATE[^\r]*:2002-02-03/i);
    expect(text).not.toMatch(/X-ANNIVERSARY/);
  });

  it('stores each card once when a file is sent several times at once', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const file = Array.from({ length: 120 }, (_none, at) => card('3.0', `UID:twin-${at}`, `FN:T${at}`, 'N:T;')).join(
      '',
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => importFile(U1, 'VCARD', folder, file)));
    const ids = answers.map(({ data }) => data.map(({ id }: { id: string }) => id));
    expect(new Set(ids.map(String)).size).toBe(1);
    expect((await all(U1, folder, '1')).data).toHaveLength(120);
  });

  it('FI-79 makes the picture of a card that of the contact, and gives it back', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const draw = (side: number) =>
      sharp({ create: { width: side, height: side, channels: 3, background: '#c33' } })
        .png()
        .toBuffer();
    const seen = (bytes: Buffer) =>
      card('4.0', 'FN:Seen', 'UID:seen', `PHOTO:data:image/png;base64,${bytes.toString('base64')}`);
    const bytes = await draw(4);
    const [{ id }] = await imported(U1, folder, seen(bytes));
    const show = async () => {
      const { image1_url: address } = await dataOf(U1, folder, id);
      const query = Object.fromEntries(new URLSearchParams(address.slice(address.indexOf('?') + 1)));
      const response = await U1.fetch('GET', '/image/contact/picture', { session: U1.session, ...query });
      const { width } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      return { address, width, type: response.headers.get('content-type') };
    };
    const first = await show();
    expect(first).toMatchObject({ type: 'image/png', width: 4 });
    const text = (await exported(U1, folder)).replaceAll('\r\n ', '');
    expect(text).toContain(`PHOTO;ENCODING=b;TYPE=PNG:${bytes.toString('base64')}`);

    await imported(U1, folder, seen(bytes));
    expect(await show()).toEqual(first);
    await imported(U1, folder, seen(await draw(900)));
    expect(await show()).toMatchObject({ type: 'image/jpeg', width: 800 });
    await imported(U1, folder, card('4.0', 'FN:Seen', 'UID:seen'));
    expect((await show()).width).toBe(800);
    expect(await exported(U1, folder)).toContain('PHOTO;ENCODING=b;TYPE=JPEG:');
    await change(U1, folder, id, { image1: null });
    expect(await exported(U1, folder)).not.toContain('PHOTO');

    const broken = card('3.0', 'FN:Broken', 'PHOTO;ENCODING=b:bm8gcGljdHVyZQ==');
    const [result] = await imported(U1, folder, broken);
    expect(result).toMatchObject({ id: expect.any(String), code: 'I_E-1306', field_names: ['image1'] });
    expect(await exported(U1, folder)).toContain('bm8gcGljdHVyZQ==');
  });

  it('FI-80 fetches nothing', async () => {
    const { U1, K1 } = cast;
    const [{ id }] = await imported(U1, K1, card('3.0', 'FN:Far', 'PHOTO;VALUE=URI:http://internal.host/x'));
    expect(await dataOf(U1, K1, id)).not.toHaveProperty('image1_url');
  });

  it('FI-82 keeps private contacts in private folders', async () => {
    const { U1, K1 } = cast;
    const KP = await createFolder(U1, { parent: '2' });
    const text = card('3.0', 'FN:Own', 'CLASS:PRIVATE');
    const [{ id }] = await imported(U1, K1, text);
    expect((await dataOf(U1, K1, id)).private_flag).toBe(true);
    expect(await imported(U1, KP, text)).toEqual([expect.objectContaining({ code: 'CON-0171' })]);
    const [open] = await imported(U1, KP, card('3.0', 'FN:Open', 'UID:open'));
    expect(open.id).toBeDefined();
    expect(await imported(U1, KP, card('3.0', 'FN:Open', 'UID:open', 'CLASS:PRIVATE'))).toEqual([
      expect.objectContaining({ code: 'CON-0171' }),
    ]);
  });

  it('FI-84 knows contacts by their UID within the folder', async () => {
    const { U1, U2, U3, K2 } = cast;
    const folder = await createFolder(U1, {
      rights: [
        // Reads everything, and writes what is his.
        [U2.userId, BITS.own + 128],
        [U3.userId, BITS.own],
      ],
    });
    const [first, second] = await imported(
      U1,
      folder,
      `${card('3.0', 'UID:u-1', 'FN:Old')}${card('3.0', 'UID:u-1', 'FN:New')}`,
    );
    expect(second).toMatchObject({ id: first.id });
    const [third] = await imported(U1, folder, card('3.0', 'UID:u-1', 'FN:Newest', 'EMAIL:n@x.example'));
    expect(third.id).toBe(first.id);
    expect(await dataOf(U1, folder, first.id)).toMatchObject({
      display_name: 'Newest',
      uid: 'u-1',
      email1: 'n@x.example',
    });
    const [same] = await imported(U1, folder, card('3.0', 'UID:u-1', 'FN:Newest', 'EMAIL:n@x.example'));
    expect(same).toEqual({ id: first.id, folder_id: folder, last_modified: third.last_modified });
    // In another folder of the same user it is another contact.
    const [other] = await imported(U1, K2, card('3.0', 'UID:u-1', 'FN:Other'));
    expect((await dataOf(U1, K2, other.id)).uid).not.toBe('u-1');
    expect(await imported(U2, folder, card('3.0', 'UID:u-1', 'FN:Foreign'))).toEqual([
      expect.objectContaining({ code: 'CON-0176' }),
    ]);
    // A user who reads no contacts of others does not know them.
    const [own] = await imported(U3, folder, card('3.0', 'UID:u-1', 'FN:Own'));
    expect((await dataOf(U3, folder, own.id)).uid).not.toBe('u-1');
  });

  it('keeps a contact private whose card does not say otherwise', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.author]] });
    await create(U1, folder, { uid: 'doc', display_name: 'Doctor', private_flag: true });
    const doctor = (...lines: string[]) => imported(U1, folder, card('3.0', 'UID:doc', 'FN:Doctor', ...lines));
    const [{ id }] = await doctor('TEL;TYPE=CELL:1');
    expect(await dataOf(U1, folder, id)).toMatchObject({ cellular_telephone1: '1', private_flag: true });
    expect((await all(U2, folder, '500')).data).toEqual([]);
    await doctor('CLASS:PUBLIC');
    expect((await all(U2, folder, '500')).data).toEqual([['Doctor']]);
    // Only the creator may hide a contact.
    const hiding = card('3.0', 'UID:doc', 'FN:Doctor', 'CLASS:PRIVATE');
    expect(await imported(U2, folder, hiding)).toEqual([expect.objectContaining({ code: 'CON-0176' })]);
  });

  it('stores a card anew whose UID belongs to a contact that the user cannot see', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.author]] });
    const hidden = await create(U1, folder, { uid: 'hidden', display_name: 'Hidden', private_flag: true });
    const [result] = await imported(U2, folder, card('3.0', 'UID:hidden', 'FN:Of U2'));
    expect(result.code).toBeUndefined();
    expect(result.id).not.toBe(hidden.id);
    expect((await dataOf(U2, folder, result.id)).uid).not.toBe('hidden');
    expect(await dataOf(U1, folder, hidden.id)).toMatchObject({ display_name: 'Hidden', private_flag: true });
  });

  it('leaves out what is no value, and says so', async () => {
    const { U1, K1 } = cast;
    const text = card('3.0', 'FN:Odd', 'EMAIL;TYPE=WORK:nonsense', 'EMAIL;TYPE=HOME:good@x.example', 'BDAY:soon');
    const [result] = await imported(U1, K1, text);
    expect(result).toMatchObject({
      code: 'I_E-1306',
      field_names: ['birthday', 'email1'],
      warnings: [{ code: 'I_E-1306' }, {}],
    });
    expect(await dataOf(U1, K1, result.id)).toMatchObject({ display_name: 'Odd', email2: 'good@x.example' });
    expect(await imported(U1, K1, card('3.0', `FN:${'x'.repeat(400)}`))).toEqual([
      expect.objectContaining({ code: 'CON-0154' }),
    ]);
    const many = Array.from({ length: 5_001 }, (_none, index) => `MEMBER:mailto:${index}@x.example`);
    expect(await imported(U1, K1, card('4.0', 'FN:x', 'KIND:group', ...many))).toEqual([
      expect.objectContaining({ code: 'I_E-1310' }),
    ]);
  });

  it('FI-85 refuses what is no file of vCards, or has no place', async () => {
    const { U1, U2, K1 } = cast;
    const text = card('3.0', 'FN:x');
    const code = (contents: readonly string[], parameters: object, user: User = U1) =>
      codeOf(uploadFile(user, 'VCARD', contents, { plainJson: true, ...parameters }));
    expect(await code([''], { folder: K1 })).toBe('I_E-1303');
    expect(await code([], { folder: K1 })).toBe('I_E-1309');
    expect(await code([text, text], { folder: K1 })).toBe('I_E-1300');
    expect(await code(['no card'], { folder: K1 })).toBe('I_E-0608');
    expect(await code([text], {})).toBe('I_E-1313');
    expect(await code([text], { folder: `${K1},6` })).toBe('I_E-0800');
    expect(await code([text], { folder: U1.folder })).toBe('I_E-0500');
    expect(await code([text], { folder: 'x' })).toBe('I_E-0500');
    expect(await code([text], { folder: '160003' })).toBe('FLD-0008');
    expect(await code([text], { folder: '6' })).toBe('CON-0112');
    expect(await code([text], { folder: K1 }, U2)).toBe('CON-0104');
    expect(await code([text], { folder: K1, charset: 'klingon' })).toBe('I_E-1318');
    const foreign = Buffer.concat([Buffer.from('BEGIN:VCARD\nFN:'), Buffer.from([0xc1]), Buffer.from('\nEND:VCARD')]);
    const [{ id }] = await imported(U1, K1, foreign, { charset: 'ISO-8859-7' });
    expect((await dataOf(U1, K1, id)).display_name).toBe('Α');
  });

  it('is limited by its own property and by the quota', async () => {
    const { X1, otherContextId, admin } = cast;
    const config = (key: string, value: string) =>
      admin.expect('PUT', `/admin/v1/contexts/${otherContextId}/config/${key}`, { value });
    const folder = await createFolder(X1);
    await config('com.example.import.contacts.limit', '3');
    const text = ['A', 'B', 'C', 'D'].map((name) => card('3.0', `FN:${name}`)).join('');
    const answer = await importFile(X1, 'VCARD', folder, text);
    expect(answer.data).toHaveLength(3);
    expect(JSON.stringify(answer)).toContain('I_E-1317');
    await config('com.example.quota.contact', '5');
    expect((await imported(X1, folder, text)).map(({ code }) => code as string)).toEqual([
      undefined,
      undefined,
      'QUOTA-0003',
    ]);
    await config('com.example.import.contacts.limit', '-1');
    await config('com.example.quota.contact', '-1');
  });
});

describe('export of vCards', () => {
  it('FI-86 names the file after the contact', async () => {
    const { U1, U2, K1 } = cast;
    const person = await create(U1, K1, { display_name: 'Nora Falk', note: 'a\nb' });
    const odd = await create(U1, K1, { display_name: 'a/b' });
    const put = (user: User, body: object[], parameters: object = {}) =>
      user.fetch(
        'PUT',
        '/export',
        { action: 'VCARD', session: user.session, ...parameters },
        { body: JSON.stringify(body) },
      );
    const reference = ({ id }: { id: string }) => ({ id, folder_id: K1 });
    const one = await put(U1, [reference(person)], { version: '4.0' });
    expect(one.headers.get('content-disposition')).toContain('Nora Falk.vcf');
    expect(await one.text()).toMatch(/^BEGIN:VCARD\r\nVERSION:4.0\r\n[\s\S]*NOTE:a\\nb\r\n[\s\S]*END:VCARD\r\n$/);
    expect((await put(U1, [reference(odd)])).headers.get('content-disposition')).toContain('Export.vcf');
    const several = await put(U1, [reference(person), reference(odd)]);
    expect(several.headers.get('content-disposition')).toContain('Contacts.vcf');
    expect((await (await put(U1, [])).text()).length).toBe(0);
    const code = (user: User, body: object[]) => codeOf(put(user, body));
    expect(await code(U2, [reference(person)])).toBe('I_E-0102');
    expect(await code(U1, [{ id: person.id, folder_id: U1.folder }])).toBe('I_E-0100');
    expect(await code(U1, [{ id: person.id, folder_id: 'x' }])).toBe('FLD-1025');
  });

  it('FI-87 loses nothing on the way into another folder', async () => {
    const { U1 } = cast;
    const [from, to] = [await createFolder(U1), await createFolder(U1)];
    const fields = Object.fromEntries(
      [
        'first_name',
        'last_name',
        'second_name',
        'suffix',
        'title',
        'nickname',
        'company',
        'department',
        'branches',
        'position',
        'profession',
        'street_home',
        'city_business',
        'postal_code_other',
        'addressHome',
        'telephone_business1',
        'telephone_business2',
        'fax_other',
        'cellular_telephone2',
        'telephone_ip',
        'instant_messenger1',
        'userfield20',
        'room_number',
        'yomiLastName',
        'spouse_name',
        'url',
      ].map((name) => [name, `${name}; with, marks`]),
    );
    const body = {
      ...fields,
      display_name: 'All',
      categories: 'a,b',
      email1: '1@x.example',
      email3: '3@x.example',
      birthday: -86_400_000,
      anniversary: 0,
      color_label: 3,
      private_flag: true,
      note: 'x\ny',
    };
    await create(U1, from, body);
    for (const version of ['2.1', '3.0', '4.0']) {
      const text = await exported(U1, from, { version });
      expect(text).toContain(`VERSION:${version}\r\n`);
      const [{ id }] = await imported(U1, to, text.replace(/^UID:.*\r\n/m, ''));
      expect(await dataOf(U1, to, id)).toMatchObject(body);
      await remove(U1, to, [id]);
    }
  });

  it('FI-88 changes what changed, and keeps what it does not know', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const lines = ['EMAIL;TYPE=WORK;X-SPECIAL=1:a@x.example', 'EMAIL;TYPE=HOME:b@x.example', 'X-FOO;A=b:c', 'GEO:1;2'];
    const [{ id }] = await imported(U1, folder, card('3.0', 'FN:Kept', 'N:;;;;', ...lines));
    expect((await exported(U1, folder)).split('\r\n')).toEqual(expect.arrayContaining(lines));
    await change(U1, folder, id, { email1: '', first_name: 'Eva' });
    const text = (await exported(U1, folder)).split('\r\n');
    expect(text).toEqual(expect.arrayContaining([...lines.slice(1), 'N:;Eva;;;']));
    expect(text.join()).not.toContain('a@x.example');
    await cast.admin.expect(
      'PUT',
      `/admin/v1/contexts/${cast.contextId}/users/${U1.userId}/config/com.example.contact.storeVCards`,
      { value: 'false' },
    );
    const plain = await createFolder(U1);
    await imported(U1, plain, card('3.0', 'FN:Plain', 'X-FOO;A=b:c'));
    expect(await exported(U1, plain)).not.toContain('X-FOO');
  });

  it('FI-89 leaves lists out unless they are asked for', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const members = [{ mail: 'm@x.example', display_name: 'Em', mail_field: 0 }];
    await create(U1, folder, { display_name: 'List', distribution_list: members });
    expect(await exported(U1, folder)).toBe('');
    const text = await exported(U1, folder, { export_dlists: true });
    expect(text).toContain('X-ADDRESSBOOKSERVER-KIND:group');
    const [{ id }] = await imported(U1, folder, text.replace(/^UID:.*\r\n/m, 'UID:copy\r\n'));
    expect((await dataOf(U1, folder, id)).distribution_list).toMatchObject(members);
    // The same list again, with another member.
    await imported(U1, folder, card('4.0', 'UID:copy', 'FN:List', 'KIND:group', 'MEMBER:mailto:n@x.example'));
    expect((await dataOf(U1, folder, id)).distribution_list).toMatchObject([{ mail: 'n@x.example' }]);
  });

  it('FI-95 exports many contacts whole, and imports them again', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const cards = Array.from({ length: 1_200 }, (_none, index) =>
      card('3.0', `UID:many-${index}`, `FN:Person ${index}`, 'X-A:b'),
    );
    expect((await imported(U1, folder, cards.join(''))).every(({ id }) => id !== undefined)).toBe(true);
    const text = await exported(U1, folder);
    expect(text.match(/^BEGIN:VCARD/gm)).toHaveLength(1_200);
    expect((await imported(U1, folder, text)).every(({ code }) => code === undefined)).toBe(true);
    expect((await all(U1, folder, '1')).data).toHaveLength(1_200);
  }, 60_000);

  it('refuses folders that hold no contacts or are not readable', async () => {
    const { U1, U2, K1 } = cast;
    const code = (user: User, folder: string) => codeOf(exportFolder(user, 'VCARD', folder));
    expect(await U1.get('export', 'VCARD')).toMatchObject({ code: 'I_E-1313' });
    expect(await code(U1, U1.folder)).toBe('I_E-0100');
    expect(await code(U1, 'x')).toBe('FLD-1025');
    expect(await code(U1, '160003')).toBe('FLD-0008');
    expect(await code(U2, K1)).toBe('CON-0104');
    expect(await exported(U1, '6')).toContain(cast.U2.email);
    const visible = await createFolder(U1, { rights: [[U2.userId, 1]] });
    expect(await code(U2, visible)).toBe('I_E-0100');
  });
});
