import { attachFiles } from '../attachments/attachments';
import { create, createContactFixtures, createFolder, FAR, type ContactFixtures } from '../contacts/contacts';
import type { Envelope } from '../client';
import { createTestUser, type TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { bare, complete, facetsOf, found as listField, option, query, words, type ChosenFacet } from './find-client';

let world: TestEnvironment;
let cast: ContactFixtures;
beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createContactFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const chosen = (facet: string, ...queries: string[]): ChosenFacet => words(facet, FIELDS[facet] ?? facet, ...queries);
const FIELDS: Record<string, string> = {
  task_title: 'title',
  task_description: 'description',
  task_attachment_name: 'attachment',
};
const folder = (value: string): ChosenFacet => bare('folder', value);
const folderType = (value: string): ChosenFacet => bare('folder_type', value);
const found = (answer: Promise<Envelope<any>>, name = 'last_name') => listField(answer, name);

describe('find', () => {
  it('FI-01 FI-02 FI-03 offers facets for what was typed', async () => {
    const facets = await facetsOf(complete(cast.U1, 'contacts', '  sa  '));
    for (const { style, filter, values, options } of facets.values())
      expect({ simple: filter, default: values, exclusive: options }[style as string]).toBeDefined();
    expect(facets.get('name')).toEqual({
      ...{ id: 'name', style: 'simple', item: { name: 'sa', detail: 'Name' }, flags: [] },
      filter: { fields: ['name'], queries: ['sa'] },
    });
    const unclosed = await facetsOf(complete(cast.U1, 'contacts', '"unclosed text'));
    expect(unclosed.get('name').filter.queries).toEqual(['unclosed text']);
    expect((await facetsOf(complete(cast.U1, 'contacts', ''))).has('name')).toBe(false);
  });

  it.each([
    ['FI-06 another spelling of a module', 'CONTACTS', [], 'SVL-0010'],
    ['an unknown module', 'nothing', [], 'SVL-0010'],
    ['FI-10 no fields', 'contacts', [{ ...chosen('name'), filter: { fields: [], queries: ['x'] } }], 'FIND-0006'],
    ['FI-10 no queries', 'contacts', [chosen('name')], 'FIND-0007'],
    ['a filter without lists', 'contacts', [{ facet: 'name', value: 'name', filter: {} }], 'SVL-0009'],
    [
      'a field without value',
      'contacts',
      [{ ...chosen('name'), filter: { fields: ['name', null], queries: ['x'] } }],
      'FIND-0009',
    ],
    ['a text without filter', 'contacts', [{ facet: 'name', value: 'name', filter: null }], 'FIND-0005'],
    ['an unknown facet', 'contacts', [chosen('nothing', 'x')], 'FIND-0008'],
    ['a facet of another module', 'contacts', [chosen('task_title', 'x')], 'FIND-0008'],
    [
      'an unknown field',
      'contacts',
      [{ ...chosen('name'), filter: { fields: ['id) or (1'], queries: ['x'] } }],
      'FIND-0003',
    ],
    ['an unknown type of contacts', 'contacts', [option('contact_type', 'contact_type', 'x')], 'FIND-0004'],
    ['a contact that is none', 'contacts', [option('contact', 'contact', 'x')], 'FIND-0004'],
    ['an unknown status', 'tasks', [option('task_status', 'status', '6')], 'FIND-0004'],
    ['an unknown type of tasks', 'tasks', [option('task_type', 'type', 'x')], 'FIND-0004'],
    ['two kinds of places', 'contacts', [folder('6'), folderType('private')], 'FIND-0016'],
    ['an unknown type of folders', 'tasks', [folderType('x')], 'FIND-0015'],
    ['a folder that is none', 'tasks', [folder('x')], 'FIND-0014'],
    ['FI-30 a folder of another module', 'contacts', [folder('999999')], 'FIND-0014'],
    ['what is no list', 'tasks', {}, 'SVL-0010'],
  ])('refuses %s', async (_case, module, facets, code) => {
    expect(await query(cast.U1, module, facets)).toMatchObject({ code });
  });

  it('refuses a request without module, and without what was typed', async () => {
    expect(await cast.U1.put('find', 'query', {}, { facets: [] })).toMatchObject({ code: 'SVL-0002' });
    expect(await cast.U1.put('find', 'autocomplete', { module: 'tasks' }, {})).toMatchObject({ code: 'SVL-0002' });
    expect(await query(cast.U1, 'tasks', [], {}, { start: 0, size: 100_000 })).toMatchObject({ code: 'FIND-0019' });
  });

  it('FI-16 FI-17 FI-18 FI-19 FI-20 offers no value twice', async () => {
    const K = await createFolder(cast.U1);
    for (const last_name of ['Qqone', 'Qqtwo']) await create(cast.U1, K, { last_name, display_name: last_name });
    const type = option('contact_type', 'contact_type', 'contact');
    const facets = await facetsOf(complete(cast.U1, 'contacts', 'qq', [type]));
    expect([facets.has('contact_type'), facets.has('contact')]).toEqual([false, true]);
    expect(facets.get('folder_type').flags).toEqual(['conflicts:folder']);
    expect((await facetsOf(complete(cast.U1, 'contacts', 'qq', [folder(K)]))).has('folder_type')).toBe(false);
    const [first, second] = facets.get('contact').values;
    expect(first.item.name).toBe('Qqone');
    const value = { facet: 'contact', value: first.id, filter: first.filter };
    expect((await facetsOf(complete(cast.U1, 'contacts', 'qq', [value]))).get('contact').values).toEqual([second]);
    const one = await facetsOf(complete(cast.U1, 'contacts', 'qq', [], { limit: 1 }));
    expect(one.get('contact').values).toEqual([first]);
    // The context in the value says nothing, and whose contact it is counts.
    const foreign = { facet: 'contact', value: first.id.replace(/\/\d+\//, '/99999/'), filter: null };
    expect(await found(query(cast.U1, 'contacts', [foreign]))).toEqual(['Qqone']);
    expect(await found(query(cast.U2, 'contacts', [foreign]))).toEqual([]);
  });
});

describe('what a user may search', () => {
  it('FI-04 FI-05 has as many characters as configured for all modules', async () => {
    const U = await createTestUser(world, cast.admin, cast.contextId, 'longwords');
    const key = 'com.example.minimumSearchCharacters';
    const path = `/admin/v1/contexts/${cast.contextId}/users/${U.userId}/config/${key}`;
    await cast.admin.expect('PUT', path, { value: 3 });
    const offered = await facetsOf(complete(U, 'contacts', 'ab cde'));
    expect(offered.get('name').filter.queries).toEqual(['cde']);
    expect((await facetsOf(complete(U, 'contacts', 'ab'))).has('name')).toBe(false);
    const refused = {
      contacts: chosen('name', 'ab'),
      tasks: chosen('task_title', 'ab'),
      files: words('file_name', 'file_name', 'ab'),
    };
    for (const [module, facet] of Object.entries(refused))
      expect([module, (await query(U, module, [facet])).code]).toEqual([module, 'FIND-0010']);
    const setting = await U.fetch('GET', '/config/minimumSearchCharacters', { session: U.session });
    expect(await setting.json()).toMatchObject({ data: 3 });
    expect((await U.get('config', 'get_property', { name: key })).data).toEqual({ name: key, value: 3 });
  });

  it('FI-07 are the modules that are open to him', async () => {
    const U = await createTestUser(world, cast.admin, cast.contextId, 'notasks');
    const path = `/admin/v1/contexts/${cast.contextId}/users/${U.userId}`;
    const modules = async () => {
      const response = await U.fetch('GET', '/config/search/modules', { session: U.session });
      return ((await response.json()) as Envelope).data;
    };
    const before = await modules();
    expect(before).toEqual(expect.arrayContaining(['contacts', 'calendar', 'tasks', 'drive']));
    await cast.admin.expect('PATCH', path, { capabilities: { remove: ['tasks'] } });
    expect((await query(U, 'tasks', [])).code).toBe('FIND-0017');
    expect((await U.put('find', 'autocomplete', { module: 'tasks' }, { prefix: '' })).code).toBe('FIND-0017');
    expect(await modules()).toEqual(before.filter((name: string) => name !== 'tasks'));
  });
});

describe('finding contacts', () => {
  it('FI-21 FI-28 FI-29 needs every word, in one of the fields, in the folder', async () => {
    const [K1, K2] = [await createFolder(cast.U1), await createFolder(cast.U1)];
    await create(cast.U1, K1, { first_name: 'Nora', last_name: 'Falk' });
    await create(cast.U1, K1, { first_name: 'Falk', last_name: 'Nora' });
    await create(cast.U1, K1, { first_name: 'Nora', last_name: 'Other' });
    await create(cast.U1, K2, { first_name: 'Nora', last_name: 'Elsewhere' });
    const both = [chosen('name', 'nora', 'falk'), folder(K1)];
    expect(await found(query(cast.U1, 'contacts', both))).toEqual(['Falk', 'Nora']);
    const twice = [chosen('name', 'nora'), chosen('name', 'other'), folder(K1)];
    expect(await found(query(cast.U1, 'contacts', twice))).toEqual(['Other']);
    expect(await found(query(cast.U1, 'contacts', [chosen('name', 'elsewhere'), folder(K1)]))).toEqual([]);
    expect(await found(query(cast.U1, 'contacts', [chosen('name', 'NO?A oth*')]))).toEqual([]);
    expect(await found(query(cast.U1, 'contacts', [chosen('name', 'oth*r'), folder(K1)]))).toEqual(['Other']);
    await create(cast.U1, K1, { last_name: 'C:\\ drive', email1: 'c@x.example' });
    for (const text of ['C:\\', 'c:\\*e'])
      expect(await found(query(cast.U1, 'contacts', [chosen('name', text), folder(K1)]))).toEqual(['C:\\ drive']);
  });

  it('FI-22 FI-23 FI-24 FI-25 FI-11 looks into the fields of the facet', async () => {
    const K = await createFolder(cast.U1);
    const body = {
      email3: 'x@falk.example',
      fax_home: '777',
      telephone_home1: '555-77',
      postal_code_business: '80331',
    };
    await create(cast.U1, K, { last_name: 'Person', commercial_register: 'HRB 7', ...body });
    await create(cast.U1, K, {
      display_name: 'List',
      distribution_list: [{ display_name: 'Mo \\', mail: 'mo@list.example', mail_field: 0 }],
    });
    const ask = (...facets: ChosenFacet[]) => found(query(cast.U1, 'contacts', [...facets, folder(K)]), 'display_name');
    const person = [undefined];
    expect(await ask(chosen('email', 'falk.ex'))).toEqual(person);
    expect(await ask(chosen('email', 'list.ex'))).toEqual(['List']);
    expect(await ask(chosen('email', 'mo \\'))).toEqual(['List']);
    expect(await ask(chosen('phone', '555'))).toEqual(person);
    expect(await ask(chosen('address', '8033'))).toEqual(person);
    expect(await ask(chosen('global', 'hrb'))).toEqual(person);
    const older = { ...chosen('global', 'hrb'), filter: { fields: ['address_book'], queries: ['hrb'] } };
    expect(await ask(older)).toEqual(person);
    expect(await ask(chosen('name', 'falk'))).toEqual([]);
    expect(await ask({ ...chosen('name', 'falk'), filter: { fields: ['email'], queries: ['falk'] } })).toEqual(person);
    expect(await ask(option('contact_type', 'contact_type', 'distribution list'))).toEqual(['List']);
    expect(await ask(option('contact_type', 'contact_type', 'contact'))).toEqual(person);
  });

  it('FI-26 looks for a text in the fields that the configuration names', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'names-only');
    const K = await createFolder(user);
    await create(user, K, { last_name: 'Hrbek', commercial_register: 'GHR 8' });
    await create(user, K, { last_name: 'Other', commercial_register: 'HRB 7' });
    const ask = () => found(query(user, 'contacts', [chosen('global', 'hrb'), folder(K)]));
    expect(await ask()).toEqual(['Hrbek', 'Other']);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/config/com.example.contact.search.fields`;
    await cast.admin.expect('PUT', path, { value: 'NAME_FIELDS' });
    expect(await ask()).toEqual(['Hrbek']);
  });

  it('tells the department of users where that is wanted', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'departed');
    await user.put('user', 'update', { id: user.userId, timestamp: FAR }, { department: 'Sales' });
    const K = await createFolder(user);
    await create(user, K, { last_name: 'Departing', display_name: 'Departing', department: 'Purchase' });
    const names = async () =>
      (await facetsOf(complete(user, 'contacts', 'depart'))).get('contact').values.map(({ item }: any) => item.name);
    const plain = await names();
    expect(plain).toHaveLength(2);
    const path = `/admin/v1/contexts/${cast.contextId}/users/${user.userId}/config/com.example.contact.showDepartments`;
    await cast.admin.expect('PUT', path, { value: true });
    expect(await names()).toEqual(plain.map((name: string) => (name === 'Departing' ? name : `${name} (Sales)`)));
  });

  it('names contacts without display name by what else they have', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, 'namer');
    const K = await createFolder(user);
    await create(user, K, { first_name: 'Zznora', last_name: 'Falk', company: 'Acme', email1: 'zza@x.example' });
    await create(user, K, { company: 'Zz Limited', email1: 'zzb@x.example' });
    await create(user, K, { email1: 'zzc@x.example' });
    await create(user, K, { last_name: 'Zzlonely' });
    const items = async (module: string, facet: string) =>
      (await facetsOf(complete(user, module, 'zz'))).get(facet).values.map(({ item }: any) => item);
    const withAddress = [
      { name: 'Zznora Falk', detail: 'zza@x.example' },
      { name: 'Zz Limited', detail: 'zzb@x.example' },
      { name: 'zzc@x.example', detail: 'zzc@x.example' },
    ];
    const offered = await items('contacts', 'contact');
    expect(offered).toHaveLength(4);
    expect(offered).toEqual(expect.arrayContaining([...withAddress, { name: 'Zzlonely' }]));
    expect(await items('calendar', 'participant')).toEqual(expect.arrayContaining(withAddress));
  });

  it('FI-08 FI-09 answers nothing where nothing is looked for', async () => {
    const empty = { num_found: 0, start: 0, size: 0, results: [] };
    expect((await cast.U1.put('find', 'query', { module: 'contacts' }, {})).data).toEqual(empty);
    expect((await query(cast.U1, 'contacts', [{ facet: 'folder' }])).data).toEqual(empty);
  });

  it('FI-12 FI-13 FI-14 FI-15 FI-33 answers pages in one order', async () => {
    const K = await createFolder(cast.U1);
    const numbers = Array.from({ length: 25 }, (_, index) => index + 1);
    for (const number of [...numbers].reverse()) await create(cast.U1, K, { display_name: `Nr ${number}` });
    const ask = (body: object, columns = '500') => query(cast.U1, 'contacts', [folder(K)], { columns }, body);
    const names = (first: number, last: number) => numbers.slice(first - 1, last).map((number) => `Nr ${number}`);
    for (const body of [{}, { start: 5 }, { start: 0, size: -1 }])
      expect(await found(ask(body), 'display_name')).toEqual(names(1, 20));
    expect(await found(ask({ start: 5, size: 10 }), 'display_name')).toEqual(names(6, 15));
    expect((await ask({ start: 30, size: 5 })).data).toEqual({ num_found: -1, start: 30, size: 0, results: [] });
    const [first] = (await ask({})).data.results;
    expect(first).toEqual({ id: expect.any(String), folder_id: K, display_name: 'Nr 1' });
    expect(await ask({}, 'nothing')).toMatchObject({ code: 'SVL-0010' });
  });

  it('FI-27 FI-34 FI-35 tells persons from lists, knows persons without address, and letters with marks', async () => {
    const K = await createFolder(cast.U1);
    await create(cast.U1, K, { display_name: 'Übergang', last_name: 'Übergang' });
    const { id } = await create(cast.U1, K, { display_name: 'Uebel', last_name: 'Uebel', email1: 'uebel@x.example' });
    const members = { distribution_list: [{ id, mail_field: 1 }], mark_as_distributionlist: true };
    await create(cast.U1, K, { display_name: 'Überall', ...members });
    const type = (value: string) => option('contact_type', 'contact_type', value);
    const ask = (...facets: ChosenFacet[]) => found(query(cast.U1, 'contacts', [folder(K), ...facets]), 'display_name');
    expect(await ask(type('contact'))).toHaveLength(2);
    expect(await ask(type('distribution list'))).toEqual(['Überall']);
    expect(await ask(chosen('name', 'überg'))).toEqual(['Übergang']);
    expect(await ask(chosen('name', 'ÜBERG'))).toEqual(['Übergang']);
    const other = await ask(chosen('name', 'UBERG'));
    expect(await ask(chosen('name', 'uberg'))).toEqual(other);
    const offered = (await facetsOf(complete(cast.U1, 'contacts', 'überg'))).get('contact').values;
    expect(offered.map(({ item }: { item: { name: string } }) => item.name)).toEqual(['Übergang']);
  });

  it('FI-30 FI-31 FI-32 shows what its reader may see', async () => {
    const K = await createFolder(cast.U1, { rights: [[cast.U2.userId, 257]] });
    await create(cast.U1, K, { last_name: 'Sharedone' });
    await create(cast.U1, K, { last_name: 'Sharedone secret', private_flag: true });
    const ask = (user: TestUser, ...facets: ChosenFacet[]) =>
      found(query(user, 'contacts', [chosen('name', 'sharedone'), ...facets]));
    expect(await ask(cast.U2, folderType('shared'))).toEqual(['Sharedone']);
    expect(await ask(cast.U2, folderType('private'))).toEqual([]);
    expect(await ask(cast.U1, folderType('private'))).toEqual(['Sharedone', 'Sharedone secret']);
    expect(await ask(cast.U1, folderType('public'))).toEqual([]);
    expect(await ask(cast.U3, folder(K))).toEqual([]);
    expect(await ask(cast.U2, folder(K))).toEqual(['Sharedone']);
    const admin = (value: string) =>
      query(cast.U1, 'contacts', [folder('6')], { columns: '524' }, { options: { admin: value }, start: 0, size: 100 });
    const [without, with_] = [await found(admin('false'), 'id'), await found(admin('true'), 'id')];
    expect(with_.length).toBe(without.length + 1);
  });
});

describe('finding tasks', () => {
  let T1: string;
  const add = async (user: TestUser, body: object): Promise<string> => {
    const answer = await user.put<{ id: string }>('tasks', 'new', {}, { folder_id: T1, ...body });
    if (!answer.data) throw new Error(JSON.stringify(answer));
    return answer.data.id;
  };
  const titles = (user: TestUser, ...facets: ChosenFacet[]) => found(query(user, 'tasks', facets), 'title');
  beforeAll(async () => {
    const body = { title: `T ${Math.random()}`, module: 'tasks' };
    T1 = String((await cast.U1.put('folders', 'new', { folder_id: '1', tree: 0 }, body)).data);
  });

  it('FI-36 FI-38 FI-42 looks for texts, states and series', async () => {
    await add(cast.U1, { title: 'Tune piano', note: 'A440', status: 3 });
    const start = { start_date: Date.UTC(2030, 0, 1), end_date: Date.UTC(2030, 0, 2) };
    await add(cast.U1, { title: 'Weekly', ...start, recurrence_type: 2, days: 4, interval: 1 });
    const here = folder(T1);
    expect(await titles(cast.U1, chosen('global', 'a440'), here)).toEqual(['Tune piano']);
    expect(await titles(cast.U1, chosen('task_title', 'a440'), here)).toEqual([]);
    expect(await titles(cast.U1, chosen('task_description', 'a440'), here)).toEqual(['Tune piano']);
    expect(await titles(cast.U1, option('task_status', 'status', '3'), here)).toEqual(['Tune piano']);
    expect(await titles(cast.U1, option('task_type', 'type', 'series'), here)).toEqual(['Weekly']);
    expect(await titles(cast.U1, option('task_type', 'type', 'single_task'), here)).toEqual(['Tune piano']);
    const states = ['1', '3'].map((status) => option('task_status', 'status', status));
    expect(await titles(cast.U1, ...states, here)).toEqual(['Tune piano']);
    expect(await titles(cast.U1, folderType('public'), chosen('global', 'a440'))).toEqual([]);
  });

  it('FI-37 looks for names of files', async () => {
    const [id, other] = [await add(cast.U1, { title: 'Pay the bill' }), await add(cast.U1, { title: 'Call back' })];
    const attach = (task: string, name: string) =>
      attachFiles(cast.U1, { attached: Number(task), folder: Number(T1), module: 4 }, [{ name, content: name }]);
    await attach(id, 'invoice-9.pdf');
    await attach(other, 'notes.txt');
    expect(await titles(cast.U1, chosen('task_attachment_name', 'invoice'))).toEqual(['Pay the bill']);
    expect(await titles(cast.U1, option('task_attachment_name', 'attachment_name', 'INV*9'))).toEqual(['Pay the bill']);
    expect(await titles(cast.U1, chosen('global', 'invoice'), folder(T1))).toEqual(['Pay the bill']);
    expect(await titles(cast.U1, chosen('task_attachment_name', 'invoice', 'notes'))).toEqual([]);
    expect(await titles(cast.U1, chosen('task_title', 'invoice'))).toEqual([]);
    expect(await titles(cast.U3, chosen('task_attachment_name', 'invoice'))).toEqual([]);
    const facets = await facetsOf(complete(cast.U1, 'tasks', 'invoice'));
    expect(facets.get('task_attachment_name').filter).toEqual({ fields: ['attachment'], queries: ['invoice'] });
  });

  it('FI-39 FI-40 FI-41 looks for those who take part', async () => {
    const participants = [
      { type: 1, id: cast.U2.userId },
      { type: 5, mail: 'ext@partner.example', display_name: 'Ext' },
    ];
    await add(cast.U1, { title: 'Delegated thing', participants });
    const title = chosen('task_title', 'delegated thing');
    const of = (value: string | number) => option('task_participants', 'participant', String(value));
    expect(await titles(cast.U2, title)).toEqual(['Delegated thing']);
    expect(await titles(cast.U1, title, of(cast.U1.userId))).toEqual([]);
    expect(await titles(cast.U1, title, of(cast.U2.userId), of('partner.ex'))).toEqual(['Delegated thing']);
    const facets = await facetsOf(complete(cast.U1, 'tasks', 'ext'));
    expect(facets.get('task_participants').values.map(({ id }: { id: string }) => id)).toEqual([
      'ext@partner.example',
      'ext',
    ]);
    const hidden = await facetsOf(complete(cast.U3, 'tasks', 'ext@'));
    expect(hidden.get('task_participants').values.map(({ id }: { id: string }) => id)).toEqual(['ext@']);
  });

  it('FI-43 answers pages by title', async () => {
    for (let number = 12; number > 0; number -= 1)
      await add(cast.U1, { title: `Page ${String(number).padStart(2, '0')}` });
    const facets = [chosen('task_title', 'page '), folder(T1)];
    const page = (start: number) => found(query(cast.U1, 'tasks', facets, {}, { start, size: 5 }), 'title');
    expect(await page(5)).toEqual(['Page 06', 'Page 07', 'Page 08', 'Page 09', 'Page 10']);
    expect(await page(10)).toEqual(['Page 11', 'Page 12']);
  });
});
