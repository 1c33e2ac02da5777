import fs from 'node:fs';
import path from 'node:path';
import slowSpecs from './slow-specs.cjs';

// Each file that Jest runs loads the whole product anew, which takes longer than most of our spec files. A whole run puts
// several spec files of one part of the product into one file of Jest's, each in a block with its own hooks.

/** Spec files in one group; one with whole products takes as long as several without. */
const GROUP_SIZES = { e2e: 12, other: 16 };

/** A file that replaces parts of modules, or time, would do so for its neighbours; one that measures memory finds theirs. */
const STANDS_ALONE =
  /\bjest\s*\.(mock|spyOn|useFakeTimers|isolateModules|resetModules|setTimeout)\b|\bmemoryUsage\b|\bheapUsed\b/;

/** A file that runs its tests against a product that others may use as well. */
const SHARES_PRODUCT = /\bshareTestEnvironment\(/;

/** The module that ends such a product, below the root. */
const SHARED_PRODUCT = path.join('e2e', 'test-environment');

/** Folder of the written groups, below the root. */
export const GROUPS_FOLDER = path.join('coverage', 'groups');

/**
 * Plans which spec files go together: neighbours in `e2e`, or in one package; in `e2e` also those that share a product.
 * @param files paths below the root
 * @param readText tells the text of one
 * @returns groups with their files; one that stands alone is a group of its own
 */
export function planGroups(files, readText) {
  const groups = [];
  const open = new Map();
  for (const file of [...files].sort()) {
    const text = readText(file);
    if (STANDS_ALONE.test(text) || slowSpecs.includes(file.split(path.sep).join('/'))) {
      groups.push([file]);
      continue;
    }
    const parts = file.split(/[\\/]/);
    const kind = SHARES_PRODUCT.test(text) ? 'sharing' : '';
    const part = parts[0] === 'e2e' ? `e2e${kind}` : parts.slice(0, 2).join('-');
    const group = open.get(part);
    if (group) group.push(file);
    else {
      open.set(part, [file]);
      groups.push(open.get(part));
    }
    if (open.get(part).length >= (GROUP_SIZES[parts[0]] ?? GROUP_SIZES.other)) open.delete(part);
  }
  return groups;
}

/** Writes the groups as spec files; answers their paths. What stands alone is not written, but named. */
export function writeGroups(root, groups) {
  const folder = path.join(root, GROUPS_FOLDER);
  removeGroups(root);
  fs.mkdirSync(folder, { recursive: true });
  return groups.map((files, index) => {
    if (files.length === 1) return path.join(root, files[0]);
    const blocks = files.map((file) => {
      const name = JSON.stringify(file.split(path.sep).join('/'));
      return `describe(${name}, () => {\n  require(${JSON.stringify(path.join(root, file))});\n});\n`;
    });
    if (files[0].startsWith(`e2e${path.sep}`))
      blocks.push(
        'globalThis.sharesTestEnvironment = true;\n',
        `afterAll(() => require(${JSON.stringify(path.join(root, SHARED_PRODUCT))}).endSharedTestEnvironment(), 60_000);\n`,
      );
    const name = `${files[0].split(/[\\/]/).slice(0, 2).join('-')}-${index}.spec.js`;
    fs.writeFileSync(path.join(folder, name), blocks.join(''));
    return path.join(folder, name);
  });
}

/** Removes them: Jest by itself would run them beside the spec files. */
export const removeGroups = (root) => fs.rmSync(path.join(root, GROUPS_FOLDER), { recursive: true, force: true });

/** The spec file of a test in the report of Jest: a group names it in its outermost block. */
export const specFileOf = (root, file, { ancestorTitles }) =>
  path.dirname(file) === path.join(root, GROUPS_FOLDER) && ancestorTitles.length > 0
    ? path.join(root, ancestorTitles[0])
    : file;

/** The spec files of the checkout, as paths below the root. */
export function listSpecFiles(root) {
  const packages = ['apps', 'libs'].flatMap((kind) =>
    fs.readdirSync(path.join(root, kind)).map((name) => path.join(kind, name, 'src')),
  );
  return [...packages, 'e2e', 'tools']
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs.readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)),
    )
    .filter((file) => file.endsWith('.spec.ts') && !/(^|[\\/])(node_modules|dist)[\\/]/.test(file));
}
