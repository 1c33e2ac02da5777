import { groupBy } from './group-by';

describe('groups', () => {
  it('stand in the order of their first items, and items in theirs', () => {
    const groups = groupBy([3, 10, 1, 12, 2], (item) => item >= 10);
    expect([...groups]).toEqual([
      [false, [3, 1, 2]],
      [true, [10, 12]],
    ]);
  });

  it('hold values of items', () => {
    const members = new Set([
      { list: 7, name: 'a' },
      { list: 7, name: 'b' },
    ]);
    expect(
      groupBy(
        members,
        ({ list }) => list,
        ({ name }) => name,
      ),
    ).toEqual(new Map([[7, ['a', 'b']]]));
    expect(groupBy([], String)).toEqual(new Map());
  });

  it('are made in linear time', () => {
    const start = performance.now();
    const groups = groupBy(Array(200_000).keys(), () => 2026);
    expect(groups.get(2026)).toHaveLength(200_000);
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
