const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');

/** A pattern of the client API (`*` any text, `?` one character) as pattern of SQL's `like`. */
export const likePattern = (pattern: string): string => escaped(pattern).replaceAll('?', '_');

/** A search word of the REST API: a pattern where it has a `*`, else any part of the value. */
export const listPattern = (word: string): string => (word.includes('*') ? escaped(word) : `%${escaped(word)}%`);
