/** Groups items by a key, in linear time. Groups stand in the order of their first items, items in theirs. */
export function groupBy<T, K>(items: Iterable<T>, toKey: (item: T) => K): Map<K, T[]>;
/** Groups values of items by a key, the same way. */
export function groupBy<T, K, V>(items: Iterable<T>, toKey: (item: T) => K, toValue: (item: T) => V): Map<K, V[]>;
export function groupBy<T, K>(
  items: Iterable<T>,
  toKey: (item: T) => K,
  toValue: (item: T) => unknown = (item) => item,
): Map<K, unknown[]> {
  const groups = new Map<K, unknown[]>();
  for (const item of items) {
    const key = toKey(item);
    const group = groups.get(key);
    if (group) group.push(toValue(item));
    else groups.set(key, [toValue(item)]);
  }
  return groups;
}
