import fs from 'node:fs';
import path from 'node:path';

const sources = /\.(ts|mts|cts|js|mjs|cjs)$/;
const specs = /\.spec\.[mc]?ts$/;
const skipped = new Set(['node_modules', 'dist', '.nx', '.data', 'generated', 'coverage']);

/**
 * Finds runs of equal lines in two source files. Blank lines, comments, imports and lines of brackets alone don't count.
 * @param {string} root
 * @param {string[]} folders below root
 * @param {number} allowed lines in a row that may be equal
 * @returns {{ lines: number, first: string, second: string }[]} places as `file:line`; one entry per run
 */
export function equalRuns(root, folders, allowed) {
  const files = folders
    .flatMap((folder) => sourceFiles(path.join(root, folder)))
    .map((file) => ({ file: path.relative(root, file), lines: significantLines(fs.readFileSync(file, 'utf8')) }));
  const window = allowed + 1;
  const seen = new Map(); // the text of a window -> where it stands first
  const runs = [];
  for (const current of files) {
    let end = -1; // of the run that was reported last: its later windows say nothing new
    for (let at = 0; at + window <= current.lines.length; at++) {
      const text = textOf(current, at, window);
      const place = seen.get(text);
      if (!place) seen.set(text, { source: current, at });
      else if (place.source !== current && at > end) {
        let lines = window;
        while (sameLine(place.source.lines[place.at + lines], current.lines[at + lines])) lines++;
        runs.push({ lines, first: placeOf(place.source, place.at), second: placeOf(current, at) });
        end = at + lines - 1;
      }
    }
  }
  return runs;
}

const textOf = ({ lines }, at, count) =>
  lines
    .slice(at, at + count)
    .map(({ text }) => text)
    .join('\n');
const sameLine = (one, other) => one !== undefined && one.text === other?.text;
const placeOf = ({ file, lines }, at) => `${file}:${lines[at].number}`;

function sourceFiles(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sourceFiles(full);
    return sources.test(entry.name) && !specs.test(entry.name) ? [full] : [];
  });
}

function significantLines(content) {
  let inImport = false;
  return content.split('\n').flatMap((line, index) => {
    const text = line.trim();
    const begins = /^import\b/.test(text);
    const isImport = inImport || begins || /^export\b.*\bfrom\b/.test(text);
    inImport = (inImport || begins) && !text.endsWith(';');
    const says = text !== '' && !/^(\/\/|\/\*|\*)/.test(text) && !/^[\s{}()[\];,]*$/.test(text);
    return says && !isImport ? [{ text, number: index + 1 }] : [];
  });
}
