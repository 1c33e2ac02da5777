import fc from 'fast-check';
import { matchesPrefix, matchesSearchWord } from './search-pattern';

const naive = (text: string, pattern: string): boolean => {
  const source = pattern.replace(/[^*?]/g, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`);
  return new RegExp(`^${source.replaceAll('?', '.').replace(/\*+/g, '.*')}`, 'isu').test(text);
};

describe('patterns of the client API', () => {
  it.each([
    ['All users', 'all', true],
    ['All users', 'users', false],
    ['All users', '*users', true],
    ['All users', 'a?l*s', true],
    ['All users', '*x*', false],
    ['All', 'all?', false],
    ['', '*', true],
    ['', '?', false],
  ])('%j begins like %j: %s', (text, pattern, expected) => {
    expect(matchesPrefix(text, pattern)).toBe(expected);
  });

  it('mean what an expression of them means', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
    fc.assert(fc.property(text, pattern, (value, search) => matchesPrefix(value, search) === naive(value, search)));
  });

  it('are compared without going back, however many stars they have', () => {
    expect(matchesPrefix('a'.repeat(5_000), `${'*a'.repeat(2_000)}b`)).toBe(false);
    expect(matchesSearchWord('a'.repeat(5_000), `${'*a'.repeat(2_000)}b`)).toBe(false);
  });
});

describe('words of the REST API', () => {
  it.each([
    ['All users', 'USER', true],
    ['All users', 'all*', true],
    ['All users', 'user*', false],
    ['All users', '*users', true],
    ['a?b', 'a?b', true],
    ['axb', 'a?b', false],
  ])('%j has %j: %s', (text, word, expected) => {
    expect(matchesSearchWord(text, word)).toBe(expected);
  });
});
