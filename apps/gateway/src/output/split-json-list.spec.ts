import { splitJsonList } from './split-json-list';

describe('splitJsonList', () => {
  it.each([
    ['empty', []],
    ['plain values', [1, null, true, 'a']],
    ['nested ones', [{ a: [1, 2, { b: 'c' }] }, [], [[], {}], {}]],
    ['text with everything that divides', ['],[', '{"a":1}', '\\', '"', '\\"],', 'ü–😀', '']],
    ['one element', ['x']],
  ])('finds the elements of a list: %s', (_name, list) => {
    for (const text of [JSON.stringify(list), JSON.stringify(list, undefined, 1)]) {
      const elements = splitJsonList(Buffer.from(text)).filter((each) => Buffer.from(each).toString().trim() !== '');
      expect(elements.map((each) => JSON.parse(Buffer.from(each).toString()))).toEqual(list);
    }
  });
});
