/** Most words that are looked for. */
const MAX_WORDS = 5;

/** The words of a search, and those that are ignored. */
export interface SearchWords {
  readonly words: readonly string[];
  readonly ignored: readonly string[];
}

/**
 * Splits the words that a user typed at blanks; quotes keep words together and go. Words with less characters than needed are
 * ignored where there are others, and so are those beyond {@link MAX_WORDS}.
 */
export function splitWords(query: string, minLength: number): SearchWords {
  const found = [...query.matchAll(/"([^"]*)"?|([^\s"]+)/g)]
    .map(([, quoted, plain]) => (quoted ?? plain ?? '').trim())
    .filter((word) => word !== '');
  const long = found.filter((word) => [...word].length >= minLength);
  const used = long.length > 0 ? long : found;
  const words = used.slice(0, MAX_WORDS);
  return { words, ignored: found.filter((word) => !words.includes(word)) };
}
