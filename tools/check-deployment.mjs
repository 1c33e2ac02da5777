import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { problemsOfCompose } from './checks/compose.mjs';
import { problemsOfImages } from './checks/images.mjs';
import { modulesWithNeeds } from './checks/module-lists.mjs';
import { problemsOfInstallation } from './checks/installation.mjs';
import { alertsWithoutRunbook } from './checks/observability.mjs';
import { NODE_OPTIONS } from './launch/node-options.mjs';
import { commandOf, root } from './launch/workspace.mjs';
import { debianProgram } from './services/debian.mjs';
import { programAtHand } from './services/programs.mjs';

// npm run check:deployment: renders every Kustomize overlay, validates what comes out against the Kubernetes schemas, and
// lints the image recipe and the Compose file, which must be safe as it is, and looks for the runbook of each alert. No cluster and no container engine are needed.
const require = createRequire(import.meta.url);
const { validateManifests } = require('./validate-k8s.cjs');
const run = promisify(execFile);

const problems = [];

await checkOverlays();
const recipe = 'docker/service.Dockerfile';
await lint('dockerfilelint', [recipe]);
await lint('dclint', ['docker/compose.yaml'], ['--quiet']);
const compose = fs.readFileSync(path.join(root, 'docker', 'compose.yaml'), 'utf8');
const problemsWithCompose = [...problemsOfCompose(compose, modulesWithNeeds(root)), ...problemsOfImages(compose)];
problems.push(...problemsWithCompose.map((problem) => `docker/compose.yaml: ${problem}`));
problems.push(
  ...problemsOfImages(fs.readFileSync(path.join(root, recipe), 'utf8')).map((problem) => `${recipe}: ${problem}`),
);
checkNodeOptions(recipe);
problems.push(...alertsWithoutRunbook(root));

for (const problem of problems) console.error(problem);
console.log(problems.length ? `check:deployment: ${problems.length} problems` : 'check:deployment: ok');
process.exitCode = problems.length ? 1 : 0;

async function checkOverlays() {
  const kubectl = await findKubectl();
  const overlays = path.join('k8s', 'overlays');
  const withSchema = modulesWithNeeds(root).flatMap(({ name, hasSchema }) => (hasSchema ? [name] : []));
  for (const name of fs.readdirSync(path.join(root, overlays))) {
    const overlay = path.join(overlays, name);
    try {
      const { stdout } = await run(kubectl.file, ['kustomize', overlay], {
        cwd: root,
        env: kubectl.env,
        maxBuffer: 2 ** 26,
      });
      const found = validateManifests(stdout);
      const all = [...found.problems, ...problemsOfInstallation(stdout, withSchema)];
      problems.push(...all.map((problem) => `${overlay}: ${problem}`));
      console.log(`${overlay}: ${found.objects.length} objects`);
    } catch (error) {
      problems.push(`${overlay}: ${error.stderr || error.message}`);
    }
  }
}

/** The image runs Node as `npm start` does. */
function checkNodeOptions(file) {
  const set = /NODE_OPTIONS="([^"]*)"/.exec(fs.readFileSync(path.join(root, file), 'utf8'))?.[1].split(' ') ?? [];
  for (const option of NODE_OPTIONS) if (!set.includes(option)) problems.push(`${file}: NODE_OPTIONS lacks ${option}`);
}

async function findKubectl() {
  const installed = process.env.GROUPWARE_IGNORE_INSTALLED ? undefined : programAtHand('kubectl');
  if (installed) return { file: installed, env: process.env };
  const unpacked = await debianProgram(path.join(root, '.data', 'tools'), 'kubectl', ['kubernetes-client']);
  if (unpacked) return unpacked;
  throw new Error('kubectl was not found: apt-get install kubernetes-client, or brew install kubernetes-cli');
}

async function lint(name, files, options = []) {
  try {
    await run(process.execPath, [commandOf(name), ...options, ...files], { cwd: root });
    console.log(`${name}: ${files.join(', ')}`);
  } catch (error) {
    problems.push(`${name}: ${`${error.stdout}${error.stderr}`.trim() || error.message}`);
  }
}
