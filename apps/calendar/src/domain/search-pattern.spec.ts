import { countLiterals, toLikePattern, toLikePrefix } from './search-pattern';

describe('search patterns', () => {
  it.each([
    ['text', '%text%'],
    ['*text', '%text'],
    ['a?b*', 'a_b%'],
    ['***', '%'],
    ['100%_\\', '%100\\%\\_\\\\%'],
    ['', '%%'],
    ['a\u0000b', '%ab%'],
  ])('%j is like %j', (text, pattern) => {
    expect(toLikePattern(text)).toBe(pattern);
  });

  it('of first letters know no wildcards', () => {
    expect(toLikePrefix('*a%')).toBe('*a\\%%');
  });

  it('count what is no wildcard', () => {
    expect([countLiterals('a*b?'), countLiterals('**'), countLiterals('abc')]).toEqual([2, 0, 3]);
  });
});
