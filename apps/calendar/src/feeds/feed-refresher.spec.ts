import { addJitter, backOff } from './feed-refresher';

describe('when feeds are read again', () => {
  it.each([
    [0, 1000],
    [0.5, 1050],
    [1, 1100],
  ])('with the chance %d after %d', (chance, expected) => {
    expect(addJitter(1000, () => chance)).toBe(expected);
  });

  it.each([
    [1, 10],
    [2, 20],
    [4, 80],
    [5, 100],
    [5000, 100],
  ])('after %d failures in a row after %d', (failures, expected) => {
    expect(backOff(failures, 10, 100)).toBe(expected);
  });

  it('never sooner than errors are tried again', () => {
    expect(backOff(1, 10, 5)).toBe(10);
    expect(backOff(9, 10, 5)).toBe(10);
  });
});
