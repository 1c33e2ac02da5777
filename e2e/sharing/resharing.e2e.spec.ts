import type { Client, Envelope } from '../client';
import { BITS, change, createFileFixtures, dataOf, upload, type FileFixtures } from '../files/files';
import { AUTHOR, get, made, read, update } from '../folders/folders';
import { keepOutOfLogs } from '../secrets';
import { shareTestEnvironment, type TestEnvironment } from '../test-environment';
import { entriesOf, invite, linkOf, shared, shareOf, Visitor } from './sharing';

let world: TestEnvironment;
let cast: FileFixtures;
let count = 0;
const visitor = (): Visitor => new Visitor(world.publicUrl, `Resharing/${(count += 1)}`);
const address = (): string => `resharing${(count += 1)}@out.example`;
const EXTENDED = 'com.openexchange.share.extendedObjectPermissions';
const FAR = 9_000_000_000_000;
const MODULES = ['calendar', 'contacts', 'tasks', 'infostore'] as const;
/** Codes of refusals of calls of `share/management`. */
const REFUSALS = { getLink: 'SHR-0008', updateLink: 'SHR-0008', sendLink: 'SHR-0008', deleteLink: 'SHR-0007' } as const;

beforeAll(async () => {
  world = await shareTestEnvironment();
  cast = await createFileFixtures(world);
}, 120_000);
afterAll(() => world?.close());

type Target = { readonly module: string; readonly folder: string; readonly item?: string };
const manage = (user: Client, action: string, target: Target, more: object = {}): Promise<Envelope> =>
  user.put('share/management', action, action === 'getLink' ? {} : { timestamp: FAR }, {
    ...target,
    ...(action === 'sendLink' && { recipients: [[null, 'somebody@out.example']] }),
    ...more,
  });
/** Codes that the calls of `share/management` answer. */
const codesOf = async (user: Client, target: Target): Promise<Record<string, string | undefined>> => {
  const codes: Record<string, string | undefined> = {};
  for (const action of Object.keys(REFUSALS)) codes[action] = (await manage(user, action, target)).code;
  return codes;
};
const folderIn = (module: string): Promise<string> => made(cast.U1, { module }, module === 'infostore' ? cast.P1 : 1);
/** The entries that stand in a list, without names. */
const listOf = async (folder: string): Promise<string[]> =>
  (await entriesOf(cast.U1, folder)).map(({ entity, bits }) => `${String(entity)}: ${String(bits)}`).sort();

