import { findUnquotedName } from './filename';

describe('a name without the quotes that it needs', () => {
  const find = (header: string, told = 'My') => findUnquotedName(Buffer.from(header, 'latin1'), told);

  it('is read up to the next semicolon', () => {
    expect(find('Content-Disposition: attachment; filename=My Report 2026.pdf; size=3')).toBe('My Report 2026.pdf');
    expect(find('Content-Type: application/pdf;\r\n name=My Report.pdf\r\n')).toBe('My Report.pdf');
  });

  it('is left where it is told whole', () => {
    expect(find('Content-Disposition: attachment; filename=My; size=3')).toBeUndefined();
    expect(find('Content-Disposition: attachment; filename="Other name"')).toBeUndefined();
    expect(find('')).toBeUndefined();
  });
});
