import { holdsPattern, listTree } from './storage-tree';
import type { StorageConnection, StorageEntry } from './storage-kind';

describe('a pattern', () => {
  it.each([
    ['Test 15.txt', '5', true],
    ['report.txt', 'repo?t', true],
    ['repot.txt', 'repo?t', false],
    ['Offer 2026.pdf', 'offer*pdf', true],
    ['Offer 2026.pdf', 'pdf*offer', false],
    ['anything', '', true],
    ['anything', '**', true],
    ['', 'a', false],
    ['aaa', '????', false],
    ['\u00e9te\u0301', 'e\u0301t\u00e9', true],
  ])('%s holds %s: %p', (name, pattern, expected) => expect(holdsPattern(name, pattern)).toBe(expected));

  it('of many stars costs no more than its length times that of the name', () => {
    const began = process.cpuUsage().user;
    expect(holdsPattern('a'.repeat(255), `${'a*'.repeat(250)}b`)).toBe(false);
    expect(process.cpuUsage().user - began).toBeLessThan(500_000);
  });
});

describe('a walk through folders', () => {
  const entry = (path: string, isFolder: boolean): StorageEntry => ({ path, isFolder, modified: 0 });
  const folders: Record<string, StorageEntry[]> = {
    '': [entry('a', true), entry('x.txt', false)],
    a: [entry('a/b', true), entry('a/y.txt', false)],
    'a/b': [entry('a/b/z.txt', false)],
  };
  const connection = { listEntries: (path: string) => Promise.resolve(folders[path]) } as unknown as StorageConnection;
  const pathsOf = async (depth: number, maxFolders = 10) =>
    (await listTree(connection, '', { depth, maxFolders }))!.map(({ path }) => path);

  it('ends at a depth', async () => {
    expect(await pathsOf(0)).toEqual(['a', 'x.txt']);
    expect(await pathsOf(1)).toEqual(['a', 'x.txt', 'a/b', 'a/y.txt']);
    expect(await pathsOf(9)).toEqual(['a', 'x.txt', 'a/b', 'a/y.txt', 'a/b/z.txt']);
  });

  it('is refused beyond a number of folders, and where there is none to begin with', async () => {
    await expect(pathsOf(9, 2)).rejects.toMatchObject({ code: 'FILES-0001' });
    expect(await listTree(connection, 'none', { depth: 1, maxFolders: 1 })).toBeUndefined();
  });
});
