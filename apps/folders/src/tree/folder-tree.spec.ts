import type { OwnedFolder, UserPrincipal } from '@groupware/contracts';
import { FolderTree, parseTreeId } from './folder-tree';

const user = {
  userId: 3,
  locale: 'de_DE',
  capabilities: ['edit_public_folders', 'read_create_shared_folders'],
} as unknown as UserPrincipal;

const folder = (id: number, parent: number, more: Partial<OwnedFolder> = {}): OwnedFolder => ({
  id,
  parent,
  module: 'calendar',
  type: 1,
  title: `F${id}`,
  createdBy: 3,
  modifiedBy: 3,
  created: 0,
  lastModified: 0,
  changed: 0,
  isDefault: false,
  subscribed: true,
  ownRights: 1,
  permissions: [],
  ...more,
});

const tree = (folders: OwnedFolder[], id: '0' | '1' = '0') =>
  FolderTree.build({ user, locale: 'de_DE', tree: id, folders, names: new Map([[4, 'Bob']]) });
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

describe('the tree of folders', () => {
  const all = [
    folder(34, 1, { title: 'b' }),
    folder(50, 1, { title: 'a' }),
    folder(66, 1, { isDefault: true, title: 'z' }),
    folder(82, 34),
    folder(98, 2, { type: 2, createdBy: 4 }),
    folder(114, 1, { createdBy: 4 }),
    folder(130, 114, { createdBy: 4 }),
    folder(146, 9999, { createdBy: 4 }),
  ];

  it('has private, public and shared folders at the top, and one folder per user who shares', async () => {
    const built = await tree(all);
    expect(ids(built.listChildren('0'))).toEqual(['1', '2', '3']);
    expect(ids(built.listChildren('2'))).toEqual(['98']);
    expect(built.listChildren('3')).toMatchObject([{ id: 'u:4', title: 'Bob', type: 5 }]);
    expect(built.getFolder('1').title).toBe('Private Ordner');
  });

  it('has shorter names at the top for clients that ask for them', async () => {
    const short = await FolderTree.build({
      ...{ user, locale: 'en_US', tree: '0', altNames: true },
      ...{ folders: [], names: new Map() },
    });
    expect(short.listChildren('0').map(({ title }) => title)).toEqual(['Private', 'Public', 'Shared']);
    expect(short.getFolder('0').title).toBe('Root');
  });

  it('shows the folders of the primary mailbox without its root where it is flat', async () => {
    const mail = (id: string, parent: string | number) => ({
      ...folder(0, 1, { module: 'mail', title: id }),
      id,
      parent,
    });
    const mails = [
      mail('default0', 1),
      mail('default0/INBOX', 'default0'),
      mail('default0/INBOX/deep', 'default0/INBOX'),
      mail('default5', 1),
      mail('default5/INBOX', 'default5'),
    ];
    const [full, flat] = [await tree(mails), await tree(mails, '1')];
    expect(ids(full.listChildren('1'))).toEqual(['default0', 'default5']);
    expect(ids(full.listPath('default0/INBOX/deep'))).toEqual([
      'default0/INBOX/deep',
      'default0/INBOX',
      'default0',
      '1',
    ]);
    expect(ids(flat.listChildren('1'))).toEqual(['default0/INBOX', 'default5']);
    expect(ids(flat.listPath('default0/INBOX/deep'))).toEqual(['default0/INBOX/deep', 'default0/INBOX', '1']);
    expect(ids(flat.listPath('default5/INBOX'))).toEqual(['default5/INBOX', 'default5', '1']);
    // It can be asked for all the same.
    expect(ids(flat.listChildren('default0'))).toEqual(['default0/INBOX']);
    expect(flat.hasSubfolders(flat.getFolder('default0'))).toBe(true);
  });

  it('sorts the default folder first, the others by name', async () => {
    const built = await tree(all);
    expect(ids(built.listChildren('1'))).toEqual(['66', '50', '34']);
  });

  it('sorts names as the language of the user does', async () => {
    const named = [folder(34, 1, { title: 'öl' }), folder(50, 1, { title: 'zoo' }), folder(66, 1, { title: 'Oel' })];
    const order = async (locale: string) => {
      const source = {
        user: { ...user, locale },
        locale: 'en_US',
        tree: '0',
        folders: named,
        names: new Map(),
      } as const;
      return (await FolderTree.build(source)).listChildren('1').map(({ title }) => title);
    };
    expect(await order('de_DE')).toEqual(['Oel', 'öl', 'zoo']);
    expect(await order('sv_SE')).toEqual(['Oel', 'zoo', 'öl']);
  });

  it('puts a shared folder below its visible parent, else below its owner', async () => {
    const built = await tree(all);
    expect(ids(built.listChildren('u:4'))).toEqual(['114', '146']);
    expect(ids(built.listChildren('114'))).toEqual(['130']);
    expect(built.getFolder('130').type).toBe(3);
    expect(ids(built.listPath('130'))).toEqual(['130', '114', 'u:4', '3']);
    expect(ids(built.listDescendants('u:4'))).toEqual(['114', '146', '130']);
  });

  it('shows shared folders directly in the flat tree', async () => {
    const built = await tree(all, '1');
    expect(ids(built.listChildren('1'))).toEqual(['66', '50', '34']);
    expect(ids(built.listChildren('2'))).toEqual(['98']);
    expect(ids(built.listChildren('3'))).toEqual(['114', '146']);
    expect(built.findFolder('u:4')).toBeUndefined();
  });

  it('puts public folders without visible parent into a virtual one of their module', async () => {
    const orphan = folder(162, 9998, { type: 2, createdBy: 4 });
    const built = await tree([...all, orphan]);
    expect(ids(built.listChildren('2'))).toEqual(['12', '98']);
    expect(ids(built.listChildren('12'))).toEqual(['162']);
    expect(built.listChildren('11')).toEqual([]);
    expect(built.getFolder('13').title).toBe('Weitere Adressbücher');
    expect(ids((await tree([orphan], '1')).listChildren('2'))).toEqual(['162']);
  });

  it('has a branch of files, with those without visible parent in a virtual folder of both trees', async () => {
    const file = (id: number, parent: number, more: Partial<OwnedFolder> = {}) =>
      folder(id, parent, { module: 'infostore', type: 2, createdBy: 4, ...more });
    const system = [9, 10, 15].map((id) => file(id, id === 9 ? 0 : 9, { shownType: 5, createdBy: 0 }));
    const own = file(24, 10, { createdBy: 3, isDefault: true });
    const files = [...system, own, file(40, 10), file(56, 9998)];
    const [full, flat] = [await tree(files), await tree(files, '1')];
    expect(ids(full.listChildren('9'))).toEqual(['10', '14', '15']);
    expect(ids(full.listChildren('10'))).toEqual(['24', '40']);
    expect(ids(flat.listChildren('9'))).toEqual(['10', '14', '15', '24']);
    expect(ids(flat.listChildren('10'))).toEqual(['40']);
    for (const built of [full, flat]) {
      expect(ids(built.listChildren('14'))).toEqual(['56']);
      expect(ids(built.listPath('56'))).toEqual(['56', '14', '9']);
      expect(built.listChildren('2')).toEqual([]);
    }
    const alone = await tree(system, '1');
    expect([ids(alone.listChildren('9')), alone.listChildren('14')]).toEqual([['10', '15'], []]);
    expect(alone.getFolder('14')).toMatchObject({ parent: '9', type: 5 });
  });

  it('is told by owners what stands below folders and above them, when only a part was read', async () => {
    const built = await tree([folder(82, 34, { isBelowVisible: true, hasSubfolders: true })]);
    const found = built.getFolder('82');
    expect(found.parent).toBe('34');
    expect([built.hasSubfolders(found), built.hasSubscribedSubfolders(found)]).toEqual([true, false]);
    expect(built.hasSubfolders(built.getFolder('1'))).toBe(true);
    expect(built.hasSubfolders(built.getFolder('3'))).toBe(false);
  });

  it('knows two trees', () => {
    expect([parseTreeId(undefined), parseTreeId('0'), parseTreeId('1')]).toEqual(['0', '0', '1']);
    expect(() => parseTreeId('2')).toThrow('FLD-1031');
  });
});
