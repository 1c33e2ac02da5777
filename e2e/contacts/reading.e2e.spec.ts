import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { createTestUser } from '../fixtures';
import {
  all,
  BITS,
  change,
  create,
  createContactFixtures,
  createFolder,
  dataOf,
  FAR,
  read,
  remove,
  type ContactFixtures,
} from './contacts';

let world: TestEnvironment;
let cast: ContactFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createContactFixtures(world);
}, 60_000);
afterAll(() => world?.close());

const folderWith = async (bodies: object[], rights: [number, number][] = []): Promise<string> => {
  const folder = await createFolder(cast.U1, { rights });
  for (const body of bodies) await create(cast.U1, folder, body);
  return folder;
};
const lastNames = (...names: string[]) => names.map((last_name) => ({ last_name }));
const updates = (user: ContactFixtures['U1'], folder: string, timestamp: number, parameters: object = {}) =>
  user.get<any[]>('contacts', 'updates', { folder, timestamp, columns: '1,502', ...parameters });

describe('lists of contacts', () => {
  it('CO-43 CO-52 may be empty', async () => {
    const { U1 } = cast;
    const folder = await createFolder(U1);
    expect(await all(U1, folder, '1,500')).toMatchObject({ data: [], timestamp: 0 });
    expect(await U1.put('contacts', 'list', { columns: '1' }, [])).toMatchObject({ data: [] });
    expect(await remove(U1, folder, [])).toMatchObject({ data: [] });
  });

  it('CO-44 CO-45 are cut after they are sorted', async () => {
    const { U1 } = cast;
    const folder = await folderWith(lastNames('E', 'D', 'C', 'B', 'A'));
    const cut = async (left_hand_limit: number, right_hand_limit: number) =>
      all(U1, folder, '502', { left_hand_limit, right_hand_limit });
    expect((await cut(3, 100)).data).toEqual([['D'], ['E']]);
    expect((await cut(0, 0)).data).toEqual([]);
    expect((await cut(2, 1)).code).toBe('SVL-0010');
    expect((await all(U1, folder, '502', { limit: 2 })).data).toEqual([['A'], ['B']]);
    expect((await all(U1, folder, '502', { limit: '3,9' })).data).toEqual([['D'], ['E']]);
    for (const limit of ['x', '2,1', '-1']) expect((await all(U1, folder, '502', { limit })).code).toBe('SVL-0010');
    const found = await U1.put('contacts', 'search', { columns: '502', limit: '1,2' }, { folder });
    expect(found.data).toEqual([['B']]);
  });

  it('CO-46 compare digits as numbers and ignore case', async () => {
    const folder = await folderWith(lastNames('Item 9', 'Item 11', 'item 10'));
    expect((await all(cast.U1, folder, '502')).data).toEqual([['Item 9'], ['item 10'], ['Item 11']]);
  });

  it('CO-47 are sorted by what is shown of a contact', async () => {
    const folder = await folderWith([
      { company: 'Mango' },
      { display_name: 'Banana' },
      { email1: 'cherry@x.example' },
      { last_name: 'Apple', display_name: 'Zoe Apple' },
      { last_name: 'Nut', first_name: 'Zed' },
      { last_name: 'Nut', first_name: 'Amy' },
    ]);
    expect((await all(cast.U1, folder, '607', { sort: 607 })).data).toEqual(
      ['Apple', 'Banana', 'cherry@x.example', 'Mango', 'Nut Amy', 'Nut Zed'].map((name) => [name]),
    );
  });

  it('CO-48 follow the language of the user', async () => {
    const { admin, contextId } = cast;
    const german = await createTestUser(world, admin, contextId, 'german', 'UTC', 'de_DE');
    const folder = await createFolder(german);
    for (const body of lastNames('Zebra', 'Äpfel', 'Ost')) await create(german, folder, body);
    expect((await all(german, folder, '502', { sort: 502 })).data).toEqual([['Äpfel'], ['Ost'], ['Zebra']]);
    const swedish = await createTestUser(world, admin, contextId, 'swedish', 'UTC', 'sv_SE');
    const other = await createFolder(swedish);
    for (const body of lastNames('Zebra', 'Äpfel', 'Ost')) await create(swedish, other, body);
    expect((await all(swedish, other, '502')).data).toEqual([['Ost'], ['Zebra'], ['Äpfel']]);
  });

  it('CO-49 have nulls first, descending last', async () => {
    const folder = await folderWith([
      { last_name: 'A', company: 'X' },
      { last_name: 'B' },
      { last_name: 'C', company: 'Y' },
      { last_name: 'D' },
    ]);
    const sorted = async (order: string) =>
      (await all(cast.U1, folder, '569', { sort: 569, order })).data!.map(([company]) => company as string | null);
    expect(await sorted('asc')).toEqual([null, null, 'X', 'Y']);
    expect(await sorted('desc')).toEqual(['Y', 'X', null, null]);
    for (const sort of ['1', '5', '101', '104', '511', '608', '609', 'birthday'])
      expect((await all(cast.U1, folder, '1', { sort, order: 'desc' })).data).toHaveLength(4);
    expect((await all(cast.U1, folder, '502', { sort: 502, collation: 'gbk' })).data).toHaveLength(4);
    expect((await all(cast.U1, folder, '502', { sort: 592 })).code).toBe('SVL-0010');
    expect((await all(cast.U1, folder, '502', { sort: 'nonsense' })).code).toBe('SVL-0010');
    expect((await all(cast.U1, folder, '502', { collation: 'utf8' })).code).toBe('SVL-0010');
  });

  it('CO-50 CO-51 answer unknown columns with null, and refuse what is no column', async () => {
    const folder = await folderWith([{ display_name: 'D' }]);
    expect((await all(cast.U1, folder, '500,99999')).data).toEqual([['D', null]]);
    expect((await all(cast.U1, folder, '500,abc')).code).toBe('SVL-0010');
    expect((await all(cast.U1, folder, '1', { timezone: 'Moon/Base' })).code).toBe('SVL-0010');
    const [row] = (await all(cast.U1, folder, 'all')).data!;
    expect([row!.length, row![0], row![4]]).toEqual([5, folder, false]);
    expect((await all(cast.U1, folder, 'list')).data![0]).toHaveLength(26);
  });

  it('CO-53 by id come in the order asked for, without those that are gone', async () => {
    const { U1, K1, K2 } = cast;
    const [a, b] = [await create(U1, K1, { last_name: 'A' }), await create(U1, K2, { last_name: 'B' })];
    const named = (id: string, folder: string) => ({ id, folder });
    const answer = await U1.put<any[]>('contacts', 'list', { columns: '502' }, [
      named(b.id, K2),
      named('999999', K1),
      named(b.id, K1),
      named('abc', K1),
      named(a.id, K1),
      named(a.id, K1),
    ]);
    expect(answer).toMatchObject({ data: [['B'], ['A'], ['A']], timestamp: b.timestamp });
    expect((await U1.put('contacts', 'list', { columns: '1' }, [{ id: a.id }])).code).toBe('SVL-0002');
  });

  it('of all folders hold what the user may read', async () => {
    const { U2, U3 } = cast;
    const folder = await folderWith(
      [{ last_name: 'Shared' }, { last_name: 'Hidden', private_flag: true }],
      [[U2.userId, BITS.reader]],
    );
    expect((await all(U2, undefined, '20,502')).data).toEqual(expect.arrayContaining([[folder, 'Shared']]));
    expect(JSON.stringify((await all(U2, undefined, '502')).data)).not.toContain('Hidden');
    expect(JSON.stringify((await all(U3, undefined, '20')).data)).not.toContain(folder);
  });

  it('are limited', async () => {
    const { X1, otherContextId, admin } = cast;
    await admin.expect('PUT', `/admin/v1/contexts/${otherContextId}/config/com.example.contacts.maxResults`, {
      value: '2',
    });
    const folder = await createFolder(X1);
    for (const body of lastNames('A', 'B', 'C')) await create(X1, folder, body);
    expect((await all(X1, folder, '1')).code).toBe('CONT-0001');
    expect((await all(X1, folder, '502', { left_hand_limit: 1, right_hand_limit: 3 })).data).toEqual([['B'], ['C']]);
    expect((await X1.get('contacts', 'updates', { folder, columns: '1', timestamp: 0 })).code).toBe('CONT-0001');
  });
});

