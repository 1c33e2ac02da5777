const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');

/** A pattern of the client API (`*` any text, `?` one character) as pattern of SQL's `like`. */
export const likePattern = (pattern: string): string => escaped(pattern).replaceAll('?', '_');

/** A search word of the REST API: a pattern where it has a `*`, else any part of the value. */
export const listPattern = (word: string): string => (word.includes('*') ? escaped(word) : `%${escaped(word)}%`);

/** The same for texts that are no columns. */
export function textPattern(word: string): RegExp {
  const parts = word.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const middle = parts.join('.*');
  return new RegExp(word.includes('*') ? `^${middle}$` : middle, 'is');
}
