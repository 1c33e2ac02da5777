import path from 'node:path';
import { update } from '../calendar/calendar';
import { createFixtures, type Fixtures } from '../fixtures';
import { SENT_TWICE, startTestEnvironment, type TestEnvironment } from '../test-environment';
import { filesBelow, until } from '@groupware/test-kit';
import { unzipped } from './zip';
import { attach, attachFiles, attachedOneByOne, countOf, download, newObject, rows, type Target } from './attachments';

let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({ variables: SENT_TWICE });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

/** Files of the store, claimed or not. */
const storedFiles = (): string[] => filesBelow(path.join(world.environment.DATA_DIR!, 'files'));
/** Lists the files stored from now on; those of earlier tests may go at any time. */
function watchStoredFiles(): () => string[] {
  const before = new Set(storedFiles());
  return () => storedFiles().filter((file) => !before.has(file));
}
const names = (found: any[][]): unknown[] => found.map((row) => row.at(-1));

describe('one attachment', () => {
  let target: Target;
  let id: number;
  const content = 'a text of 32 bytes, counted out.';

  it('AT-01 is attached by a form and answered in a page', async () => {
    target = await newObject(cast.U1);
    const answer = await attach(cast.U1, target, [{ name: 'test.txt', content }]);
    expect(answer).toEqual({ data: [expect.any(Number)], timestamp: expect.any(Number) });
    id = answer.data[0];
  });

  it('AT-02 is read with all its fields', async () => {
    const { data } = await cast.U1.get('attachment', 'get', { id, ...target });
    expect(data).toMatchObject({
      id,
      created_by: String(cast.U1.userId),
      filename: 'test.txt',
      file_mimetype: 'text/plain',
      file_size: 32,
      ...target,
    });
  });

  it('AT-03 gives its bytes, with its type or the one asked for', async () => {
    const plain = await download(cast.U1, target, id);
    expect(plain.headers.get('content-type')).toBe('text/plain');
    expect(plain.headers.get('content-disposition')).toBe('attachment; filename="test.txt"');
    expect(await plain.text()).toBe(content);
    const asked = await download(cast.U1, target, id, { content_type: 'application/octet-stream' });
    expect(asked.headers.get('content-type')).toBe('application/octet-stream');
    const named = await cast.U1.fetch('GET', '/attachment/any%20name.txt', {
      action: 'document',
      session: cast.U1.session,
      id,
      ...target,
    });
    expect(await named.text()).toBe(content);
  });

  it('AT-04 gives a part of its bytes', async () => {
    const part = await download(cast.U1, target, id, { off: 5, len: 8 });
    expect(part.headers.get('content-length')).toBe('8');
    expect(await part.text()).toBe(content.slice(5, 13));
    expect(await (await download(cast.U1, target, id, { off: 30, len: 100 })).text()).toBe('t.');
    expect(await (await download(cast.U1, target, id, { off: 33 })).json()).toMatchObject({ code: 'FLS-0019' });
    expect(await (await download(cast.U1, target, id, { len: -2 })).json()).toMatchObject({ code: 'FLS-0020' });
  });
});