describe('one contact', () => {
  it('CO-54 CO-55 is in its folder or nowhere', async () => {
    const { U1, K1, K2 } = cast;
    const { id } = await create(U1, K1, { last_name: 'Here' });
    expect((await read(U1, K1, '99999')).code).toBe('CON-0125');
    expect((await read(U1, K1, 'abc')).code).toBe('CON-0125');
    expect((await read(U1, K2, id)).code).toBe('CON-0125');
    expect(await U1.get('contacts', 'get', { id })).toMatchObject({ code: 'SVL-0002', error_params: ['folder'] });
    expect((await read(U1, U1.folder, id)).code).toBe('CON-0103');
    expect((await read(U1, `con://0/${K1}`, id)).data.last_name).toBe('Here');
  });

  it('is read by newer clients under the name of their module, too', async () => {
    const { U1 } = cast;
    const plain = await createFolder(U1);
    const folder = `con://0/${plain}`;
    const { data } = await U1.put<any>('addressbooks', 'new', {}, { folder_id: folder, last_name: 'Newer' });
    expect((await U1.get<any>('addressbooks', 'get', { folder, id: data.id })).data.last_name).toBe('Newer');
    const ids = [{ id: data.id, folder }];
    expect((await U1.put('addressbooks', 'list', { columns: '502' }, ids)).data).toEqual([['Newer']]);
    // Below this name folders are answered as they are asked for, in batches and by terms, too.
    expect((await U1.get<any>('addressbooks', 'get', { folder, id: data.id })).data.folder_id).toBe(folder);
    expect((await U1.get<any>('contacts', 'get', { folder, id: data.id })).data.folder_id).toBe(plain);
    const listed = { action: 'all', columns: '20,502', folder };
    const calls = ['addressbooks', 'contacts'].map((module) => ({ module, ...listed }));
    const batch = (await U1.put('multiple', '', {}, calls)) as unknown as { data: unknown }[];
    expect(batch.map((answer) => answer.data)).toEqual([[[folder, 'Newer']], [[plain, 'Newer']]]);
    const filter = ['and', ['=', { field: 'folder_id' }, folder], ['=', { field: 'last_name' }, 'Newer']];
    const found = await U1.put('addressbooks', 'advancedSearch', { columns: '20,502' }, { filter });
    expect(found.data).toEqual([[folder, 'Newer']]);
    const gone = await U1.get<any>('addressbooks', 'updates', { folder, columns: '20', timestamp: 0 });
    expect(gone.data).toEqual([[folder]]);
    const query = { folder, id: data.id, timestamp: FAR };
    expect((await U1.put('addressbooks', 'update', query, { last_name: 'Newest' })).code).toBeUndefined();
    expect((await read(U1, plain, data.id)).data.last_name).toBe('Newest');
  });

  it('CO-56 has times of the zone of its reader', async () => {
    const { U1, UB } = cast;
    const folder = await createFolder(U1, { rights: [[UB.userId, BITS.reader]] });
    const { id, timestamp } = await create(U1, folder, { last_name: 'Zoned' });
    const answer = await read(UB, folder, id);
    const offset = answer.data.creation_date - timestamp;
    expect([3_600_000, 7_200_000]).toContain(offset);
    expect(answer).toMatchObject({
      timestamp,
      data: { last_modified: timestamp, last_modified_utc: timestamp },
    });
  });

  it('is not told of to those who may not read it', async () => {
    const { U1, U2, U3 } = cast;
    const folder = await createFolder(U1, {
      rights: [
        [U2.userId, BITS.reader],
        [U3.userId, BITS.own],
      ],
    });
    const hidden = await create(U1, folder, { last_name: 'Hidden', private_flag: true });
    const open = await create(U1, folder, { last_name: 'Open' });
    expect((await read(U2, folder, hidden.id)).code).toBe('CON-0104');
    expect((await read(U2, folder, open.id)).data.last_name).toBe('Open');
    expect((await read(U3, folder, open.id)).code).toBe('CON-0104');
    expect((await all(U2, folder, '502')).data).toEqual([['Open']]);
    expect((await all(U3, folder, '502')).data).toEqual([]);
    expect((await all(cast.UB, folder, '502')).code).toBe('CON-0104');
    expect((await cast.UB.put('contacts', 'list', { columns: '1' }, [{ id: open.id, folder }])).code).toBe('CON-0104');
  });
});

