import './launch/node-version.mjs';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findChromium } from './launch/chromium.mjs';
import { MEMORY_FOLDER, memoryFolder } from './launch/memory-folder.mjs';
import { summarize } from './operation-coverage/operations.mjs';
import { NODE_OPTIONS } from './launch/node-options.mjs';
import { build, commandOf, installWhenMissing, root } from './launch/workspace.mjs';
import { listSpecFiles, planGroups, removeGroups, specFileOf, writeGroups } from './jest/groups.mjs';
import { findCalDavClient } from './services/caldav-client.mjs';
import { findClamd } from './services/clamd.mjs';
import { findDovecot } from './services/dovecot.mjs';
import { leaveNote, removeNote } from './services/notes.mjs';
import { discard, startAll } from './services/services.mjs';

// npm test: everything the tests need, then Jest, then one line that counts. Arguments go to Jest.
const prefix = 'groupware-test-';
const coverageDir = path.join(root, 'coverage');
const programsDir = path.join(root, '.data', 'tools');
const say = (text) => console.error(`test: ${text}`);
let cancelled = false;

async function main(jestArgs) {
  await installWhenMissing(say);
  const wholeSuite = jestArgs.every((arg) => arg.startsWith('-'));
  if (wholeSuite) await build(say); // some tests start the built programs

  await removeFoldersOfKilledRuns();
  const dataDir = fs.mkdtempSync(path.join(memoryFolder(), prefix));
  leaveNote(dataDir, 'run', process.pid); // keeps other runs from removing the folder
  fs.chmodSync(dataDir, 0o711); // PostgreSQL may run as another account
  let servers;
  try {
    const mailServer = dovecot(dataDir);
    const scanner = clamd();
    const client = calDavClient();
    servers = await startAll(dataDir, { programsDir, durable: false });
    for (const { name, how, ms } of servers.all) say(`${name}: ${how} (${ms} ms)`);
    if (cancelled) return 130;
    const records = path.join(dataDir, 'operations');
    const statements = path.join(dataDir, 'statements');
    const env = {
      ...servers.env,
      ...(await mailServer),
      ...(await scanner),
      ...(await client),
      ...(await chromium()),
      E2E_COVERAGE_DIR: records,
      STATEMENT_RECORDS_DIR: statements,
    };
    const results = path.join(dataDir, 'results.json');
    const outcomes = new Map();
    for (const run of jestArgs.length > 0 ? [{ args: jestArgs, workers: CHOSEN_WORKERS }] : planWholeRun()) {
      for (const [file, outcome] of await runJest(run, results, env)) outcomes.set(file, outcome);
      if (cancelled) return 130;
    }
    const flaky = jestArgs.length === 0 ? await repeatFailed(outcomes, results, env) : [];
    if (cancelled) return 130;
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const outcome of outcomes.values()) for (const key of Object.keys(counts)) counts[key] += outcome[key];
    // Some of the tests see some of the operations and statements.
    if (jestArgs.length === 0) counts.failed += coverOperations(records) + (await coverStatements(statements));
    if (jestArgs.length === 0) {
      const durations = durationsOf(outcomes);
      for (const line of durations.slice(0, MOST_SLOW)) say(line);
      fs.writeFileSync(path.join(coverageDir, 'durations.txt'), `${durations.join('\n')}\n`);
    }
    for (const [file, { titles }] of flaky)
      for (const title of titles)
        say(`FLAKY: ${path.relative(root, file)}: ${title}: failed, and passed alone: repair it`);
    if (process.env.FLAKY_TESTS !== 'report') counts.failed += flaky.length;
    const failures = [...outcomes].flatMap(([file, { titles }]) =>
      titles.map((title) => `FAILED: ${path.relative(root, file)}: ${title}`),
    );
    for (const line of failures.slice(0, MOST_NAMED)) say(line);
    if (failures.length > MOST_NAMED) say(`FAILED: and ${failures.length - MOST_NAMED} more`);
    console.log(lineOf(counts));
    return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
  } finally {
    removeGroups(root);
    await servers?.stop();
    removeNote(dataDir, 'run');
    await discard(dataDir);
  }
}

