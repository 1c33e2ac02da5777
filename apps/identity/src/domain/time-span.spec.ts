import { parseTimeSpan } from './time-span';

describe('a time span', () => {
  it.each([
    ['2W', 1_209_600_000],
    ['1 D', 86_400_000],
    ['90m', 5_400_000],
    ['250', 250],
    ['0', 0],
    ['two weeks', undefined],
    ['-1D', undefined],
  ])('of %s is %p ms', (text, span) => expect(parseTimeSpan(text)).toBe(span));

  it('is not shorter than the least one, unless it is none', () => {
    expect([parseTimeSpan('1m', 3_600_000), parseTimeSpan('0', 3_600_000)]).toEqual([3_600_000, 0]);
  });
});
