import type { FindFilter } from './find.models';

/** Objects that have a file whose name contains a text, by that text. */
export type ObjectsByFileName = ReadonlyMap<string, readonly number[]>;

/** Fields of filters in which names of files alone are looked for. */
const NAME_FIELDS: readonly string[] = ['attachment', 'attachment_name'];
const GLOBAL = 'global';

/** True for a field in which names of files alone are looked for. */
export const isFileNameField = (field: string): boolean => NAME_FIELDS.includes(field);

/**
 * Asks for the objects that filters find by names of files. Filters that look into other fields, too, go on with those when no
 * answer comes.
 * @param ask answers the objects of each text
 */
export async function listObjectsByFileName(
  filters: readonly FindFilter[],
  ask: (names: string[]) => Promise<readonly (readonly number[])[]>,
): Promise<ObjectsByFileName> {
  const looking = filters.filter(({ fields }) => fields.some((field) => field === GLOBAL || isFileNameField(field)));
  const names = [...new Set(looking.flatMap(({ queries }) => queries))];
  if (names.length === 0) return new Map();
  try {
    const found = await ask(names);
    return new Map(names.map((name, index) => [name, found[index] ?? []]));
  } catch (error) {
    if (looking.every(({ fields }) => fields.includes(GLOBAL))) return new Map();
    throw error;
  }
}
