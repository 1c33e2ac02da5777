/** Begins every file, so that spreadsheets read UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Ends every line. */
const LINE_END = '\r\n';

// A cell that begins with one of these is a formula for some spreadsheet.
const FORMULA = /^[=+\-@|]/;
// eslint-disable-next-line no-control-regex -- these are what must not get into a cell
const CONTROL = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** A quoted cell that no spreadsheet runs: formula characters, quotes, pipes and control characters are defused. */
export function toCsvCell(value: string): string {
  const clean = value.replace(CONTROL, '').replace(/"/g, "'");
  const guard = FORMULA.test(clean) ? "'" : '';
  const first = clean.slice(0, 1);
  const rest = clean.slice(1).replace(/\|/g, '\\|');
  return `"${guard}${(first + rest).replace(/\r\n|\r|\n/g, LINE_END)}"`;
}

/** One line with its end. */
export const toCsvLine = (values: readonly string[], delimiter: string): string =>
  values.map(toCsvCell).join(delimiter) + LINE_END;
