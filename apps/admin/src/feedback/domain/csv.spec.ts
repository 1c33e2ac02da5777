import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { toCsvCell, toCsvLine } from './csv';

describe('a cell', () => {
  it.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['say "hi"', `"say 'hi'"`],
    ['=1+1', `"'=1+1"`],
    ['+49', `"'+49"`],
    ['-5', `"'-5"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['|cmd|', `"'|cmd\\|"`],
    ['a|b', '"a\\|b"'],
    ['\t=cmd', `"'=cmd"`],
    ['\u0000\u001b[0m\u0085x', '"[0mx"'],
    ['a\nb\r\nc\rd', '"a\r\nb\r\nc\r\nd"'],
    ['ü😀', '"ü😀"'],
  ])('%j becomes %j', (value, cell) => {
    expect(toCsvCell(value)).toBe(cell);
  });

  it('stays one cell and never begins a formula, whatever was written', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 5 }), (values) => {
        const rows: string[][] = parse(toCsvLine(values, ';'), { delimiter: ';', record_delimiter: '\r\n' });
        expect(rows).toHaveLength(1);
        expect(rows[0]).toHaveLength(values.length);
        for (const cell of rows[0]!) expect(cell).not.toMatch(/^[=+\-@|\t]/);
      }),
    );
  });
});
