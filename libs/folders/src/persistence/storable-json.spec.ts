import { isSameStored, toStorableJson } from './storable-json';

describe('storableJson', () => {
  it('drops NUL and replaces halves of pairs, also behind escaped backslashes', () => {
    expect(
      JSON.parse(toStorableJson({ a: 'x\u0000y', b: '\ud83d', c: '\\u0000 \\ud83d', d: '\u{1f600}', e: '\u0001' })),
    ).toEqual({
      a: 'xy',
      b: '\ufffd',
      c: '\\u0000 \\ud83d',
      d: '\u{1f600}',
      e: '\u0001',
    });
  });
});

describe('isSameStored', () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: 1, b: [{ c: 'x', d: null }] }, { b: [{ d: null, c: 'x' }], a: 1 }, true],
    [null, undefined, true],
    [{ a: undefined, b: 1 }, { b: 1 }, true],
    [{ a: null }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[], {}, false],
    [{}, null, false],
    ['1', 1, false],
    [JSON.parse('{"__proto__":{}}'), {}, false],
  ])('%j and %j: %s', (left, right, expected) => {
    expect([isSameStored(left, right), isSameStored(right, left)]).toEqual([expected, expected]);
  });
});
