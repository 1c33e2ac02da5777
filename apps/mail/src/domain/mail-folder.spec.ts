import { codeOf } from '@groupware/test-kit';
import { parseMailFolder, parseMailId, toMailFolderId } from './mail-folder';
import { cut, parseWindow } from './window';

describe('ids of folders and mails', () => {
  it.each([
    ['default0/INBOX', { account: 0, path: 'INBOX' }],
    ['inbox', { account: 0, path: 'INBOX' }],
    ['default12/A/B', { account: 12, path: 'A/B' }],
    ['default3', { account: 3, path: '' }],
    ['default0/Projekte & Co', { account: 0, path: 'Projekte & Co' }],
  ])('MA-36 %s', (id, folder) => {
    expect(parseMailFolder(id)).toEqual(folder);
  });

  it('hold no control characters and no end of length', async () => {
    for (const id of ['default0/A\r\nB', 'default0/\u0000', `default0/${'x'.repeat(2_000)}`, 'default0/\ud800'])
      expect(await codeOf(Promise.resolve().then(() => parseMailFolder(id)))).toBe('IMAP-1002');
    expect(parseMailFolder('default0/😀').path).toBe('😀');
    expect(toMailFolderId({ account: 3, path: '' })).toBe('default3');
  });

  it('are numbers as servers give them', () => {
    expect(['1', '4294967295'].map(parseMailId)).toEqual([1, 4_294_967_295]);
    for (const id of ['0', '-1', '1e3', '4294967296', 'x', '']) expect(parseMailId(id)).toBeUndefined();
  });
});

describe('parts of lists', () => {
  const list = ['a', 'b', 'c', 'd', 'e'];
  it.each([
    [{}, list],
    [{ limit: '2' }, ['a', 'b']],
    [{ limit: '1,3' }, ['b', 'c']],
    [{ limit: '-5,2' }, ['a', 'b']],
    [{ limit: '4,99' }, ['e']],
    [{ left_hand_limit: '3', right_hand_limit: '2' }, []],
    [{ left_hand_limit: '3' }, list],
  ])('%j', (parameters, part) => {
    expect(cut(list, parseWindow(parameters), 1_000)).toEqual(part);
  });

  it('are bounded', () => {
    expect(cut(list, undefined, 2)).toEqual(['a', 'b']);
    expect(cut(list, { start: 1, end: 5 }, 2)).toEqual(['b', 'c']);
  });
});
