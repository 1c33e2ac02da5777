import fs from 'node:fs';
import path from 'node:path';
import { gapsOf, merge, missingStatuses, statusTable, table, wrongAnswers } from '../../e2e/coverage-report.mjs';

/** Operations that no end-to-end test can see succeed, with the reason. Empty is best. */
export const NEVER_SUCCEED = {
  'POST /login?action=anonymous': 'there are no guests: always LGI-0024',
  'POST /login?action=guest': 'there are no guests: always LGI-0024',
};

/**
 * Adds up what the end-to-end tests recorded, writes the table, and tells what is missing.
 * @param {string} folder with the records
 * @param {string} target the table, Markdown
 * @param {Record<string, string>} [excused] reasons by operation
 * @returns {{ lines: string[], problems: string[] }} problems: operations without a success, and excuses without a need
 */
export function summarize(folder, target, excused = NEVER_SUCCEED) {
  const records = (fs.existsSync(folder) ? merge(folder) : []).filter(({ kind }) => kind !== 'internal');
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, `${table(records)}\n${statusTable(records)}`);
  const statuses = records
    .map((record) => [record.name, missingStatuses(record)])
    .filter(([, missing]) => missing.length > 0);
  const failing = records.filter(({ successes }) => successes === 0).map(({ name }) => name);
  const unseen = records.flatMap((record) =>
    gapsOf(record)
      .filter((gap) => gap.endsWith(' not seen'))
      .map((gap) => `${record.name}: ${gap}`),
  );
  return {
    lines: [
      `end-to-end tests saw ${records.length - failing.length} of ${records.length} operations succeed`,
      ...(unseen.length > 0 ? [`declared errors that no end-to-end test saw: ${unseen.length}`] : []),
      ...unseen.map((line) => `  ${line}`),
      ...(statuses.length > 0
        ? [`REST operations with documented statuses that no end-to-end test saw: ${statuses.length}`]
        : []),
      ...statuses.map(([name, missing]) => `  ${name}: ${missing.join(', ')}`),
    ],
    problems: [
      ...(records.length === 0 ? ['the end-to-end tests recorded no operation'] : []),
      ...(fs.existsSync(folder) ? wrongAnswers(folder) : []).map((line) => `an answer breaks its contract: ${line}`),
      ...failing.filter((name) => !(name in excused)).map((name) => `no end-to-end test saw ${name} succeed`),
      ...Object.keys(excused)
        .filter((name) => !failing.includes(name))
        .map((name) => `${name} is excused in tools/operation-coverage/operations.mjs without need`),
    ],
  };
}
