import { parseFindRange, PAST_PERIODS } from './find-range';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2030, 0, 31);
const parse = (query: string) => parseFindRange(query, NOW, { ...PAST_PERIODS, near: { before: 1, after: 2 } });

describe('ranges of time', () => {
  it('have names or ends, which are part of them in square brackets', () => {
    expect(parse('last_week')).toEqual({ from: NOW - 7 * DAY_MS });
    expect(parse('near')).toEqual({ from: NOW - DAY_MS, to: NOW + 2 * DAY_MS });
    expect(parse('[10 TO 20]')).toEqual({ from: 10, to: 20 });
    expect(parse('{10 TO 20}')).toEqual({ from: 11, to: 19 });
    expect(parse('[-5 TO *]')).toEqual({ from: -5 });
    expect(parse('{* TO 20}')).toEqual({ to: 19 });
    expect(parse('[* TO *]')).toEqual({});
  });

  it.each(['', 'later', '[later TO', '[1 TO 2}', '[1 to 2]', '[1 TO 9999999999999999]', 'toString'])(
    'FI-51 are not read from %j',
    (query) => {
      expect(() => parse(query)).toThrow(expect.objectContaining({ code: 'FIND-0004' }));
    },
  );
});