/** Specs about time limits and memory have the machine for themselves, after all the others. */
const alone = [
  'libs/mail-access/src/governor/',
  'apps/calendar/src/icalendar/import.int.spec.ts',
  'e2e/admin/feedback.e2e.spec.ts',
];
/** Specs that kill processes, and wait for them to come back, leave room for those that hold event loops, and measure CPU time. */
const heavy = ['e2e/failure/', 'e2e/hostile/'];
/** For chosen specs. */
const CHOSEN_WORKERS = Number(process.env.TEST_WORKERS ?? 2);
/** One more than processors: half of the time a worker waits for servers, which take the other half. */
const WORKERS = os.availableParallelism() + 1;
const planWholeRun = () => {
  const files = listSpecFiles(root).filter((file) => ![...alone, ...heavy].some((place) => file.startsWith(place)));
  const groups = writeGroups(
    root,
    planGroups(files, (file) => fs.readFileSync(path.join(root, file), 'utf8')),
  );
  return [
    { args: ['--runTestsByPath', ...groups], workers: WORKERS },
    { args: heavy, workers: 2 },
    { args: alone, workers: 1 },
  ];
};

async function chromium() {
  try {
    const { file, how } = await findChromium(programsDir);
    say(`chromium: ${how}`);
    return { CHROMIUM_PATH: file };
  } catch (error) {
    say(`NOTICE: ${error.message}. Tests that need a browser will fail.`);
    return { CHROMIUM_MISSING: error.message };
  }
}

async function clamd() {
  try {
    const { file, libraries, how } = await findClamd({ programsDir });
    say(`clamd: ${how}`);
    return { CLAMD_PROGRAM: file, CLAMD_LIBRARIES: libraries };
  } catch (error) {
    say(`NOTICE: ${error.message}. Tests that need a virus scanner will fail.`);
    return { CLAMD_MISSING: error.message };
  }
}

async function calDavClient() {
  try {
    const { python, modules, libraries, how } = await findCalDavClient({ programsDir });
    say(`CalDAV client: ${how}`);
    return { CALDAV_PYTHON: python, CALDAV_PYTHONPATH: modules, CALDAV_LIBRARIES: libraries };
  } catch (error) {
    say(`NOTICE: ${error.message}. Tests that need a CalDAV client will fail.`);
    return { CALDAV_MISSING: error.message };
  }
}

async function dovecot(dataDir) {
  try {
    const { root, how } = await findDovecot({ programsDir, dataDir });
    say(`dovecot: ${how}`);
    return { DOVECOT_ROOT: root };
  } catch (error) {
    say(`NOTICE: ${error.message}. Tests that need a mail server will fail.`);
    return { DOVECOT_MISSING: error.message };
  }
}

async function runJest({ args, workers }, resultsFile, env) {
  fs.rmSync(resultsFile, { force: true });
  const jest = spawn(
    process.execPath,
    [
      ...NODE_OPTIONS, // which the workers inherit
      commandOf('jest'),
      ...[
        '--config',
        path.join(root, 'jest.config.cjs'),
        '--maxWorkers',
        String(workers),
        '--json',
        '--outputFile',
        resultsFile,
      ],
      ...args,
    ],
    // Jest reports on the error channel; with --json it says nothing of use on the other one.
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env, GROUPWARE_TEST: '1' } },
  );
  const cancel = (signal) => {
    cancelled = true;
    jest.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, cancel);
  const code = await new Promise((resolve) => jest.once('exit', (status) => resolve(status ?? 1)));
  const outcomes = outcomesOf(resultsFile);
  // Jest may also fail for a reason that is no test.
  if (code !== 0 && ![...outcomes.values()].some(({ failed }) => failed > 0))
    outcomes.set(`jest ${args.join(' ')}`, {
      ...noOutcome(),
      failed: 1,
      titles: [`it ended with ${code}, and no test failed`],
    });
  return outcomes;
}

/** Failed tests that the last lines name. */
const MOST_NAMED = 50;

/** So many failed files may be a matter of a busy machine; more of them are a matter of the code. */
const MOST_REPEATED = 12;

