const escapeLike = (text: string): string => text.replaceAll('\u0000', '').replace(/[\\%_]/g, String.raw`\$&`);

/**
 * The LIKE pattern of a search text: `*` stands for any characters, `?` for one. A text without either may be anywhere.
 */
export function toLikePattern(text: string): string {
  const pattern = escapeLike(text).replace(/\*+/g, '%').replaceAll('?', '_');
  return /[*?]/.test(text) ? pattern : `%${pattern}%`;
}

/** The LIKE pattern of texts that begin so. */
export const toLikePrefix = (text: string): string => `${escapeLike(text)}%`;

/** Number of characters of a search text that are no wildcards. */
export const countLiterals = (text: string): number => text.replace(/[*?]/g, '').length;
