import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { MAX_ATTACHMENT_UPLOAD } from '@groupware/contracts';
import { filesBelow, until } from '@groupware/test-kit';
import { created, HOUR, update } from '../calendar/calendar';
import { createFixtures, type Fixtures } from '../fixtures';
import { made, permissionsFor, VIEWER } from '../folders/folders';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import { attach, attachFiles, countOf, download, newObject, rows, type Target } from './attachments';

/** See the folder, add to it, read, change and delete what is one's own. */
const OWN_ONLY = 2 | (1 << 7) | (1 << 14) | (1 << 21);
const FILE = { name: 'a.txt', content: 'abc' };
let world: TestEnvironment;
let cast: Fixtures;

beforeAll(async () => {
  world = await startTestEnvironment({ properties: { [MAX_ATTACHMENT_UPLOAD.key]: '2000000' } });
  cast = await createFixtures(world);
}, 120_000);
afterAll(() => world?.close());

const storedFiles = (): string[] => filesBelow(path.join(world.environment.DATA_DIR!, 'files'));
/** Files of a size in the store. */
const filesOf = (bytes: number): string[] =>
  readdirSync(path.join(world.environment.DATA_DIR!, 'files'), { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      statSync(path.join(world.environment.DATA_DIR!, 'files', file), { throwIfNoEntry: false })?.size === bytes,
  );

describe('fields', () => {
  it.each([
    ['calendar', 1, { title: 'x', start_date: Date.UTC(2031, 4, 1), end_date: Date.UTC(2031, 4, 2) }],
    ['tasks', 4, { title: 'x' }],
    ['contacts', 7, { display_name: 'x' }],
  ])('are followed by a change of their object in %s with the timestamp of the answer', async (name, module, body) => {
    const user = cast.U1;
    const folders = await user.get('folders', 'allVisible', { content_type: name, columns: '1' });
    const folder = folders.data.private[0][0];
    const made = await user.put(name, 'new', {}, { folder_id: folder, ...body });
    expect(made).not.toHaveProperty('error');
    const { data, timestamp } = made;
    const target = { attached: Number(data.id), folder: Number(folder), module };
    const change = (known: number) =>
      user.put(name, 'update', { id: data.id, folder, timestamp: known }, { note: String(known) });
    const attached = await attach(user, target, [{ name: 'a.txt', content: 'a' }]);
    expect(attached).toMatchObject({ data: [expect.any(Number)] });
    expect(attached.timestamp).toBeGreaterThan(timestamp!);
    expect(await change(attached.timestamp)).toMatchObject({ data: {} });
    const detached = await user.put('attachment', 'detach', target, attached.data);
    const stored = await user.get(name, 'get', { id: data.id, folder });
    expect(detached.timestamp).toBe(stored.data.last_modified_utc);
    expect(await change(detached.timestamp!)).toMatchObject({ data: {} });
  });

  it('shows the time of attaching in the zone of the reader, or in the one asked for', async () => {
    const target = await newObject(cast.UB);
    const [id] = await attachFiles(cast.UB, target, [FILE]);
    const { lastModifiedOfNewestAttachmentUTC: utc, last_modified: changed } = await countOf(cast.UB, target);
    const berlin = utc + HOUR * zoneHours(utc);
    const read = async (parameters = {}) =>
      (await cast.UB.get('attachment', 'get', { id, ...target, ...parameters })) as any;
    expect(await read()).toMatchObject({ data: { creation_date: berlin }, timestamp: utc });
    expect((await read({ timezone: 'UTC' })).data.creation_date).toBe(utc);
    expect(await read({ timezone: 'Mars/Olympus' })).toMatchObject({
      code: 'SVL-0010',
      error_params: ['timezone', 'Mars/Olympus'],
    });
    const listed = await cast.UB.put('attachment', 'list', { ...target, columns: '4,1,5' }, [id]);
    expect(listed.data).toEqual([[berlin, id, null]]);
    expect(await rows(cast.UB, 'all', target, '1,4', { timezone: 'UTC' })).toEqual([[id, utc]]);
    // A moment to ask from is never shifted.
    expect(await rows(cast.UB, 'updates', target, '4', { timestamp: utc - 1 })).toEqual([[berlin]]);
    expect(await rows(cast.UB, 'updates', target, '4', { timestamp: utc })).toEqual([]);
    expect(changed).toBeGreaterThanOrEqual(utc);
  });

  it('spells the mark of RTF bodies in both ways, and takes both', async () => {
    const target = await newObject(cast.U1);
    const ids = await attachFiles(cast.U1, target, [
      FILE,
      { ...FILE, json: { rft_flag: true } },
      { ...FILE, json: { rtf_flag: true } },
    ]);
    const flags = [];
    for (const id of ids) {
      const { data } = await cast.U1.get('attachment', 'get', { id, ...target });
      flags.push([data.rtf_flag, data.rft_flag]);
    }
    expect(flags).toEqual([
      [false, false],
      [true, true],
      [true, true],
    ]);
    expect((await rows(cast.U1, 'all', target, '806')).flat()).toEqual([false, true, true]);
  });

  it('answers every column of the reference; those that attachments do not have are null', async () => {
    const target = await newObject(cast.U1);
    const [id] = await attachFiles(cast.U1, target, [{ ...FILE, json: { unknown: { a: 1 }, id: 7, file_size: 99 } }]);
    const [row] = await rows(
      cast.U1,
      'all',
      target,
      '1,2,3,5,6,20,100,101,102,104,105,800,801,802,803,804,805,806,880,881',
    );
    const none = Array.from({ length: 9 }, () => null);
    const own = [target.folder, target.attached, 1, 'a.txt', 3, 'text/plain', false];
    expect(row).toEqual([id, String(cast.U1.userId), ...none, ...own, null, null]);
    for (const [parameters, name] of [
      [{ columns: '1,200' }, 'columns'],
      [{ columns: '1', sort: '200', order: 'asc' }, 'sort'],
    ] as const)
      expect(await cast.U1.get('attachment', 'all', { ...target, ...parameters })).toMatchObject({
        code: 'SVL-0010',
        error_params: [name, '200'],
      });
  });

  it('takes numbers as texts, parts in any order, and what else to leave out of updates', async () => {
    const target = await newObject(cast.U1);
    const form = new FormData();
    form.set('file_4', new Blob(['abc'], { type: 'text/plain' }), 'b.txt');
    form.set(
      'json_4',
      JSON.stringify({ attached: String(target.attached), folder: String(target.folder), module: '1' }),
    );
    const query = { action: 'attach', session: cast.U1.session, respondWithHTML: 'false' };
    const response = await cast.U1.fetch('POST', '/attachment', query, { body: form });
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    const [id] = ((await response.json()) as any).data;
    await cast.U1.put('attachment', 'detach', { ...target }, [id]);
    expect(await rows(cast.U1, 'updates', target, '1', { ignore: 'none' })).toEqual([id]);
    expect(await rows(cast.U1, 'updates', target, '1', { ignore: 'changed,deleted' })).toEqual([]);
    expect(await cast.U1.put('attachment', 'zipDocuments', { ...target }, [])).toMatchObject({
      code: 'SVL-0002',
      error_params: ['id'],
    });
  });
});

/** Hours of Berlin ahead of UTC. */
function zoneHours(at: number): number {
  const local = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeZoneName: 'shortOffset' }).format(at);
  return Number(/GMT\+(\d)/.exec(local)![1]);
}

