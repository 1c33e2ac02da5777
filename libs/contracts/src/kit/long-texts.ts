import type { CatalogueError, ErrorFactory } from './errors';
import { fieldsOf, type Model } from './field';

/** A text that has more characters than its field takes. */
export interface LongText {
  readonly name: string;
  readonly column: number;
  readonly length: number;
  readonly limit: number;
}

/** Counts the characters of a text, whatever they take in UTF-16. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Lists the texts with a column that have too many characters, accents composed; blank ones stand for no text.
 * @param limitOf most characters by the name of the field
 */
export function listLongTexts(model: Model, values: object, limitOf: (name: string) => number): LongText[] {
  return fieldsOf(model).flatMap(({ type, wireName: name, property, column }) => {
    const value = (values as Readonly<Record<string, unknown>>)[property];
    if (type !== 'text' || column === undefined || typeof value !== 'string') return [];
    const limit = limitOf(name);
    // A character takes two units of UTF-16 at most.
    if (value.length <= limit || value.trim() === '') return [];
    const length = countCharacters(value.normalize('NFC'));
    return length > limit ? [{ name, column, length, limit }] : [];
  });
}

/** The error for texts that are too long: it is about the first of them and names the columns of all. */
export function toLongTextsError(
  error: ErrorFactory,
  [first, ...rest]: readonly [LongText, ...LongText[]],
): CatalogueError {
  const all = [first, ...rest];
  return error(first.name, first.limit, first.length).with({
    problematic: all.map(({ column, length, limit }) => ({ id: column, length, max_size: limit })),
    truncated: all.map(({ column }) => column),
  });
}
