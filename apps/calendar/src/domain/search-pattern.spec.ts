import { lettersOf, likePattern, likeStart } from './search-pattern';

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
    expect(likePattern(text)).toBe(pattern);
  });

  it('of first letters know no wildcards', () => {
    expect(likeStart('*a%')).toBe('*a\\%%');
  });

  it('count what is no wildcard', () => {
    expect([lettersOf('a*b?'), lettersOf('**'), lettersOf('abc')]).toEqual([2, 0, 3]);
  });
});