describe('rights', () => {
  const inFolder = async (bits: number, fields: object = {}): Promise<Target> => {
    const folder = await made(cast.U1, { permissions: permissionsFor(cast.U1, [cast.U2, bits]) });
    return { ...(await newObject(cast.U1, { folder_id: folder, ...fields })), folder: Number(folder) };
  };
  /** Tries what U2 may do with a file that U1 attached: codes of refusals, or ok. */
  const tried = async (target: Target): Promise<string[]> => {
    const [id] = await attachFiles(cast.U1, target, [FILE]);
    const answers = [
      await cast.U2.get('attachment', 'get', { id, ...target }),
      await attach(cast.U2, target, [FILE]),
      await cast.U2.put('attachment', 'detach', { ...target }, [id]),
    ];
    return answers.map(({ code }) => code ?? 'ok');
  };

  it('are those on the object: readers read, writers attach and detach, private appointments are nobody else’s', async () => {
    expect(await tried(await inFolder(VIEWER))).toEqual(['ok', 'APP-0036', 'APP-0036']);
    expect(await tried(await inFolder(2 | (2 << 7) | (1 << 14) | (1 << 21)))).toEqual(['ok', 'APP-0036', 'APP-0036']);
    expect(await tried(await inFolder(2 | (2 << 7) | (2 << 14) | (2 << 21)))).toEqual(['ok', 'ok', 'ok']);
    const hidden = ['APP-0062', 'APP-0062', 'APP-0062'];
    expect(await tried(await inFolder(OWN_ONLY))).toEqual(hidden);
    expect(await tried(await inFolder(VIEWER, { private_flag: true }))).toEqual(hidden);
  }, 30_000);

  it('let those who may only change their own attach to their own', async () => {
    const { folder } = await inFolder(OWN_ONLY);
    const start = Date.UTC(2031, 5, 1);
    const own = await created(cast.U2, { folder_id: String(folder), start_date: start, end_date: start + HOUR });
    const target = { folder, attached: Number(own), module: 1 };
    const [id] = await attachFiles(cast.U2, target, [FILE]);
    expect(await (await download(cast.U1, target, id!)).text()).toBe('abc');
    expect(await cast.U1.put('attachment', 'detach', { ...target }, [id])).toMatchObject({ data: {} });
  });

  it('go with the appointment to another folder, and end with it', async () => {
    const { folder } = await inFolder(VIEWER);
    const target = await newObject(cast.U1);
    const [id] = await attachFiles(cast.U1, target, [FILE]);
    await update(cast.U1, String(target.attached), { folder_id: folder });
    expect((await cast.U2.get('attachment', 'get', { ...target, folder, id })).data).toMatchObject({ folder, id });
    expect(await cast.U1.get('attachment', 'get', { ...target, id })).toMatchObject({ code: 'APP-0059' });
    const gone = { timestamp: 9_000_000_000_000 };
    await cast.U1.put('calendar', 'delete', gone, [{ id: String(target.attached), folder: String(folder) }]);
    expect(await cast.U1.get('attachment', 'get', { ...target, folder, id })).toMatchObject({ code: 'OX-0001' });
    expect(await attach(cast.U1, { ...target, folder }, [FILE])).toMatchObject({ code: 'OX-0001' });
  }, 30_000);
});

