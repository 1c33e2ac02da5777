import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file && !file.startsWith('docs/generated/') && fs.existsSync(path.join(root, file)));

/** Files that how-tos make, in the examples they walk through. */
const EXAMPLES = /\btasks?\b|resolve/;

const exists = (file: string) => fs.existsSync(path.join(root, file));

/** Paths of the checkout that a text names in backticks; patterns and places for names are left out. */
function namedPaths(text: string): string[] {
  const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!);
  return named.filter(
    (name) =>
      /^(apps|libs|e2e|tools|docs|k8s|docker|bench)\/[\w./-]*$/.test(name) &&
      !EXAMPLES.test(name) &&
      !name.endsWith('.'),
  );
}

describe.each(documents)('%s', (document) => {
  const text = fs.readFileSync(path.join(root, document), 'utf8');

  it('names files that exist', () => {
    expect(namedPaths(text).filter((name) => !exists(name))).toEqual([]);
  });

  it('links to files that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target));
    expect(links.filter((target) => !exists(path.join(path.dirname(document), target)))).toEqual([]);
  });
});

it('ARCHITECTURE.md follows a request through at least fifteen files', () => {
  const text = fs.readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
  expect(namedPaths(text).filter((name) => name.endsWith('.ts')).length).toBeGreaterThanOrEqual(15);
});

it('README.md, CONTRIBUTING.md and the how-tos name commands that exist', () => {
  const { scripts } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const document of documents) {
    const text = fs.readFileSync(path.join(root, document), 'utf8');
    const named = [...text.matchAll(/\bnpm run ([a-z:-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts)).map((name) => `${document}: npm run ${name}`)).toEqual([]);
  }
  for (const command of Object.values(scripts as Record<string, string>)) {
    const file = /^node (?!apps\/\S+\/dist\/)(\S+)/.exec(command)?.[1];
    if (file) expect(exists(file) ? '' : file).toBe('');
    const built = /^node (apps\/[^/]+)\/dist\/(\S+)\.js/.exec(command);
    if (built) expect(exists(`${built[1]}/src/${built[2]}.ts`) ? '' : command).toBe('');
  }
});
