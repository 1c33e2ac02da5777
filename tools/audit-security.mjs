import fs from 'node:fs';
import path from 'node:path';
import { askForAdvisories, readAdvisories } from './audit/advisories.mjs';
import { licenceProblems, statedLicence } from './audit/licences.mjs';
import { root, run } from './launch/workspace.mjs';

// npm run audit:security: known advisories, licences, and a journey through every secret of the product, after which none may
// stand in logs, events, the session store or answers. `--no-journey` leaves the last one to `npm test`, which has it, too.
const exceptions = JSON.parse(fs.readFileSync(path.join(root, 'tools', 'audit', 'exceptions.json'), 'utf8'));
const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
const problems = [];

const advisories = readAdvisories(askForAdvisories(root), exceptions.advisories, new Date().toISOString().slice(0, 10));
if (advisories.answered) {
  problems.push(...advisories.problems);
  console.log(`advisories: ${advisories.problems.length} of at least moderate severity`);
} else console.log(`advisories: NOT CHECKED, the registry does not answer (${advisories.reason})`);

const unlicensed = licenceProblems(packages, (folder) => statedLicence(root, folder), exceptions.licences);
problems.push(...unlicensed);
console.log(`licences: ${Object.keys(packages).length} packages, ${unlicensed.length} problems`);

if (!process.argv.includes('--no-journey'))
  try {
    await run(process.execPath, [path.join(root, 'tools', 'test.mjs'), 'e2e/edge/secrets.e2e.spec.ts']);
    console.log('secrets: none in logs, events, the session store and answers');
  } catch (error) {
    problems.push(`secrets: ${error.message}`);
  }

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
