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
export const isSameStored = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left ?? null, sortKeys) === JSON.stringify(right ?? null, sortKeys);

const sortKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
