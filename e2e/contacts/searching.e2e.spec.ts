import { until } from '@groupware/test-kit';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { all, BITS, change, create, createContactFixtures, createFolder, FAR, type ContactFixtures } from './contacts';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

type User = ContactFixtures['U1'];
const folderWith = async (bodies: object[], user: User = cast.U1, rights: [number, number][] = []): Promise<string> => {
  const folder = await createFolder(user, { rights });
  for (const body of bodies) await create(user, folder, body);
  return folder;
};
const names = (answer: { data?: unknown[][] }): unknown[] | undefined => answer.data?.map(([name]) => name);
const search = (user: User, body: object, parameters: object = {}) =>
  user.put<any[][]>('contacts', 'search', { columns: '500', ...parameters }, body);
const advanced = (user: User, filter: unknown, parameters: object = {}) =>
  user.put<any[][]>('contacts', 'advancedSearch', { columns: '500', ...parameters }, { filter });
const complete = (user: User, query: string, parameters: object = {}) =>
  user.get<any[][]>('contacts', 'autocomplete', { columns: '500', query, ...parameters });
const configure = (user: User, key: string, value: string) =>
  cast.admin.expect('PUT', `/admin/v1/contexts/${user.contextId}/users/${user.userId}/config/com.example.${key}`, {
    value,
  });
const setting = async (user: User, path: string): Promise<string | undefined> => {
  const answer = await user.fetch('GET', `/config/${path}`, { session: user.session });
  return ((await answer.json()) as { data?: string }).data;
};
const collectedOf = async (user: User): Promise<unknown[][]> => {
  const found = await setting(user, 'modules/mail/contactCollectFolder');
  return found ? (await all(user, found, '500,555,608')).data!.toSorted() : [];
};

describe('birthdays', () => {
  const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);
  const days = (
    user: User,
    start: string,
    end: string,
    folder?: string,
    action = 'birthdays',
    parameters: object = {},
  ) => user.get<any[][]>('contacts', action, { columns: '500', start: at(start), end: at(end), folder, ...parameters });
  const born = (display_name: string, day: string, field = 'birthday') => ({ display_name, [field]: at(day) });

  it('CO-60 CO-62 are of any year, the next one first', async () => {
    const { U1 } = cast;
    const folder = await folderWith([
      born('January', '1901-01-01'),
      born('December', '1999-12-31'),
      born('June', '2001-06-15'),
      { display_name: 'Unborn' },
      { display_name: 'Beginning', birthday: -62135596800000 },
    ]);
    expect(names(await days(U1, '2026-12-30', '2027-01-02', folder))).toEqual(['December', 'Beginning', 'January']);
    expect(names(await days(U1, '2026-12-30', '2027-01-01', folder))).toEqual(['December']);
    expect(names(await days(U1, '2026-06-01', '2030-07-01', folder))).toEqual([
      'June',
      'December',
      'Beginning',
      'January',
    ]);
    expect(names(await days(U1, '2026-06-15', '2026-06-15', folder))).toEqual([]);
    expect((await days(U1, '2026-06-15', '2026-06-14', folder)).code).toBe('SVL-0010');
    expect(
      names(await days(U1, '2026-01-01', '2026-12-31', folder, 'birthdays', { sort: 500, order: 'desc' })),
    ).toEqual(['June', 'January', 'Beginning']);
    expect(names(await days(U1, '2026-06-01', '2026-07-01'))).toContain('June');
  });

  it('CO-61 on 29 February are on 1 March in years without it', async () => {
    const { U1 } = cast;
    const folder = await folderWith([born('Leap', '1988-02-29')]);
    expect(names(await days(U1, '2027-03-01', '2027-03-02', folder))).toEqual(['Leap']);
    expect(names(await days(U1, '2027-02-28', '2027-03-01', folder))).toEqual([]);
    expect(names(await days(U1, '2028-02-29', '2028-03-01', folder))).toEqual(['Leap']);
    expect(names(await days(U1, '2028-03-01', '2028-03-02', folder))).toEqual([]);
  });

  it('CO-63 are those that the user may read; anniversaries alike', async () => {
    const { U1, U2, K1 } = cast;
    await create(U1, K1, born('Mine', '1970-05-05'));
    expect(names(await days(U2, '2026-01-01', '2027-01-01'))).not.toContain('Mine');
    expect((await days(U2, '2026-01-01', '2027-01-01', K1)).code).toBe('CON-0104');
    const folder = await folderWith([born('Wedding', '2001-05-05', 'anniversary'), born('No', '2001-05-05')]);
    expect(names(await days(U1, '2026-05-01', '2026-06-01', folder, 'anniversaries'))).toEqual(['Wedding']);
  });
});

