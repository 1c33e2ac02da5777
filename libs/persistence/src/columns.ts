import { fieldsOf, RequestErrors, type FieldDescription, type Model } from '@groupware/contracts';

/** SQL of a model's fields; `null` for a field that the module does not store: it is answered as null. */
export type ColumnSql<T extends object> = { readonly [K in keyof T]-?: string | null };

/** The projection of a model: from asked columns to SQL. Only texts written in source code ever get into SQL. */
export interface Columns<T extends object> {
  /**
   * The select list for the asked column numbers or wire names, in the order asked. Unknown ones are refused with
   * SVL-0010. The outputs are named `c0`, `c1` …, so that `order by start_date` always means the table's column.
   */
  select(columns: readonly (number | string)[]): string;
  /** The same as one JSON array per row: `json_build_array(…)`, for answers that Postgres builds. */
  jsonArray(columns: readonly (number | string)[]): string;
  /** The select list of all stored fields, named as the model's properties: for `objects` and `first`. */
  all(): string;
  /** The SQL of one field, for conditions and sorting; undefined when it is not stored. */
  expression(property: keyof T & string): string | undefined;
  /** The field of a column number or wire name. Unknown ones are refused with SVL-0010. */
  field(column: number | string): FieldDescription;
}

/** Postgres takes at most so many arguments per function. */
const MAX_ARGUMENTS = 100;

/**
 * Ties the fields of a model to SQL expressions. A field without SQL (or `null`), or SQL without a field, does not compile.
 * @example const accountColumns = columnsOf(MailAccountData, { id: 'a.id', login: 'a.login' });
 */
export function columnsOf<T extends object>(model: Model<T>, sql: ColumnSql<T>): Columns<T> {
  const expressions = sql as Readonly<Record<string, string | null>>;
  const byColumn = new Map<string, FieldDescription>();
  for (const field of fieldsOf(model)) {
    if (field.column !== undefined) byColumn.set(String(field.column), field);
    for (const name of field.requestNames) byColumn.set(name, field);
  }

  const field = (column: number | string): FieldDescription => {
    const found = byColumn.get(String(column));
    if (!found) throw RequestErrors.badParameter('columns', column);
    return found;
  };
  const list = (columns: readonly (number | string)[]): string[] =>
    columns.map((column) => expressions[field(column).property] ?? 'null');

  return {
    field,
    select: (columns) =>
      list(columns)
        .map((expression, index) => `${expression} as c${index}`)
        .join(', '),
    jsonArray: (columns) => {
      const all = list(columns);
      if (all.length <= MAX_ARGUMENTS) return `json_build_array(${all.join(', ')})`;
      const parts: string[] = [];
      for (let index = 0; index < all.length; index += MAX_ARGUMENTS)
        parts.push(`jsonb_build_array(${all.slice(index, index + MAX_ARGUMENTS).join(', ')})`);
      return `(${parts.join(' || ')})`;
    },
    all: () =>
      Object.entries(expressions)
        .filter(([, expression]) => expression !== null)
        .map(([property, expression]) => `${expression} as "${property}"`)
        .join(', '),
    expression: (property) => expressions[property] ?? undefined,
  };
}
