import { TypeOverrides } from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
// Dates and timestamps stay text: times are bigint ms in our tables, and a Date in the server's zone is a trap.
const TEXTUAL = [1082, 1083, 1114, 1184, 1266, 1115, 1182, 1185];

function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a number without loss`);
  return number;
}

const asIs = <T>(value: T): T => value;

/**
 * How values of Postgres become values of JavaScript: bigint and numeric as numbers (a bigint beyond 2^53 throws), json
 * parsed, dates and timestamps as text.
 */
export const valueTypes = new TypeOverrides();

/** Reads an array of numbers: they need no quotes. */
const arrayOf =
  (parse: (value: string) => number) =>
  (value: string): (number | null)[] =>
    value === '{}'
      ? []
      : value
          .slice(1, -1)
          .split(',')
          .map((element) => (element === 'NULL' ? null : parse(element)));

valueTypes.setTypeParser(INT8, 'text', wholeNumber);
valueTypes.setTypeParser(NUMERIC, 'text', Number);
valueTypes.setTypeParser(INT8_ARRAY, 'text', arrayOf(wholeNumber));
valueTypes.setTypeParser(NUMERIC_ARRAY, 'text', arrayOf(Number));
for (const oid of TEXTUAL) valueTypes.setTypeParser<string>(oid, 'text', asIs);

class UnparsedTypes extends TypeOverrides {
  override getTypeParser(): (value: unknown) => unknown {
    return asIs;
  }
}

/** Every value as the text that the server sent. */
export const unparsedTypes = new UnparsedTypes();
