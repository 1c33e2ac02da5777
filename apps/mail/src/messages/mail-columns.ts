import { fieldOfColumn, fieldsOf, MailData, RequestErrors, type MailColumnsQuery } from '@groupware/contracts';

/** A column of an answer: a field of mails, a header, or nothing that is known. */
export type MailColumn =
  | { readonly kind: 'field'; readonly property: keyof MailData; readonly name: string }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'nothing' };

/** Named sets of columns. */
const COLUMN_SETS: Readonly<Record<string, readonly number[]>> = {
  all: [600, 601],
  list: [600, 601, 614, 602, 611, 603, 607, 610, 608, 612, 652, 102],
};

/** Resolves the columns of a request, the headers behind them. @throws SVL-0002 when there are none */
export function resolveMailColumns({ columns, headers = [] }: MailColumnsQuery): MailColumn[] {
  if (columns.length === 0) throw RequestErrors.missingParameter('columns');
  const found = columns.flatMap((column): MailColumn[] => {
    if (Object.hasOwn(COLUMN_SETS, column)) return COLUMN_SETS[column]!.map(toField);
    return [/^\d+$/.test(column) ? toField(Number(column)) : { kind: 'header', name: column }];
  });
  return [...found, ...headers.map((name): MailColumn => ({ kind: 'header', name }))];
}

function toField(column: number): MailColumn {
  const field = fieldOfColumn(MailData, column);
  if (!field) return { kind: 'nothing' };
  return { kind: 'field', property: field.property as keyof MailData, name: field.wireName };
}

/** Columns with parts of the authenticity of a mail, which is a field of a whole mail. */
const AUTHENTICITY_COLUMNS: ReadonlySet<number> = new Set([664, 665]);

/** Columns of a whole mail without its content, and its keywords, which are no column. */
export const HEADER_COLUMNS: readonly MailColumn[] = [
  ...fieldsOf(MailData).flatMap(({ column }) =>
    column === undefined || AUTHENTICITY_COLUMNS.has(column) ? [] : [toField(column)],
  ),
  { kind: 'field', property: 'user', name: 'user' },
];
