import { equalRuns } from './checks/equal-lines.mjs';
import { differencesOfModuleLists } from './checks/module-lists.mjs';
import { root } from './launch/workspace.mjs';

// npm run check:copies: what exists in several places must be the same, and code must not exist in several places.
const folders = ['apps', 'libs', 'e2e', 'bench', 'tools'];
const allowedLines = 40;

const problems = [
  ...differencesOfModuleLists(root),
  ...equalRuns(root, folders, allowedLines).map(
    ({ lines, first, second }) => `${lines} equal lines at ${first} and ${second}: make one piece of code serve both`,
  ),
];
for (const problem of problems) console.error(problem);
console.log(problems.length ? `check:copies: ${problems.length} problems` : 'check:copies: ok');
process.exitCode = problems.length ? 1 : 0;