describe('updates', () => {
  it('CO-57 tell everything since the beginning, and then what changed', async () => {
    const { U1 } = cast;
    const folder = await folderWith(lastNames('A', 'B'));
    const first = await updates(U1, folder, 0);
    expect(first.data!.map(([, name]) => name as string).sort()).toEqual(['A', 'B']);
    expect(await updates(U1, folder, first.timestamp!)).toMatchObject({ data: [], timestamp: first.timestamp });
    const [[id]] = first.data as [[string]];
    await change(U1, folder, id, { last_name: 'A2' });
    const second = await updates(U1, folder, first.timestamp!);
    expect(second.data).toEqual([[id, 'A2']]);
    const gone = await remove(U1, folder, [id]);
    expect(gone.data).toEqual([]);
    expect(await updates(U1, folder, second.timestamp!)).toMatchObject({
      data: [Number(id)],
      timestamp: gone.timestamp,
    });
    expect((await updates(U1, folder, second.timestamp!, { ignore: 'deleted' })).data).toEqual([]);
    expect((await updates(U1, folder, second.timestamp!, { ignore: 'other' })).data).toEqual([Number(id)]);
    expect((await updates(U1, folder, 0)).data).toHaveLength(2);
  });

  it('CO-58 do not tell of what the reader could never see', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.own]] });
    const { id, timestamp } = await create(U1, folder, { last_name: 'Foreign' });
    await remove(U1, folder, [id]);
    expect((await updates(U2, folder, timestamp)).data).toEqual([]);
    const hidden = await create(U1, folder, { last_name: 'Hidden', private_flag: true });
    await remove(U1, folder, [hidden.id]);
    expect((await updates(U1, folder, timestamp)).data).toEqual([Number(id), Number(hidden.id)]);
  });

  it('CO-59 tell of a contact that became private as of a deleted one', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    const { id, timestamp } = await create(U1, folder, { last_name: 'Seen' });
    expect((await updates(U2, folder, timestamp - 1)).data).toEqual([[id, 'Seen']]);
    await change(U1, folder, id, { private_flag: true });
    expect((await updates(U2, folder, timestamp)).data).toEqual([Number(id)]);
    expect((await updates(U1, folder, timestamp)).data).toEqual([[id, 'Seen']]);
  });

  it('tell everything anew when the rights of the reader changed', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.own]] });
    const { id } = await create(U1, folder, { last_name: 'Old' });
    const before = await updates(U2, folder, 0);
    expect(before.data).toEqual([]);
    const { timestamp } = await updates(U1, folder, 0);
    const grant = async (bits: number) =>
      expect(
        (
          await U1.put(
            'folders',
            'update',
            { id: folder, tree: 0, timestamp: FAR },
            {
              permissions: [
                { entity: U1.userId, group: false, bits: 403710016 },
                { entity: U2.userId, group: false, bits },
              ],
            },
          )
        ).error,
      ).toBeUndefined();
    await grant(BITS.reader);
    const wider = await updates(U2, folder, timestamp!);
    expect(wider.data).toEqual([[id, 'Old']]);
    expect((await updates(U2, folder, wider.timestamp!)).data).toEqual([]);
    await grant(BITS.own);
    expect((await updates(U2, folder, wider.timestamp!)).data).toEqual([Number(id)]);
  });
});

