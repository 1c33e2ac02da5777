import { requirePortableName, splitName } from './file-name';

describe('a name is refused', () => {
  it.each([
    ['FL-41 with a character that is forbidden', 'a|b', 'FILE_STORAGE-0065', '|'],
    ['with several, each named once', 'a<b?c<d', 'FILE_STORAGE-0065', '<,?'],
    ['FL-42 that is reserved', 'COM9', 'FILE_STORAGE-0066', 'COM9'],
    ['in any case', 'nul', 'FILE_STORAGE-0066', 'nul'],
    ['FL-43 of one dot', '.', 'FILE_STORAGE-0067', '.'],
    ['of two dots', '..', 'FILE_STORAGE-0067', '..'],
    ['FL-43 that ends with a dot', '...', 'FILE_STORAGE-0068', '...'],
    ['that ends with a blank', 'a ', 'FILE_STORAGE-0068', 'a '],
  ])('%s', (_what, name, code, parameter) => {
    let error: unknown;
    try {
      requirePortableName(name);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code, params: [parameter] });
  });
});

it.each(['report.txt', 'com10', 'con.txt', ' a', '\ttab', '.profile', 'ä'])('the name %j is good', (name) => {
  expect(() => requirePortableName(name)).not.toThrow();
});

it.each([
  ['report.txt', 'report', '.txt', 0],
  ['FL-34 archive.tar.gz', 'FL-34 archive.tar', '.gz', 0],
  ['FL-35 .profile', 'FL-35 ', '.profile', 0],
  ['.profile', '.profile', '', 0],
  ['README', 'README', '', 0],
  ['end.', 'end.', '', 0],
  ['report (12).txt', 'report', '.txt', 12],
  ['(3)', '(3)', '', 0],
])('%j is numbered before its last extension', (name, base, extension, number) => {
  expect(splitName(name)).toEqual({ base, extension, number });
});

it('leaves room for a number', () => {
  expect(splitName(`${'ü'.repeat(300)}.txt`).base).toHaveLength(255 - 4 - 9);
});
