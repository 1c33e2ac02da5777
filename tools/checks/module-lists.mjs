import fs from 'node:fs';
import path from 'node:path';

/** Apps that are no modules: the entry point and the operators' command line. */
const notModules = ['host', 'svcctl'];

/** The gateway answers over HTTP; it has no contract of its own. */
const withoutContract = ['gateway'];

/** Contract folders whose operations a module of another name answers. */
const answeredBy = { edge: 'gateway', login: 'identity', system: 'gateway' };

/**
 * Compares the places that know the modules: folders in apps, lines in modules.ts, folders in k8s/modules, the overlay for
 * production, and contract folders.
 * @param {string} root the checkout
 * @returns {string[]} one sentence per difference
 */
export function differencesOfModuleLists(root) {
  const apps = foldersWith(path.join(root, 'apps'), 'package.json').filter((name) => !notModules.includes(name));
  const loaded = loadedModules(path.join(root, 'apps', 'host', 'src', 'modules.ts'));
  const deployed = foldersWith(path.join(root, 'k8s', 'modules'), 'kustomization.yaml');
  const inProduction = modulesOfOverlay(path.join(root, 'k8s', 'overlays', 'production', 'kustomization.yaml'));
  const contracts = contractFolders(path.join(root, 'libs', 'contracts', 'src'));

  return [
    ...missing(apps, loaded, (name) => `apps/${name} has no line in apps/host/src/modules.ts`),
    ...missing(loaded, apps, (name) => `apps/host/src/modules.ts names ${name}, which is no folder in apps`),
    ...missing(loaded, deployed, (name) => `${name} has no k8s/modules/${name}/kustomization.yaml`),
    ...missing(deployed, loaded, (name) => `k8s/modules/${name} has no line in apps/host/src/modules.ts`),
    ...missing(deployed, inProduction, (name) => `k8s/overlays/production does not name ../../modules/${name}`),
    ...missing(
      apps.filter((name) => !withoutContract.includes(name)),
      contracts,
      (name) => `apps/${name} has no contract in libs/contracts/src/${name}`,
    ),
    ...missing(
      contracts.map((name) => answeredBy[name] ?? name),
      apps,
      (name) => `libs/contracts/src has a contract of ${name}, which is no folder in apps`,
    ),
  ];
}

const missing = (names, others, sentence) => names.filter((name) => !others.includes(name)).map(sentence);

const foldersWith = (parent, file) =>
  fs.existsSync(parent) ? fs.readdirSync(parent).filter((name) => fs.existsSync(path.join(parent, name, file))) : [];

const loadedModules = (file) =>
  [...fs.readFileSync(file, 'utf8').matchAll(/^\s*'?([a-z][a-z0-9-]*)'?:\s*\(\)\s*=>\s*import\(/gm)].map(
    ([, name]) => name,
  );

const modulesOfOverlay = (file) =>
  [...fs.readFileSync(file, 'utf8').matchAll(/^\s*- \.\.\/\.\.\/modules\/(\S+)$/gm)].map(([, name]) => name);

function contractFolders(parent) {
  return fs.readdirSync(parent).filter((name) => {
    const folder = path.join(parent, name);
    return fs.statSync(folder).isDirectory() && fs.readdirSync(folder).some((file) => file.endsWith('.contract.ts'));
  });
}