/** Runs the few files that failed once more, alone, and answers what failed of those that pass then: the reports of both runs tell why. */
async function repeatFailed(outcomes, results, env) {
  const first = [...outcomes].filter(([, outcome]) => outcome.failed > 0);
  const failed = first.map(([file]) => file);
  if (failed.length === 0 || failed.length > MOST_REPEATED || !failed.every((file) => path.isAbsolute(file))) return [];
  say(`once more, alone: ${failed.map((file) => path.relative(root, file)).join(', ')}`);
  const again = await runJest({ args: ['--runTestsByPath', ...failed], workers: 1 }, results, env);
  for (const [file, outcome] of again) outcomes.set(file, outcome);
  return first.filter(([file]) => again.get(file)?.failed === 0);
}

/** Says which operations the end-to-end tests saw; returns 1 when one of them was never seen to succeed. */
function coverOperations(records) {
  const target = path.join(coverageDir, 'operations.md');
  const { lines, problems } = summarize(records, target);
  for (const line of [...lines, ...problems]) say(line);
  say(`the whole table: ${path.relative(root, target)}`);
  return problems.length > 0 ? 1 : 0;
}

/** Names the statements that no test has sent, which are not proven to stay within their context. Answers how many. */
async function coverStatements(records) {
  // Needs packages, which may have been installed by this run.
  const { unseenStatements } = await import('./tenancy/statements.mjs');
  const unseen = unseenStatements(root, records);
  for (const { place, chunks } of unseen) say(`no test sends this statement: ${place}: ${chunks.join('…')}`);
  return unseen.length;
}

const noOutcome = () => ({ passed: 0, failed: 0, skipped: 0, ms: 0, titles: [] });

/** Outcome of each spec file, with the titles of the tests that failed; one that could not even be loaded counts as one failed test. */
function outcomesOf(resultsFile) {
  const outcomes = new Map();
  if (!fs.existsSync(resultsFile)) return outcomes;
  for (const { name, status, assertionResults } of JSON.parse(fs.readFileSync(resultsFile, 'utf8')).testResults) {
    const count = (file, kind, title, duration = 0) => {
      if (!outcomes.has(file)) outcomes.set(file, noOutcome());
      const outcome = outcomes.get(file);
      outcome[kind] += 1;
      outcome.ms += duration;
      if (kind === 'failed') outcome.titles.push(title);
    };
    for (const test of assertionResults) {
      const file = specFileOf(root, name, test);
      const kind = ['passed', 'failed'].includes(test.status) ? test.status : 'skipped';
      count(file, kind, `${titleOf(test, file)}: ${firstLineOf(test.failureMessages?.[0])}`, test.duration ?? 0);
    }
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))
      count(name, 'failed', 'the file as a whole');
  }
  return outcomes;
}

/** The title of a test; in a group it begins with the file. */
const titleOf = ({ fullName }, file) => fullName.replace(`${path.relative(root, file)} `, '');

/** Beginning of what Jest says of a failure, without colours: the log of a machine may keep no more than its last lines. */
const firstLineOf = (message = '') => stripVTControlCharacters(message).split('\n')[0].slice(0, 300);

/** So many of the slowest files are named at the end; `coverage/durations.txt` has all of them. */
const MOST_SLOW = 25;

/** How long the tests of each file took, without their hooks, longest first: where time of the whole run can be saved. */
const durationsOf = (outcomes) =>
  [...outcomes]
    .sort(([, one], [, other]) => other.ms - one.ms)
    .map(([file, { ms }]) => `${Math.round(ms / 1000)} s: ${path.relative(root, file)}`);

const lineOf = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`;

async function removeFoldersOfKilledRuns() {
  for (const place of [os.tmpdir(), MEMORY_FOLDER].filter((folder) => fs.existsSync(folder)))
    for (const name of fs.readdirSync(place).filter((entry) => entry.startsWith(prefix))) {
      const folder = path.join(place, name);
      const aMinute = 60_000; // a younger one may not have its note yet
      try {
        if (Date.now() - fs.statSync(folder).ctimeMs > aMinute) await discard(folder);
      } catch {
        // it belongs to another account, or its own run removed it
      }
    }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (cancelled = true));
main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
