import fs from 'node:fs';
import path from 'node:path';
import {
  constantValues,
  gapsOf,
  merge,
  missingStatuses,
  statusTable,
  table,
  undeclaredOf,
  wrongAnswers,
} from '../../e2e/coverage-report.mjs';
import {
  CONSTANT_COLUMNS,
  NEVER_ANSWERED as FIELDS_NEVER_ANSWERED,
  SAME_BY_NATURE,
  UNDECLARED_FIELDS,
} from '../docs/not-effective.mjs';

/** Operations that no end-to-end test can see succeed, with the reason. Empty is best. */
export const NEVER_SUCCEED = {
  'PUT /config?action=set_property': 'none of the properties that clients may see is for them to change',
  ...Object.fromEntries(
    ['browse', 'countries', 'languages', 'search'].map((action) => [
      `GET /chronos/schedjoules?action=${action}`,
      'the commercial catalogue of calendars is not offered: each call answers CAL-5030',
    ]),
  ),
  'PUT /messaging/message?action=perform': 'no messaging service has actions',
  'PUT /messaging/message?action=send': 'no messaging service sends messages: mails are sent by the module mail',
};

/**
 * Documented statuses of REST operations that the documents themselves make impossible, with the reason, by operation:
 * `{'GET /x': {503: 'why'}}`. Empty is best.
 */
export const NEVER_ANSWERED = {};

/** Fields of answers that are the same by nature, or until something else is there. */
const EXPLAINED = new Set(
  [CONSTANT_COLUMNS, FIELDS_NEVER_ANSWERED, SAME_BY_NATURE, UNDECLARED_FIELDS].flatMap((listed) =>
    Object.entries(listed).flatMap(([model, fields]) => Object.keys(fields).map((field) => `${model}.${field}`)),
  ),
);

/**
 * Adds up what the end-to-end tests recorded, writes the table, and tells what is missing.
 * @param {string} folder with the records
 * @param {string} target the table, Markdown
 * @param {Record<string, string>} [excused] reasons by operation
 * @param {Record<string, Record<number, string>>} [unanswered] reasons by operation and status
 * @returns {{ lines: string[], problems: string[] }} problems: operations without a success, documented statuses never seen,
 *   answers that break their models, and excuses without a need
 */
export function summarize(folder, target, excused = NEVER_SUCCEED, unanswered = NEVER_ANSWERED) {
  const records = (fs.existsSync(folder) ? merge(folder) : []).filter(({ kind }) => kind !== 'internal');
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.writeFileSync(target, `${table(records)}\n${statusTable(records)}`);
  const missing = records.flatMap((record) => missingStatuses(record).map((status) => [record.name, status]));
  const isExcused = ([name, status]) => unanswered[name]?.[status] !== undefined;
  const failing = records.filter(({ successes }) => successes === 0).map(({ name }) => name);
  const unseen = records.flatMap((record) =>
    gapsOf(record)
      .filter((gap) => gap.endsWith(' not seen'))
      .map((gap) => `${record.name}: ${gap}`),
  );
  const undeclared = records
    // The modules that own the objects answer for attachments as they like.
    .filter(({ service }) => service !== 'attachments')
    .flatMap((record) => undeclaredOf(record).map((code) => `${record.name}: ${code}`));
  const constant = (fs.existsSync(folder) ? constantValues(folder) : []).filter(({ field }) => !EXPLAINED.has(field));
  return {
    lines: [
      `end-to-end tests saw ${records.length - failing.length} of ${records.length} operations succeed`,
      ...(unseen.length > 0 ? [`declared errors that no end-to-end test saw: ${unseen.length}`] : []),
      ...unseen.map((line) => `  ${line}`),
      ...(undeclared.length > 0 ? [`errors that were answered and are not declared: ${undeclared.length}`] : []),
      ...undeclared.map((line) => `  ${line}`),
      ...(constant.length > 0 ? [`fields that were the same in the answers of all tests: ${constant.length}`] : []),
      ...constant.map(({ field, value }) => `  ${field}: ${value}`),
      ...missing
        .filter(isExcused)
        .map(([name, status]) => `${name} never answers ${status}: ${unanswered[name][status]}`),
    ],
    problems: [
      ...(records.length === 0 ? ['the end-to-end tests recorded no operation'] : []),
      ...(fs.existsSync(folder) ? wrongAnswers(folder) : []).map((line) => `an answer breaks its contract: ${line}`),
      ...missing
        .filter((each) => !isExcused(each))
        .map(([name, status]) => `no end-to-end test saw ${name} answer ${status}`),
      ...Object.entries(unanswered).flatMap(([name, reasons]) =>
        Object.keys(reasons)
          .filter((status) => !missing.some(([other, missed]) => other === name && missed === Number(status)))
          .map((status) => `${name} ${status} is excused in tools/operation-coverage/operations.mjs without need`),
      ),
      ...failing.filter((name) => !(name in excused)).map((name) => `no end-to-end test saw ${name} succeed`),
      ...Object.keys(excused)
        .filter((name) => !failing.includes(name))
        .map((name) => `${name} is excused in tools/operation-coverage/operations.mjs without need`),
    ],
  };
}
