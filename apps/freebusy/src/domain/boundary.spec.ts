import { parseBoundary, parseEventRange, parseRange } from './boundary';

const DAY = 86_400_000;

describe('parseBoundary', () => {
  it.each<[string, number | undefined]>([
    ['1599465600000', 1_599_465_600_000],
    ['0', 0],
    ['-1000', -1000],
    ['20200907', Date.UTC(2020, 8, 7)],
    ['20200907T220000Z', Date.UTC(2020, 8, 7, 22)],
    ['20200907T220000', Date.UTC(2020, 8, 7, 22)],
    ['2020-09-08', Date.UTC(2020, 8, 8)],
    ['2020-09-08T00:00:00Z', Date.UTC(2020, 8, 8)],
    ['2020-09-08T10:30', Date.UTC(2020, 8, 8, 10, 30)],
    ['2020-09-08T10:30:15.250Z', Date.UTC(2020, 8, 8, 10, 30, 15, 250)],
    ['2020-09-08T10:30:00+02:00', Date.UTC(2020, 8, 8, 8, 30)],
    ['2020-09-08T10:30:00-0730', Date.UTC(2020, 8, 8, 18)],
    ['2020-09-08T10:30:00 02:00', Date.UTC(2020, 8, 8, 8, 30)],
    // Eight digits that are no day are a number of ms.
    ['20201399', 20_201_399],
    ['22000101', 22_000_101],
    ['20200931T000000Z', undefined],
    ['2020-02-30', undefined],
    ['2020-09-08T24:00:00Z', undefined],
    ['tomorrow', undefined],
    ['', undefined],
    ['1e12', undefined],
    ['99999999999999999', undefined],
    ['9999999999999999', undefined],
  ])('%s', (text, expected) => expect(parseBoundary(text)).toBe(expected));
});

describe('parseEventRange', () => {
  it.each([
    ['20200908', '20200909T103000', Date.UTC(2020, 8, 8), Date.UTC(2020, 8, 9, 10, 30)],
    ['20200908T103000Z', '20200909', Date.UTC(2020, 8, 8, 10, 30), Date.UTC(2020, 8, 9)],
  ])('%s to %s', (from, until, fromMs, untilMs) => expect(parseEventRange(from, until)).toEqual({ fromMs, untilMs }));

  it.each(['1599523200000', '2020-09-08', '20200931', '', '20200908T10'])('refuses %s', (from) => {
    expect(() => parseEventRange(from, '20300101')).toThrow(expect.objectContaining({ code: 'SVL-0010' }));
  });
});

describe('rangeOf', () => {
  it('begins now and lasts four weeks unless told otherwise', () => {
    expect(parseRange(undefined, undefined, 1000)).toEqual({ fromMs: 1000, untilMs: 1000 + 28 * DAY });
    expect(parseRange('5', undefined, 1000)).toEqual({ fromMs: 5, untilMs: 5 + 28 * DAY });
  });

  it.each([
    ['word', undefined, 'FBY-0001'],
    ['10', '10', 'FBY-0002'],
    ['11', '10', 'FBY-0002'],
    ['0', String(732 * DAY), 'FBY-0003'],
  ])('refuses %s to %s', (from, until, code) => {
    expect(() => parseRange(from, until, 0)).toThrow(expect.objectContaining({ code }));
  });
});