describe('search', () => {
  it('CO-64 CO-65 compares the beginning of the display name', async () => {
    const { U1 } = cast;
    const folder = await folderWith([
      { display_name: 'Meridian' },
      { display_name: 'Prime Meridian' },
      { last_name: 'Nameless' },
      { display_name: '100% _sure_' },
      { display_name: 'Allan' },
    ]);
    const found = async (pattern: string) => names(await search(U1, { pattern, folder }));
    expect(await found('meri')).toEqual(['Meridian']);
    expect(await found('*meri')).toEqual(['Meridian', 'Prime Meridian']);
    expect(await found('*')).toEqual(['100% _sure_', 'Allan', 'Meridian', 'Prime Meridian']);
    expect(await found('all')).toEqual(['Allan']);
    expect(await found('100%')).toEqual(['100% _sure_']);
    expect(await found('_')).toEqual([]);
    expect(await found('m?r')).toEqual(['Meridian']);
    expect(names(await search(U1, { folder }))).toHaveLength(5);
  });

  it('CO-66 finds first letters, and what begins with none', async () => {
    const { U1 } = cast;
    const folder = await folderWith(
      ['Öse', 'otto', '(Paren)', '7 Dwarfs', '#tag'].map((last_name) => ({ last_name, display_name: last_name })),
    );
    const found = async (pattern: string) => names(await search(U1, { pattern, startletter: true, folder }));
    expect(await found('#')).toEqual(['(Paren)', '#tag']);
    expect(await found('.')).toEqual(['(Paren)', '#tag']);
    expect(await found('3')).toEqual(['7 Dwarfs']);
    expect(await found('o')).toEqual(['otto']);
    expect(await found('ö')).toEqual(['Öse']);
    expect(await found('all')).toHaveLength(5);
  });

  it('compares fields, all or one of them, exactly or by their beginning', async () => {
    const { U1 } = cast;
    const folder = await folderWith([
      { display_name: 'A', first_name: 'Ann', last_name: 'Stone', email1: 'ann@x.example', company: 'Über' },
      { display_name: 'B', first_name: 'Bob', last_name: 'Stone' },
      { display_name: 'C', first_name: 'ann', last_name: 'Wood' },
    ]);
    const found = async (body: object) => names(await search(U1, { folder: [folder], ...body }));
    expect(await found({ first_name: 'ANN', last_name: 'stone' })).toEqual(['A']);
    expect(await found({ first_name: 'Bob', last_name: 'Wood', orSearch: true })).toEqual(['B', 'C']);
    expect(await found({ first_name: 'ann', exactMatch: true })).toEqual(['C']);
    expect(await found({ first_name: 'a*' })).toEqual(['A', 'C']);
    expect(await found({ company: 'über' })).toEqual(['A']);
    expect(await found({ first_name: 'a', email1: 'a', emailAutoComplete: true })).toEqual(['A']);
    expect(await found({ last_name: 'Stone', exclude_folders: [folder] })).toEqual([]);
  });

  it('takes backslashes as they are', async () => {
    const { U1 } = cast;
    const folder = await folderWith([
      { display_name: 'C:\\', last_name: 'C:\\', company: 'C:\\data', email1: 'c@x.example' },
      { display_name: 'C:*', last_name: 'C:*', company: 'C:*', email1: 'd@x.example' },
    ]);
    const found = async (body: object) => names(await search(U1, { folder, ...body }));
    expect(await found({ pattern: 'C:\\' })).toEqual(['C:\\']);
    expect(await found({ pattern: '?:\\' })).toEqual(['C:\\']);
    expect(await found({ pattern: 'c:\\', startletter: true })).toEqual(['C:\\']);
    expect(await found({ company: 'c:\\*' })).toEqual(['C:\\']);
    expect(await found({ company: 'c:\\', emailAutoComplete: true })).toEqual(['C:\\']);
  });

  it('refuses criteria that it does not know how to meet', async () => {
    for (const name of ['birthdayrange', 'privatepostalcoderange', 'dynamicsearchfield', 'lastmodifiedrange'])
      expect(await search(cast.U1, { [name]: [0, 1] })).toMatchObject({
        code: 'SVL-0010',
        error_params: [name, '[0,1]'],
      });
  });

  it('CO-67 stays within what the user may read', async () => {
    const { U1, U2, K1 } = cast;
    await create(U1, K1, { display_name: 'Unreadable' });
    expect((await search(U2, { pattern: 'Unread', folder: K1 })).code).toBe('CON-0104');
    expect(names(await search(U2, { pattern: 'Unread' }))).toEqual([]);
    expect((await search(U2, { folder: U2.folder })).code).toBe('CON-0103');
    const shared = await folderWith([{ display_name: 'Unreadable twin' }], U1, [[U2.userId, BITS.reader]]);
    expect(names(await search(U2, { pattern: 'Unread' }))).toEqual(['Unreadable twin']);
    expect(names(await search(U2, { pattern: 'Unread', folder: [shared] }))).toEqual(['Unreadable twin']);
  });
});

