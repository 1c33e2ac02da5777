import fs from 'node:fs';
import path from 'node:path';

/** Apps that are no modules: the entry point and the operators' command line. */
const notModules = ['host', 'svcctl'];

/** The gateway answers over HTTP; it has no contract of its own. */
const withoutContract = ['gateway'];

/** The name by which contracts say that every process answers by itself. */
const everyProcess = 'process';

/**
 * Names of the modules that a process can host.
 * @param {string} root the checkout
 */
export const modulesOf = (root) => loadedModules(path.join(root, 'apps', 'host', 'src', 'modules.ts'));

/**
 * Compares the places that know the modules: folders in apps, lines in modules.ts, folders in k8s/modules, the overlay for
 * production, and contract folders.
 * @param {string} root the checkout
 * @returns {string[]} one sentence per difference
 */
export function differencesOfModuleLists(root) {
  const apps = foldersWith(path.join(root, 'apps'), 'package.json').filter((name) => !notModules.includes(name));
  const loaded = modulesOf(root);
  const deployed = foldersWith(path.join(root, 'k8s', 'modules'), 'kustomization.yaml');
  const inProduction = modulesOfOverlay(path.join(root, 'k8s', 'overlays', 'production', 'kustomization.yaml'));
  const contractsFolder = path.join(root, 'libs', 'contracts', 'src');
  const contracts = contractFolders(contractsFolder);

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
      contracts.flatMap((name) => servicesOf(path.join(contractsFolder, name), name)),
      [...apps, everyProcess],
      (name) => `libs/contracts/src has operations that ${name} should answer, which is no folder in apps`,
    ),
    ...differencesOfHouse(fs.readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'), [...apps, ...notModules]),
    ...differencesOfLabels(
      root,
      apps.filter((name) => deployed.includes(name)),
    ),
  ];
}

/** The table of ARCHITECTURE.md that says what lives where: one row for each app. */
function differencesOfHouse(text, apps) {
  const rows = [...text.matchAll(/^\| `apps\/([a-z-]+)` /gm)].map(([, name]) => name);
  return [
    ...missing(apps, rows, (name) => `ARCHITECTURE.md does not say what lives in apps/${name}`),
    ...missing(rows, apps, (name) => `ARCHITECTURE.md has a row for apps/${name}, which is no folder`),
    ...rows
      .filter((name, index) => rows.indexOf(name) !== index)
      .map((name) => `ARCHITECTURE.md has several rows for apps/${name}`),
  ];
}

/**
 * Kits that connect to what not every module may reach, and the label by which a network policy lets their users. Where a kit that
 * others build on connects only with settings of its own, modules that have these are its users.
 */
const ways = [
  { kit: '@groupware/outbound', label: 'calls-outside' },
  { kit: '@groupware/file-store', label: 'uses-files' },
  { kit: '@groupware/virus-scan', settings: 'VirusScanConfig', label: 'scans-files' },
];

/** The declaration of a module, or nothing where there is none. */
const declarationOf = (root, name) => {
  const file = path.join(root, 'apps', name, 'src', 'index.ts');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
};

/**
 * The ways out that modules need, by their names: labels of {@link ways}.
 * @param {string} root the checkout
 * @param {readonly string[]} apps
 * @returns {Map<string, string[]>}
 */
function waysOf(root, apps) {
  const dependencies = new Map(
    ['apps', 'libs'].flatMap((group) =>
      foldersWith(path.join(root, group), 'package.json').map((folder) => {
        const { name, dependencies = {} } = readJson(path.join(root, group, folder, 'package.json'));
        return [name ?? folder, Object.keys(dependencies)];
      }),
    ),
  );
  const leadsTo = (name, kit) => name === kit || (dependencies.get(name) ?? []).some((next) => leadsTo(next, kit));
  return new Map(
    apps.map((name) => {
      const { name: packageName = name } = readJson(path.join(root, 'apps', name, 'package.json'));
      const declaration = declarationOf(root, name);
      const isUser = ({ kit, settings }) => (settings ? declaration.includes(settings) : leadsTo(packageName, kit));
      return [name, ways.filter(isUser).map(({ label }) => label)];
    }),
  );
}

/** Classes of settings without which a module does not start, or not share what it must. */
const SETTINGS = ['RedisSettings', 'SecretKeySettings'];

/**
 * All modules, with the ways out that they need, their classes of settings, and whether they have a schema.
 * @param {string} root the checkout
 */
export function modulesWithNeeds(root) {
  const names = modulesOf(root);
  const ways = waysOf(root, names);
  return names.map((name) => {
    const declaration = declarationOf(root, name);
    return {
      name,
      ways: ways.get(name),
      settings: SETTINGS.filter((each) => declaration.includes(each)),
      hasSchema: fs.existsSync(path.join(root, 'apps', name, 'schema.md')),
    };
  });
}

function differencesOfLabels(root, apps) {
  const needed = waysOf(root, apps);
  return apps.flatMap((name) => {
    const manifest = fs.readFileSync(path.join(root, 'k8s', 'modules', name, 'kustomization.yaml'), 'utf8');
    return ways.flatMap(({ kit, label }) => {
      const isMarked = manifest.includes(`groupware~1${label}`);
      const depends = needed.get(name).includes(label);
      if (isMarked === depends) return [];
      return [
        depends
          ? `apps/${name} depends on ${kit}, but k8s/modules/${name} does not set the label groupware/${label}`
          : `k8s/modules/${name} sets the label groupware/${label}, but apps/${name} does not depend on ${kit}`,
      ];
    });
  });
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

const missing = (names, others, sentence) => names.filter((name) => !others.includes(name)).map(sentence);

const foldersWith = (parent, file) =>
  fs.existsSync(parent) ? fs.readdirSync(parent).filter((name) => fs.existsSync(path.join(parent, name, file))) : [];

const loadedModules = (file) =>
  [...fs.readFileSync(file, 'utf8').matchAll(/^\s*'?([a-z][a-z0-9-]*)'?:\s*\(\)\s*=>\s*import\(/gm)].map(
    ([, name]) => name,
  );

const modulesOfOverlay = (file) =>
  [...fs.readFileSync(file, 'utf8').matchAll(/^\s*- \.\.\/\.\.\/modules\/(\S+)$/gm)].map(([, name]) => name);

const contractFolders = (parent) =>
  fs
    .readdirSync(parent)
    .filter(
      (name) =>
        fs.statSync(path.join(parent, name)).isDirectory() && contractsBelow(path.join(parent, name)).length > 0,
    );

/** Contract files of a folder and of the areas in it. */
const contractsBelow = (folder) =>
  fs
    .readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.contract.ts'))
    .map((file) => path.join(folder, file));

/** The services that answer the operations of a contract folder: those its modules name, or the one it is called after. */
function servicesOf(folder, name) {
  const text = contractsBelow(folder)
    .map((file) => fs.readFileSync(file, 'utf8'))
    .join('\n');
  const named = [...text.matchAll(/\bservice: '([^']+)'/g)].map(([, service]) => service);
  return named.length > 0 ? [...new Set(named)] : [name];
}
