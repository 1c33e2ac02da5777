import { Linter } from 'eslint';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parser } from 'typescript-eslint';
import { moduleBoundaries } from './module-boundaries.mjs';
import { noProcessEnv } from './no-process-env.mjs';
import { noUncheckedCasts } from './no-unchecked-casts.mjs';
import { noStrayErrors } from './no-stray-errors.mjs';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'boundaries-'));
const project = (folder: string, name: string, tags: string[]) => {
  fs.mkdirSync(path.join(root, folder, 'src'), { recursive: true });
  fs.writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify({ name, nx: { tags } }));
};
fs.writeFileSync(path.join(root, 'package.json'), JSON.stringify({ workspaces: ['apps/*', 'libs/*'] }));
project('apps/calendar', '@groupware/calendar', ['type:app']);
project('apps/identity', '@groupware/identity', ['type:app']);
project('apps/host', '@groupware/host', ['type:host']);
project('libs/messaging', '@groupware/messaging', ['type:kit']);
project('libs/contracts', '@groupware/contracts', ['type:contract']);
afterAll(() => fs.rmSync(root, { recursive: true }));

function messages(code: string, file: string): string[] {
  const linter = new Linter({ cwd: root });
  const rules = {
    'module-boundaries': moduleBoundaries,
    'no-process-env': noProcessEnv,
    'no-stray-errors': noStrayErrors,
  };
  return linter
    .verify(
      code,
      [
        {
          files: ['**/*.js'],
          plugins: { groupware: { rules: rules as never } },
          rules: {
            'groupware/module-boundaries': 'error',
            'groupware/no-process-env': 'error',
            'groupware/no-stray-errors': 'error',
          },
        },
      ],
      path.join(root, file),
    )
    .map((message) => message.message);
}

describe('lint rules of the project', () => {
  it('lets arrows point downwards', () => {
    expect(messages("import '@groupware/messaging';", 'apps/calendar/src/a.js')).toEqual([]);
    expect(messages("import '@groupware/calendar';", 'apps/host/src/a.js')).toEqual([]);
  });

  it.each([
    ["import '@groupware/identity';", 'apps/calendar/src/a.js', 'must not import'],
    ["export * from '@groupware/calendar';", 'libs/messaging/src/a.js', 'must not import'],
    ["import('@groupware/messaging');", 'libs/contracts/src/a.js', 'must not import'],
    ["import '@groupware/messaging/dist/wire';", 'apps/calendar/src/a.js', 'through its index'],
    ["import '../../identity/src/b';", 'apps/calendar/src/a.js', 'by their package name'],
    ["import '@groupware/nowhere';", 'apps/calendar/src/a.js', 'No project'],
  ])('refuses %s in %s', (code, file, text) => {
    expect(messages(code, file).join()).toContain(text);
  });

  it('refuses bare errors and direct reading of the environment', () => {
    expect(messages("throw new Error('x');", 'apps/calendar/src/a.js')).toHaveLength(1);
    expect(messages('process.env.PORT;', 'apps/calendar/src/a.js')).toHaveLength(1);
    expect(messages('throw Errors.notFound(1);', 'apps/calendar/src/a.js')).toEqual([]);
  });

  it.each([
    ['const a = b as C;', 0, 0],
    ['const a = b as never;', 0, 1],
    ['const a = b as unknown as C; const d = e as unknown;', 0, 1],
    ['const a = [b as never, c as never];', 1, 1],
    ['const a = b as never;', 1, 0],
    ['const a = b as C;', 1, 1],
  ])('lets no more unchecked casts in than are left: %s of %d', (code, remaining, problems) => {
    const found = new Linter({ cwd: root }).verify(
      code,
      [
        {
          files: ['**/*.ts'],
          languageOptions: { parser: parser as never },
          plugins: { groupware: { rules: { 'no-unchecked-casts': noUncheckedCasts as never } } },
          rules: { 'groupware/no-unchecked-casts': ['error', { 'apps/calendar/src/a.ts': remaining }] },
        },
      ],
      path.join(root, 'apps/calendar/src/a.ts'),
    );
    expect(found).toHaveLength(problems);
  });
});
