import { createHash } from 'node:crypto';
import path from 'node:path';
import { filesBelow, forEachAtOnce } from '@groupware/test-kit';
import { Client as Database } from 'pg';
import { createTestUser, PASSWORD } from '../fixtures';
import { update as updateFolder } from '../folders/folders';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  addVersion,
  all,
  BITS,
  change,
  column,
  createFileFixtures,
  createFolder,
  dataOf,
  download,
  FORCE,
  homeOf,
  move,
  post,
  read,
  remove,
  toForm,
  trashOf,
  tryCreate,
  tryUpload,
  upload,
  usedBytes,
  type FileFixtures,
} from './files';

let world: TestEnvironment;
let cast: FileFixtures;

beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** The files in the store, by name. */
const stored = () => filesBelow(path.join(world.environment.DATA_DIR!, 'files')).sort();
/** Uploads of one name; `E2E_RACING_UPLOADS=1000` for the full size. */
const RACING_UPLOADS = Number(process.env.E2E_RACING_UPLOADS ?? 20);
/** So many of them are under way at once: they wait for each other, and none longer than a call may take. */
const UPLOADS_AT_ONCE = 100;

const freshFolder = (rights: [number, number][] = []) => createFolder(cast.U1, cast.P1, rights);

describe('a new document', () => {
  it('FL-11 has no file when none is sent', async () => {
    const { U1, A } = cast;
    const { data } = await tryCreate(U1, { folder_id: A, title: 'Link list', url: 'https://intranet.example/x' });
    expect(data).toMatch(new RegExp(`^${A}/\\d+$`));
    expect(await dataOf(U1, data)).toMatchObject({
      ...{ id: data, folder_id: A, title: 'Link list', url: 'https://intranet.example/x' },
      ...{ version: '0', number_of_versions: 0, locked_until: 0 },
    });
    expect(await dataOf(U1, data)).not.toHaveProperty('filename');
  });

  it('FL-12 needs a folder', async () => {
    expect((await tryCreate(cast.U1, { file: { title: 'T' } })).code).toBe('SVL-0002');
    expect((await tryCreate(cast.U1, {})).code).toBe('SVL-0002');
  });

  it('FL-13 FL-14 FL-15 FL-16 FL-18 is made of the first file of a form, whatever the order of the parts', async () => {
    const { U1 } = cast;
    const folder = await freshFolder();
    const form = new FormData();
    form.append('file', new Blob(['# one'], { type: 'application/octet-stream' }), 'notes.md');
    form.append('file', new Blob(['two']), 'second.txt');
    form.set('json', JSON.stringify({ folder_id: folder }));
    const { data } = await post(U1, 'new', {}, form);
    expect(await dataOf(U1, data)).toMatchObject({
      ...{ filename: 'notes.md', title: 'notes.md', file_mimetype: 'text/markdown', version: '1' },
      ...{
        number_of_versions: 1,
        file_size: 5,
        file_md5sum: createHash('md5').update('# one').digest('hex'),
        current_version: true,
      },
      created_by: String(U1.userId),
    });
    const none = await post(U1, 'new', {}, toForm({ folder_id: folder, title: 'none' }));
    expect(await dataOf(U1, none.data)).toMatchObject({ title: 'none', version: '0', number_of_versions: 0 });
    expect((await post(U1, 'new', {}, toForm('no json', { name: 'a', bytes: 'a' }))).code).toBe('SVL-0029');
    const numbered = (json: object, name: string): FormData => {
      const form = new FormData();
      form.set('json_0', JSON.stringify(json));
      form.append('file_0', new Blob([name]), name);
      return form;
    };
    const { data: id } = await post(U1, 'new', {}, numbered({ folder_id: cast.A }, 'numbered.txt'));
    const next = numbered({ description: 'numbered' }, 'next.txt');
    expect((await post(U1, 'update', { id, timestamp: FORCE }, next)).data).toBe(id);
    expect(await dataOf(U1, id)).toMatchObject({ filename: 'next.txt', description: 'numbered', version: '2' });
    expect(await column(U1, folder, 702)).toEqual(['notes.md', null]);
  });

  it('FL-19 FL-22 FL-23 refuses names that are missing, too long or bad', async () => {
    const { U1, A } = cast;
    const bad = (filename: string) => tryUpload(U1, A, 'x', 'x', { filename });
    expect(await bad('x'.repeat(300))).toMatchObject({ code: 'IFO-0100', truncated: [702] });
    expect((await bad('a/b')).code).toBe('IFO-2101');
    expect((await bad('a\u0001b')).code).toBe('IFO-2103');
    expect((await bad('\ud800')).code).toBe('IFO-2103');
    const type = await tryUpload(U1, A, 'x', 'x', { file_mimetype: 'multipart/mixed; boundary=x' });
    expect(type.code).toBe('FILE_STORAGE-0071');
  });

  it('FL-28 leaves no bytes behind when it is refused', async () => {
    const { U1, A } = cast;
    const before = [stored(), await usedBytes(U1)];
    const refused = await tryUpload(U1, A, 'a.txt', 'never kept', { title: 'x'.repeat(800) });
    expect(refused).toMatchObject({ code: 'IFO-0100', truncated: [700] });
    expect([stored(), await usedBytes(U1)]).toEqual(before);
  });

  it('FL-45 FL-46 is read at once, also by its id alone', async () => {
    const { U1, A } = cast;
    const made = await tryUpload(U1, A, 'fresh.txt', 'fresh', { description: 'D' });
    const id = String(made.data);
    const fresh = {
      ...{ id, folder_id: A, filename: 'fresh.txt', title: 'fresh.txt', description: 'D', version: '1' },
      ...{ file_size: 5, number_of_versions: 1, current_version: true, locked_until: 0 },
      ...{ last_modified: made.timestamp, last_modified_utc: made.timestamp },
      ...{ created_by: String(U1.userId), modified_by: String(U1.userId) },
    };
    expect(await dataOf(U1, id)).toMatchObject(fresh);
    expect((await U1.get('infostore', 'get', { id })).data).toMatchObject(fresh);
  });

  it('FL-20 is made of a body as it is', async () => {
    const { U1, A } = cast;
    const query = { action: 'upload', binary: true, session: U1.session, folder_id: A, filename: 'café.csv' };
    const headers = { 'content-type': 'application/octet-stream' };
    const fields = { description: 'Menu', meta: '{"table":7}' };
    const response = await U1.fetch('PUT', '/files', { ...query, ...fields }, { body: 'a;b', headers });
    const { data } = (await response.json()) as { data: string };
    expect(await dataOf(U1, data)).toMatchObject({
      filename: 'café.csv',
      description: 'Menu',
      meta: { table: 7 },
      file_mimetype: 'text/csv',
    });
    for (const [meta, code] of [
      ['{', 'SVL-0010'],
      ['[1]', 'IFO-2100'],
    ] as const) {
      const refused = await U1.fetch('PUT', '/infostore', { ...query, meta }, { body: 'x', headers });
      expect(await refused.json()).toMatchObject({ code });
    }
    const empty = await U1.fetch('PUT', '/infostore', { ...query, filename: 'empty' });
    const id = ((await empty.json()) as { data: string }).data;
    expect(await dataOf(U1, id)).toMatchObject({ file_size: 0, file_md5sum: 'd41d8cd98f00b204e9800998ecf8427e' });
    expect(await (await download(U1, id)).text()).toBe('');
    const noName = await U1.fetch('PUT', '/infostore', { ...query, filename: undefined }, { body: 'x' });
    expect(await noName.json()).toMatchObject({ code: 'SVL-0002' });
  });

  it('FL-21 FL-34 FL-35 FL-36 gets a number when its name is taken', async () => {
    const { U1 } = cast;
    const folder = await freshFolder();
    for (const name of [
      'e\u0301.txt',
      '\u00e9.txt',
      'archive.tar.gz',
      'ARCHIVE.tar.gz',
      '.profile',
      '.profile',
      'README',
      'README',
    ])
      await upload(U1, folder, name);
    for (const name of ['x.txt', 'x (1).txt', 'x (3).txt', 'x.txt']) await upload(U1, folder, name);
    expect(await column(U1, folder, 702)).toEqual([
      ...['\u00e9.txt', '\u00e9 (1).txt', 'archive.tar.gz', 'ARCHIVE.tar (1).gz', '.profile', '.profile (1)'],
      ...['README', 'README (1)', 'x.txt', 'x (1).txt', 'x (3).txt', 'x (2).txt'],
    ]);
  });

  it('FL-24 gets a name of its own beside others that come at once', async () => {
    const { U1 } = cast;
    const folder = await freshFolder();
    // Some of very many at once are told to come again: nothing of theirs is stored.
    const insist = async (text: string): Promise<string> => {
      const { code, data, ...others } = await tryUpload(U1, folder, 'a.txt', text);
      if (code === 'SVL-0032') return insist(text);
      if (typeof data !== 'string') throw new Error(JSON.stringify({ code, ...others }));
      return data;
    };
    const ids: string[] = [];
    await forEachAtOnce(UPLOADS_AT_ONCE, Array(RACING_UPLOADS).keys(), async (index) => {
      ids[index] = await insist(`text ${index}`);
    });
    expect(new Set(await column(U1, folder, 702)).size).toBe(RACING_UPLOADS);
    for (const [index, id] of ids.entries()) expect(await (await download(U1, id)).text()).toBe(`text ${index}`);
  }, 600_000);

  it('FL-32 FL-33 needs the right to create', async () => {
    const { U1, U2 } = cast;
    const [seen, shared] = [
      await freshFolder([[U2.userId, BITS.viewer]]),
      await freshFolder([[U2.userId, BITS.author]]),
    ];
    expect((await tryUpload(U2, seen, 'a.txt')).code).toBe('IFO-0402');
    const id = await upload(U2, shared, 'u2.txt');
    expect(await column(U1, shared, 2)).toEqual([String(U2.userId)]);
    expect((await remove(U1, [id])).data).toEqual([]);
  });

  it('becomes a version where that is asked for', async () => {
    const { U1 } = cast;
    const folder = await freshFolder();
    const id = await upload(U1, folder, 'a.txt', 'one');
    expect(await upload(U1, folder, 'A.txt', 'two', {}, { try_add_version: true })).toBe(id);
    expect(await dataOf(U1, id)).toMatchObject({ version: '2', number_of_versions: 2, filename: 'A.txt' });
    expect(await upload(U1, folder, 'a.txt', 'three', {}, { tryAddVersion: true })).toBe(id);
    const text = await U1.put('infostore', 'new', {}, { folder_id: folder, filename: 'text.txt', content: 'Grüße' });
    expect(await (await download(U1, text.data)).text()).toBe('Grüße');
  });

  it.each([
    ['a slash', 'own', { filename: 'a/b' }, 'IFO-2101'],
    ['a bad address', 'own', { url: 'http://' }, 'IFO-2100'],
    ['a script as address', 'own', { url: 'javascript:alert(1)' }, 'IFO-2100'],
    ['a script in disguise', 'own', { url: ' Java\tScript:1/alert(1)' }, 'IFO-2100'],
    ['a page as address', 'own', { url: 'data:text/html,<script>alert(1)</script>' }, 'IFO-2100'],
    ['bad data', 'own', { meta: [1] }, 'IFO-2100'],
    ['a folder of another module', '6', {}, 'IFO-0302'],
    ['a folder that holds folders only', '15', {}, 'IFO-1700'],
    ['the folder of what others share', '10', {}, 'IFO-1700'],
    ['a folder that is not there', '160008', {}, 'FLD-0008'],
    ['no folder', 'nonsense', {}, 'FLD-1025'],
  ])('is refused with %s', async (_what, place, fields, code) => {
    const folder = place === 'own' ? cast.A : place;
    expect((await tryCreate(cast.U1, { ...fields, folder_id: folder })).code).toBe(code);
    expect((await tryUpload(cast.U1, folder, 'a', 'a', fields)).code).toBe(code);
  });
});

