import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { staleOutput } from './stale-output.mjs';

describe('compiled files without a source', () => {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'stale-output-'));
  const write = (file: string) => {
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    fs.writeFileSync(path.join(project, file), '');
  };
  afterAll(() => fs.rmSync(project, { recursive: true }));

  it('are found, whatever else lies beside them', () => {
    expect(staleOutput(project)).toEqual([]);
    ['src/index.ts', 'src/handlers/get.handler.ts', 'dist/.tsbuildinfo', 'dist/locales/de.json'].forEach(write);
    for (const name of ['index', 'handlers/get.handler', 'handlers/gone.handler'])
      for (const suffix of ['js', 'js.map', 'd.ts', 'd.ts.map']) write(`dist/${name}.${suffix}`);
    expect(
      staleOutput(project)
        .map((file: string) => path.relative(project, file))
        .sort(),
    ).toEqual(['d.ts', 'd.ts.map', 'js', 'js.map'].map((suffix) => `dist/handlers/gone.handler.${suffix}`));
  });
});
