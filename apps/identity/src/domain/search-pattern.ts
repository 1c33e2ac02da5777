const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');

/** A pattern of the client API (`*` any text, `?` one character) as pattern of SQL's `like`. */
export const likePattern = (pattern: string): string => escaped(pattern).replaceAll('?', '_');

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Stars in a row are one: each further one would multiply the ways to fail. */
const STARS = /\*+/;

/** Whether a text begins like a pattern of the client API, case ignored. */
export const beginsLike = (text: string, pattern: string): boolean => {
  const parts = pattern.split(STARS).map((part) => part.split('?').map(literal).join('.'));
  return new RegExp(`^${parts.join('.*')}`, 'is').test(text);
};

/** A search word of the REST API: a pattern where it has a `*`, else any part of the value. */
export const listPattern = (word: string): string => (word.includes('*') ? escaped(word) : `%${escaped(word)}%`);

/** The same for texts that are no columns. */
export function textPattern(word: string): RegExp {
  const middle = word.split(STARS).map(literal).join('.*');
  return new RegExp(word.includes('*') ? `^${middle}$` : middle, 'is');
}
