import { RequestErrors } from '../edge/edge.errors';
import { fieldsOf } from '../kit';

/** Columns by which a model may be asked for. */
export interface ColumnNames {
  /** Numbers and names of the fields. */
  readonly known: ReadonlySet<string>;
  /** Spells out numbers or names with aliases. @throws SVL-0010 for what is no number and no name */
  readonly expand: (columns: readonly string[]) => string[];
}

/**
 * The columns of a model.
 * @param aliases column numbers by alias
 * @param unknown number that stands for unknown ones: answered with null, so that the other values keep their places
 */
export function columnNamesOf(
  model: Parameters<typeof fieldsOf>[0],
  aliases: Readonly<Record<string, readonly number[]>>,
  unknown: string,
): ColumnNames {
  const known = new Set(fieldsOf(model).flatMap(({ column, requestNames }) => [String(column), ...requestNames]));
  const expand = (columns: readonly string[]): string[] =>
    columns.flatMap((column) => {
      if (Object.hasOwn(aliases, column)) return aliases[column]!.map(String);
      if (known.has(column)) return [column];
      if (/^\d{1,9}$/.test(column)) return [unknown];
      throw RequestErrors.badParameter('columns', column);
    });
  return { known, expand };
}
