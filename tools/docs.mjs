import './launch/node-version.mjs';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  accessPage,
  acrossContextsPage,
  callersPage,
  configurationPage,
  errorsPage,
  eventsPage,
  loggersPage,
  notEffectivePage,
  operationsPage,
  unique,
} from './docs/pages.mjs';
import * as notEffective from './docs/not-effective.mjs';
import { schemaPages } from './docs/schemas.mjs';
import { unusedErrors } from './docs/unused-errors.mjs';
import { accessWaivers } from './docs/access-waivers.mjs';
import { contextDoors } from './tenancy/statements.mjs';
import { build, installWhenMissing, root } from './launch/workspace.mjs';

// npm run docs: writes docs/generated and apps/<module>/schema.md from the contracts, the settings classes and a migrated
// database. `--check` writes nothing and fails when a file is stale. Works on the built packages; builds what changed.
const require = createRequire(path.join(root, 'apps', 'host', 'package.json'));
const isCheck = process.argv.includes('--check');

async function main() {
  await installWhenMissing(console.error);
  await build(console.error);
  const stale = [];
  for (const [name, page] of Object.entries(await pages())) {
    const file = path.join(root, name);
    const text = `${page.trimEnd()}\n`;
    if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) continue;
    stale.push(name);
    if (isCheck) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    console.log(`written: ${name}`);
  }
  if (!isCheck || stale.length === 0) return console.log('docs: up to date');
  console.error(`docs: ${stale.join(', ')} are out of date. Run this and commit what it writes: npm run docs`);
  process.exitCode = 1;
}

async function pages() {
  const contracts = require('@groupware/contracts');
  const kit = require('@groupware/service-kit');
  const { modules } = require(path.join(root, 'apps', 'host', 'dist', 'modules.js'));
  const services = await Promise.all(Object.values(modules).map(async (load) => (await load()).service));

  const settings = [
    kit.ProcessSettings,
    kit.SchemaSettings,
    kit.EventSettings,
    kit.TracingSettings,
    kit.ListenerSettings,
    kit.HealthSettings,
  ];
  const classes = [['every process', settings]];
  const consumers = new Map();
  for (const service of services) {
    const types = [service.config ?? []].flat();
    if (types.length > 0) classes.push([service.name, types]);
    for (const type of kit.scanService(service).parts.consumers) {
      for (const { name } of kit.listEvents(type))
        consumers.set(name, unique([...(consumers.get(name) ?? []), service.name]));
    }
  }
  const { Client } = require('pg');
  const tools = path.join(root, '.data', 'tools');
  const schemas = await schemaPages(services, require('@groupware/persistence'), Client, tools);
  const unused = unusedErrors(
    contracts,
    ['apps', 'libs'].map((folder) => path.join(root, folder)),
  );
  return {
    'k8s/components/bus-users/users.conf': await require('@groupware/host').busUsers(services.map(({ name }) => name)),
    'docs/generated/operations.md': operationsPage(contracts),
    'docs/generated/callers.md': callersPage(contracts),
    'docs/generated/access.md': accessPage(contracts, accessWaivers(root)),
    'docs/generated/across-contexts.md': acrossContextsPage(contextDoors(root)),
    'docs/generated/errors.md': errorsPage(contracts, unused),
    'docs/generated/events.md': eventsPage(contracts, consumers),
    'docs/generated/configuration.md': configurationPage(contracts, classes, kit),
    'docs/generated/not-effective.md': notEffectivePage(notEffective),
    'docs/generated/loggers.md': loggersPage(contracts),
    'docs/generated/texts.en.json': JSON.stringify(contracts.translatableTexts(), undefined, 2),
    ...Object.fromEntries(Object.entries(schemas).map(([name, page]) => [`apps/${name}/schema.md`, page])),
  };
}

main().then(
  // Modules that were loaded may hold timers.
  () => process.exit(),
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
