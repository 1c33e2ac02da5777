import fc from 'fast-check';
import { toArchiveNames } from './archive-names';

it.each([
  [
    ['a.txt', 'a.txt', 'A.TXT'],
    ['a.txt', 'a (2).txt', 'A (3).TXT'],
  ],
  [
    ['a (2).txt', 'a.txt', 'a.txt'],
    ['a (2).txt', 'a.txt', 'a (3).txt'],
  ],
  [
    ['../../etc/passwd', '..', ''],
    ['__.._etc_passwd', 'attachment', 'attachment (2)'],
  ],
  [
    ['con', 'LPT1.txt', 'console'],
    ['_con', '_LPT1.txt', 'console'],
  ],
  [
    ['photo\u202egnp.exe', 'x\0y', 'ends. . '],
    ['photognp.exe', 'xy', 'ends_'],
  ],
])('%j become %j', (names, expected) => {
  expect(toArchiveNames(names)).toEqual(expected);
});

it('as many as an archive holds cost about the same, equal or not', () => {
  const timeOf = (nameOf: (index: number) => string): number => {
    const names = Array.from({ length: 10_000 }, (_none, index) => nameOf(index));
    const began = process.cpuUsage().user;
    toArchiveNames(names);
    return process.cpuUsage().user - began;
  };
  const different = Math.min(...[1, 2, 3].map(() => timeOf((index) => `report ${index}.txt`)));
  expect(timeOf(() => 'report.txt')).toBeLessThan(20 * different);
});

it('any names become unique single parts of a path, in the same order', () => {
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('a', 'A', 'a (2)', '.', '..', 'a/b', 'a\\b', 'nul', 'nul.txt', '\u202e', 'x.', ' '),
  );
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 12 }), (names) => {
      const result = toArchiveNames(names);
      expect(result).toHaveLength(names.length);
      expect(new Set(result.map((name) => name.toLowerCase())).size).toBe(names.length);
      for (const name of result) {
        expect(name).not.toMatch(/[\p{Cc}/\\:*?"<>|\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
        expect(name).not.toMatch(/^\.|^$|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
      }
    }),
  );
});