describe('versions', () => {
  it('FL-59 FL-60 are numbered and never forgotten', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'v.txt', 'one', { description: 'D' });
    expect((await addVersion(U1, id, 'two', { version_comment: 'second' })).data).toBe(id);
    expect(await dataOf(U1, id)).toMatchObject({ version: '2', version_comment: 'second', description: 'D' });
    expect(await dataOf(U1, id, { version: '1' })).toMatchObject({ version: '1', current_version: false });
    expect(await dataOf(U1, id, { version: '1' })).not.toHaveProperty('version_comment');
    expect(await (await download(U1, id, { version: 1 })).text()).toBe('one');
    expect((await change(U1, id, { version: '1' })).data).toBe(id);
    expect(await dataOf(U1, id)).toMatchObject({ version: '1', number_of_versions: 2 });
    expect((await change(U1, id, { version: '9' })).code).toBe('FILE_STORAGE-0039');
    expect((await read(U1, id, { version: '9' })).code).toBe('FILE_STORAGE-0039');
  });

  it('FL-61 that never were have no bytes', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'three.txt', 'one');
    for (const text of ['two', 'three']) await addVersion(U1, id, text);
    expect(await (await download(U1, id, { version: 2 })).text()).toBe('two');
    expect(await (await download(U1, id, { version: 9 })).json()).toMatchObject({ code: 'FILE_STORAGE-0039' });
  });

  it('FL-66 are listed by the hundred', async () => {
    const { U1, A, contextId } = cast;
    const id = await upload(U1, A, 'many.txt', 'x');
    const database = new Database({ connectionString: world.environment.DATABASE_URL });
    await database.connect();
    const document = [contextId, Number(id.split('/')[1])];
    await database.query(
      `insert into files.document_version (context_id, document_id, version, created_by, created, filename, size_bytes)
       select context_id, document_id, n, created_by, created, filename, n from files.document_version, generate_series(2, 300) n
       where context_id = $1 and document_id = $2`,
      document,
    );
    await database.query(
      'update files.document set version = 300, last_version = 300, versions = 300 where context_id = $1 and id = $2',
      document,
    );
    await database.end();
    const { data } = await U1.get('infostore', 'versions', { id, columns: '705,704', sort: 705, order: 'desc' });
    expect(data).toEqual(Array.from({ length: 300 }, (_none, index) => [String(300 - index), 300 - index || 1]));
  });

  it('FL-67 of users who have them deleted are the newest ones', async () => {
    const { U1, A, contextId, admin } = cast;
    const key = 'com.example.infostore.autodelete.default.maxVersions';
    const place = `/admin/v1/contexts/${contextId}`;
    await admin.expect('PUT', `${place}/config/${key}`, { value: '2' });
    const capable = await createTestUser(world, admin, contextId, 'capable');
    await admin.expect('PATCH', `${place}/users/${capable.userId}`, {
      capabilities: { add: ['autodelete_file_versions'] },
    });
    await capable.login(capable.loginName, PASSWORD);
    const folder = await freshFolder([[capable.userId, BITS.author]]);
    const versionsOf = async (id: string) =>
      (await U1.get('infostore', 'versions', { id, columns: '705' })).data.map(([version]: [string]) => version);
    const used = await usedBytes(U1);
    const id = await upload(capable, folder, 'v.txt', 'one');
    for (const text of ['two two', 'three']) await addVersion(capable, id, text);
    expect(await versionsOf(id)).toEqual(['2', '3']);
    expect(await dataOf(U1, id)).toMatchObject({ version: '3', number_of_versions: 2 });
    expect(await usedBytes(U1)).toBe(used + 12);
    await tryUpload(capable, folder, 'v.txt', 'four', {}, { try_add_version: true });
    expect(await versionsOf(id)).toEqual(['3', '4']);
    expect(await (await download(U1, id, { version: 1 })).json()).toMatchObject({ code: 'FILE_STORAGE-0039' });
    // Others keep all of them.
    const kept = await upload(U1, A, 'kept.txt', 'one');
    for (const text of ['two', 'three']) await addVersion(U1, kept, text);
    expect(await versionsOf(kept)).toEqual(['1', '2', '3']);
    await admin.request('DELETE', `${place}/config/${key}`);
  });

  it('FL-39 keep the names that they had', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'offer.docx', 'one', { title: 'Offer' });
    await addVersion(U1, id, 'two', {}, {}, 'final.docx');
    const { data } = await U1.get('infostore', 'versions', { id, columns: '705,702,700' });
    expect(data).toEqual([
      ['1', 'offer.docx', 'Offer'],
      ['2', 'final.docx', 'Offer'],
    ]);
  });

  it('FL-62 are replaced where that is asked for', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'r.txt', 'one');
    await addVersion(U1, id, 'two');
    await addVersion(U1, id, 'three', {}, { ignoreVersion: true });
    expect(await dataOf(U1, id)).toMatchObject({ version: '2', number_of_versions: 2, file_size: 5 });
    expect(await (await download(U1, id)).text()).toBe('three');
  });

  it('FL-63 FL-64 go by detach, their numbers never come back', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'd.txt', '1');
    for (const text of ['22', '333', '4444']) await addVersion(U1, id, text);
    const detach = (versions: unknown[], timestamp: string | number = FORCE) =>
      U1.put('infostore', 'detach', { id, folder: A, timestamp }, versions);
    expect((await detach([1], 0)).data).toEqual([1]);
    expect((await detach([2, '3', 9])).data).toEqual([9]);
    expect((await U1.get('infostore', 'versions', { id, columns: '705' })).data).toEqual([['1'], ['4']]);
    expect((await detach([4])).data).toEqual([]);
    expect(await dataOf(U1, id)).toMatchObject({ version: '1', number_of_versions: 1 });
    await addVersion(U1, id, 'five');
    expect(await dataOf(U1, id)).toMatchObject({ version: '5' });
    expect((await U1.put('infostore', 'revert', { id, folder: A, timestamp: FORCE }, {})).data).toEqual({});
    expect(await dataOf(U1, id)).toMatchObject({ version: '0', number_of_versions: 0 });
    expect(((await (await download(U1, id)).json()) as any).code).toBe('IFO-0500');
    await addVersion(U1, id, 'six');
    expect(await dataOf(U1, id)).toMatchObject({ version: '6', number_of_versions: 1 });
  });

  it('FL-65 go only with the right to delete', async () => {
    const { U1, U2 } = cast;
    const writes = 4 + 128 * 2 + 16384 * 2;
    const folder = await freshFolder([[U2.userId, writes]]);
    const id = await upload(U1, folder, 'a.txt');
    expect((await U2.put('infostore', 'detach', { id, folder, timestamp: FORCE }, [1])).code).toBe('IFO-0406');
    expect((await U2.put('infostore', 'revert', { id, folder, timestamp: FORCE }, {})).code).toBe('IFO-0406');
  });

  it('FL-68 of two writers with one timestamp: one wins', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'race.txt', 'one');
    const { last_modified_utc: timestamp } = await dataOf(U1, id);
    const answers = await Promise.all(['two', 'three'].map((text) => addVersion(U1, id, text, {}, { timestamp })));
    expect(answers.map(({ code }) => code).sort()).toEqual(['IFO-1302', undefined]);
    expect(await dataOf(U1, id)).toMatchObject({ version: '2', number_of_versions: 2 });
  });
});

