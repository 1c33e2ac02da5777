/** Longest pattern that is compared here, characters: the time a comparison takes grows with it. */
export const MAX_PATTERN_LENGTH = 255;

/** Whether a pattern has wild cards. */
export const hasWildcards = (pattern: string): boolean => /[*?]/.test(pattern);

/** Creates the test whether a text holds a pattern, in which `*` stands for any characters and `?` for one; case does not count. */
export function createPatternTest(pattern: string): (text: string) => boolean {
  // The first place where a part is found leaves the most text for those behind it: nothing is tried twice.
  const parts = toComparable(pattern)
    .split('*')
    .map((part) => new RegExp(part.replace(/[\\^$.+()[\]{}|/]/g, '\\$&').replaceAll('?', '.'), 'gsu'));
  return (text) => {
    const searched = toComparable(text);
    let at = 0;
    return parts.every((part) => {
      part.lastIndex = at;
      const isFound = part.test(searched);
      at = part.lastIndex;
      return isFound;
    });
  };
}

const toComparable = (text: string): string => text.normalize('NFC').toLowerCase();