describe('rights and changes', () => {
  it('CO-78 an author creates in the folder of another user', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.author]] });
    const { id } = await create(U2, folder, { last_name: 'Guest work' });
    expect((await change(U1, folder, id, { note: 'seen' })).error).toBeUndefined();
    const data = (await read(U2, folder, id)).data;
    expect([data.created_by, data.modified_by]).toEqual([String(U2.userId), String(U1.userId)]);
  });

  it('CO-79 contacts move, and leave a tombstone', async () => {
    const { U1, U2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.own]] });
    const own = await createFolder(U2);
    const { id, timestamp } = await create(U2, folder, { last_name: 'Mover' });
    const uid = (await dataOf(U2, folder, id)).uid;
    expect((await change(U2, folder, id, { folder_id: own })).data).toEqual({ id });
    expect(await dataOf(U2, own, id)).toMatchObject({ folder_id: own, uid });
    expect((await updates(U1, folder, timestamp)).data).toEqual([Number(id)]);
    await change(U2, own, id, { folder_id: folder });
    expect((await updates(U1, folder, timestamp)).data).toEqual([[id, 'Mover']]);
  });

  it('CO-80 private contacts stay in private folders', async () => {
    const { U1, K1 } = cast;
    const KP = await createFolder(U1, { parent: '2' });
    const answer = await U1.put('contacts', 'new', {}, { folder_id: KP, private_flag: true });
    expect(answer.code).toBe('CON-0171');
    const { id } = await create(U1, K1, { private_flag: true });
    expect((await change(U1, K1, id, { folder_id: KP })).code).toBe('CON-0171');
  });

  it('CO-81 of a folder all are deleted or none', async () => {
    const { U1, K1, K2 } = cast;
    const [a, b] = [await create(U1, K1, {}), await create(U1, K2, {})];
    const c = await create(U1, K2, {});
    await change(U1, K2, c.id, { note: 'newer' });
    const named = [
      { id: a.id, folder: K1 },
      { id: b.id, folder: K2 },
      { id: c.id, folder: K2 },
    ];
    const answer = await U1.put('contacts', 'delete', { timestamp: c.timestamp }, named);
    expect(answer.code).toBe('CON-0119');
    expect((await read(U1, K1, a.id)).code).toBe('CON-0125');
    for (const { id } of [b, c]) expect((await read(U1, K2, id)).data.id).toBe(id);
    expect((await remove(U1, K2, [b.id, '99999'])).code).toBe('CON-0125');
    expect((await read(U1, K2, b.id)).data.id).toBe(b.id);
  });

  it('are refused without the right', async () => {
    const { U1, U2, K1, K2 } = cast;
    const folder = await createFolder(U1, { rights: [[U2.userId, BITS.reader]] });
    const { id, timestamp } = await create(U1, folder, { last_name: 'Mine' });
    expect((await U2.put('contacts', 'new', {}, { folder_id: folder })).code).toBe('CON-0112');
    expect((await change(U2, folder, id, {})).code).toBe('CON-0176');
    expect((await remove(U2, folder, [id])).code).toBe('CON-0169');
    expect((await change(U1, K1, id, {})).code).toBe('CON-0174');
    expect((await change(U1, folder, '9999', {})).code).toBe('CON-0125');
    expect((await change(U1, folder, id, { note: 'first' }, timestamp)).error).toBeUndefined();
    expect((await change(U1, folder, id, { note: 'second' }, timestamp)).code).toBe('CON-0119');
    // A user who may write, but not delete, moves nothing away.
    const writable = await createFolder(U1, { rights: [[U2.userId, 257 | (2 << 14)]] });
    const kept = await create(U1, writable, {});
    expect((await change(U2, writable, kept.id, { folder_id: await createFolder(U2) })).code).toBe('CON-0169');
    expect((await change(U2, writable, kept.id, { private_flag: true })).code).toBe('CON-0176');
    expect((await change(U1, writable, kept.id, { folder_id: K2 })).data).toEqual({ id: kept.id });
  });
});
