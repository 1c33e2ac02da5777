import fc from 'fast-check';
import { isKnown, isOther, isSameVersion, rangeOf, rangesOf } from './byte-ranges';

it.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=5-', 10, { start: 5, end: 9 }],
  ['bytes=5-99', 10, { start: 5, end: 9 }],
  ['BYTES= 5 - 7 ', 10, { start: 5, end: 7 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  ['bytes=7-5', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['lines=0-1', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=1e3-', 10, undefined],
  [undefined, 10, undefined],
])('%j of %i bytes: %j', (header, size, expected) => {
  expect(rangeOf(header, size)).toEqual(expected);
});

it.each([
  [
    'bytes=0-0,5-6',
    [
      { start: 0, end: 0 },
      { start: 5, end: 6 },
    ],
  ],
  [
    'bytes=5-6, 0-0',
    [
      { start: 5, end: 6 },
      { start: 0, end: 0 },
    ],
  ],
  ['bytes=2-4', [{ start: 2, end: 4 }]],
  ['bytes=0-1,20-', [{ start: 0, end: 1 }]],
  ['bytes=20-,30-', 'unsatisfiable'],
  ['bytes=0-5,5-6', 'unsatisfiable'],
  ['bytes=-3,8-', 'unsatisfiable'],
  ['bytes=0-1,abc', undefined],
  ['bytes=0-1,', undefined],
  [`bytes=${Array.from({ length: 17 }, (_none, index) => `${index}-${index}`).join()}`, undefined],
  [undefined, undefined],
])('%j of 10 bytes names the ranges %j', (header, expected) => {
  expect(rangesOf(header, 10)).toEqual(expected);
});

it('any header gives a part of the file, or none', () => {
  const anyNumber = fc.oneof(fc.nat(20).map(String), fc.constantFrom('', '999999999999999', '-1', '0x1'));
  const header = fc.oneof(
    fc.string(),
    fc.tuple(anyNumber, anyNumber).map(([first, last]) => `bytes=${first}-${last}`),
  );
  fc.assert(
    fc.property(header, fc.nat(20), (text, size) => {
      const range = rangeOf(text, size);
      if (typeof range !== 'object') return;
      expect(0 <= range.start && range.start <= range.end && range.end < size).toBe(true);
    }),
  );
});

it('every part of a file can be asked for from either side', () => {
  const part = fc.integer({ min: 1, max: 2 ** 40 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
  fc.assert(
    fc.property(part, ([size, start]) => {
      expect(rangeOf(`bytes=${start}-${start}`, size)).toEqual({ start, end: start });
      expect(rangeOf(`bytes=${start}-`, size)).toEqual({ start, end: size - 1 });
      expect(rangeOf(`bytes=-${size - start}`, size)).toEqual({ start, end: size - 1 });
    }),
  );
});

it('compares versions as the header demands: weakly, strongly, exactly', () => {
  expect([undefined, '*', '"a"', 'W/"a"', '"b", W/"a"', '"b"'].map((header) => isKnown(header, '"a"'))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([undefined, '*', '"a"', 'W/"a"', '"b", "a"', '"b"'].map((header) => isOther(header, '"a"'))).toEqual([
    false,
    false,
    false,
    true,
    false,
    true,
  ]);
  expect([undefined, '"a"', 'W/"a"', '"b"'].map((header) => isSameVersion(header, '"a"'))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isSameVersion('"a"', undefined)).toBe(false);
});
