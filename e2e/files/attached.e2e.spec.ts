import { EICAR, startClamd, type Clamd } from '@groupware/test-kit';
import { attach, attachFiles, newObject, type Target } from '../attachments/attachments';
import type { TestUser } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';
import {
  BITS,
  column,
  createFileFixtures,
  createFolder,
  dataOf,
  download,
  upload,
  usedBytes,
  type FileFixtures,
} from './files';

let clamd: Clamd;
let world: TestEnvironment;
let cast: FileFixtures;
let target: Target;

beforeAll(async () => {
  clamd = await startClamd();
  world = await startTestEnvironment({ variables: { CLAMD_URL: clamd.url } });
  cast = await createFileFixtures(world);
  target = await newObject(cast.U1, { title: 'Meeting' });
}, 120_000);
afterAll(async () => {
  await world?.close();
  await clamd?.stop();
});

const saveAs = (user: TestUser, attachment: number, body: object, more: object = {}) =>
  user.put('infostore', 'saveAs', { ...target, attachment, ...more }, body);

describe('an attachment of an object', () => {
  it('becomes a document with its name, type and bytes', async () => {
    const { U1, A } = cast;
    const [id] = await attachFiles(U1, target, [{ name: 'minutes.txt', content: 'all of us' }]);
    const used = await usedBytes(U1);
    const saved = await saveAs(U1, id!, { folder_id: A, description: 'of today' });
    expect(saved).toMatchObject({ data: expect.stringMatching(`^${A}/`), timestamp: expect.any(Number) });
    expect(await dataOf(U1, String(saved.data))).toMatchObject({
      ...{ title: 'minutes.txt', filename: 'minutes.txt', file_mimetype: 'text/plain', file_size: 9, version: '1' },
      ...{ description: 'of today', created_by: String(U1.userId), last_modified_utc: saved.timestamp },
    });
    expect(await (await download(U1, String(saved.data))).text()).toBe('all of us');
    expect(await usedBytes(U1)).toBe(used + 9);
    // The declared body is a list; equal names are numbered.
    const again = await saveAs(U1, id!, [{ file: { folder_id: A, title: 'Protocol' } }] as never);
    expect(await dataOf(U1, String(again.data))).toMatchObject({ title: 'Protocol', filename: 'minutes (1).txt' });
    // A saved copy stays when the attachment goes.
    await U1.put('attachment', 'detach', { ...target }, [id!]);
    expect(await (await download(U1, String(saved.data))).text()).toBe('all of us');
    expect(await saveAs(U1, id!, { folder_id: A })).toMatchObject({ code: 'ATT-0405' });
  });

  it('becomes a document that links open and guests are invited to, as a new one', async () => {
    const { U1, A, T1 } = cast;
    const [id] = await attachFiles(U1, target, [{ name: 'open.txt', content: 'for others' }]);
    const link = { type: 'anonymous', bits: 1, password: 'pin of the saved' };
    const guest = { type: 'guest', email_address: 'saved@outside.example', bits: 1 };
    const saved = await saveAs(U1, id!, { folder_id: A, object_permissions: [link, guest] });
    const { 'com.openexchange.share.extendedObjectPermissions': told } = await dataOf(U1, String(saved.data));
    expect(told).toHaveLength(2);
    expect(told).toContainEqual(
      expect.objectContaining({ type: 'anonymous', share_url: expect.any(String), password: link.password }),
    );
    const before = await column(U1, A, 'filename');
    for (const [folder_id, object_permissions, code] of [
      [A, [link, link], 'IFO-2100'],
      [T1, [link], 'FLD-0072'],
      [T1, [guest], 'FLD-0072'],
    ] as const)
      expect(await saveAs(U1, id!, { folder_id, object_permissions })).toMatchObject({ code });
    expect(await column(U1, A, 'filename')).toEqual(before);
  });

  it('is of other objects than documents: those carry none', async () => {
    const { U1, UB, A } = cast;
    const id = await upload(U1, A, 'plain.txt', 'x');
    const target = { module: 137, attached: Number(id.split('/').at(-1)), folder: Number(A) };
    expect((await U1.get('attachment', 'all', { ...target, columns: '1' })).data).toEqual([]);
    expect((await attach(U1, target, [{ name: 'a.txt', content: 'a' }])).code).toBe('IFO-0403');
    expect((await UB.get('attachment', 'all', { ...target, columns: '1' })).code).toBe('IFO-0400');
  });

  it('needs rights on both sides', async () => {
    const { U1, U2, A, P2 } = cast;
    const [id] = await attachFiles(U1, target, [{ name: 'own.txt', content: 'own' }]);
    expect((await saveAs(U2, id!, { folder_id: P2 })).code).toMatch(/^APP-|^OX-|^ATT-|^FLD-/);
    const viewed = await createFolder(U2, P2, [[U1.userId, BITS.viewer]]);
    expect(await saveAs(U1, id!, { folder_id: viewed })).toMatchObject({ code: 'IFO-0402' });
    expect(await saveAs(U1, id!, { folder_id: '15' })).toMatchObject({ code: 'IFO-1700' });
    expect(await saveAs(U1, id!, {})).toMatchObject({ code: 'SVL-0002' });
    expect(await saveAs(U1, id!, { folder_id: A }, { module: 99 })).toMatchObject({ code: 'ATT-0418' });
    expect(await saveAs(U1, 2_000_000_000, { folder_id: A })).toMatchObject({ code: 'ATT-0405' });
    expect(await column(U2, viewed, 'filename')).toEqual([]);
  });

  it('is scanned before when that is asked for', async () => {
    const { U1, A } = cast;
    const [id, bad] = await attachFiles(U1, target, [
      { name: 'clean.txt', content: 'clean' },
      { name: 'bad.txt', content: new Uint8Array(EICAR) },
    ]);
    expect((await saveAs(U1, id!, { folder_id: A }, { scan: true })).error).toBeUndefined();
    const names = await column(U1, A, 'filename');
    expect(await saveAs(U1, bad!, { folder_id: A }, { scan: true })).toMatchObject({ code: 'ANTIVIRUS-0001' });
    expect(await column(U1, A, 'filename')).toEqual(names);
  });
});
