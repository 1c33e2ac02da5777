/** Reserved file names on some systems. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Converts to a portable file name; names that differ in more than case stay different. */
function toSafeName(name: string): string {
  const cleaned = name
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/[\\/:*?"<>|]/g, '_')
    .replace(/^\.+|(?<![. ])[. ]+$/g, '_');
  if (cleaned === '' || cleaned === '_') return 'attachment';
  return RESERVED.test(cleaned) ? `_${cleaned}` : cleaned;
}

/**
 * Creates unique entry names in the same order, also on case-insensitive systems.
 * @param firstCopy number of the second file of a name
 */
export function toArchiveNames(names: readonly string[], firstCopy = 2): string[] {
  const taken = new Set<string>();
  /** The number to try next for a name: thousands of equal names take no longer than different ones. */
  const next = new Map<string, number>();
  return names.map((original) => {
    const name = toSafeName(original);
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    const key = name.toLowerCase();
    let candidate = name;
    let number = next.get(key) ?? firstCopy;
    for (; taken.has(candidate.toLowerCase()); number++) candidate = `${stem} (${number})${extension}`;
    next.set(key, number);
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}
