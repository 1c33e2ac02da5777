const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');

/** A pattern of the client API (`*` any text, `?` one character) as pattern of SQL's `like`. */
export const toLikePattern = (pattern: string): string => escapeLike(pattern).replaceAll('?', '_');

/** Whether a text starts with a pattern of the client API, case ignored. */
export const matchesPrefix = (text: string, pattern: string): boolean => matchesPattern(text, `${pattern}*`, '?');

/**
 * Whether a text is like a pattern: `*` any text, `anyOne` one character; case ignored. Each part between two stars is taken
 * where it is found first: no other place could let more of the pattern match, so there is nothing to go back to.
 */
export function matchesPattern(text: string, pattern: string, anyOne?: string): boolean {
  const lower = text.toLowerCase();
  const [first, ...others] = pattern.toLowerCase().split(/\*+/) as [string, ...string[]];
  const last = others.pop();
  const isAt = (part: string, at: number): boolean => {
    if (at < 0 || at + part.length > lower.length) return false;
    for (let index = 0; index < part.length; index++)
      if (part[index] !== anyOne && part[index] !== lower[at + index]) return false;
    return true;
  };
  if (last === undefined) return lower.length === first.length && isAt(first, 0);
  if (!isAt(first, 0)) return false;
  let from = first.length;
  for (const part of others) {
    while (from + part.length <= lower.length && !isAt(part, from)) from++;
    if (!isAt(part, from)) return false;
    from += part.length;
  }
  return lower.length - last.length >= from && isAt(last, lower.length - last.length);
}

/** A search word of the REST API: a pattern where it has a `*`, else any part of the value. */
export const toSearchPattern = (word: string): string =>
  word.includes('*') ? escapeLike(word) : `%${escapeLike(word)}%`;

/** Whether a text that is no column is like a search word of the REST API. */
export const matchesSearchWord = (text: string, word: string): boolean =>
  matchesPattern(text, word.includes('*') ? word : `*${word}*`);