describe('several attachments', () => {
  it('AT-05 are listed in the order in which they were attached', async () => {
    const target = await newObject(cast.U1);
    await attachedOneByOne(cast.U1, target, ['C.txt', 'A.txt', 'B.txt']);
    expect(await rows(cast.U1, 'all', target, '800,801,802,803,804,805,806')).toEqual(
      ['C.txt', 'A.txt', 'B.txt'].map((name) => [
        target.folder,
        target.attached,
        1,
        name,
        'content of x.txt'.length,
        'text/plain',
        false,
      ]),
    );
  });

  it('AT-06 are sorted by a column, with sort and order together only', async () => {
    const target = await newObject(cast.U1);
    await attachedOneByOne(cast.U1, target, ['C.txt', 'A.txt', 'B.txt']);
    const sorted = async (sort: number, order: string) =>
      names(await rows(cast.U1, 'all', target, '803', { sort, order }));
    expect(await sorted(1, 'asc')).toEqual(['C.txt', 'A.txt', 'B.txt']);
    expect(await sorted(803, 'asc')).toEqual(['A.txt', 'B.txt', 'C.txt']);
    expect(await sorted(803, 'desc')).toEqual(['C.txt', 'B.txt', 'A.txt']);
    expect(await cast.U1.get('attachment', 'all', { ...target, columns: '1', sort: 803 })).toMatchObject({
      code: 'SVL-0002',
      error_params: ['order'],
    });
    expect(await cast.U1.get('attachment', 'all', { ...target, columns: '1', order: 'asc' })).toMatchObject({
      code: 'SVL-0002',
      error_params: ['sort'],
    });
  });

  it('AT-07 are listed by id in the order of the ids', async () => {
    const target = await newObject(cast.U1);
    const ids = await attachedOneByOne(cast.U1, target, ['1', '2', '3', '4', '5']);
    const wanted = [ids[4], ids[0], ids[2]];
    const { data } = await cast.U1.put('attachment', 'list', { ...target, columns: '1,803' }, wanted);
    expect(data).toEqual([
      [ids[4], '5'],
      [ids[0], '1'],
      [ids[2], '3'],
    ]);
  });

  it('AT-08 to AT-11 are told since a moment, what is gone as bare numbers', async () => {
    const target = await newObject(cast.U1);
    const [first] = await attachedOneByOne(cast.U1, target, ['first']);
    const t0 = (await cast.U1.get('attachment', 'get', { id: first, ...target })).data.creation_date;
    const later = await attachedOneByOne(cast.U1, target, ['a', 'b', 'c', 'd']);
    // AT-08
    expect(await rows(cast.U1, 'updates', target, '1,803', { timestamp: t0 })).toEqual(
      ['a', 'b', 'c', 'd'].map((name, index) => [later[index], name]),
    );
    // AT-11
    expect(await rows(cast.U1, 'updates', target, '1')).toHaveLength(5);
    await cast.U1.put('attachment', 'detach', { ...target }, later);
    // AT-09
    expect(await rows(cast.U1, 'updates', target, '1,803', { timestamp: t0 })).toEqual(later);
    // AT-10
    expect(await rows(cast.U1, 'updates', target, '1,803', { timestamp: t0, ignore: 'deleted' })).toEqual([]);
  });

  it('AT-12 are packed into one ZIP file, names made unique', async () => {
    const target = await newObject(cast.U1);
    const ids = await attachedOneByOne(cast.U1, target, ['doc1.txt', 'doc2.txt', 'DOC1.txt', '../../doc2.txt']);
    const response = await cast.U1.fetch(
      'PUT',
      '/attachment',
      { action: 'zipDocuments', session: cast.U1.session, ...target },
      { body: JSON.stringify(ids) },
    );
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="attachments.zip"');
    const archive = Buffer.from(await response.arrayBuffer());
    const link = { action: 'zipDocuments', session: cast.U1.session, ...target, id: ids.join(',') };
    const linked = await cast.U1.fetch('GET', '/attachment', link);
    expect(Buffer.from(await linked.arrayBuffer())).toEqual(archive);
    expect(await cast.U1.get('attachment', 'zipDocuments', { ...target, id: '1,x' })).toMatchObject({
      code: 'ATT-0701',
    });
    expect(unzipped(archive)).toEqual({
      'doc1.txt': 'content of doc1.txt',
      'doc2.txt': 'content of doc2.txt',
      'DOC1 (2).txt': 'content of DOC1.txt',
      'doc2 (2).txt': 'content of ../../doc2.txt',
    });
    const gone = { code: 'ATT-0405' };
    expect(await cast.U1.put('attachment', 'zipDocuments', { ...target }, [999_999])).toMatchObject(gone);
    const unknown = { ...target, id: 999_999 };
    for (const action of ['zipDocuments', 'document'])
      expect(await cast.U1.get('attachment', action, unknown)).toMatchObject(gone);
  });
});