describe('advanced search', () => {
  const field = (name: string) => ({ field: name });

  it('CO-68 CO-69 CO-70 CO-73 evaluates terms', async () => {
    const { U1 } = cast;
    const born = Date.UTC(1903, 5, 14);
    const folder = await folderWith([
      { display_name: 'A', city_home: 'ULM', email3: 'a@x.example', birthday: born },
      { display_name: 'B', city_home: 'Ulm', birthday: 0 },
      { display_name: 'C', city_home: 'Bonn', distribution_list: [{ mail: 'm@x.example', mail_field: 0 }] },
      { display_name: 'D*' },
    ]);
    const here = ['=', field('folder_id'), folder];
    const found = async (term: unknown) => names(await advanced(U1, ['and', here, term]));
    expect(await found(['=', field('city_home'), 'ulm'])).toEqual(['A', 'B']);
    expect(names(await advanced(U1, ['AND', here, ['=', field('city_home'), 'u*']]))).toEqual(['A', 'B']);
    expect(await found(['not', ['isNull', field('email3')]])).toEqual(['A']);
    expect(await found(['and', ['>=', field('birthday'), born], ['<', field('birthday'), 0]])).toEqual(['A']);
    expect(await found(['<>', field('city_home'), 'ulm'])).toEqual(['C']);
    expect(await found(['=', field('distribution_list'), 'm@*'])).toEqual(['C']);
    expect(await found(['=', field('mark_as_distributionlist'), 'true'])).toEqual(['C']);
    expect(await found(['=', field('display_name'), 'D\\*'])).toEqual(['D*']);
    expect(await found(['>', field('display_name'), 'b'])).toEqual(['C', 'D*']);
    expect(await found(['=', 'A', field('display_name')])).toEqual(['A']);
    expect(await found(['=', field('display_name'), `x'); drop table contact; --`])).toEqual([]);
    for (const name of [
      'useCount',
      'created_by',
      'user_id',
      'last_modified',
      'number_of_images',
      'private_flag',
      'uid',
    ])
      expect((await found(['or', ['isNull', field(name)], ['not', ['isNull', field(name)]]]))!).toHaveLength(4);
  });

  it('finds contacts elsewhere where a folder is one of several ways to match', async () => {
    const { U1 } = cast;
    const [one, other] = [await folderWith([{ last_name: 'Or-One' }]), await folderWith([{ last_name: 'Or-Other' }])];
    const named = (name: string) => ['=', field('last_name'), name];
    const within = (folder: string, name: string) => ['and', ['=', field('folder_id'), folder], named(name)];
    const found = async (term: unknown) => (await advanced(U1, term, { columns: '20,502' })).data;
    const both = [
      [one, 'Or-One'],
      [other, 'Or-Other'],
    ];
    expect(await found(['or', named('or-one'), within(other, 'or-other')])).toEqual(both);
    expect(await found(['or', within(one, 'or-one'), within(other, 'or-other')])).toEqual(both);
    expect(await found(['or', within(other, 'or-one'), within(other, 'or-other')])).toEqual([both[1]]);
    expect(await found(['or', ['=', field('folder_id'), `con://0/${other}`]])).toEqual([both[1]]);
  });

  it('CO-71 CO-72 refuses what is no term', async () => {
    const { U1, U2, K1 } = cast;
    const x = field('last_name');
    const refusals: [unknown, string][] = [
      [['=', x, x], 'SEARCH-0005'],
      [['=', 1, 2], 'SEARCH-0005'],
      [['=', field('no_such_field'), 2], 'SEARCH-0005'],
      [[], 'SEARCH-0002'],
      [['and'], 'SEARCH-0003'],
      ['text', 'SEARCH-0004'],
      [['~', x, 1], 'SEARCH-0006'],
    ];
    for (const [term, code] of refusals) expect([term, (await advanced(U1, term)).code]).toEqual([term, code]);
    expect(await U1.put('contacts', 'advancedSearch', { columns: '1' }, {})).toMatchObject({
      code: 'SVL-0002',
      error_params: ['filter'],
    });
    let deep: unknown = ['isNull', x];
    for (let level = 0; level < 500; level += 1) deep = ['not', deep];
    expect((await advanced(U1, deep)).code).toMatch(/^(SVL|SEARCH)-/);
    expect((await advanced(U2, ['=', field('folder_id'), K1])).code).toBe('CON-0104');
  });
});

