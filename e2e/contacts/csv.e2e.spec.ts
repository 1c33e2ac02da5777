import { createHash } from 'node:crypto';
import { Client as Database } from 'pg';
import { until } from '@groupware/test-kit';
import { createTestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, BITS, create, createContactFixtures, createFolder, dataOf, type ContactFixtures } from './contacts';
import { codeOf, exportFolder, importFile, uploadFile } from './transfer';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

type User = ContactFixtures['U1'];
const file = (...rows: string[]): string => rows.join('\r\n');
const imported = async (
  user: User,
  folder: string,
  content: string | Uint8Array,
  action = 'CSV',
  parameters: object = {},
) => {
  const answer = await importFile(user, action, folder, content, parameters);
  if (!answer.data) throw new Error(JSON.stringify(answer));
  return answer.data as any[];
};
const exported = async (user: User, folder: string, parameters: object = {}): Promise<string> => {
  const response = await exportFolder(user, 'CSV', folder, parameters);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=UTF-8');
  return response.text();
};

describe('import of CSV', () => {
  it('FI-63 FI-64 FI-69 answers a page with a result per row, or JSON', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const text = file(
      'Display name,Email 1,Birthday',
      'A,a@x.example,01.02.1970',
      'B,b@x.example,02/01/1970',
      '"C, ""c""\r\nd",,1970-02-01',
    );
    const page = await uploadFile(U1, 'CSV', [text], { folder });
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('callback_import');
    const results = await imported(U1, folder, text);
    expect(results).toEqual(
      [1, 2, 3].map(() => ({ id: expect.any(String), folder_id: folder, last_modified: expect.any(Number) })),
    );
    const rows = (await all(U1, folder, '500,555,511')).data!;
    expect(rows).toHaveLength(6);
    expect(rows).toContainEqual(['A', 'a@x.example', Date.UTC(1970, 1, 1)]);
    expect(rows).toContainEqual(['B', 'b@x.example', Date.UTC(1970, 1, 1)]);
    expect(rows).toContainEqual(['C, "c"\r\nd', null, Date.UTC(1970, 1, 1)]);
  });

  it('FI-65 FI-66 reads every delimiter, and the charset that is named', async () => {
    const { U1, K1 } = cast;
    for (const delimiter of ['\t', ';', ',']) {
      const [{ id }] = await imported(
        U1,
        K1,
        file(['\ufeffDisplay name', 'Email 1'].join(delimiter), ['Jörg', 'j@x.example'].join(delimiter)),
      );
      expect(await dataOf(U1, K1, id)).toMatchObject({ display_name: 'Jörg', email1: 'j@x.example' });
    }
    const text = file('Display name', 'Jörg');
    const [{ id }] = await imported(U1, K1, text, 'CSV', { charset: 'ISO-8859-1' });
    expect((await dataOf(U1, K1, id)).display_name).toBe('JÃ¶rg');
    const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
    expect((await dataOf(U1, K1, (await imported(U1, K1, wide))[0].id)).display_name).toBe('Jörg');
  });

  it('FI-67 FI-68 stores what it knows, and tells what it left out', async () => {
    const { U1, K1 } = cast;
    const text = file(
      'Display name,Email 1,Shoe size,Birthday,private',
      'A,nonsense,44,someday,maybe',
      'B,b@x.example,45,,true',
      ',,46,,',
      ',,,01.01.1970,',
    );
    const [a, b, c, d] = await imported(U1, K1, text);
    expect(a).toMatchObject({ code: 'I_E-0803', field_names: ['birthday', 'private_flag', 'email1'] });
    expect(await dataOf(U1, K1, a.id)).not.toHaveProperty('email1');
    expect(b).toMatchObject({ code: 'I_E-0803', error_params: ['Shoe size'] });
    expect((await dataOf(U1, K1, b.id)).private_flag).toBe(true);
    expect([c.code, d.code, d.line_number]).toEqual(['I_E-0805', 'I_E-0808', 5]);
    const [long, open] = await imported(U1, K1, file('Display name', 'x'.repeat(400), '"never closed'));
    expect([long.code, open.code]).toEqual(['CON-0154', 'I_E-1310']);
  });

  it('is refused to users without contacts', async () => {
    const outsider = await createTestUser(world, cast.admin, cast.contextId, 'nocontacts');
    await cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.contextId}/users/${outsider.userId}`, {
      capabilities: { remove: ['contacts'] },
    });
    await until(async () => (await all(outsider, cast.K1, '1')).code === 'SVL-0016');
    for (const action of ['CSV', 'OUTLOOK_CSV', 'VCARD'])
      expect((await importFile(outsider, action, cast.K1, 'Display name')).code).toBe('I_E-0607');
  });

  it('FI-70 FI-71 FI-72 refuses what is no file of contacts, or has no place', async () => {
    const { U1, U2, K1 } = cast;
    const text = file('Display name', 'A');
    const readable = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    for (const action of ['CSV', 'OUTLOOK_CSV']) {
      const code = (contents: readonly string[], parameters: object, user: User = U1) =>
        codeOf(uploadFile(user, action, contents, { plainJson: true, ...parameters }));
      expect(await code(['Display name'], { folder: K1 })).toBe('I_E-1315');
      expect(await code([text], { folder: readable }, U2)).toBe('CON-0112');
      expect(await code([text], { folder: `${K1},6` })).toBe('I_E-0800');
      expect(await code([''], { folder: K1 })).toBe('I_E-1303');
      expect(await code([], { folder: K1 })).toBe('I_E-1309');
      const empty = { action, session: U1.session, folder: K1 };
      const accept = { accept: 'application/json' };
      expect(await codeOf(U1.fetch('POST', '/import', empty, { headers: accept }))).toBe('I_E-1309');
      expect(await codeOf(uploadFile(U1, action, ['Display name'], { folder: K1 }, accept))).toBe('I_E-1315');
      expect(await code([text, text], { folder: K1 })).toBe('I_E-1300');
      expect(await code(['a,b\n1,2'], { folder: K1 })).toBe('I_E-0804');
      expect(await code(['Birthday\n01.01.1970'], { folder: K1 })).toBe('I_E-0807');
      expect(await code(['"Display name'], { folder: K1 })).toBe('I_E-1310');
      expect(await code([text], {})).toBe('I_E-1313');
      expect(await code([text], { folder: U1.folder })).toBe('I_E-0500');
      expect(await code([text], { folder: '160003' })).toBe('FLD-0008');
      expect(await code([text], { folder: K1 }, U2)).toBe('CON-0104');
      expect(await code([text], { folder: K1, charset: 'klingon' })).toBe('I_E-1318');
    }
    expect((await all(U1, readable, '1')).data).toEqual([]);
  });

  it('FI-73 stores no more than the configuration allows', async () => {
    const { X1, otherContextId, admin } = cast;
    const path = `/admin/v1/contexts/${otherContextId}/config/com.example.import.contacts.limit`;
    await admin.expect('PUT', path, { value: '2' });
    const folder = await createFolder(X1);
    const answer = await importFile(X1, 'CSV', folder, file('Display name', 'A', 'B', 'C'));
    expect(answer.data).toHaveLength(2);
    expect(JSON.stringify(answer)).toContain('I_E-1317');
    expect((await all(X1, folder, '500')).data).toEqual([['A'], ['B']]);
  });

  it('goes on after an interruption without doubles, and makes new contacts once it ended', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const text = file('Display name', 'A', 'B');
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    // An import that did not end leaves this behind.
    const interrupt = () =>
      database.query(
        `insert into contacts.contact_import (context_id, user_id, folder_id, file_hash, seed, started)
         values ($1, $2, $3, $4, '6f1c1f0e-0000-4000-8000-000000000000', 0)`,
        [U1.contextId, U1.userId, folder, createHash('sha256').update(text).digest('hex')],
      );
    try {
      await interrupt();
      const first = await imported(U1, folder, text);
      await interrupt();
      expect(await imported(U1, folder, text)).toEqual(first);
    } finally {
      await database.end();
    }
    expect((await all(U1, folder, '500')).data).toEqual([['A'], ['B']]);
    await imported(U1, folder, text);
    expect((await all(U1, folder, '500')).data).toHaveLength(4);
  });

  it('FI-74 FI-75 knows the titles of Outlook in several languages', async () => {
    const { U1, K1 } = cast;
    const read = async (text: string | Uint8Array) => {
      const [{ id }] = await imported(U1, K1, text, 'OUTLOOK_CSV');
      return dataOf(U1, K1, id);
    };
    const french = Buffer.from(file('Prénom,Nom,Adresse de messagerie', 'Zoé,Lefèvre,z@x.example'), 'latin1');
    expect(await read(french)).toMatchObject({ first_name: 'Zoé', last_name: 'Lefèvre', email1: 'z@x.example' });
    const german = Buffer.from(
      file('Vorname;Nachname;Straße geschäftlich;Geburtstag', 'Jörg;Groß;Weg 1;24.12.1970'),
      'latin1',
    );
    expect(await read(german)).toMatchObject({
      last_name: 'Groß',
      street_business: 'Weg 1',
      birthday: Date.UTC(1970, 11, 24),
    });
    const english = await read(file('First Name,Last Name,Birthday,Anniversary', 'Zoë,Smith,0/0/00,12/24/1970'));
    expect(english).toMatchObject({ first_name: 'Zoë', anniversary: Date.UTC(1970, 11, 24) });
    expect(english).not.toHaveProperty('birthday');
    const newer = 'First Name,Nickname,Given Yomi,Surname Yomi,Company Yomi,Office Location,IMAddress';
    expect(await imported(U1, K1, file(newer, 'Ann,nick,g,s,c,room,im'), 'OUTLOOK_CSV')).toEqual([
      { id: expect.any(String), folder_id: K1, last_modified: expect.any(Number) },
    ]);
    expect(await read(file(newer, 'Ann,nick,g,s,c,room,im'))).toMatchObject({
      ...{ nickname: 'nick', yomiFirstName: 'g', yomiLastName: 's', yomiCompany: 'c' },
      ...{ room_number: 'room', instant_messenger1: 'im' },
    });
    for (const day of ['24/12/1970', '24-12-1970'])
      expect(await read(file('Voornaam,Achternaam,Verjaardag', `Jan,Smit,${day}`))).toMatchObject({
        last_name: 'Smit',
        birthday: Date.UTC(1970, 11, 24),
      });
  });
});

describe('export of CSV', () => {
  it('FI-90 FI-92 writes the columns that are named', async () => {
    const { U1 } = cast;
    const [folder, copy] = [await createFolder(U1), await createFolder(U1)];
    const birthday = Date.UTC(1969, 11, 31);
    await create(U1, folder, { last_name: 'Fa"lk', email1: 'f@x.example', birthday, color_label: 2 });
    const text = await exported(U1, folder, { columns: '502,555,511,102,501' });
    expect(text).toBe(
      '"Sur name","Email 1","Birthday","color_label","Given name"\r\n"Fa""lk","f@x.example","31.12.1969","2",""\r\n',
    );
    const users = await exported(U1, '6', { columns: '524' });
    expect(users.split('\r\n')).toEqual(expect.arrayContaining(['"Internal user id"', `"${U1.userId}"`]));
    const [{ id }] = await imported(U1, copy, text);
    expect(await dataOf(U1, copy, id)).toMatchObject({ last_name: 'Fa"lk', birthday });
    for (const columns of ['502,abc', '502,99999'])
      expect(await codeOf(exportFolder(U1, 'CSV', folder, { columns }))).toBe('I_E-1314');
  });

  it('writes everything that it reads', async () => {
    const { U1 } = cast;
    const [folder, copy] = [await createFolder(U1), await createFolder(U1)];
    const body = {
      display_name: '=1+1',
      note: 'a\nb',
      private_flag: true,
      default_address: 2,
      userfield20: 'x',
      telephone_ttytdd: '1',
      anniversary: 0,
    };
    await create(U1, folder, body);
    await create(U1, folder, {
      display_name: 'List',
      distribution_list: [{ mail: 'm@x.example', display_name: 'Em', mail_field: 0 }],
    });
    const results = await imported(U1, copy, await exported(U1, folder));
    expect(results.map(({ code }) => code as string)).toEqual([undefined, undefined]);
    const copies = await Promise.all(results.map(({ id }) => dataOf(U1, copy, id)));
    expect(copies).toContainEqual(expect.objectContaining(body));
    expect(copies.find(({ display_name: name }) => name === 'List')).toMatchObject({
      mark_as_distributionlist: true,
      distribution_list: [{ mail: 'm@x.example', display_name: 'Em' }],
    });
    expect(await exported(U1, folder, { export_dlists: false, columns: '500' })).toBe('"Display name"\r\n"=1+1"\r\n');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${U1.userId}/config/com.example.export.csv.escapeFormulas`;
    await cast.admin.expect('PUT', path, { value: 'true' });
    expect(await exported(U1, folder, { export_dlists: false, columns: '500' })).toContain(`"'=1+1"`);
  });

  it('FI-91 FI-93 writes titles alone for an empty folder, and nothing of others', async () => {
    const { U1, U2, K2 } = cast;
    expect((await exported(U1, await createFolder(U1))).trim().split('\r\n')).toHaveLength(1);
    const code = (user: User, folder: string) => codeOf(exportFolder(user, 'CSV', folder));
    expect(await code(U1, U1.folder)).toBe('I_E-0100');
    expect(await code(U1, 'x')).toBe('FLD-1025');
    expect(await code(U1, '160003')).toBe('FLD-0008');
    expect(await code(U2, K2)).toBe('CON-0104');
  });

  it('FI-94 writes named contacts, or nothing when one is not readable', async () => {
    const { U1, U2, K1, K2 } = cast;
    const [a, b] = [await create(U1, K1, { display_name: 'One' }), await create(U1, K2, { display_name: 'Two' })];
    const references = [
      { id: b.id, folder_id: K2 },
      { id: a.id, folder_id: K1 },
    ];
    const put = (user: User, body: object[]) =>
      user.fetch('PUT', '/export', { action: 'CSV', session: user.session }, { body: JSON.stringify(body) });
    const text = await (await put(U1, references)).text();
    expect(text.indexOf('"Two"')).toBeLessThan(text.indexOf('"One"'));
    expect((await (await put(U1, [])).text()).trim().split('\r\n')).toHaveLength(1);
    expect(await codeOf(put(U2, references))).toBe('I_E-0102');
    expect(await codeOf(put(U1, [{ id: a.id, folder_id: U1.folder }]))).toBe('I_E-0100');
    expect(await codeOf(put(U1, [{ id: a.id, folder_id: 'x' }]))).toBe('FLD-1025');
  });
});
