import type { OwnedFolderListing, UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { FolderParts } from './folder-parts';
import type { ScopedFolder } from './stored-folder';

const db = {} as Reader;
const ann = { contextId: 1, userId: 3, groups: [7], capabilities: ['read_create_shared_folders'] };
const folders = (count: number) => Array.from({ length: count }, (_none, id) => ({ id }) as ScopedFolder);

describe('parts of the tree that are kept', () => {
  let listVisible: jest.Mock;
  let parts: FolderParts;
  const list = (part: OwnedFolderListing, stamp: number, user: object = ann) =>
    parts.list(db, user as UserPrincipal, 'calendar', part, stamp);

  beforeEach(() => {
    listVisible = jest.fn(async () => folders(2));
    parts = new FolderParts({ listVisible } as any);
  });

  it('are read once while the stamp of the context stays', async () => {
    const first = await list({ below: 1 }, 5);
    expect(await list({ below: 1 }, 5)).toBe(first);
    expect(await list({ below: 1, counts: true }, 5)).toBe(first);
    expect(listVisible).toHaveBeenCalledTimes(1);
  });

  it('are read again with another stamp, also with an older one', async () => {
    for (const stamp of [5, 6, 5]) await list({ below: 1 }, stamp);
    expect(listVisible).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['another context', { contextId: 2 }],
    ['another user', { userId: 4 }],
    ['other groups', { groups: [] }],
    ['a user who may not see shared folders', { capabilities: [] }],
  ])('are not those of %s', async (_what, other) => {
    await list({ below: 1 }, 5);
    await list({ below: 1 }, 5, { ...ann, ...other });
    expect(listVisible).toHaveBeenCalledTimes(2);
  });

  it('are told apart by all that names a part', async () => {
    const wanted: OwnedFolderListing[] = [
      {},
      { below: 1 },
      { below: 1, flat: true },
      { ids: [1] },
      { paths: [1] },
      { shared: true },
    ];
    for (const part of [...wanted, ...wanted]) await list(part, 5);
    expect(listVisible).toHaveBeenCalledTimes(wanted.length);
  });

  it('are not kept when they are large, in a context without a stamp, and of changes', async () => {
    for (const part of [{ since: 4 }, { since: 4 }]) await list(part, 5);
    for (const stamp of [0, 0]) await list({ below: 1 }, stamp);
    listVisible.mockResolvedValue(folders(500));
    for (const stamp of [5, 5]) await list({ below: 1 }, stamp);
    expect(listVisible).toHaveBeenCalledTimes(6);
  });
});
