import { MailErrors } from '@groupware/contracts';
import { parseMailPaths } from './mail-path';

describe('paths of mails', () => {
  const list = (count: number) =>
    Array.from({ length: count }, (_each, index) => `default0/INBOX/${index + 1}`).join(',');

  it('may name folders with commas', () => {
    expect(parseMailPaths('default0/a,b/7,default1/c/8')).toEqual([
      { folder: { account: 0, path: 'a,b' }, uid: 7 },
      { folder: { account: 1, path: 'c' }, uid: 8 },
    ]);
  });

  it('are refused where they are too many: none is left out silently', () => {
    expect(parseMailPaths(list(100)).map(({ uid }) => uid)).toEqual([...Array(101).keys()].slice(1));
    for (const count of [101, 102, 5_000])
      expect(() => parseMailPaths(list(count))).toThrow(MailErrors.tooManyForwards(100));
  });
});
