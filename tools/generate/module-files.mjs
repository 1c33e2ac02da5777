import { declaration, kitNames, models } from './operation.mjs';

/**
 * The files of a new module by path, each small enough to be rewritten.
 * @param {Record<string, any>} names
 * @param {ReturnType<typeof import('./operation.mjs').draftOperation>[]} operations `new` and `get`
 */
export function moduleFiles(names, operations) {
  const { name, thing, table, time } = names;
  const contracts = `libs/contracts/src/${name}`;
  const app = `apps/${name}`;
  const dashed = table.replaceAll('_', '-');
  return Object.entries({
    [`${contracts}/${name}.contract.ts`]: contract(names, operations),
    [`${contracts}/${name}.errors.ts`]: errors(names),
    [`${contracts}/${name}.events.ts`]: events(names),
    [`${contracts}/index.ts`]: ['events', 'errors', 'contract']
      .map((part) => `export * from './${name}.${part}';`)
      .join('\n'),
    [`${app}/README.md`]: readme(names),
    [`${app}/package.json`]: JSON.stringify(manifest(names)),
    [`${app}/tsconfig.json`]: tsconfig(names),
    [`${app}/src/index.ts`]: index(names, dashed),
    [`${app}/src/handlers/new.handler.ts`]: newHandler(names, dashed),
    [`${app}/src/handlers/get.handler.ts`]: getHandler(names, dashed, operations[1]),
    [`${app}/src/persistence/${dashed}.repository.ts`]: repository(names),
    [`${app}/src/persistence/${dashed}.repository.int.spec.ts`]: repositorySpec(names, dashed),
    [`${app}/src/migrations/${time}-create-${dashed}.ts`]: migration(names),
    [`e2e/${name}/${name}.e2e.spec.ts`]: edgeSpec(names, operations, thing),
  });
}

const contract = (names, operations) =>
  `
import { ${[...new Set(['allowCallers', 'defineModule', ...operations.flatMap(kitNames)])].sort().join(', ')} } from '../kit';

${operations.map((operation) => models(operation)).join('\n\n')}

const OWN = allowCallers('a ${names.thing} of the user of the session only');

/** Operations of the module ${names.name}. */
export const ${names.constant} = defineModule('${names.name}', {
  ${declaration(operations[0], 'OWN', `Creates a ${names.thing}`)},
  ${declaration(operations[1], 'OWN', `Reads a ${names.thing}`, `${names.class}Errors.notFound`)},
});
`.replace(
    /import \{[^}]*\} from '..\/kit';/,
    (line) => `${line}\nimport { ${names.class}Errors } from './${names.name}.errors';`,
  );

const errors = ({ class: Class, prefix, thing }) => `
import { errorCatalog } from '../kit';

/** Errors of the module under their \`${prefix}\` codes. */
export const ${Class}Errors = errorCatalog('${prefix}', {
  notFound: { number: 9001, category: 'USER_INPUT', message: 'The ${thing} %1 was not found in context %2.', http: 404 },
});
`;

const events = ({ name, constant, thing, thingClass, table }) => `
import { event, eventCatalog } from '../kit';

/** Which ${thing} it is about. */
export interface ${thingClass}Change {
  readonly id: string;
}

/** Events of the module. */
export const ${constant}Events = eventCatalog('${name}', {
  '${table}.created': event<${thingClass}Change>('A ${thing} exists'),
});
`;

const readme = ({ name, table }) => `# ${name}

Owns the schema \`${name.replaceAll('-', '_')}\` (\`schema.md\`): \`${table}\`. Publishes \`${name}.${table}.created\`. Asks nothing of other modules.

Start reading at \`src/handlers/new.handler.ts\`.
`;

const manifest = ({ name, packages }) => ({
  name: `@groupware/${name}`,
  version: '0.1.0',
  private: true,
  main: 'dist/index.js',
  types: 'dist/index.d.ts',
  scripts: { build: 'tsc -b tsconfig.json' },
  dependencies: Object.fromEntries([...packages.map((each) => [`@groupware/${each}`, '*']), ['@nestjs/common', '*']]),
  nx: { tags: ['type:app', `scope:${name}`] },
});

const tsconfig = ({ packages }) => `{
  "extends": "../../tsconfig.base.json",
  "compilerOptions": { "rootDir": "src", "outDir": "dist", "tsBuildInfoFile": "dist/.tsbuildinfo" },
  "include": ["src"],
  "exclude": ["src/**/*.spec.ts", "src/testing/**"],
  "references": [${packages.map((each) => `\n    { "path": "../../libs/${each}" }`).join(',')}
  ]
}
`;

const migrationClass = ({ thingClass, time }) => `Create${thingClass}${time}`;

const index = (names, dashed) => `
import { ${names.constant} } from '@groupware/contracts';
import { defineService } from '@groupware/service-kit';
import { ${migrationClass(names)} } from './migrations/${names.time}-create-${dashed}';
import { ${names.thingClass}Repository } from './persistence/${dashed}.repository';

/** The service of the module ${names.name}. */
export const service = defineService({
  name: '${names.name}',
  contracts: [${names.constant}],
  directory: __dirname,
  migrations: [${migrationClass(names)}],
  providers: [${names.thingClass}Repository],
});
`;

const newHandler = ({ constant, thing, thingClass, table }, dashed) => `
import { ${constant}, ${constant}Events, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { ${thingClass}Repository } from '../persistence/${dashed}.repository';

/** \`new\`: stores a ${thing} of the user. */
@Handles(${constant}.new)
export class NewHandler implements Handler<typeof ${constant}.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: ${thingClass}Repository,
    private readonly clock: Clock,
  ) {}

  async handle({ principal, body }: CallOf<typeof ${constant}.new>) {
    const timestamp = this.clock.now();
    const id = await this.database.transact(principal, async (tx) => {
      const created = await this.repository.insert(tx, principal.userId, body.title, timestamp);
      await tx.publish(${constant}Events['${table}.created'], { id: created });
      return created;
    });
    return reply({ id }, { timestamp });
  }
}
`;

