import { toStorableJson } from './storable-json';

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