describe('a change', () => {
  it('that is forced takes place wherever the document is moved meanwhile', async () => {
    const { U1, A, B } = cast;
    const id = await upload(U1, A, 'moving.txt');
    for (let round = 1; round <= 8; round += 1) {
      const description = `round ${round}`;
      const [moved, changed] = await Promise.all([
        U1.get('infostore', 'move', { id, folder: round % 2 ? B : A, timestamp: FORCE }),
        change(U1, id, { description }),
      ]);
      expect([moved.code, changed.code]).toEqual([undefined, undefined]);
      expect((await dataOf(U1, id)).description).toBe(description);
    }
  });

  it('FL-40 FL-69 FL-70 FL-71 FL-72 writes what may be written', async () => {
    const { U1, A } = cast;
    const id = await upload(U1, A, 'c.txt', 'text', { description: 'D' });
    await change(U1, id, { created_by: '1', file_size: 99, file_md5sum: 'x', filename: 'renamed.txt', color_label: 3 });
    expect(await dataOf(U1, id)).toMatchObject({
      title: 'renamed.txt',
      filename: 'renamed.txt',
      file_size: 4,
      color_label: 3,
    });
    await change(U1, id, { title: 'Other', description: null, meta: { a: [1] }, categories: 'a,b' });
    await change(U1, id, { filename: 'again.txt' }, { timestamp: '9007199254740991' });
    const data = await dataOf(U1, id);
    expect(data).toMatchObject({ title: 'Other', filename: 'again.txt', meta: { a: [1] }, categories: 'a,b' });
    expect(data).not.toHaveProperty('description');
    // A document with content has a name.
    for (const filename of [null, '']) expect((await change(U1, id, { filename })).code).toBe('FILE_STORAGE-0049');
    expect((await U1.put('infostore', 'update', { id }, {})).code).toBe('SVL-0002');
    expect((await change(U1, id, { title: 'x' }, { timestamp: 1 })).code).toBe('IFO-1302');
  });

  it('FL-73 says what it did when asked', async () => {
    const { U1 } = cast;
    const folder = await freshFolder();
    await upload(U1, folder, 'taken.txt');
    const id = await upload(U1, folder, 'other.txt');
    const { data } = await change(U1, id, { filename: 'taken.txt' }, { extendedResponse: true });
    expect(data).toMatchObject({ id, filename: 'taken (1).txt', save_action: 'rename' });
  });

  it('FL-74 is refused without rights', async () => {
    const { U1, U2, A } = cast;
    const id = await upload(U1, A, 'secret.txt');
    expect((await change(U2, id, { title: 'x' })).code).toBe('IFO-0400');
    expect((await change(U1, `${A}/2000000000`, {})).code).toBe('IFO-0300');
    expect((await change(U1, 'nonsense', {})).code).toBe('IFO-0300');
  });
});

