import {
  addVersion,
  BITS,
  change,
  createFileFixtures,
  createFolder,
  remove,
  upload,
  type FileFixtures,
} from '../files/files';
import type { TestUser } from '../fixtures';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { bare, complete, facetsOf, found, option, query, words, type ChosenFacet } from './find-client';

let world: TestEnvironment;
let cast: FileFixtures;
beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const names = (user: TestUser, ...facets: ChosenFacet[]) => found(query(user, 'files', facets), 'filename');
const inFolder = (id: string): ChosenFacet => bare('folder', id);
const global = (text: string): ChosenFacet => words('global', 'global', text);

describe('finding files', () => {
  it('offers facets under both names of the module', async () => {
    const facets = await facetsOf(complete(cast.U1, 'files', 'x'));
    expect(facets).toEqual(await facetsOf(complete(cast.U1, 'drive', 'x')));
    expect([...facets.keys()]).toEqual([
      ...['global', 'file_name', 'file_description', 'file_type', 'file_size', 'date', 'folder_type'],
    ]);
    const chosen = [bare('date', 'last_week'), inFolder(cast.A)];
    expect([...(await facetsOf(complete(cast.U1, 'files', '', chosen))).keys()]).toEqual(['file_type', 'file_size']);
  });

  it('FI-52 looks for large files', async () => {
    const F = await createFolder(cast.U1, cast.P1);
    await upload(cast.U1, F, 'small.bin', new Uint8Array(2 ** 20));
    await upload(cast.U1, F, 'large.bin', new Uint8Array(2 ** 20 + 1));
    const larger = (size: string) => names(cast.U1, option('file_size', 'file_size', size), inFolder(F));
    expect(await larger('>1MB')).toEqual(['large.bin']);
    expect(await larger('>10MB')).toEqual([]);
  });

  it('FI-53 looks for kinds of files', async () => {
    const F = await createFolder(cast.U1, cast.P1);
    const add = (name: string, file_mimetype: string) => upload(cast.U1, F, name, name, { file_mimetype });
    await add('a.png', 'image/png');
    await add('b.txt', 'text/plain');
    await add('c.mp3', 'audio/mpeg');
    await add('d.mp4', 'video/mp4');
    await add('e.bin', 'application/octet-stream');
    await add('f.odt', 'application/vnd.oasis.opendocument.text');
    const ofType = (type: string) => names(cast.U1, option('file_type', 'file_type', type), inFolder(F));
    expect(await ofType('images')).toEqual(['a.png']);
    expect(await ofType('documents')).toEqual(['b.txt', 'f.odt']);
    expect(await ofType('audio')).toEqual(['c.mp3']);
    expect(await ofType('video')).toEqual(['d.mp4']);
    expect(await ofType('other')).toEqual(['e.bin']);
  });

  it('finds composed and decomposed accents by either', async () => {
    const F = await createFolder(cast.U1, cast.P1);
    await upload(cast.U1, F, 'crème brûlée.txt');
    for (const form of ['NFC', 'NFD'])
      expect(await names(cast.U1, global('BRÛLÉE'.normalize(form)), inFolder(F))).toEqual(['crème brûlée.txt']);
  });

  it('FI-54 FI-55 searches a folder with all below it, each file once', async () => {
    const parent = await createFolder(cast.U1, cast.P1);
    const below = await createFolder(cast.U1, parent);
    const other = await createFolder(cast.U1, cast.P1);
    const id = await upload(cast.U1, below, 'plan of 54.txt', 'one', { description: 'for Ärger' });
    await upload(cast.U1, other, 'plan elsewhere of 54.txt');
    for (const text of ['two', 'three'])
      await addVersion(cast.U1, id, text, { description: 'for Ärger' }, {}, 'plan of 54.txt');
    expect(await names(cast.U1, global('plan of'), inFolder(parent))).toEqual(['plan of 54.txt']);
    const everywhere = await names(cast.U1, words('global', 'global', 'plan', '54'));
    expect(everywhere).toEqual(['plan elsewhere of 54.txt', 'plan of 54.txt']);
    const described = words('file_description', 'file_description', 'ärger');
    expect(await names(cast.U1, described, inFolder(parent))).toEqual(['plan of 54.txt']);
    expect(await names(cast.U1, words('file_name', 'file_name', 'ärger'), inFolder(parent))).toEqual([]);
  });

  it('answers columns, pages by title and dates', async () => {
    const F = await createFolder(cast.U1, cast.P1);
    for (const number of [3, 1, 2]) await upload(cast.U1, F, `page ${number}`);
    const ask = (facets: ChosenFacet[], body: object, columns = '702,7040') =>
      query(cast.U1, 'files', [...facets, inFolder(F)], { columns }, body);
    const { data } = await ask([], { start: 1, size: 1 });
    expect(data).toEqual({
      ...{ num_found: -1, start: 1, size: 1 },
      results: [{ id: expect.stringMatching(`^${F}/`), folder_id: F, filename: 'page 2' }],
    });
    expect((await query(cast.U1, 'drive', [inFolder(F)])).data.results[0]).toMatchObject({
      title: 'page 1',
      version: '1',
    });
    expect(await found(ask([bare('date', 'last_week')], {}), 'filename')).toHaveLength(3);
    expect(await found(ask([bare('date', `[* TO ${Date.now() - 86_400_000}]`)], {}), 'filename')).toEqual([]);
    expect(await found(ask([bare('date', '[* TO *]')], {}), 'filename')).toHaveLength(3);
    expect((await ask([], {}, 'nothing')).code).toBe('SVL-0010');
  });

  it('shows what its reader may see', async () => {
    const { U1, U2, P1 } = cast;
    const [open, closed] = [await createFolder(U1, P1, [[U2.userId, BITS.viewer]]), await createFolder(U1, P1)];
    await upload(U1, open, 'seen r55.txt');
    const shared = await upload(U1, closed, 'shared r55.txt');
    await upload(U1, closed, 'hidden r55.txt');
    const permission = { entity: U2.userId, group: false, bits: 1 };
    expect((await change(U1, shared, { object_permissions: [permission] })).error).toBeUndefined();
    expect(await names(U2, global('r55'))).toEqual(['seen r55.txt', 'shared r55.txt']);
    expect(await names(U2, global('r55'), bare('folder_type', 'shared'))).toEqual(['seen r55.txt', 'shared r55.txt']);
    expect(await names(U2, global('r55'), inFolder('10'))).toEqual(['seen r55.txt', 'shared r55.txt']);
    expect(await names(U2, global('r55'), bare('folder_type', 'private'))).toEqual([]);
    expect(await names(U2, global('r55'), inFolder(open))).toEqual(['seen r55.txt']);
    expect((await query(U2, 'files', [inFolder(closed)])).code).toBe('FIND-0014');
    expect(await names(U1, global('r55'), bare('folder_type', 'private'))).toHaveLength(3);
    for (const place of [bare('folder_type', 'public'), inFolder('15')])
      expect(await names(U1, global('r55'), place)).toEqual([]);
    expect(await names(U1, global('r55'), inFolder('9'))).toHaveLength(3);
    expect(await names(cast.X1, global('r55'))).toEqual([]);
  });

  it('searches a root of the tree with all below it', async () => {
    const { U1, U2, P1 } = cast;
    const open = await createFolder(U1, '15', [[U2.userId, BITS.viewer]]);
    const shared = await createFolder(U1, P1, [[U2.userId, BITS.viewer]]);
    await upload(U1, P1, 'home r57.txt');
    await upload(U1, await createFolder(U1, P1), 'below r57.txt');
    await upload(U1, shared, 'shared r57.txt');
    await upload(U1, open, 'open r57.txt');
    await remove(U1, [await upload(U1, P1, 'trashed r57.txt')]);
    const own = ['below r57.txt', 'home r57.txt', 'shared r57.txt'];
    expect(await names(U1, global('r57'), inFolder('10'))).toEqual(own);
    expect(await names(U1, global('r57'), inFolder('15'))).toEqual(['open r57.txt']);
    expect(await names(U1, global('r57'), inFolder('9'))).toEqual([...own.slice(0, 2), 'open r57.txt', own[2]]);
    expect(await names(U1, global('r57'), inFolder(P1))).toEqual(own);
    expect(await names(U2, global('r57'), inFolder('10'))).toEqual(['shared r57.txt']);
    expect(await names(U2, global('r57'), inFolder('15'))).toEqual(['open r57.txt']);
    expect(await names(U2, global('r57'), bare('folder_type', 'shared'))).toEqual(['shared r57.txt']);
  });

  it.each([
    ['FI-56 an unknown folder', [bare('folder', '999999')], 'FIND-0014'],
    ['a folder that is none', [bare('folder', 'x')], 'FIND-0014'],
    ['a folder without number', [bare('folder', '1000000007')], 'FIND-0014'],
    ['an account that is none', [bare('account', 'x')], 'FIND-0018'],
    ['another account', [bare('account', 'com.example.box://1')], 'FIND-0018'],
    ['an unknown type', [option('file_type', 'file_type', 'x')], 'FIND-0004'],
    ['an unknown size', [option('file_size', 'file_size', 'constructor')], 'FIND-0004'],
    ['an unknown date', [bare('date', '[later TO')], 'FIND-0004'],
    ['a facet of another module', [words('subject', 'subject', 'x')], 'FIND-0008'],
  ])('refuses %s', async (_case, facets, code) => {
    expect((await query(cast.U1, 'files', facets)).code).toBe(code);
  });

  it('takes the own account', async () => {
    const account = bare('account', 'com.example.infostore://infostore');
    expect((await query(cast.U1, 'files', [account])).error).toBeUndefined();
  });
});
