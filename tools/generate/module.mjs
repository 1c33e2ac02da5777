import { Refusal } from './checkout.mjs';
import { catalogues } from './contracts.mjs';
import { moduleFiles } from './module-files.mjs';
import { camel, pascal, singular } from './names.mjs';
import { announce, draftOperation } from './operation.mjs';
import { SourceText } from './source-text.mjs';

const packages = ['contracts', 'persistence', 'service-kit'];

/**
 * Adds a module: contract, app with a table and two operations, its specs, its line in the host, its deployment.
 * @param {import('./checkout.mjs').Checkout} checkout
 * @param {[name: string]} wanted
 * @param {{ prefix?: string, now?: number }} options now: ms UTC, the time of the first migration
 * @returns {string[]} what remains to be done
 */
export function generateModule(checkout, [name], options) {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Refusal(`${name} is no name of a module: mail-account would be one`);
  for (const taken of [`apps/${name}`, `libs/${name}`, `libs/contracts/src/${name}`])
    if (checkout.names(taken).length) throw new Refusal(`${taken} is there already`);
  const prefix = options.prefix ?? prefixOf(name);
  if (!/^[A-Z][A-Z0-9_]{1,19}$/.test(prefix))
    throw new Refusal(`--prefix ${prefix} is no prefix of error codes: TSK would be one`);
  if (catalogues(checkout).some((each) => each.prefix === prefix))
    throw new Refusal(`errors with the prefix ${prefix} are there already; choose another with --prefix`);

  const operations = ['new', 'get'].map((action) =>
    draftOperation(checkout, name, action, { method: action === 'new' ? 'PUT' : 'GET' }),
  );
  operations[1].result.push({ name: 'title', type: 'string', required: true });
  const names = {
    name,
    prefix,
    packages,
    constant: camel(name),
    class: pascal(name),
    thing: camel(singular(name)),
    thingClass: pascal(singular(name)),
    table: singular(name).replaceAll('-', '_'),
    time: options.now ?? Date.now(),
  };
  for (const [file, text] of moduleFiles(names, operations)) checkout.create(file, text);
  for (const operation of operations) announce(checkout, operation, SourceText);
  intoContracts(checkout, names);
  intoHost(checkout, names);
  intoLock(checkout, names);
  intoDeployment(checkout, names);
  intoArchitecture(checkout, names);
  checkout.link(`node_modules/@groupware/${name}`, `apps/${name}`);

  return [
    `replace the fields of ${names.thingClass} in libs/contracts/src/${name} and apps/${name}/src/migrations by the real ones`,
    `say in apps/${name}/README.md what the module owns`,
    `npm run generate -- action ${name} <action>`,
    'npm run docs',
  ];
}

/** `tasks` → `TSK`: the first letter and the consonants that follow. */
const prefixOf = (name) =>
  (name[0] + name.slice(1).replace(/[aeiou0-9-]/g, '')).slice(0, 3).toUpperCase().padEnd(2, 'X');

function intoContracts(checkout, { name, constant }) {
  checkout.edit('libs/contracts/src/index.ts', (text) =>
    text.replace(/^export \* from '\.\/registry';/m, `export * from './${name}';\n$&`),
  );
  checkout.edit('libs/contracts/src/registry.ts', (text) => {
    const source = new SourceText(text);
    source.addWholeImport(`./${name}`, `${constant}Contracts`);
    source.addToListOf('calendarContracts', `${constant}Contracts`);
    return source.toString();
  });
}

function intoHost(checkout, { name }) {
  const key = name.includes('-') ? `'${name}'` : name;
  checkout.edit('apps/host/src/modules.ts', (text) =>
    // The gateway starts last: it has nothing to say before the others.
    text.replace(/^ *gateway:/m, `  ${key}: () => import('@groupware/${name}'),\n$&`),
  );
  checkout.editJson('apps/host/package.json', addDependency(name));
  checkout.edit('apps/host/tsconfig.json', (text) =>
    text.replace(/^ *\{ "path": "\.\.\/\.\.\/libs\//m, `    { "path": "../${name}" },\n$&`),
  );
}

const addDependency = (name) => (manifest) => {
  manifest.dependencies = sorted({ ...manifest.dependencies, [`@groupware/${name}`]: '*' });
};

const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => a.localeCompare(b, 'en')));

/** Just what `npm install` would write for one more package of the workspace. */
function intoLock(checkout, { name }) {
  checkout.editJson('package-lock.json', ({ packages: locked }) => {
    const { version, dependencies } = JSON.parse(checkout.read(`apps/${name}/package.json`));
    addDependency(name)(locked['apps/host']);
    const added = {
      [`apps/${name}`]: { name: `@groupware/${name}`, version, dependencies },
      [`node_modules/@groupware/${name}`]: { resolved: `apps/${name}`, link: true },
    };
    const [[root, itself], ...others] = Object.entries(locked);
    for (const key of Object.keys(locked)) delete locked[key];
    Object.assign(locked, { [root]: itself }, sorted({ ...Object.fromEntries(others), ...added }));
  });
}

/** One row in the table that says what lives where. */
function intoArchitecture(checkout, { name }) {
  checkout.edit('ARCHITECTURE.md', (text) =>
    text.replace(/^(\| `apps\/svcctl` )/m, `| \`apps/${name}\` | ${name}: to be written | to be written |\n$1`),
  );
}

function intoDeployment(checkout, { name }) {
  checkout.create(`k8s/modules/${name}/kustomization.yaml`, manifestOf(name));
  checkout.edit('k8s/overlays/production/kustomization.yaml', (text) =>
    text.replace(/(^ *- \.\.\/\.\.\/modules\/\S+\n)(?!^ *- \.\.\/\.\.\/modules)/m, `$1  - ../../modules/${name}\n`),
  );
}

const manifestOf = (name) => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../base]
namePrefix: ${name}-
labels: [{ pairs: { app.kubernetes.io/component: ${name} }, includeSelectors: true, includeTemplates: true }]
configMapGenerator: [{ name: module, literals: [GROUPWARE_MODULES=${name}] }]
components: [../../components/autoscaling]
`;