describe('places', () => {
  it('of first deletions at once are one trash', async () => {
    const user = await createTestUser(world, cast.admin, cast.contextId, `first${Math.random().toString().slice(2)}`);
    const home = await homeOf(user);
    const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => upload(user, home, `${index}.txt`)));
    const answers = await Promise.all(ids.map((id) => remove(user, [id])));
    expect(answers.map(({ data, code }) => code ?? data)).toEqual(ids.map(() => []));
    expect(await column(user, await trashOf(user), 702)).toHaveLength(6);
  });

  it('FL-82 FL-83 FL-84 FL-87 of documents change by move', async () => {
    const { U1, P1 } = cast;
    const [from, to] = [await createFolder(U1, P1), await createFolder(U1, P1)];
    const ids = await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((name) => upload(U1, from, name)));
    await upload(U1, to, 'b.txt');
    expect((await move(U1, [ids[0]!], from)).data).toEqual([]);
    expect((await move(U1, ids, to, { autorename: false })).data).toEqual([{ id: ids[1], folder: from }]);
    expect((await move(U1, [ids[1]!, `${from}/2000000000`], to)).data).toEqual([
      { id: `${from}/2000000000`, folder: from },
    ]);
    expect((await column(U1, to, 702)).sort()).toEqual(['a.txt', 'b (1).txt', 'b.txt', 'c.txt']);
    expect((await dataOf(U1, ids[0]!)).id).toBe(ids[0]!.replace(from, to));
    const one = await U1.get('infostore', 'move', { id: ids[0], folder: from, timestamp: FORCE });
    expect(one.data).toBe(ids[0]);
    expect((await change(U1, ids[0]!, { folder_id: to })).data).toBe(ids[0]!.replace(from, to));
  });

  it('FL-38 FL-90 FL-91 FL-94 are the trash first, and the old ones again', async () => {
    const { U1, P1, T1 } = cast;
    const folder = await createFolder(U1, P1, [], 'Plans');
    const first = await upload(U1, folder, 'z.txt', 'first');
    expect((await remove(U1, [first])).data).toEqual([]);
    const second = await upload(U1, folder, 'z.txt', 'second');
    expect((await remove(U1, [second, `${folder}/2000000000`])).data).toEqual([{ id: `${folder}/2000000000`, folder }]);
    expect(await all(U1, folder)).toMatchObject({ data: [] });
    const trashed = [first, second].map((id) => id.replace(folder, T1));
    expect((await dataOf(U1, trashed[0]!)).origin).toMatch(/Plans$/);
    const { data } = await U1.put(
      'infostore',
      'restore',
      {},
      trashed.map((id) => ({ id, folder: T1 })),
    );
    expect(data.map(({ id }: { id: string }) => id)).toEqual(trashed);
    expect(data[0].path[0]).toEqual({ id: folder, title: 'Plans' });
    expect((await column(U1, folder, 702)).sort()).toEqual(['z (1).txt', 'z.txt']);
    expect((await U1.put('infostore', 'restore', {}, [{ id: first, folder }])).code).toBe('IFO-0300');
    expect((await remove(U1, [])).data).toEqual([]);
  });

  it('return from folders that were thrown away, to where those stood', async () => {
    const { U1, P1, T1 } = cast;
    const folder = await createFolder(U1, P1, [], 'Thrown');
    const below = await createFolder(U1, folder, [], 'Below');
    const ids = [await upload(U1, below, 'in.txt'), await upload(U1, folder, 'beside.txt')];
    await U1.put('folders', 'delete', { timestamp: 9e15, tree: 0 }, [folder]);
    const references = ids.map((id) => ({ id, folder: id.split('/')[0] }));
    const { data } = await U1.put('infostore', 'restore', {}, references);
    const paths = data.map(({ path }: { path: { id: string; title: string }[] }) => path);
    expect(paths[0].slice(0, 2).map(({ title }: { title: string }) => title)).toEqual(['Below', 'Thrown']);
    expect([paths[0][2].id, paths[1][0].id, paths[1][1].id]).toEqual([P1, paths[0][1].id, P1]);
    expect(paths[0][1].id).not.toBe(folder);
    expect(await column(U1, paths[0][0].id, 702)).toEqual(['in.txt']);
    const trashed = await upload(U1, T1, 'put there.txt');
    expect((await U1.put('infostore', 'restore', {}, [{ id: trashed, folder: T1 }])).code).toBe('IFO-0300');
  });

  it('return only to folders that their user may write', async () => {
    const { U1, U2, P1 } = cast;
    const removing = BITS.viewer | (2 << 21);
    for (const [rights, code] of [
      [removing, 'IFO-0404'],
      [0, 'IFO-0404'],
      [removing + 1, undefined],
    ] as const) {
      const folder = await createFolder(U1, P1, [[U2.userId, removing]]);
      const id = await upload(U1, folder, 'plan.txt', 'by U1');
      expect((await remove(U2, [id])).data).toEqual([]);
      const trashed = id.replace(folder, await trashOf(U2));
      expect((await addVersion(U2, trashed, 'by U2')).error).toBeUndefined();
      await updateFolder(U1, folder, {
        permissions: [
          { entity: U1.userId, group: false, bits: BITS.administrator },
          ...(rights > 0 ? [{ entity: U2.userId, group: false, bits: rights }] : []),
        ],
      });
      expect((await U2.put('infostore', 'restore', {}, [{ id: trashed }])).code).toBe(code);
      expect(await column(U1, folder, 702)).toHaveLength(code ? 0 : 1);
    }
  });

  it('are the trash of whoever deletes; from there documents go for good', async () => {
    const { U1, U2, T1 } = cast;
    const folder = await freshFolder([[U2.userId, BITS.administrator]]);
    const id = await upload(U1, folder, 'FL-92.txt');
    expect((await remove(U2, [id])).data).toEqual([]);
    expect(await column(U1, T1, 702)).not.toContain('FL-92.txt');
    const own = await upload(U1, folder, 'gone.txt');
    await remove(U1, [own]);
    expect((await remove(U1, [own.replace(folder, T1)])).data).toEqual([]);
    expect((await read(U1, own)).code).toBe('IFO-0300');
    const hard = await upload(U1, folder, 'hard.txt');
    expect((await remove(U1, [hard], { hardDelete: true })).data).toEqual([]);
    expect((await read(U1, hard)).code).toBe('IFO-0300');
  });

  it('are the trash by any way in: documents lose their shares and know where they were', async () => {
    const { U1, U2, P1, T1 } = cast;
    const folder = await createFolder(U1, P1, [], 'Drafts');
    const object_permissions = [{ entity: U2.userId, bits: 1 }];
    const ways: Record<string, (id: string) => Promise<unknown>> = {
      'delete.txt': (id) => remove(U1, [id]),
      'move.txt': (id) => move(U1, [id], T1),
      'move-one.txt': (id) => U1.get('infostore', 'move', { id, folder: T1, timestamp: FORCE }),
      'update.txt': (id) => change(U1, id, { folder_id: T1 }),
      'clear.txt': () => U1.put('folders', 'clear', {}, [folder]),
    };
    for (const [name, throwAway] of Object.entries(ways)) {
      const id = await upload(U1, folder, name, name, { object_permissions });
      await throwAway(id);
      const trashed = id.replace(folder, T1);
      const document = await dataOf(U1, trashed);
      expect([name, document.folder_id, document.object_permissions]).toEqual([name, T1, undefined]);
      expect([name, document.origin]).toEqual([name, expect.stringMatching(/\/Drafts$/)]);
      expect([name, (await read(U2, `10/${id.split('/')[1]}`)).code]).toEqual([name, 'IFO-0400']);
      const restored = await U1.put('infostore', 'restore', {}, [{ id: trashed, folder: T1 }]);
      expect([name, restored.data[0].path[0].id]).toEqual([name, folder]);
    }
    // Taken out by a move it is as one that was restored.
    const id = await upload(U1, folder, 'out.txt');
    await move(U1, [id], T1);
    await move(U1, [id.replace(folder, T1)], folder);
    expect(await dataOf(U1, id)).not.toHaveProperty('origin');
  });

  it('keep the shares of documents but for public folders', async () => {
    const { U1, U2, P1 } = cast;
    const [from, to, open] = [await createFolder(U1, P1), await createFolder(U1, P1), await createFolder(U1, '15')];
    const id = await upload(U1, from, 'a.txt', 'a', { object_permissions: [{ entity: U2.userId, bits: 1 }] });
    await move(U1, [id], to);
    expect((await dataOf(U1, id.replace(from, to))).object_permissions).toHaveLength(1);
    await move(U1, [id.replace(from, to)], open);
    expect(await dataOf(U1, id.replace(from, open))).not.toHaveProperty('object_permissions');
  });

  it('FL-37 FL-88 FL-89 are any folder of a copy', async () => {
    const { U1, U2, P2 } = cast;
    const folder = await freshFolder([[U2.userId, BITS.viewer]]);
    const id = await upload(U1, folder, 'y.txt', 'text');
    await addVersion(U1, id, 'newer', {}, {}, 'y.txt');
    const copy = (user: typeof U1, body: object, parameters: object = {}) =>
      user.put('infostore', 'copy', { id, ...parameters }, body);
    expect(await dataOf(U1, (await copy(U1, {})).data)).toMatchObject({
      filename: 'y (1).txt',
      title: 'y (1).txt',
      version: '1',
    });
    const named = await copy(U2, { file: { folder_id: P2, filename: 'new.txt' } }, { version: 1 });
    expect(await dataOf(U2, named.data)).toMatchObject({
      filename: 'new.txt',
      created_by: String(U2.userId),
      file_size: 4,
    });
    const several = await U2.put('infostore', 'copy', { folder: P2 }, [{ id, folder }]);
    expect(await dataOf(U2, several.data[0])).toMatchObject({ filename: 'y.txt', file_size: 5 });
    const withFile = await post(U1, 'copy', { id }, toForm({ folder_id: folder }, { name: 'z.bin', bytes: 'z' }));
    expect(await dataOf(U1, withFile.data)).toMatchObject({ filename: 'z.bin', file_size: 1 });
    expect((await copy(U2, {})).code).toBe('IFO-0402');
  });
});

