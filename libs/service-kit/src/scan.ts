import fs from 'node:fs';
import path from 'node:path';
import { groupBy, operationsOf, type Operation } from '@groupware/contracts';
import type { Type } from '@nestjs/common';
import { listEvents, findOperation, type ServiceDefinition } from './define-service';

/** Parts of a service. */
export interface ServiceParts {
  readonly handlers: readonly Type[];
  readonly consumers: readonly Type[];
  readonly operations: readonly Operation[];
}

/** The folders of that name in a service: its own, and one in each folder of an area (`src/<area>/handlers`). */
function listFolders(directory: string, name: string): string[] {
  if (!fs.existsSync(directory)) return [];
  const areas = fs.readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [directory, ...areas.map((area) => path.join(directory, area.name)).sort()]
    .map((parent) => path.join(parent, name))
    .filter((folder) => fs.existsSync(folder));
}

/** Classes exported by the files of the role's folders: `handlers/*.handler.js`. */
const listClasses = (directory: string, role: string): Type[] =>
  listFolders(directory, `${role}s`).flatMap((folder) => loadClasses(folder, role));

function loadClasses(directory: string, role: string): Type[] {
  return fs
    .readdirSync(directory)
    .filter((file) => new RegExp(`\\.${role}\\.[jt]s$`).test(file))
    .sort()
    .flatMap((file) => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports -- the list of files is the list of handlers
      const exported = require(path.join(directory, file)) as Record<string, unknown>;
      return Object.values(exported).filter((candidate): candidate is Type => typeof candidate === 'function');
    });
}

/**
 * Finds handlers and consumers and compares handlers with the contracts.
 * @returns parts and problems; a service with problems must not start
 */
export function scanService(definition: ServiceDefinition): { parts: ServiceParts; problems: string[] } {
  const { name, directory } = definition;
  const operations = definition.contracts.flatMap((contract) => operationsOf(contract));
  const handlers = [...listClasses(directory, 'handler'), ...(definition.handlers ?? [])].filter((type) =>
    findOperation(type),
  );
  const consumers = [...listClasses(directory, 'consumer'), ...(definition.consumers ?? [])].filter(
    (type) => listEvents(type).length > 0,
  );
  const problems: string[] = [];
  const bySubject = groupBy(handlers, (type) => findOperation(type)!.subject);
  for (const operation of operations) {
    const found = bySubject.get(operation.subject) ?? [];
    const label = `${name}: ${operation.module}.${operation.name}`;
    if (operation.service !== name) problems.push(`${label} belongs to the service ${operation.service}`);
    if (found.length === 0) problems.push(`${label} has no handler`);
    if (found.length > 1) problems.push(`${label} has several handlers: ${found.map((type) => type.name).join(', ')}`);
  }
  const declared = new Set(operations.map(({ subject }) => subject));
  for (const [subject, types] of bySubject)
    if (!declared.has(subject))
      for (const type of types)
        problems.push(`${name}: ${type.name} handles ${subject}, which no contract of the service declares`);
  return { parts: { handlers, consumers, operations }, problems };
}
