import { types } from 'pg';

type Parser = (value: string) => unknown;

const INT8 = 20;
const NUMERIC = 1700;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
// Dates and timestamps stay text: times are bigint ms in our tables, and a Date in the server's zone is a trap.
const TEXTUAL = new Set([1082, 1083, 1114, 1184, 1266, 1115, 1182, 1185]);

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a number without loss`);
  return number;
}

const arrayOf = (oid: number, parse: Parser): Parser => {
  const elements = types.getTypeParser(oid, 'text') as (value: string) => unknown[];
  return (value) => elements(value).map((element) => (element === null ? null : parse(String(element))));
};

const PARSERS = new Map<number, Parser>([
  [INT8, wholeNumber],
  [NUMERIC, Number],
  [INT8_ARRAY, arrayOf(INT8_ARRAY, wholeNumber)],
  [NUMERIC_ARRAY, arrayOf(NUMERIC_ARRAY, Number)],
]);

const asIs: Parser = (value) => value;

/**
 * How values of Postgres become values of JavaScript: bigint and numeric as numbers (a bigint beyond 2^53 throws), json
 * parsed, dates and timestamps as text.
 */
export const valueTypes = {
  getTypeParser: (oid: number, format?: string): Parser =>
    PARSERS.get(oid) ?? (TEXTUAL.has(oid) ? asIs : (types.getTypeParser(oid, format as 'text') as unknown as Parser)),
};
