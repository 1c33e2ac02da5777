import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Adds up what the test files recorded (see coverage.ts) and prints one line per operation.
// node e2e/coverage-report.mjs <folder> [--write <file.md>] [--strict]

/** Adds up the records of a folder. */
export function merge(folder) {
  const byName = new Map();
  for (const name of fs.readdirSync(folder).filter((entry) => entry.endsWith('.json')))
    for (const record of JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))) {
      const known = byName.get(record.name) ?? { ...record, successes: 0, seen: [] };
      known.successes += record.successes;
      known.seen = [...new Set([...known.seen, ...record.seen])].sort();
      if (record.statuses) {
        const seen = [...(known.statuses?.seen ?? []), ...record.statuses.seen];
        known.statuses = { ...record.statuses, seen: [...new Set(seen)].sort((a, b) => a - b) };
      }
      byName.set(record.name, known);
    }
  return [...byName.values()].sort((a, b) => (a.service + a.name < b.service + b.name ? -1 : 1));
}

/** Lists what is missing of an operation: a success, or declared errors that were never seen. */
export function gapsOf({ successes, declared, seen }) {
  const unseen = declared.filter((code) => !seen.includes(code));
  return [...(successes > 0 ? [] : ['no success']), ...unseen.map((code) => `${code} not seen`)];
}

/** Errors of sessions, requests, uploads and gates, which any operation may answer. */
const GENERAL = /^(SES|SVL|REST|UPL)-|^(MFA-0001|ASP-0001|OAUTH_PROVIDER-000[67])$/;

/** Errors that an operation answered and does not declare. */
export const undeclaredOf = ({ declared, seen }) =>
  seen.filter((code) => !declared.includes(code) && !GENERAL.test(code));

/** Documented HTTP statuses of a REST operation that were never answered. */
export const missingStatuses = ({ statuses }) =>
  statuses ? statuses.documented.filter((status) => !statuses.seen.includes(status)) : [];

/** Answers that did not fit their models, as the test files wrote them down. */
export function wrongAnswers(folder) {
  const files = fs.readdirSync(folder).filter((entry) => entry.endsWith('.wrong'));
  const lines = files.flatMap((name) => fs.readFileSync(path.join(folder, name), 'utf8').split('\n'));
  return [...new Set(lines)].sort();
}

/** Fields of answers that had one value in all of them, with it, as the test files wrote them down. */
export function constantValues(folder) {
  const byField = new Map();
  for (const name of fs.readdirSync(folder).filter((entry) => entry.endsWith('.values')))
    for (const [field, values] of Object.entries(JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))))
      byField.set(field, new Set([...(byField.get(field) ?? []), ...values]));
  return [...byField]
    .filter(([, values]) => values.size === 1)
    .map(([field, [value]]) => ({ field, value }))
    .sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** HTTP statuses of REST operations as Markdown: documented, seen, missing. */
export function statusTable(records) {
  const rest = records.filter(({ statuses }) => statuses?.documented.length > 0);
  const complete = rest.filter((record) => missingStatuses(record).length === 0);
  return [
    '# Statuses of REST operations seen by end-to-end tests',
    '',
    `${complete.length} of ${rest.length} documented operations were answered with each of their documented statuses.`,
    '',
    '| operation | documented | seen | missing |',
    '| --- | --- | --- | --- |',
    ...rest.map((record) => {
      const { documented, seen } = record.statuses;
      return `| ${record.name} | ${documented.join(' ')} | ${seen.join(' ')} | ${missingStatuses(record).join(' ')} |`;
    }),
    '',
  ].join('\n');
}

/** The table as Markdown. */
export function table(records) {
  const complete = records.filter((record) => gapsOf(record).length === 0).length;
  return [
    '# Operations seen by end-to-end tests',
    '',
    `${complete} of ${records.length} operations were answered with success and with each of their declared errors.`,
    '',
    '| service | operation | success | errors seen | missing |',
    '| --- | --- | --- | --- | --- |',
    ...records.map((record) =>
      [
        '',
        record.service,
        record.name.replaceAll('|', '\\|'),
        record.successes > 0 ? 'yes' : 'no',
        record.seen.join(' '),
        gapsOf(record).join(', '),
        '',
      ]
        .join(' | ')
        .trim(),
    ),
    '',
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder, ...options] = process.argv.slice(2);
  if (!folder) {
    console.error('usage: node e2e/coverage-report.mjs <folder> [--write <file.md>] [--strict]');
    process.exit(2);
  }
  const records = merge(folder).filter(({ kind }) => kind !== 'internal');
  const text = table(records);
  const target = options[options.indexOf('--write') + 1];
  if (options.includes('--write')) fs.writeFileSync(target, text);
  else console.log(text);
  if (options.includes('--strict') && records.some((record) => gapsOf(record).length > 0)) process.exitCode = 1;
}
