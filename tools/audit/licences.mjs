import fs from 'node:fs';
import path from 'node:path';
import satisfies from 'spdx-satisfies';

/** Licences under which a package may be used without a further look. */
export const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
];

/**
 * Compares the licences of all packages of the lock file with the allowed ones.
 * @param {Record<string, { license?: string, link?: boolean }>} packages `packages` of package-lock.json
 * @param {(folder: string) => string | undefined} licenceIn the licence that the package in a folder states itself
 * @param {Record<string, string>} exceptions reasons by name of the package, or by the beginning of several names: `@scope/name-*`
 * @returns {string[]} one sentence for each package that is neither allowed nor excepted, and for each idle exception
 */
export function licenceProblems(packages, licenceIn, exceptions) {
  const problems = [];
  const used = new Set();
  for (const [folder, { license, link }] of Object.entries(packages)) {
    if (link || !folder.includes('node_modules/')) continue;
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = license ?? licenceIn(folder);
    if (isAllowed(licence)) continue;
    const exception = exceptionFor(name, exceptions);
    if (exception) used.add(exception);
    else problems.push(`${folder}: licence ${licence ?? 'not stated'} is not allowed`);
  }
  for (const name of Object.keys(exceptions))
    if (!used.has(name)) problems.push(`${name}: the licence exception is not needed any more`);
  return problems;
}

/** The exception for a package; one that ends in `*` is for all packages whose names begin so. */
const exceptionFor = (name, exceptions) =>
  Object.keys(exceptions).find((key) => (key.endsWith('*') ? name.startsWith(key.slice(0, -1)) : name === key));

function isAllowed(licence) {
  try {
    return licence !== undefined && satisfies(licence, ALLOWED);
  } catch {
    return false; // no SPDX expression
  }
}

/** The licence of an installed package, also in the older form of a list. */
export function statedLicence(root, folder) {
  const file = path.join(root, folder, 'package.json');
  if (!fs.existsSync(file)) return undefined; // optional, for another platform
  const { license, licenses } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const types = [license, ...(Array.isArray(licenses) ? licenses : [])].flatMap((each) => each?.type ?? each ?? []);
  return types.length > 0 ? `(${types.join(' OR ')})` : undefined;
}
