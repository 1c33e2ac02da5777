const escaped = (text: string): string => text.replaceAll('\u0000', '').replace(/[\\%_]/g, String.raw`\$&`);

/**
 * The LIKE pattern of a search text: `*` stands for any characters, `?` for one. A text without either may be anywhere.
 */
export function likePattern(text: string): string {
  const pattern = escaped(text).replace(/\*+/g, '%').replaceAll('?', '_');
  return /[*?]/.test(text) ? pattern : `%${pattern}%`;
}

/** The LIKE pattern of texts that begin so. */
export const likeStart = (text: string): string => `${escaped(text)}%`;

/** Number of characters of a search text that are no wildcards. */
export const lettersOf = (text: string): number => text.replace(/[*?]/g, '').length;