describe.each(MODULES)('resharing of folders of %s', (module) => {
  it('SH-17, SH-70 is up to administrators: users with all other rights change no list, link or guest', async () => {
    const { U1, U2, U3 } = cast;
    const folder = await folderIn(module);
    const link = await linkOf(U1, folder, module);
    const entry = { entity: link.entity, bits: 257, group: false };
    await update(U1, folder, { permissions: [...shared(U1, [U2, AUTHOR]), entry] });
    const before = await listOf(folder);
    expect(before).toContain(`${U2.userId}: ${AUTHOR}`);
    expect(await codesOf(U2, { module, folder })).toEqual(REFUSALS);
    const lists = [
      [...shared(U1, [U2, AUTHOR], [U3, 257]), entry],
      [...shared(U1, [U2, BITS.administrator]), entry],
      [...shared(U1, [U2, AUTHOR]), entry, { type: 'guest', email_address: address(), bits: 257 }],
      shared(U1, [U2, AUTHOR]),
    ];
    for (const permissions of lists) expect((await update(U2, folder, { permissions })).code).toMatch(/^(FLD|SHR)-/);
    const notify = await U2.put('folders', 'notify', { id: folder, tree: 0 }, { entities: [String(U1.userId)] });
    expect(notify.code).toMatch(/^FLD-/);
    expect(await listOf(folder)).toEqual(before);
    expect((await visitor().open(link.url)).status).toBe(302);
    // Nor does a user who does not see the folder.
    const codes = await codesOf(U3, { module, folder });
    expect(new Set(Object.values(codes))).toEqual(new Set([(await get(U3, folder)).code]));
  });

  it('SH-70 is nothing for guests, invited ones and those of links', async () => {
    const { U1, U2 } = cast;
    const folder = await folderIn(module);
    const email = address();
    expect((await invite(U1, folder, email)).error).toBeUndefined();
    const guest = visitor();
    await guest.enter('guest', { share: (await shareOf(U1, folder, email)).token });
    const link = await linkOf(U1, folder, module);
    const byLink = await visitor().open(link.url);
    const before = await listOf(folder);
    for (const each of [guest, byLink]) {
      for (const code of Object.values(await codesOf(each, { module, folder })))
        expect(code).toEqual(expect.any(String));
      const permissions = shared(U1, [U2, 257]);
      expect((await each.put('folders', 'update', { id: folder, tree: 0 }, { permissions })).code).toBeDefined();
      const body = { entities: [String(U1.userId)] };
      expect((await each.put('folders', 'notify', { id: folder, tree: 0 }, body)).code).toBeDefined();
    }
    expect(await listOf(folder)).toEqual(before);
    expect((await read(U1, folder)).permissions).toHaveLength(3);
  });

  it('SH-12, SH-14 is followed by its link: updateLink keeps what it does not name and makes a new timestamp', async () => {
    const { U1 } = cast;
    const folder = await folderIn(module);
    const target = { module, folder };
    expect((await manage(U1, 'updateLink', target)).code).toBe('SHR-0003');
    expect((await manage(U1, 'deleteLink', target)).code).toBe('SHR-0003');
    const { timestamp, url } = await linkOf(U1, folder, module);
    const changed = await U1.put('share/management', 'updateLink', { timestamp }, { ...target, password: 'a pin 1' });
    expect([changed.error, changed.timestamp! > timestamp]).toEqual([undefined, true]);
    const late = await U1.put('share/management', 'updateLink', { timestamp }, { ...target, password: 'late' });
    expect(late.code).toBe('SHR-0006');
    await manage(U1, 'updateLink', target, { expiry_date: FAR });
    expect(await linkOf(U1, folder, module)).toMatchObject({ url, password: 'a pin 1', expiry_date: FAR });
    await manage(U1, 'updateLink', target, { password: null, expiry_date: null });
    const { password, expiry_date } = (await manage(U1, 'getLink', target)).data;
    expect([password, expiry_date]).toEqual([undefined, undefined]);
    expect((await manage(U1, 'deleteLink', target)).error).toBeUndefined();
    expect((await visitor().open(url)).status).toBe(404);
  });
});