const getHandler = ({ constant, class: Class, thing, thingClass }, dashed) => `
import { ${constant}, ${Class}Errors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ${thingClass}Repository } from '../persistence/${dashed}.repository';

/** \`get\`: one ${thing} of the user. */
@Handles(${constant}.get)
export class GetHandler implements Handler<typeof ${constant}.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: ${thingClass}Repository,
  ) {}

  async handle({ principal, query }: CallOf<typeof ${constant}.get>) {
    const found = await this.database.read(principal, (db) => this.repository.find(db, principal.userId, query.id));
    if (!found) throw ${Class}Errors.notFound(query.id, principal.contextId);
    return reply({ id: found.id, title: found.title }, { timestamp: found.lastModified });
  }
}
`;

const repository = ({ thing, thingClass, table }) => `
import { Injectable } from '@nestjs/common';
import type { Reader, Transaction } from '@groupware/persistence';

/** A row of \`${table}\`. */
export interface ${thingClass} {
  readonly id: string;
  readonly title: string;
  /** ms UTC */
  readonly lastModified: number;
}

/** SQL of \`${table}\`. */
@Injectable()
export class ${thingClass}Repository {
  /** One ${thing} of a user. */
  find(db: Reader, userId: number, id: string): Promise<${thingClass} | undefined> {
    return db.first(
      \`select id, title, last_modified as "lastModified" from ${table} where context_id = $1 and user_id = $2 and id = $3\`,
      userId,
      id,
    );
  }

  /** Stores a ${thing}; returns its id. */
  async insert(tx: Transaction, userId: number, title: string, nowMs: number): Promise<string> {
    const row = await tx.first<{ id: string }>(
      \`insert into ${table} (context_id, id, user_id, title, last_modified)
       values ($1, gen_random_uuid()::text, $2, $3, $4) returning id\`,
      userId,
      title,
      nowMs,
    );
    return row!.id;
  }
}
`;

const repositorySpec = (names, dashed) => `
import type { ModuleDatabase } from '@groupware/persistence';
import { expectTenantIsolation, testDatabase, type TestDatabase } from '@groupware/test-kit';
import { ${migrationClass(names)} } from '../migrations/${names.time}-create-${dashed}';
import { ${names.thingClass}Repository } from './${dashed}.repository';

const repository = new ${names.thingClass}Repository();
let databases: TestDatabase;
let database: ModuleDatabase;
beforeAll(async () => {
  databases = await testDatabase({ '${names.name}': [${migrationClass(names)}] });
  database = await databases.of('${names.name}');
}, 60_000);
afterAll(() => databases?.close());

describe('${names.thingClass}Repository', () => {
  it('finds what a user stored, and nothing of another user', async () => {
    const id = await database.transact({ contextId: 1 }, (tx) => repository.insert(tx, 2, 'Title', 5));
    const find = (userId: number) => database.read({ contextId: 1 }, (db) => repository.find(db, userId, id));
    expect(await find(2)).toEqual({ id, title: 'Title', lastModified: 5 });
    expect(await find(3)).toBeUndefined();
  });

  it('keeps tenants apart', () =>
    expectTenantIsolation({
      database,
      fill: async (tx, { contextId }) => {
        await tx.run(
          "insert into ${names.table} (context_id, id, user_id, title, last_modified) values ($1, 'x', 2, $2, 5)",
          \`of \${contextId}\`,
        );
      },
      methods: {
        find: (tx) => repository.find(tx, 2, 'x'),
        insert: (tx) => repository.insert(tx, 2, 'more', 6),
      },
      secrets: ({ contextId }) => [\`of \${contextId}\`],
    }));
});
`;

const migration = (names) => `
import type { Migration, MigrationRunner } from '@groupware/persistence';

/** The first table. */
export class ${migrationClass(names)} implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(\`
      create table ${names.table} (
        context_id int not null,
        id text not null,
        user_id int not null,
        title text not null,
        last_modified bigint not null,
        constraint ${names.table}_key primary key (context_id, id)
      )\`);
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query('drop table ${names.table}');
  }
}
`;

const sample = (query, own) =>
  `{ ${query
    .filter(({ required }) => required)
    .map(({ name, type }) =>
      own[name] ? own[name] : `'${name}': '${type === 'boolean' ? 'true' : type === 'integer' ? '86400000' : '1'}'`,
    )
    .join(', ')} }`;

const edgeSpec = (names, [create, read]) => `
import { createFixtures, type Fixtures } from '../fixtures';
import { startTestEnvironment, type TestEnvironment } from '../test-environment';

let world: TestEnvironment;
let cast: Fixtures;
beforeAll(async () => {
  world = await startTestEnvironment();
  cast = await createFixtures(world);
}, 300_000);
afterAll(() => world?.close());

describe('${names.name}', () => {
  it('gives back what was stored, to its owner only', async () => {
    const created = await cast.U1.put('${names.name}', 'new', ${sample(create.query, {})}, { title: 'First' });
    const { id } = created.data;
    const query = ${sample(read.query, { id: 'id' })};
    expect(await cast.U1.get('${names.name}', 'get', query)).toMatchObject({ data: { id, title: 'First' }, timestamp: created.timestamp });
    expect(await cast.U2.get('${names.name}', 'get', query)).toMatchObject({ code: '${names.prefix}-9001' });
    expect(await cast.X1.get('${names.name}', 'get', query)).toMatchObject({ code: '${names.prefix}-9001' });
  });
});
`;