describe('a lock', () => {
  it('FL-75 FL-76 FL-79 FL-80 keeps others from changes', async () => {
    const { U1, U2 } = cast;
    const folder = await freshFolder([[U2.userId, BITS.administrator]]);
    const [id, other] = [await upload(U1, folder, 'l.txt'), await upload(U1, folder, 'm.txt')];
    const lock = (user: typeof U1, action: string, parameters: object = {}) =>
      user.get('infostore', action, { id, ...parameters });
    const before = await dataOf(U1, id);
    const locked = await lock(U1, 'lock', { diff: 600_000 });
    expect(locked.timestamp).toBeGreaterThan(before.last_modified_utc);
    const until = (await dataOf(U2, id)).locked_until;
    expect(Math.abs(until - Date.now() - 600_000)).toBeLessThan(60_000);
    expect((await change(U2, id, { title: 'x' })).code).toBe('IFO-0415');
    expect((await remove(U2, [other, id])).code).toBe('IFO-0415');
    expect(await column(U1, folder, 702)).toEqual(['l.txt', 'm.txt']);
    expect((await move(U2, [id], cast.P2)).code).toBe('IFO-0415');
    expect((await lock(U2, 'lock')).code).toBe('IFO-0415');
    expect((await U2.put('infostore', 'detach', { id, folder, timestamp: FORCE }, [1])).data).toEqual([1]);
    expect((await U2.put('infostore', 'revert', { id, folder, timestamp: FORCE }, {})).code).toBe('IFO-0415');
    expect((await U2.get('infostore', 'move', { id, folder: cast.P2, timestamp: FORCE })).code).toBe('IFO-0415');
    const copy = await U2.put('infostore', 'copy', { id }, {});
    expect((await dataOf(U2, copy.data)).locked_until).toBe(0);
    expect(await (await download(U2, id)).text()).toBe('l.txt');
    expect((await change(U1, id, { title: 'mine' })).data).toBe(id);
    expect((await lock(U1, 'lock', { diff: 1_000_000 })).data).toBe(true);
    const longer = (await dataOf(U2, id)).locked_until;
    expect(Math.abs(longer - Date.now() - 1_000_000)).toBeLessThan(60_000);
    expect(longer).toBeGreaterThan(until);
    expect((await lock(U1, 'unlock')).data).toBe(true);
    expect((await dataOf(U2, id)).locked_until).toBe(0);
  });

  it('FL-78 is that of its user, whatever session made it', async () => {
    const { U1, U2, UB } = cast;
    const folder = await freshFolder([
      [UB.userId, BITS.author],
      [U2.userId, BITS.administrator],
    ]);
    const id = await upload(UB, folder, 'l.txt');
    expect((await UB.get('infostore', 'lock', { id, diff: 600_000 })).data).toBe(true);
    const before = UB.session;
    await UB.fetch('GET', '/login', { action: 'logout', session: before });
    expect((await UB.login(UB.loginName, PASSWORD)).session).not.toBe(before);
    expect((await change(U2, id, { title: 'x' })).code).toBe('IFO-0415');
    expect((await change(UB, id, { title: 'mine' })).data).toBe(id);
    expect((await dataOf(U1, id)).title).toBe('mine');
  });

  it('needs the right to write, and belongs to its holder', async () => {
    const { U1, U2, U3 } = cast;
    const folder = await freshFolder([
      [U2.userId, BITS.viewer],
      [U3.userId, BITS.author],
    ]);
    const id = await upload(U1, folder, 'l.txt');
    expect((await U2.get('infostore', 'lock', { id })).code).toBe('IFO-0418');
    expect((await U2.get('infostore', 'unlock', { id })).code).toBe('IFO-0417');
    const own = await upload(U3, folder, 'own.txt');
    const mine = await upload(U1, folder, 'mine.txt');
    await U1.get('infostore', 'lock', { id: mine });
    expect((await U3.get('infostore', 'unlock', { id: mine })).code).toBe('IFO-0416');
    await U3.get('infostore', 'lock', { id: own });
    // FL-77: an administrator of the folder ends every lock.
    expect((await U1.get('infostore', 'unlock', { id: own })).data).toBe(true);
  });
});
