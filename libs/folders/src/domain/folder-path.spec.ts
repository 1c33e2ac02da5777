import { formatFolderPath, splitFolderPath, toFolderPath } from './folder-path';

describe('paths of folders', () => {
  it('keep names with slashes', () => {
    const path = toFolderPath(['Files', 'a/c', 'kid']);
    expect(splitFolderPath(path)).toEqual(['Files', 'a/c', 'kid']);
    expect(formatFolderPath(path)).toBe('/Files/a/c/kid');
  });

  it('may be empty, or of before', () => {
    expect([splitFolderPath(''), toFolderPath([]), formatFolderPath('')]).toEqual([[], '', '']);
    expect(splitFolderPath('/Files/plans')).toEqual(['Files', 'plans']);
    expect(formatFolderPath('/Files/plans')).toBe('/Files/plans');
  });
});
