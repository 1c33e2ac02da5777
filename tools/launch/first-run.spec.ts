import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..', '..');

/** Packages that a file, and what it imports, needs before its first statement runs; `import()` is none of them. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const { statements } = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    if (!statement.moduleSpecifier || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const { text } = statement.moduleSpecifier;
    if (text.startsWith('.')) return packagesOf(path.resolve(path.dirname(file), text), seen);
    return text.startsWith('node:') ? [] : [`${text} in ${path.relative(root, file)}`];
  });
}

describe('the commands of a fresh clone', () => {
  it.each(['tools/start.mjs', 'tools/test.mjs', 'tools/build.mjs', 'tools/test-faults.mjs'])(
    '%s needs no package before it has installed them',
    (file) => expect(packagesOf(path.join(root, file))).toEqual([]),
  );

  it('would be found out', () => {
    expect(packagesOf(path.join(root, 'tools', 'generate.mjs'))).not.toEqual([]);
  });
});
