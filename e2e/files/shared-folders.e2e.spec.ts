import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import type { TestUser } from '../fixtures';
import { BITS, createFileFixtures, createFolder, homeOf, move, tryUpload, upload, type FileFixtures } from './files';

let world: TestEnvironment;
let cast: FileFixtures;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

interface Permission {
  readonly entity: number;
  readonly group: boolean;
  readonly bits: number;
}
const grant = ({ userId: entity }: TestUser, bits: number = BITS.administrator): Permission => ({
  ...{ entity, group: false, bits },
});
const read = async (user: TestUser, id: string) => (await user.get('folders', 'get', { id, tree: 0 })).data;
const rightsOf = async (user: TestUser, id: string) =>
  Object.fromEntries((await read(user, id)).permissions.map(({ entity, bits }: Permission) => [entity, bits]));
const update = (user: TestUser, id: string, body: object) =>
  user.put('folders', 'update', { id, timestamp: 9e15, tree: 0 }, body);
const make = (user: TestUser, parent: string, body: object = {}) =>
  user.put(
    'folders',
    'new',
    { folder_id: parent, tree: 0 },
    { title: `F ${Math.random()}`, module: 'infostore', ...body },
  );
const throwAway = (user: TestUser, id: string) =>
  user.put('folders', 'delete', { timestamp: 9e15, tree: 0, failOnError: true }, [id]);
const linkTo = (user: TestUser, folder: string) =>
  user.put('share/management', 'getLink', {}, { module: 'infostore', folder });

describe('a folder that an author makes in a shared folder', () => {
  it('belongs to the owner of that folder, and its maker has the same rights as there', async () => {
    const { U1, U2, U3, P1 } = cast;
    const shared = await createFolder(U1, P1, [
      [U2.userId, BITS.author],
      [U3.userId, BITS.viewer],
    ]);
    const { data: id } = await make(U2, shared);
    const expected = {
      [U1.userId]: BITS.administrator,
      [U2.userId]: BITS.author,
      [U3.userId]: BITS.viewer,
    };
    expect(await rightsOf(U1, id)).toEqual(expected);
    expect(await read(U1, id)).toMatchObject({
      created_by: String(U1.userId),
      type: 1,
      own_rights: BITS.administrator,
    });
    expect(await read(U2, id)).toMatchObject({ modified_by: String(U2.userId), type: 3, own_rights: BITS.author });
    expect((await tryUpload(U2, id, 'own.txt')).error).toBeUndefined();
    expect((await linkTo(U2, id)).code).toBe('SHR-0008');
    expect((await update(U2, id, { permissions: [grant(U2)] })).code).toBe('FLD-0010');
    expect(await rightsOf(U1, id)).toEqual(expected);
    expect((await throwAway(U1, shared)).error).toBeUndefined();
  });

  it('gets no administrator but those of that folder', async () => {
    const { U1, U2, U3, P1 } = cast;
    const shared = await createFolder(U1, P1, [
      [U2.userId, BITS.administrator],
      [U3.userId, BITS.author],
    ]);
    expect((await make(U3, shared, { permissions: [grant(U1), grant(U3)] })).code).toBe('FLD-0070');
    expect((await make(U3, shared, { permissions: [grant(U3)] })).code).toBe('FLD-0070');
    expect((await make(U2, shared, { permissions: [grant(U2)] })).code).toBe('FLD-0017');
    expect((await make(U3, shared, { permissions: [grant(U1), grant(U3, BITS.author)] })).error).toBeUndefined();
    const { data: id } = await make(U2, shared);
    expect(await rightsOf(U1, id)).toEqual(await rightsOf(U1, shared));
  });

  it('belongs to its maker below the public folders', async () => {
    const { U1, U2 } = cast;
    const shared = await createFolder(U1, '15', [[U2.userId, BITS.author]]);
    const { data: id } = await make(U2, shared);
    expect(await read(U2, id)).toMatchObject({ created_by: String(U2.userId), own_rights: BITS.administrator });
  });
});

describe('the owner of a personal folder', () => {
  it('keeps all rights on it, whoever changes its permissions', async () => {
    const { U1, U2, P1, P2 } = cast;
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.administrator]]);
    for (const user of [U1, U2]) {
      expect((await update(user, shared, { permissions: [grant(U2)] })).code).toBe('FLD-0017');
      expect((await update(user, shared, { permissions: [grant(U1, BITS.viewer), grant(U2)] })).code).toBe('FLD-0017');
      expect((await update(user, shared, { permissions: [grant(U1, BITS.viewer)] })).code).toBe('FLD-0018');
    }
    expect((await update(U2, P2, { permissions: [grant(U1)] })).code).toBe('FLD-0071');
    expect((await make(U1, P1, { permissions: [grant(U2)] })).code).toBe('FLD-0017');
    const onlyAdmin = 2 ** 28;
    expect((await update(U2, shared, { permissions: [grant(U1, onlyAdmin), grant(U2)] })).error).toBeUndefined();
    expect((await read(U1, shared)).own_rights).toBe(BITS.administrator);
    expect((await tryUpload(U1, shared, 'mine.txt')).error).toBeUndefined();
  });

  it('gets all rights on folders that are moved into it, and on those below them', async () => {
    const { U1, U2, U3, P1 } = cast;
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.author]]);
    const moved = await createFolder(U2, await homeOf(U2));
    const below = await createFolder(U2, moved);
    const document = await upload(U2, below, 'theirs.txt');
    const { timestamp } = await U1.get('infostore', 'updates', { folder: shared, columns: '1', timestamp: 0 });
    expect((await update(U2, moved, { folder_id: shared })).error).toBeUndefined();
    const expected = { [U1.userId]: BITS.administrator, [U2.userId]: BITS.administrator };
    for (const id of [moved, below]) {
      expect(await rightsOf(U1, id)).toEqual(expected);
      expect(await read(U1, id)).toMatchObject({ created_by: String(U1.userId), own_rights: BITS.administrator });
      expect((await update(U2, id, { permissions: [grant(U2)] })).code).toBe('FLD-0017');
    }
    const other = await createFolder(U2, await homeOf(U2));
    const alone = { folder_id: shared, permissions: [grant(U2), grant(U3, BITS.viewer)] };
    expect((await update(U2, other, alone)).code).toBe('FLD-0017');
    expect((await update(U2, other, { ...alone, permissions: [grant(U1), grant(U2)] })).error).toBeUndefined();
    expect(await rightsOf(U1, other)).toEqual(expected);
    const { data } = await U1.get('folders', 'updates', { timestamp: timestamp!, columns: '1', tree: 0 });
    expect(data).toEqual(expect.arrayContaining([[moved], [below]]));
    expect((await U1.get('infostore', 'get', { id: document, folder: below })).error).toBeUndefined();
    expect((await move(U1, [document], shared)).error).toBeUndefined();
    expect((await throwAway(U1, shared)).error).toBeUndefined();
  });
});
