import fs from 'node:fs';
import path from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'testing']);

function* sources(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* sources(full);
    else if (/\.ts$/.test(entry.name) && !/\.(spec|errors)\.ts$/.test(entry.name)) yield full;
  }
}

/**
 * Keys of errors that no source file outside tests names, neither to throw nor to declare them.
 * @param {Record<string, unknown>} contracts the exports of the contracts package
 * @param {string[]} folders with sources
 */
export function unusedErrors(contracts, folders) {
  const text = folders
    .flatMap((folder) => [...sources(folder)].map((file) => fs.readFileSync(file, 'utf8')))
    .join('\n');
  return Object.entries(contracts)
    .filter(([name, table]) => name.endsWith('Errors') && typeof table === 'object')
    .flatMap(([name, table]) =>
      Object.entries(table)
        .filter(([error]) => !new RegExp(`\\b${name}\\s*\\.\\s*${error}\\b`).test(text))
        .map(([, { entry }]) => entry.key),
    )
    .sort();
}