describe('refusals', () => {
  it('AT-13 of users without rights leave the number of attachments', async () => {
    const target = await newObject(cast.U1);
    const refused = await attach(cast.U2, target, [{ name: 'x', content: 'x' }]);
    expect(refused.code).toMatch(/^(APP-0036|FLD-0003)$/);
    expect((await countOf(cast.U1, target)).number_of_attachments).toBe(0);
  });

  it('AT-13 of invited users, who may read but not attach', async () => {
    const target = await newObject(cast.U1, {
      participants: [
        { type: 1, id: cast.U1.userId },
        { type: 1, id: cast.U2.userId },
      ],
    });
    const [id] = await attachFiles(cast.U1, target, [{ name: 'x', content: 'for both' }]);
    const seen = { ...target, folder: Number(cast.U2.folder) };
    expect(await (await download(cast.U2, seen, id!)).text()).toBe('for both');
    expect((await cast.U2.get('attachment', 'get', { id, ...seen })).data.folder).toBe(seen.folder);
    expect(await attach(cast.U2, seen, [{ name: 'x', content: 'x' }])).toMatchObject({ code: 'APP-0036' });
    expect(await cast.U2.put('attachment', 'detach', seen, [id])).toMatchObject({ code: 'APP-0036' });
    expect(await cast.U3.get('attachment', 'get', { id, ...target })).toMatchObject({ code: 'FLD-0003' });
    expect(await cast.X1.get('attachment', 'get', { id, ...target })).toMatchObject({ code: expect.any(String) });
  });

  it.each([
    ['AT-14 of a folder that does not exist', { folder: 999_990 + 2 }],
    ['AT-15 of an object that does not exist', { attached: 999_999 }],
    ['of a module without attachments', { module: 77 }],
  ])('%s leave no bytes in the store', async (_name, wrong) => {
    const target = await newObject(cast.U1);
    const added = watchStoredFiles();
    const refused = await attach(cast.U1, { ...target, ...wrong }, [{ name: 'x', content: 'lost' }]);
    expect(refused).toMatchObject({ error: expect.any(String), code: expect.stringMatching(/^[A-Z]+-\d{4}$/) });
    expect(added()).toEqual([]);
  });

  it('AT-16 AT-17 of files beyond the quota leave the used space', async () => {
    const target = await newObject(cast.X1);
    await cast.admin.expect('PATCH', `/admin/v1/contexts/${cast.otherContextId}`, { quotaMb: 1 });
    await attachFiles(cast.X1, target, [{ name: 'fits', content: Buffer.alloc(700_000, 1) }]);
    const added = watchStoredFiles();
    const refused = await attach(cast.X1, target, [{ name: 'too much', content: Buffer.alloc(400_000, 2) }]);
    expect(refused).toMatchObject({ code: 'ATT-0001', categories: 'CAPACITY' });
    expect(added()).toEqual([]);
    // Used space counts what was attached, so the rest is still free.
    await attachFiles(cast.X1, target, [{ name: 'fits', content: Buffer.alloc(1024 * 1024 - 700_000, 3) }]);
    expect(await attach(cast.X1, target, [{ name: 'one byte', content: 'x' }])).toMatchObject({ code: 'ATT-0001' });
    // AT-17: operators see what is used, and what is given back.
    const used = async () => (await cast.admin.expect('GET', `/admin/v1/contexts/${cast.otherContextId}`)).usedMb;
    await until(async () => (await used()) === 1, 15_000);
    const [[id]] = (await rows(cast.X1, 'all', target, '1')) as [[number]];
    await cast.X1.put('attachment', 'detach', { ...target }, [id]);
    await until(async () => (await used()) === (1024 * 1024 - 700_000) / 1024 / 1024, 15_000);
  });

  it('AT-19 of words where numbers belong', async () => {
    const target = await newObject(cast.U1);
    for (const wrong of [{ attached: 'abc' }, { folder: 'abc' }, { module: '1.5' }, { id: 'x' }])
      expect(await cast.U1.get('attachment', 'get', { id: 1, ...target, ...wrong })).toMatchObject({
        code: 'ATT-0701',
      });
    expect(await attach(cast.U1, { ...target, attached: 'abc' }, [{ name: 'x', content: 'x' }])).toMatchObject({
      code: 'ATT-0701',
      error_params: ['attached', 'abc'],
    });
  });
});

describe('the object', () => {
  it('AT-18 AT-20 shows how many files it has, and when the newest came', async () => {
    const target = await newObject(cast.U1);
    const fresh = await countOf(cast.U1, target);
    const [one, two] = await attachedOneByOne(cast.U1, target, ['one', 'two']);
    const filled = await countOf(cast.U1, target);
    expect(filled.number_of_attachments).toBe(2);
    expect(filled.last_modified).toBeGreaterThan(fresh.last_modified);
    const { data } = await cast.U1.put('attachment', 'list', { ...target, columns: '4' }, [two]);
    expect(filled.lastModifiedOfNewestAttachmentUTC).toBe(data[0][0]);
    const detached = await cast.U1.put('attachment', 'detach', { ...target }, [String(one), String(two), '999999']);
    expect(detached).toEqual({ data: {}, timestamp: expect.any(Number) });
    expect(await cast.U1.get('attachment', 'get', { id: one, ...target })).toMatchObject({ code: 'ATT-0405' });
    const empty = await countOf(cast.U1, target);
    expect(empty.number_of_attachments).toBe(0);
    expect(empty.last_modified).toBeGreaterThan(filled.last_modified);
  });

  it('AT-21 takes no number from a client', async () => {
    const target = await newObject(cast.U1);
    await update(cast.U1, String(target.attached), { number_of_attachments: 23 });
    expect((await countOf(cast.U1, target)).number_of_attachments).toBe(0);
  });

  it('takes its files with it when it goes', async () => {
    const target = await newObject(cast.U1);
    const added = watchStoredFiles();
    await attachFiles(cast.U1, target, [{ name: 'x', content: 'goes with its appointment' }]);
    expect(added()).toHaveLength(1);
    await cast.U1.put('calendar', 'delete', { timestamp: 9_000_000_000_000 }, [
      { id: String(target.attached), folder: cast.U1.folder },
    ]);
    await until(() => added().length === 0, 10_000);
  });

  it('shares equal contents with other objects of its context', async () => {
    const added = watchStoredFiles();
    const [first, second] = [await newObject(cast.U1), await newObject(cast.U1)];
    const same = { name: 'same', content: 'the same bytes in several places' };
    const [id] = await attachFiles(cast.U1, first, [same, { ...same, name: 'again' }]);
    const [other] = await attachFiles(cast.U1, second, [same]);
    expect(added()).toHaveLength(1);
    const all = (await rows(cast.U1, 'all', first, '1')).flat();
    await cast.U1.put('attachment', 'detach', { ...first }, all);
    expect(all).toContain(id);
    expect(await (await download(cast.U1, second, other!)).text()).toBe(same.content);
    await cast.U1.put('attachment', 'detach', { ...second }, [other]);
    // At the latest the sweep removes what could not be removed at once.
    await until(() => added().length === 0, 10_000);
  });
});