describe('completion', () => {
  it('CO-74 finds contacts of which every word begins a name or an address', async () => {
    const { U1 } = cast;
    const folder = await folderWith([
      { display_name: 'Max', first_name: 'Maximilian', last_name: 'Stern', email1: 'ms@x.example' },
      { display_name: 'Stern, Moritz', email2: 'moritz@x.example' },
      { display_name: 'Stern without address' },
      { display_name: 'Sterns', distribution_list: [{ mail: 'a@x.example', mail_field: 0 }] },
    ]);
    const found = async (query: string, parameters: object = {}) =>
      names(await complete(U1, query, { folder, ...parameters }));
    expect(await found('max st')).toEqual(['Max']);
    expect(await found('max ste x')).toEqual([]);
    expect(await found('STERN')).toEqual(['Max', 'Stern, Moritz', 'Sterns']);
    expect(await found('"stern, m"')).toEqual(['Stern, Moritz']);
    expect(await found('stern', { email: false })).toHaveLength(4);
    expect(await found('')).toHaveLength(3);
    expect(await found('mor')).toEqual(['Stern, Moritz']);
    expect(await found('%')).toEqual([]);
    expect(names(await complete(U1, 'moritz'))).toContain('Stern, Moritz');
    expect((await complete(cast.U2, 'moritz', { folder })).code).toBe('CON-0104');
  });

  it('finds names whose accents stand apart, by any way', async () => {
    const { U1 } = cast;
    const [composed, apart] = ['NFC', 'NFD'].map((form) => 'Zoë Müller'.normalize(form)) as [string, string];
    const folder = await folderWith([{ display_name: apart, email1: 'zoe@x.example' }]);
    for (const name of [composed, apart]) {
      expect(names(await complete(U1, `"${name}"`, { folder }))).toEqual([composed]);
      expect(names(await search(U1, { folder, display_name: name }))).toEqual([composed]);
      expect(names(await search(U1, { folder, pattern: name }))).toEqual([composed]);
      const term = ['and', ['=', { field: 'folder_id' }, folder], ['=', { field: 'display_name' }, name]];
      expect(names(await advanced(U1, term))).toEqual([composed]);
    }
  });

  it('CO-75 bears more words than it looks for', async () => {
    const { U1, K1 } = cast;
    const answer = await complete(U1, 'a b c d e f', { folder: K1 });
    expect(answer.error_params ?? answer.warnings).toBeDefined();
    expect(answer.data).toEqual([]);
  });

  it('CO-76 needs as many characters as the configuration says', async () => {
    const { U3 } = cast;
    await configure(U3, 'minimumSearchCharacters', '3');
    expect((await complete(U3, 'ab')).code).toBe('CON-1000');
    expect((await search(U3, { pattern: 'ab' })).code).toBe('CON-1000');
    expect((await search(U3, { last_name: 'a*b' })).code).toBe('CON-1000');
    expect((await complete(U3, 'abc')).error).toBeUndefined();
  });

  it('CO-77 tells the most used first, to those who used them', async () => {
    const { U1, U2 } = cast;
    const people = ['Amy', 'Ben', 'Cat'].map((first_name) => ({
      first_name,
      display_name: first_name,
      email1: `team.${first_name}@x.example`,
    }));
    const folder = await folderWith(people, U1, [[U2.userId, BITS.reader]]);
    const [, , cat] = (await all(U1, folder, '1')).data!.flat() as string[];
    expect((await change(U1, folder, cat!, { useCount: 3 })).error).toBeUndefined();
    expect(names(await complete(U1, 'team', { folder }))).toEqual(['Cat', 'Amy', 'Ben']);
    expect(names(await complete(U2, 'team', { folder }))).toEqual(['Amy', 'Ben', 'Cat']);
    expect((await all(U1, folder, '608', { sort: 608, order: 'desc' })).data).toEqual([[3], [0], [0]]);
  });

  it('counts who is invited to an event or given a task, and collects unknown addresses', async () => {
    const { U1, U3 } = cast;
    const folder = await folderWith([{ display_name: 'Ida', email1: 'ida@x.example' }]);
    const collected = () => collectedOf(U1);
    const usesOf = async () => (await all(U1, folder, '608')).data!.flat()[0];
    const usesOfUser = async () => (await U1.get<any>('user', 'get', { id: U3.userId })).data.useCount;
    const before = await usesOfUser();
    const ida = { type: 5, mail: 'Ida@x.example', display_name: 'Ida' };
    const joe = { type: 5, mail: 'joe@x.example', display_name: 'Joe' };
    const times = { start_date: Date.UTC(2031, 5, 5, 8), end_date: Date.UTC(2031, 5, 5, 9) };
    const created = await U1.put<any>(
      'calendar',
      'new',
      {},
      {
        ...{ folder_id: U1.folder, title: 'T', ignore_conflicts: true, notification: false, ...times },
        participants: [{ type: 1, id: U1.userId }, { type: 1, id: U3.userId }, ida],
      },
    );
    expect(created.error).toBeUndefined();
    await until(async () => (await usesOf()) === 1 && (await usesOfUser()) === before + 1);
    const { id } = created.data;
    const change = { participants: [{ type: 1, id: U1.userId }, ida, joe] };
    await U1.put('calendar', 'update', { id, folder: U1.folder, timestamp: 2 ** 52 }, change);
    await until(async () => (await collected()).length === 1);
    expect([await collected(), await usesOf()]).toEqual([[['Joe', 'joe@x.example', 1]], 1]);
    const task = { folder_id: await setting(U1, 'folder/tasks'), title: 'T', notification: false };
    const kim = { type: 5, mail: 'kim@x.example' };
    expect((await U1.put('tasks', 'new', {}, { ...task, participants: [joe, kim] })).error).toBeUndefined();
    await until(async () => (await collected()).length === 2);
    expect(await collected()).toEqual([
      ['Joe', 'joe@x.example', 2],
      ['kim@x.example', 'kim@x.example', 1],
    ]);
    expect(await usesOfUser()).toBe(before + 1);
    const path = 'modules/mail/contactCollectFolder';
    const first = (await setting(U1, path))!;
    expect((await U1.put('folders', 'delete', { timestamp: FAR }, [first])).error).toBeUndefined();
    expect(await setting(U1, path)).toBeNull();
    const lea = { type: 5, mail: 'lea@x.example' };
    expect((await U1.put('tasks', 'new', {}, { ...task, participants: [lea] })).error).toBeUndefined();
    await until(async () => (await collected()).length === 1);
    expect(await setting(U1, path)).not.toBe(first);
  });

  it('finds words within fields, and in fewer folders, where the configuration says so', async () => {
    const { UB } = cast;
    await configure(UB, 'contact.fulltextAutocomplete', 'true');
    const folder = await folderWith([{ display_name: 'Otto, Heinz', company: 'Acme', email1: 'o@x.example' }], UB);
    expect(names(await complete(UB, 'hein acm'))).toEqual(['Otto, Heinz']);
    expect(names(await complete(UB, 'einz'))).toEqual([]);
    const path = `/admin/v1/contexts/${UB.contextId}/users/${UB.userId}/config/com.example.contacts.allFoldersForAutoComplete`;
    await cast.admin.expect('PUT', path, { value: 'false' });
    expect(names(await complete(UB, 'hein'))).toEqual([]);
    expect(names(await complete(UB, 'hein', { folder }))).toEqual(['Otto, Heinz']);
    expect(names(await search(UB, { display_name: 'Otto', emailAutoComplete: true }))).toEqual([]);
    const heidi = { type: 5, mail: 'heidi@x.example', display_name: 'Heidi' };
    const task = { folder_id: await setting(UB, 'folder/tasks'), title: 'T', notification: false };
    expect((await UB.put('tasks', 'new', {}, { ...task, participants: [heidi] })).error).toBeUndefined();
    await until(async () => (await collectedOf(UB)).length === 1);
    expect(names(await complete(UB, 'hei'))).toEqual(['Heidi']);
    expect(names(await search(UB, { display_name: 'hei', emailAutoComplete: true }))).toEqual(['Heidi']);
  });
});
