/** A value of a table cell on one line. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Rows as a table with aligned columns. */
export function table(rows: readonly object[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => cell((row as Record<string, unknown>)[name])))];
  const widths = columns.map((_name, index) => Math.max(...lines.map((line) => line[index]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One object, a field per line. */
export function fields(value: object): string {
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, each]) => `${name.padEnd(width)}  ${cell(each)}`.trimEnd()).join('\n');
}
