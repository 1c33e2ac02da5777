/**
 * JSON text that Postgres takes: it refuses NUL and halves of surrogate pairs, which any client may send. NUL goes,
 * halves become the replacement character.
 */
export function toStorableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON.stringify escapes exactly the characters that matter here, besides others that are fine.
  if (!text.includes('\\u')) return text;
  return text.replace(/\\(?:u([0-9a-f]{4})|.)/gs, (escape, code: string | undefined) => {
    if (code === '0000') return '';
    return code?.startsWith('d') && /^d[89a-f]/.test(code) ? '\\ufffd' : escape;
  });
}

/** True for values that Postgres stores as the same JSON: the order of keys does not matter, and nothing is null. */
export function isSameStored(left: unknown, right: unknown): boolean {
  if (left === right || (left ?? null) === (right ?? null)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false;
  if (Array.isArray(left) || Array.isArray(right))
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((value, at) => isSameStored(value, right[at]))
    );
  const [one, other] = [left as Record<string, unknown>, right as Record<string, unknown>];
  const names = Object.keys(one).filter((name) => one[name] !== undefined);
  const isKept = (name: string): boolean => other[name] !== undefined;
  return (
    names.length === Object.keys(other).filter(isKept).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameStored(one[name], other[name]))
  );
}
