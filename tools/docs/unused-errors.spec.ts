import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { unusedErrors } from './unused-errors.mjs';

it('finds errors that only their table and tests name', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'unused-errors-'));
  const write = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);
  write('a.errors.ts', 'AErrors.onlyHere');
  write('a.spec.ts', 'throw AErrors.onlyTested()');
  write('a.ts', 'throw AErrors.thrown(); declare(AErrors\n  .declared); BAErrors.onlyHere; AErrors.onlyTestedToo');
  const error = (name: string) => ({ entry: { key: `A.${name}` } });
  const AErrors = Object.fromEntries(
    ['thrown', 'declared', 'onlyHere', 'onlyTested'].map((name) => [name, error(name)]),
  );
  expect(unusedErrors({ AErrors, allErrors: () => [] }, [folder])).toEqual(['A.onlyHere', 'A.onlyTested']);
  fs.rmSync(folder, { recursive: true });
});
