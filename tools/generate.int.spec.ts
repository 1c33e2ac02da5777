import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(__dirname, '..');
const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groupware-generate-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** The sources as they are now, with the installed packages of this checkout and links to the copy's own packages. */
function copyCheckout(): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0').filter(Boolean)) {
    if (!fs.existsSync(path.join(root, file))) continue; // deleted, not committed yet
    fs.cpSync(path.join(root, file), path.join(folder, file));
  }
  const installed = path.join(root, 'node_modules');
  const copied = path.join(folder, 'node_modules');
  fs.mkdirSync(path.join(copied, '@groupware'), { recursive: true });
  for (const name of fs.readdirSync(installed).filter((each) => each !== '@groupware'))
    fs.symlinkSync(path.join(installed, name), path.join(copied, name));
  for (const name of fs.readdirSync(path.join(installed, '@groupware')))
    fs.symlinkSync(
      fs.readlinkSync(path.join(installed, '@groupware', name)),
      path.join(copied, '@groupware', name),
      'dir',
    );
}

const node = async (...args: string[]): Promise<string> => {
  // The work of the copy is no part of what this run has seen of the product.
  const { E2E_COVERAGE_DIR: _records, ...env } = process.env;
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env, maxBuffer: 2 ** 26 });
  return `${stdout}${stderr}`;
};
const generate = (...args: string[]) => node('tools/generate.mjs', ...args);
const written = (output: string) => [...output.matchAll(/^written: (.*)$/gm)].map(([, file]) => file!);
/** Collects the refusals of calls of the generators, in one process. */
async function refusals(...calls: unknown[][]): Promise<string[]> {
  const script = `
    import { Checkout } from './tools/generate/checkout.mjs';
    import { generators } from './tools/generate/generators.mjs';
    const said = ${JSON.stringify(calls)}.map(([kind, names, options]) => {
      try {
        generators[kind].run(new Checkout('.'), names, options ?? {});
        return 'no refusal';
      } catch (error) {
        return error.message;
      }
    });
    console.log(JSON.stringify(said));`;
  return JSON.parse(await node('--input-type=module', '--eval', script)) as string[];
}

describe('npm run generate', () => {
  const files = new Set<string>();
  const keep = (output: string) => written(output).forEach((file) => files.add(file));

  beforeAll(copyCheckout, 60_000);

  it('writes a module, actions and an error', async () => {
    keep(await generate('module', 'example-things'));
    keep(await generate('action', 'example-things', 'moveAll', '--method', 'put'));
    keep(await generate('action', 'calendar', 'resolve'));
    keep(await generate('error', 'calendar', 'notWritable', '--category', 'PERMISSION_DENIED'));
    expect([...files]).toEqual(
      expect.arrayContaining([
        'apps/example-things/src/handlers/new.handler.ts',
        'apps/example-things/src/handlers/move-all.handler.ts',
        'apps/calendar/src/handlers/resolve.handler.ts',
        'apps/calendar/src/handlers/resolve.handler.spec.ts',
        'e2e/calendar/resolve.e2e.spec.ts',
        'k8s/modules/example-things/kustomization.yaml',
        'libs/contracts/src/calendar/calendar.errors.ts',
        'libs/contracts/src/locales/de.json',
        'package-lock.json',
      ]),
    );
    expect(fs.existsSync(path.join(folder, 'node_modules/@groupware/example-things/package.json'))).toBe(true);
  }, 60_000);

  it('refuses what is there already and what it cannot place', async () => {
    const calls: [kind: string, names: string[], options: object, refusal: string][] = [
      ['module', ['calendar'], {}, 'apps/calendar is there already'],
      ['module', ['Calendar'], {}, 'no name of a module'],
      ['module', ['other'], { prefix: 'CAL' }, 'prefix CAL'],
      ['action', ['calendar', 'all'], {}, 'has an action all already'],
      ['action', ['calendar', '../x'], {}, 'no name of an action'],
      ['action', ['nosuch', 'all'], {}, 'no contract declares the module nosuch'],
      ['error', ['calendar', 'notWritable'], {}, 'is there already'],
      ['error', ['calendar', 'other'], { number: '5072' }, '5072 is taken'],
      ['error', ['calendar', 'other'], { catalogue: 'NoErrors' }, 'but AppointmentErrors'],
    ];
    const said = await refusals(...calls.map(([kind, names, options]) => [kind, names, options]));
    expect(said).toEqual(calls.map(([, , , expected]) => expect.stringContaining(expected)));
  });

  it('and the result lints, is formatted, has no copies and type-checks', async () => {
    const code = [...files].filter((file) => file.endsWith('.ts'));
    const formatted = [...files].filter((file) => file !== 'package-lock.json');
    // The whole checkout takes twice as long, and end-to-end specs import all of it.
    const include = code.filter((file) => !file.startsWith('e2e/') && !file.startsWith('apps/host/'));
    fs.writeFileSync(path.join(folder, 'tsconfig.new.json'), JSON.stringify({ extends: './tsconfig.json', include }));
    const [, , copies] = await Promise.all([
      node('node_modules/eslint/bin/eslint.js', ...code),
      node('node_modules/prettier/bin/prettier.cjs', '--check', ...formatted),
      node('tools/check-copies.mjs'),
      node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.new.json'),
    ]);
    expect(copies).toContain('check:copies: ok');
  }, 240_000);

  const jest = (...specs: string[]) =>
    node('node_modules/jest/bin/jest.js', '--config', 'jest.config.cjs', '--runInBand', ...specs);

  it('and actions are red until somebody decides who has access', async () => {
    const specs = [...files].filter((file) => file.endsWith('.handler.spec.ts'));
    const red = await jest(...specs, 'libs/contracts/src/access.spec.ts').catch(
      (error: { stderr: string }) => error.stderr,
    );
    expect(red).toContain('svc.calendar.resolve: nobody has decided who has access');
    expect(red).toContain('svc.example-things.moveAll: nobody has decided who has access');
    expect(red).toContain('"calendar.resolve",');
    expect(red).toMatch(/Tests: +3 failed/);
  }, 120_000);

  it('and then its specs are green', async () => {
    for (const file of files) {
      const text = fs.readFileSync(path.join(folder, file), 'utf8');
      if (!text.includes('access: UNDECIDED')) continue;
      const decided = text.replace('access: UNDECIDED', `access: allowCallers('a test')`);
      fs.writeFileSync(path.join(folder, file), `import { allowCallers } from '../kit/access';\n${decided}`);
    }
    // One world through the gateway for each generator; that of moveAll would show nothing more.
    const left = (file: string) => file.startsWith('e2e/edge/') || file.includes('move-all.e2e');
    const specs = [...files].filter((file) => file.endsWith('.spec.ts') && !left(file));
    expect(specs.length).toBeGreaterThan(5);
    expect(await jest(...specs)).toMatch(/Tests: +\d+ passed, \d+ total/);
  }, 300_000);
});