describe('a series', () => {
  it('has files of its own; a changed occurrence begins with copies of them', async () => {
    const start = Date.UTC(2032, 0, 5, 10);
    const daily = { start_date: start, end_date: start + HOUR, recurrence_type: 1, interval: 1, occurrences: 5 };
    const series = await newObject(cast.U1, daily);
    const [first] = await attachFiles(cast.U1, series, [FILE, { ...FILE, name: 'b.txt' }]);
    const { data } = await update(cast.U1, String(series.attached), { recurrence_position: 2, title: 'changed' });
    const changed = { ...series, attached: Number(data.id) };
    expect(changed.attached).not.toBe(series.attached);
    const copies = await rows(cast.U1, 'all', changed, '1,803,4', { timezone: 'UTC' });
    expect(copies.map(([, name]) => name)).toEqual([FILE.name, 'b.txt']);
    expect(copies.map(([id]) => id)).not.toContain(first);
    expect(await countOf(cast.U1, changed)).toMatchObject({
      number_of_attachments: 2,
      lastModifiedOfNewestAttachmentUTC: copies[1][2],
    });
    expect(await cast.U1.get('attachment', 'get', { id: first, ...changed })).toMatchObject({ code: 'ATT-0405' });
    await attachFiles(cast.U1, changed, [FILE]);
    expect((await countOf(cast.U1, changed)).number_of_attachments).toBe(3);
    expect((await countOf(cast.U1, series)).number_of_attachments).toBe(2);
  });
});

describe('limits', () => {
  const used = async (): Promise<{ quota: number; use: number }> => (await cast.X1.get('quota', 'filestore')).data;
  const limit = (body: object) => cast.admin.expect('PUT', `/admin/v1/contexts/${cast.otherContextId}/quota`, body);

  it('of the size of an upload count all its parts together, and are named', async () => {
    const target = await newObject(cast.U1);
    const half = (byte: number) => ({ name: `${byte}`, content: Buffer.alloc(1_100_000, byte) });
    expect(await attach(cast.U1, target, [half(1), half(2)])).toMatchObject({
      code: 'UPL-0005',
      error_params: [expect.any(String), '2000000'],
      problematic: [{ name: MAX_ATTACHMENT_UPLOAD.key, kind: 'limit', reason: 'at most 2000000' }],
    });
    // Others may be on their way: no part of this upload stays.
    expect(filesOf(1_100_000)).toEqual([]);
    await attachFiles(cast.U1, target, [half(3)]);
    expect(filesOf(1_100_000)).toHaveLength(1);
  });

  it('AT-17 shows the used space, which grows by the size of a file and comes back', async () => {
    expect(await used()).toEqual({ quota: expect.any(Number), use: 0 });
    const target = await newObject(cast.X1);
    const [id] = await attachFiles(cast.X1, target, [FILE]);
    expect((await used()).use).toBe(3);
    await cast.X1.put('attachment', 'detach', { ...target }, [id]);
    await limit({ filestoreMb: 2 });
    expect(await used()).toEqual({ quota: 2 * 1024 * 1024, use: 0 });
  });

  it('AT-16 are not passed by uploads at the same time, not by a byte and not by a file', async () => {
    const target = await newObject(cast.X1);
    const before = storedFiles().length;
    const at = (size: number, byte: number) => ({ name: `${byte}`, content: Buffer.alloc(size, byte) });
    const all = async (files: ReturnType<typeof at>[]) =>
      (await Promise.all(files.map((file) => attach(cast.X1, target, [file])))).map(({ code }) => code ?? 'ok').sort();
    await limit({ filestoreMb: 1 });
    const third = 340_000;
    expect(await all([1, 2, 3, 4, 5, 6, 7, 8].map((byte) => at(third, byte)))).toEqual([
      ...Array.from({ length: 5 }, () => 'ATT-0001'),
      ...['ok', 'ok', 'ok'],
    ]);
    expect((await used()).use).toBe(3 * third);
    // A call to a service that is silent is sent again (ADR 0014): the try that is too late removes its file later.
    await until(() => storedFiles().length === before + 3);
    await limit({ filestoreMb: -1, items: { attachments: 5 } });
    expect(await all([11, 12, 13, 14].map((byte) => at(1, byte)))).toEqual(['QUOTA-0003', 'QUOTA-0003', 'ok', 'ok']);
    await until(() => storedFiles().length === before + 5);
    expect(await attach(cast.X1, target, [FILE])).toMatchObject({
      code: 'QUOTA-0003',
      error_params: ['attachments', '5', '5'],
    });
  });
});
