import { splitWords } from './words';

describe('what somebody types', () => {
  it.each([
    ['max st', 0, ['max', 'st'], []],
    ['  a\tb ', 0, ['a', 'b'], []],
    ['"a b" c', 0, ['a b', 'c'], []],
    ['"open end', 0, ['open end'], []],
    ['""', 0, [], []],
    ['', 0, [], []],
    ['a b c d e f', 0, ['a', 'b', 'c', 'd', 'e'], ['f']],
    ['abc d', 3, ['abc'], ['d']],
    ['a b', 3, ['a', 'b'], []],
  ])('%j has the words %j', (query, minLength, words, ignored) => {
    expect(splitWords(query, minLength)).toEqual({ words, ignored });
  });
});
