/** Names no file may have on some system: reserved, or with characters that name places. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A name that is one part of a path everywhere; names that differ in more than their case stay different. */
function safe(name: string): string {
  const cleaned = name
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/[\\/:*?"<>|]/g, '_')
    .replace(/^\.+|[. ]+$/g, '_');
  if (cleaned === '' || cleaned === '_') return 'attachment';
  return RESERVED.test(cleaned) ? `_${cleaned}` : cleaned;
}

/** Names for the entries of an archive, in the same order: each unique, also where upper and lower case are the same. */
export function archiveNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((original) => {
    const name = safe(original);
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let candidate = name;
    for (let number = 2; taken.has(candidate.toLowerCase()); number++) candidate = `${stem} (${number})${extension}`;
    taken.add(candidate.toLowerCase());
    return candidate;
  });
}
