import { fieldsOf, ContactData } from '@groupware/contracts';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  all,
  BITS,
  change,
  create,
  createContactFixtures,
  createFolder,
  dataOf,
  read,
  remove,
  type ContactFixtures,
} from './contacts';
import { exportFolder } from './transfer';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

const property = (userId: number, key: string, value: string) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${cast.contextId}/users/${userId}/config/${key}`, { value });

/** Text fields of contacts with a column. */
const texts = fieldsOf(ContactData).filter(
  ({ type, column, readOnly, wireName }) =>
    type === 'text' && column !== undefined && column >= 500 && !readOnly && !/^email/.test(wireName),
);

describe('contacts', () => {
  it('CO-01 have their stamps and makers', async () => {
    const { U1, K1 } = cast;
    const { id, timestamp } = await create(U1, K1, {
      first_name: 'Ada',
      last_name: 'Byron',
      suffix: 'Countess',
      second_name: 'King',
      position: 'analyst',
    });
    const data = await dataOf(U1, K1, id);
    expect(data).toMatchObject({ first_name: 'Ada', last_name: 'Byron', suffix: 'Countess', position: 'analyst' });
    expect([data.last_modified, data.creation_date]).toEqual([timestamp, timestamp]);
    expect([data.created_by, data.modified_by]).toEqual([String(U1.userId), String(U1.userId)]);
    expect(data.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(data).not.toHaveProperty('display_name');
  });

  it('CO-02 keep every text field, in any order of columns', async () => {
    const { U1, K2 } = cast;
    const body = Object.fromEntries(texts.map(({ wireName }) => [wireName, `value of ${wireName}`]));
    const { id } = await create(U1, K2, body);
    expect(await dataOf(U1, K2, id)).toMatchObject(body);
    const columns = texts.map(({ column }) => column!).reverse();
    const { data } = await all(U1, K2, columns.join(','));
    expect(data).toEqual([[...texts].reverse().map(({ wireName }) => `value of ${wireName}`)]);
  });

  it('CO-03 leave telephone numbers as they are', async () => {
    const { U1, K1 } = cast;
    const number = '+49 (0)1 / 2-3 ext. 4';
    const { id } = await create(U1, K1, { fax_business: number });
    expect((await dataOf(U1, K1, id)).fax_business).toBe(number);
  });

  it('CO-04 know the old spelling of marital_status', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { martial_status: 'married' });
    expect((await dataOf(U1, K1, id)).marital_status).toBe('married');
  });

  it('CO-05 CO-19 bear an update that says nothing, or nothing known', async () => {
    const { U1, K1 } = cast;
    const { id, timestamp } = await create(U1, K1, { last_name: 'Same' });
    const before = await dataOf(U1, K1, id);
    for (const body of [{}, { no_such_field: 1 }]) {
      const answer = await change(U1, K1, id, body);
      expect(answer.error).toBeUndefined();
      expect(answer.data).toEqual({ id });
      expect(answer.timestamp).toBeGreaterThan(timestamp);
    }
    expect(await dataOf(U1, K1, id)).toMatchObject({
      ...before,
      last_modified: expect.any(Number),
      last_modified_utc: expect.any(Number),
    });
  });

  it('CO-06 clear a text of blanks', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { nickname: 'Nick' });
    expect((await change(U1, K1, id, { nickname: '   ' })).error).toBeUndefined();
    expect(await dataOf(U1, K1, id)).not.toHaveProperty('nickname');
  });

  it('CO-07 refuse control characters', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const answer = await U1.put('contacts', 'new', {}, { folder_id: folder, note: 'a\u0007b' });
    expect(answer.code).toBe('CON-0168');
    expect((await all(U1, folder, '1')).data).toEqual([]);
  });

  it('CO-08 CO-09 count characters, and name the field that is too long', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    for (const length of [600, 5000]) {
      const answer = await U1.put<any>('contacts', 'new', {}, { folder_id: folder, company: 'x'.repeat(length) });
      expect(answer).toMatchObject({ code: 'CON-0154', truncated: [569], problematic: [{ id: 569 }] });
    }
    for (const [company, note] of [
      ['x'.repeat(600), 'x'.repeat(70_000)],
      ['x'.repeat(1100), '𝒳'.repeat(65_536)],
    ] as const) {
      const lengths = [company, note].map((text) => [...text].length);
      const body = { folder_id: folder, note, company, title: 'Dr.' };
      const answer: any = await U1.put('contacts', 'new', {}, body);
      expect(answer.code).toBe('CON-0154');
      expect(new Map(answer.problematic.map(({ id, ...size }: any) => [id, size]))).toEqual(
        new Map([
          [569, { length: lengths[0], max_size: 512 }],
          [518, { length: lengths[1], max_size: 65_535 }],
        ]),
      );
      expect([...answer.truncated].sort()).toEqual([518, 569]);
      expect(Number(answer.error_params[1])).toBe(answer.problematic[0].max_size);
    }
    expect((await all(U1, folder, '1')).data).toEqual([]);
    const name = '𝒳'.repeat(320);
    const { id } = await create(U1, folder, { display_name: name });
    expect((await dataOf(U1, folder, id)).display_name).toBe(name);
  });

  it('CO-10 CO-11 check mail addresses unless the configuration says otherwise', async () => {
    const { U1, U3, K1 } = cast;
    const { id } = await create(U1, K1, { email1: '"odd name"@host.example', email2: 'Joe <joe@host.example>' });
    expect(await dataOf(U1, K1, id)).toMatchObject({ email1: '"odd name"@host.example', email2: 'joe@host.example' });
    for (const email3 of ['a b@', 'reception', 'a@b'])
      expect((await U1.put('contacts', 'new', {}, { folder_id: K1, email3 })).code).toBe('CON-0100');
    await property(U3.userId, 'com.example.contact.validateEmail', 'false');
    const folder = await createFolder(U3);
    const made = await create(U3, folder, { email1: 'reception' });
    expect((await dataOf(U3, folder, made.id)).email1).toBe('reception');
  });

  it('CO-12 CO-13 keep days as they are in every zone', async () => {
    const { U1, K1 } = cast;
    const birthday = Date.UTC(1903, 5, 14);
    const { id } = await create(U1, K1, { birthday, anniversary: -62135596800000 });
    const { data } = await read(U1, K1, id, { timezone: 'Asia/Kathmandu' });
    expect(data).toMatchObject({ birthday, anniversary: -62135596800000 });
    await change(U1, K1, id, { birthday: null });
    expect(await dataOf(U1, K1, id)).not.toHaveProperty('birthday');
    const { data: rows } = await U1.put<any[][]>('contacts', 'list', { columns: '511,517' }, [{ id, folder: K1 }]);
    expect(rows).toEqual([[null, -62135596800000]]);
  });

  it('CO-14 keep the order of categories', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { categories: 'x,y' });
    await change(U1, K1, id, { categories: 'y,x,z' });
    expect((await dataOf(U1, K1, id)).categories).toBe('y,x,z');
  });

  it('CO-15 file_as follows the display name unless it is given', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { display_name: 'One' });
    expect((await dataOf(U1, K1, id)).file_as).toBe('One');
    await change(U1, K1, id, { display_name: 'Two' });
    expect((await dataOf(U1, K1, id)).file_as).toBe('Two');
    await change(U1, K1, id, { display_name: 'Three', file_as: 'Custom' });
    expect((await dataOf(U1, K1, id)).file_as).toBe('Custom');
  });

  it('CO-16 a changed part of an address drops the formatted block, unless that is given', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { street_other: 'Old 1', addressOther: 'Old 1\nUlm' });
    const both = { street_other: 'New 2', addressOther: 'New 2\nUlm' };
    await change(U1, K1, id, both);
    expect(await dataOf(U1, K1, id)).toMatchObject(both);
    await change(U1, K1, id, { street_other: 'New 2' });
    expect(await dataOf(U1, K1, id)).toMatchObject(both);
    await change(U1, K1, id, { street_other: 'Other 3' });
    expect(await dataOf(U1, K1, id)).not.toHaveProperty('addressOther');
  });

  it('CO-17 CO-18 what the server sets stays, another user or uid is refused', async () => {
    const { U1, K1 } = cast;
    const { id } = await create(U1, K1, { last_name: 'Fixed' });
    const before = await dataOf(U1, K1, id);
    expect(
      (await change(U1, K1, id, { number_of_attachments: 5, id: 1, user_id: 0, uid: before.uid })).error,
    ).toBeUndefined();
    expect(await dataOf(U1, K1, id)).toMatchObject({ id, number_of_attachments: 0, uid: before.uid });
    expect((await change(U1, K1, id, { user_id: 4 })).code).toBe('CON-0176');
    expect((await change(U1, K1, id, { uid: 'another' })).code).toBe('CON-0176');
  });

  it('CO-20 refuse a body that is no object, and one without folder', async () => {
    const { U1 } = cast;
    expect((await U1.put('contacts', 'new', {}, [{}])).code).toMatch(/^SVL-/);
    const answer = await U1.put('contacts', 'new', {}, { last_name: 'Nowhere' });
    expect(answer).toMatchObject({ code: 'SVL-0002', error_params: ['folder_id'] });
    expect((await U1.put('contacts', 'new', {}, { folder_id: cast.U1.folder })).code).toBe('CON-0103');
    expect((await U1.put('contacts', 'new', {}, { folder_id: 'x' })).code).toBe('FLD-1025');
    expect((await U1.put('contacts', 'new', {}, { folder_id: '160003' })).code).toBe('FLD-0008');
  });

  it('CO-83 are limited by the quota of the context', async () => {
    const { X1, otherContextId, admin } = cast;
    await admin.expect('PUT', `/admin/v1/contexts/${otherContextId}/config/com.example.quota.contact`, { value: '2' });
    const folder = await createFolder(X1);
    for (const last_name of ['One', 'Two']) await create(X1, folder, { last_name });
    const answer = await X1.put('contacts', 'new', {}, { folder_id: folder, last_name: 'Three' });
    expect(answer.code).toBe('QUOTA-0003');
    expect((await all(X1, folder, '502')).data).toEqual([['One'], ['Two']]);
  });
});

describe('distribution lists', () => {
  const list = (user: ContactFixtures['U1'], folder: string, members: object[], body: object = {}) =>
    create(user, folder, { display_name: 'List', distribution_list: members, ...body });
  const membersOf = async (user: ContactFixtures['U1'], folder: string, id: string): Promise<any[]> =>
    (await dataOf(user, folder, id)).distribution_list;

  it('CO-21 CO-22 refer to addresses of contacts', async () => {
    const { U1, K1, K2 } = cast;
    const person = await create(U1, K1, { display_name: 'Ann', email1: 'a1@x.example', email2: 'a2@x.example' });
    const { id } = await list(U1, K2, [
      { id: person.id, mail_field: 1 },
      { id: Number(person.id), folder_id: Number(K1), mail_field: 2, mail: 'stale@x.example' },
    ]);
    const reference = { id: person.id, folder_id: K1, display_name: 'Ann', sort_name: 'Ann' };
    expect(await membersOf(U1, K2, id)).toEqual([
      { ...reference, mail: 'a1@x.example', mail_field: 1 },
      { ...reference, mail: 'a2@x.example', mail_field: 2 },
    ]);
    expect(await dataOf(U1, K2, id)).toMatchObject({ mark_as_distributionlist: true, number_of_distribution_list: 2 });
  });

  it('CO-23 CO-24 follow their contacts, and are told of as changed', async () => {
    const { U1, K1, K2 } = cast;
    const person = await create(U1, K1, { display_name: 'Bea', email1: 'b@x.example' });
    const { id, timestamp } = await list(U1, K2, [{ id: person.id, mail_field: 1 }]);
    await change(U1, K1, person.id, { last_name: 'Blue', display_name: 'Bea Blue', email1: 'blue@x.example' });
    expect(await membersOf(U1, K2, id)).toMatchObject([{ display_name: 'Bea Blue', mail: 'blue@x.example' }]);
    const moved = await change(U1, K1, person.id, { folder_id: K2 });
    expect(await membersOf(U1, K2, id)).toMatchObject([{ id: person.id, folder_id: K2 }]);
    const { data } = await U1.get<unknown[]>('contacts', 'updates', { folder: K2, columns: '1', timestamp });
    expect(data).toEqual(expect.arrayContaining([[id], [person.id]]));
    await change(U1, K2, person.id, { email1: '' });
    expect((await membersOf(U1, K2, id))[0]).not.toHaveProperty('mail');
    await change(U1, K2, person.id, { email1: 'last@x.example' });
    const gone = await U1.put('contacts', 'delete', { timestamp: moved.timestamp! + 1e9 }, [
      { id: person.id, folder: K2 },
    ]);
    expect(gone.data).toEqual([]);
    expect(await membersOf(U1, K2, id)).toEqual([
      { display_name: 'Bea Blue', mail: 'last@x.example', mail_field: 0, sort_name: 'Blue' },
    ]);
  });

  it('CO-25 CO-26 are replaced as a whole, and end with their last member', async () => {
    const { U1, K1 } = cast;
    const member = (name: string) => ({ mail: `${name}@x.example`, display_name: name, mail_field: 0 });
    const { id } = await list(U1, K1, [member('a'), member('b'), member('c')]);
    await change(U1, K1, id, { distribution_list: [member('b'), member('a')] });
    expect(await membersOf(U1, K1, id)).toMatchObject([{ display_name: 'a' }, { display_name: 'b' }]);
    expect((await dataOf(U1, K1, id)).number_of_distribution_list).toBe(2);
    await change(U1, K1, id, { distribution_list: null });
    expect(await dataOf(U1, K1, id)).toMatchObject({ mark_as_distributionlist: false, number_of_distribution_list: 0 });
    await change(U1, K1, id, { distribution_list: [member('d')] });
    const { data } = await U1.put('contacts', 'list', { columns: '602' }, [{ id, folder: K1 }]);
    expect(data).toEqual([[true]]);
  });

  it('CO-27 hide contacts that their reader must not see, as long as he must not', async () => {
    const { U1, U2, K2 } = cast;
    const shared = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    const person = await create(U1, K2, { display_name: 'Secret', email1: 's@x.example' });
    const { id } = await list(U1, shared, [{ id: person.id, mail_field: 1 }]);
    expect(await membersOf(U2, shared, id)).toEqual([
      { display_name: 'Secret', mail: 's@x.example', mail_field: 0, sort_name: 'Secret' },
    ]);
    expect(await membersOf(U1, shared, id)).toMatchObject([{ id: person.id, mail_field: 1 }]);
  });

  it('tell nothing new of contacts that the user who made them may no longer see', async () => {
    const { U1, U2, K2 } = cast;
    const rights: [number, number][] = [[U2.userId, BITS.reader]];
    const shared = await createFolder(U1, { rights });
    const own = await createFolder(U2, { rights: [[U1.userId, BITS.reader]] });
    const person = await create(U1, shared, { display_name: 'Known', email1: 'known@x.example' });
    const theirs = await list(U2, own, [{ id: person.id, mail_field: 1 }]);
    const mine = await list(U1, shared, [{ id: person.id, mail_field: 1 }]);
    const known = [{ display_name: 'Known', mail: 'known@x.example', mail_field: 0, sort_name: 'Known' }];
    const [secret, reference] = [
      { display_name: 'Secret', mail: 'secret@x.example' },
      { id: person.id, mail_field: 1 },
    ];
    await change(U1, shared, person.id, { folder_id: K2 });
    await change(U1, K2, person.id, { display_name: 'Secret', email1: 'secret@x.example' });
    expect(await membersOf(U2, own, theirs.id)).toEqual(known);
    // The user who sees the contact sees it as it is, and his own list publishes it.
    expect(await membersOf(U1, own, theirs.id)).toMatchObject([{ ...secret, ...reference }]);
    expect(await membersOf(U2, shared, mine.id)).toMatchObject([{ ...secret, mail_field: 0 }]);
    const exported = async (user: ContactFixtures['U1']) =>
      (await exportFolder(user, 'VCARD', own, { export_dlists: true })).text();
    expect(await exported(U2)).toContain('known@x.example');
    expect(await exported(U1)).toContain('secret@x.example');
    await change(U1, K2, person.id, { folder_id: shared, first_name: 'Back' });
    expect(await membersOf(U2, own, theirs.id)).toMatchObject([{ ...secret, ...reference, sort_name: 'Back' }]);
  });

  it('keep references that other writers take back as they see them', async () => {
    const { U1, U2, K2 } = cast;
    const shared = await createFolder(U1, { rights: [[U2.userId, BITS.author]] });
    const person = await create(U1, K2, { display_name: 'Kept', email1: 'kept@x.example' });
    const { id } = await list(U1, shared, [{ id: person.id, mail_field: 1 }]);
    const added = { display_name: 'New', mail: 'new@x.example', mail_field: 0 };
    const distribution_list = [...(await membersOf(U2, shared, id)), added];
    expect((await change(U2, shared, id, { distribution_list })).error).toBeUndefined();
    expect(await membersOf(U1, shared, id)).toMatchObject([{ id: person.id, mail_field: 1 }, added]);
    await change(U1, K2, person.id, { email1: 'moved@x.example' });
    expect(await membersOf(U2, shared, id)).toMatchObject([{ mail: 'moved@x.example', mail_field: 0 }, added]);
  });

  it('keep the last address of contacts that go, and take back what they tell', async () => {
    const { U1, U2, K2 } = cast;
    const shared = await createFolder(U1, { rights: [[U2.userId, BITS.all]] });
    const person = await create(U1, K2, { display_name: 'Gone', email1: 'last@x.example' });
    const { id } = await list(
      U1,
      shared,
      [1, 2].map((mail_field) => ({ id: person.id, mail_field })),
    );
    await change(U1, K2, person.id, { email1: '' });
    const seen = await membersOf(U1, shared, id);
    expect(seen).toMatchObject([1, 2].map((mail_field) => ({ id: person.id, mail_field })));
    expect(seen.filter(({ mail }) => mail)).toEqual([]);
    expect((await change(U1, shared, id, { distribution_list: seen })).error).toBeUndefined();
    const bare = { display_name: 'Gone', mail_field: 0, sort_name: 'Gone' };
    const last = [{ ...bare, mail: 'last@x.example' }, bare];
    const takeBack = async (user: ContactFixtures['U1']) => {
      expect(await membersOf(user, shared, id)).toEqual(last);
      expect((await change(user, shared, id, { distribution_list: last })).error).toBeUndefined();
      expect(await membersOf(user, shared, id)).toEqual(last);
    };
    await takeBack(U2);
    await remove(U1, K2, [person.id]);
    await takeBack(U1);
    const other = { distribution_list: [...last, { ...bare, display_name: 'Other' }] };
    expect((await change(U1, shared, id, other)).code).toBe('CON-0177');
  });

  it('CO-28 CO-29 take bare addresses, and nothing that is neither', async () => {
    const { U1, K1 } = cast;
    const { id } = await list(U1, K1, [{ id: '', mail: 'x@y.example', display_name: 'X', mail_field: 0 }]);
    expect(await membersOf(U1, K1, id)).toEqual([
      { display_name: 'X', mail: 'x@y.example', mail_field: 0, sort_name: 'X' },
    ]);
    const tryList = (member: object) => U1.put('contacts', 'new', {}, { folder_id: K1, distribution_list: [member] });
    expect((await tryList({ mail: 'x@y.example', mail_field: 7 })).code).toMatch(/^SVL-/);
    expect((await tryList({ display_name: 'no address', mail_field: 0 })).code).toBe('CON-0177');
    expect((await tryList({ mail: 'no address', mail_field: 0 })).code).toBe('CON-0100');
    expect((await tryList({ mail: 'x@y.example\r\nBcc: z@y.example', mail_field: 0 })).code).toMatch(
      /^CON-01(?:00|68)$/,
    );
  });

  it('CO-30 CO-31 are columns of rows', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    const plain = await create(U1, folder, { display_name: 'A plain one' });
    const { id } = await list(U1, folder, [{ mail: 'x@y.example', mail_field: 0 }]);
    const members = [{ mail: 'x@y.example', mail_field: 0, sort_name: 'x@y.example' }];
    expect((await all(U1, folder, '592,594,602')).data).toEqual([
      [null, 0, false],
      [members, 1, true],
    ]);
    const { data } = await U1.put('contacts', 'list', { columns: '1,592' }, [
      { id, folder },
      { id: plain.id, folder },
    ]);
    expect(data).toEqual([
      [id, members],
      [plain.id, null],
    ]);
  });
});
