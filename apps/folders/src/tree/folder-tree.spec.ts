import type { OwnedFolder, UserPrincipal } from '@groupware/contracts';
import { FolderTree, treeId } from './folder-tree';

const user = {
  userId: 3,
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
  total: -1,
  ...more,
});

const tree = (folders: OwnedFolder[], id: '0' | '1' = '0') =>
  new FolderTree({ user, locale: 'de_DE', tree: id, folders, names: new Map([[4, 'Bob']]) });
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

  it('has private, public and shared folders at the top, and one folder per user who shares', () => {
    expect(ids(tree(all).below('0'))).toEqual(['1', '2', '3']);
    expect(ids(tree(all).below('2'))).toEqual(['98']);
    expect(tree(all).below('3')).toMatchObject([{ id: 'u:4', title: 'Bob', type: 5 }]);
    expect(tree(all).get('1').title).toBe('Private Ordner');
  });

  it('sorts the default folder first, the others by name', () => {
    expect(ids(tree(all).below('1'))).toEqual(['66', '50', '34']);
  });

  it('puts a shared folder below its visible parent, else below its owner', () => {
    expect(ids(tree(all).below('u:4'))).toEqual(['114', '146']);
    expect(ids(tree(all).below('114'))).toEqual(['130']);
    expect(tree(all).get('130').type).toBe(3);
    expect(ids(tree(all).path('130'))).toEqual(['130', '114', 'u:4', '3']);
    expect(ids(tree(all).descendants('u:4'))).toEqual(['114', '146', '130']);
  });

  it('puts everything below the private folders in the flat tree', () => {
    expect(ids(tree(all, '1').below('1')).sort()).toEqual(['114', '146', '34', '50', '66', '98']);
    expect(tree(all, '1').find('u:4')).toBeUndefined();
  });

  it('knows two trees', () => {
    expect([treeId(undefined), treeId('0'), treeId('1')]).toEqual(['0', '0', '1']);
    expect(() => treeId('2')).toThrow('FLD-1031');
  });
});
