import fc from 'fast-check';
import { decodeWords } from './encoded-words';

describe('encoded words', () => {
  it.each([
    ['plain', 'plain'],
    ['=?utf-8?Q?Gr=C3=BC=C3=9Fe_an_alle?=', 'Grüße an alle'],
    ['=?UTF-8?B?8J+Yig==?= done', '😊 done'],
    ['=?utf-8?B?8J8=?= =?utf-8?B?mIo=?=', '😊'],
    ['=?iso-8859-1?q?a?=\r\n =?iso-8859-1?q?=E4?= b', 'aä b'],
    ['=?utf-8?q?a?= =?iso-8859-1?q?=E4?=', 'aä'],
    ['=?utf-8*de?q?a?=', 'a'],
    ['=?unknown-9?q?a?=', '=?unknown-9?q?a?='],
    ['=?utf-8?x?a?= =?broken', '=?utf-8?x?a?= =?broken'],
  ])('%j is %j', (text, expected) => expect(decodeWords(text)).toBe(expected));

  it('gives back every text that was encoded, and survives any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = Buffer.from(text);
        const words = [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)]
          .map((part) => `=?utf-8?b?${part.toString('base64')}?=`)
          .join('\r\n ');
        expect(decodeWords(words)).toBe(bytes.toString());
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => typeof decodeWords(text) === 'string'),
      { numRuns: 100 },
    );
  });
});
