import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const script = path.join(__dirname, 'coverage-report.mjs');
const record = (name: string, successes: number, seen: string[], declared = ['A-0001', 'A-0002']) => ({
  name,
  kind: 'action',
  service: 'a',
  declared,
  successes,
  seen,
});

describe('the coverage report', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'coverage-report-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('adds up what several test files saw and fails when something is missing and --strict is given', () => {
    fs.writeFileSync(
      path.join(folder, '1.json'),
      JSON.stringify([record('GET /x', 1, ['A-0001']), record('GET /y', 0, [])]),
    );
    fs.writeFileSync(
      path.join(folder, '2.json'),
      JSON.stringify([record('GET /x', 0, ['A-0002']), record('GET /y', 0, ['A-0002'])]),
    );
    const text = execFileSync(process.execPath, [script, folder]).toString();
    expect(text).toContain('1 of 2 operations');
    expect(text).toContain('| a | GET /x | yes | A-0001 A-0002 |');
    expect(text).toContain('| a | GET /y | no | A-0002 | no success, A-0001 not seen |');
    expect(() => execFileSync(process.execPath, [script, folder, '--strict'], { stdio: 'ignore' })).toThrow();
  });

  it('names fields that had one value in the answers of all test files', () => {
    fs.writeFileSync(path.join(folder, '1.values'), JSON.stringify({ 'X.a': ['1'], 'X.b': ['1', '2'], 'X.c': ['1'] }));
    fs.writeFileSync(path.join(folder, '2.values'), JSON.stringify({ 'X.a': ['1'], 'X.c': ['2'] }));
    const program = `import { constantValues } from ${JSON.stringify(script)};
      console.log(JSON.stringify(constantValues(${JSON.stringify(folder)})));`;
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString();
    expect(JSON.parse(told)).toEqual([{ field: 'X.a', value: '1' }]);
  });
});