describe('resharing of documents', () => {
  const targetOf = (folder: string, item: string): Target => ({ module: 'infostore', folder, item });

  it('SH-44, SH-70 is refused to users who may write them alone, and to those who only read their folder', async () => {
    const { U1, U2, U3 } = cast;
    const folder = await folderIn('infostore');
    const D = await upload(U1, folder, 'd.txt');
    const { url } = (await manage(U1, 'getLink', targetOf(folder, D))).data as { url: string };
    keepOutOfLogs(url.split('/').at(-2));
    const link = (await dataOf(U1, D)).object_permissions[0];
    const list = [
      { ...link, type: undefined },
      { entity: U2.userId, group: false, bits: 2 },
    ];
    expect((await change(U1, D, { object_permissions: list })).error).toBeUndefined();
    const number = D.split('/')[1]!;
    const shown = `10/${number}`;
    const refuse = async (user: Client, id: string, place: string): Promise<void> => {
      for (const [action, code] of Object.entries(await codesOf(user, targetOf(place, id))))
        expect([action, code]).toEqual([
          action,
          expect.stringMatching(/^(SHR-0008|SHR-0007|IFO-04\d\d|SHR-0012|IFO-0300)$/),
        ]);
      const permissions = [...list, { entity: U3.userId, group: false, bits: 1 }];
      expect((await change(user, id, { object_permissions: permissions })).code).toMatch(/^IFO-/);
      const notify = await user.put('infostore', 'notify', { id }, { entities: [String(U1.userId)] });
      expect(notify.code).toMatch(/^(IFO|FILE_STORAGE|SHR)-/);
    };
    await refuse(U2, shown, '10');
    expect((await U2.get<any>('infostore', 'get', { id: shown, folder: '10' })).data.shareable).toBe(false);
    await update(U1, folder, { permissions: shared(U1, [U3, BITS.viewer]) });
    await refuse(U3, D, folder);
    const entities = (await dataOf(U1, D)).object_permissions.map(({ entity }: { entity: number }) => entity);
    expect(entities.sort()).toEqual([link.entity, U2.userId].sort());
    expect((await visitor().open(url)).status).toBe(302);
  });

  it('SH-44, SH-70 is nothing for guests, invited ones who may write and those of links', async () => {
    const { U1, U2 } = cast;
    const folder = await folderIn('infostore');
    const D = await upload(U1, folder, 'd.txt');
    const { url } = (await manage(U1, 'getLink', targetOf(folder, D))).data as { url: string };
    keepOutOfLogs(url.split('/').at(-2));
    const [link] = (await dataOf(U1, D)).object_permissions;
    const email = address();
    const list = [
      { ...link, type: undefined },
      { type: 'guest', email_address: email, display_name: 'Gina', bits: 2 },
    ];
    expect((await change(U1, D, { object_permissions: list })).error).toBeUndefined();
    const invited = ((await dataOf(U1, D))[EXTENDED] as Record<string, any>[]).find(({ type }) => type === 'guest')!;
    const token = String(invited.share_url).split('/').at(-2)!;
    keepOutOfLogs(token);
    const guest = visitor();
    await guest.enter('guest', { share: token });
    const shown = `10/${D.split('/')[1]!}`;
    expect((await change(guest, shown, { description: 'by a guest' })).error).toBeUndefined();
    const before = (await dataOf(U1, D)).object_permissions;
    for (const each of [guest, await visitor().open(url)]) {
      expect((await each.get<any>('infostore', 'get', { id: shown, folder: '10' })).data.shareable).toBe(false);
      for (const place of ['10', folder])
        for (const [action, code] of Object.entries(await codesOf(each, targetOf(place, shown))))
          expect([action, code]).toEqual([action, expect.any(String)]);
      const others = [...before, { entity: U2.userId, group: false, bits: 1 }];
      for (const object_permissions of [others, [], [{ type: 'guest', email_address: address(), bits: 1 }]])
        expect((await change(each, shown, { object_permissions })).code).toMatch(/^(IFO|FILE_STORAGE|SHR)-/);
      const notify = await each.put('infostore', 'notify', { id: shown }, { entities: [String(U1.userId)] });
      expect(notify.code).toEqual(expect.any(String));
    }
    expect((await dataOf(U1, D)).object_permissions).toEqual(before);
    expect((await visitor().open(url)).status).toBe(302);
  });

  it('SH-17 is open to who may write in the folder', async () => {
    const { U1, U2, U3 } = cast;
    const folder = await folderIn('infostore');
    const D = await upload(U1, folder, 'd.txt');
    await update(U1, folder, { permissions: shared(U1, [U2, BITS.administrator]) });
    const made = await manage(U2, 'getLink', targetOf(folder, D));
    keepOutOfLogs(String(made.data.url).split('/').at(-2));
    expect((await manage(U1, 'getLink', targetOf(folder, D))).data.url).toBe(made.data.url);
    const [link] = (await dataOf(U2, D)).object_permissions;
    const list = [
      { ...link, type: undefined },
      { entity: U3.userId, group: false, bits: 1 },
    ];
    expect((await change(U2, D, { object_permissions: list })).error).toBeUndefined();
    expect((await manage(U2, 'deleteLink', targetOf(folder, D))).error).toBeUndefined();
    expect((await visitor().open(made.data.url)).status).toBe(404);
  });
});
