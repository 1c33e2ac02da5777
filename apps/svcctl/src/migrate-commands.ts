import type { InstallationSchema, InstallationSchemas } from '@groupware/host';
import type { PlannedMigration } from '@groupware/persistence';
import type { Command } from 'commander';
import { EXIT, Stop } from './exit';
import { onHost } from './on-host';
import { number, show, type Connect, type Session } from './session';
import { table } from './output';

interface Options {
  readonly dryRun?: boolean;
}

/** `migrate`: works on Postgres itself, with the settings of the services; nothing else has to run. */
export function addMigrate(program: Command, connect: Connect): void {
  const migrate = program
    .command('migrate')
    .description('Brings the schemas of Postgres forward or back, with the settings of the services');
  migrate
    .command('status')
    .description('Shows what each schema has; fails when one is behind this version')
    .action(() => onDatabase(connect(), status));
  migrate
    .command('forward')
    .description('Brings all schemas on all shards to this version')
    .option('--dry-run', 'change nothing, print the SQL')
    .action((options: Options) => onDatabase(connect(), (session, schemas) => forward(session, schemas, options)));
  migrate
    .command('back')
    .description('Takes back the newest migrations of schemas, and what was written to their columns since')
    .argument('<schemas...>', 'schemas, as `migrate status` names them')
    .option('--steps <count>', 'how many of each', number, '1')
    .option('--shard <name>', 'on this shard only')
    .option('--dry-run', 'change nothing, print the SQL')
    .action((names: string[], options: Options & { steps: string; shard?: string }) =>
      onDatabase(connect(), (session, schemas) => back(session, schemas, names, options)),
    );
}

/** Runs work on the schemas that the settings name. */
const onDatabase = (
  session: Session,
  work: (session: Session, schemas: InstallationSchemas) => Promise<void>,
): Promise<void> =>
  onHost(session, (_session, host) => {
    const { environment, error } = session.terminal;
    return work(
      session,
      host.InstallationSchemas.fromEnvironment(environment, (message) => error(`${message}\n`)),
    );
  });

async function status(session: Session, schemas: InstallationSchemas): Promise<void> {
  const { readMigrationStatus } = await import('@groupware/persistence');
  const rows: { shard: string; schema: string; applied: number; pending: string[]; unknown: string[] }[] = [];
  for (const { shard, target } of [schemas.registry, ...(await schemas.ofModules())]) {
    const { applied, pending, unknown } = await readMigrationStatus(target);
    rows.push({ shard, schema: target.schema, applied: applied.length, pending: [...pending], unknown: [...unknown] });
  }
  const shown = rows.map((row) => ({ ...row, pending: brief(row.pending), unknown: brief(row.unknown) }));
  show(session, rows, table(shown, ['shard', 'schema', 'applied', 'pending', 'unknown']));
  if (rows.some(({ pending }) => pending.length > 0))
    throw new Stop(EXIT.refused, 'Some schemas are behind this version.');
}

/** As many names as fit on a line; `--json` has them all. */
const brief = (names: readonly string[]): string =>
  names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(', ');

async function forward(session: Session, schemas: InstallationSchemas, { dryRun }: Options): Promise<void> {
  const { migrate, planMigration } = await import('@groupware/persistence');
  if (dryRun) {
    const planned: Planned[] = [];
    for (const schema of [schemas.registry, ...(await schemas.ofModules())])
      planned.push({ ...schema, migrations: await planMigration(schema.target) });
    return showPlan(session, planned);
  }
  const done: Done[] = [];
  const bring = async ({ shard, target }: InstallationSchema) => {
    for (const name of await migrate(target)) done.push({ shard, schema: target.schema, migration: name });
  };
  await bring(schemas.registry);
  for (const schema of await schemas.ofModules()) await bring(schema);
  showDone(session, done, 'Nothing to do.');
}

async function back(
  session: Session,
  schemas: InstallationSchemas,
  names: readonly string[],
  { steps, shard, dryRun }: Options & { steps: string; shard?: string },
): Promise<void> {
  const { planRollback, rollback } = await import('@groupware/persistence');
  const all = [schemas.registry, ...(await schemas.ofModules())];
  const chosen = names.flatMap((name) => {
    const found = all.filter(({ target, ...at }) => target.schema === name && (!shard || at.shard === shard));
    if (found.length === 0) throw new Stop(EXIT.usage, `There is no schema ${name}${shard ? ` on ${shard}` : ''}.`);
    return found;
  });
  if (dryRun) {
    const planned: Planned[] = [];
    for (const schema of chosen)
      planned.push({ ...schema, migrations: await planRollback(schema.target, Number(steps)) });
    return showPlan(session, planned);
  }
  const done: Done[] = [];
  for (const { shard: at, target } of chosen)
    for (const migration of await rollback(target, Number(steps)))
      done.push({ shard: at, schema: target.schema, migration });
  showDone(session, done, 'Nothing to take back.');
}

interface Done {
  readonly shard: string;
  readonly schema: string;
  readonly migration: string;
}

const showDone = (session: Session, done: readonly Done[], nothing: string): void =>
  show(session, done, done.length > 0 ? table(done, ['shard', 'schema', 'migration']) : nothing);

interface Planned extends InstallationSchema {
  readonly migrations: readonly PlannedMigration[];
}

const terminated = (sql: string): string => sql.replace(/;?(?<!\s)\s*(\n--|$)/, ';$1');

function showPlan(session: Session, planned: readonly Planned[]): void {
  const values = planned.flatMap(({ shard, target, migrations }) =>
    migrations.map((migration) => ({ shard, schema: target.schema, ...migration })),
  );
  const text = values
    .map(({ shard, schema, name, statements }) =>
      [`-- ${shard} ${schema} ${name}`, `set search_path = "${schema}", public;`, ...statements.map(terminated)].join(
        '\n',
      ),
    )
    .join('\n\n');
  show(session, values, text || '-- nothing to do');
}
