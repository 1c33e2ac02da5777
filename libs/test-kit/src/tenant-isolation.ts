import type { Tenant } from '@groupware/contracts';
import type { ModuleDatabase, Transaction } from '@groupware/persistence';

/** Description of a repository for the isolation test. */
export interface TenantIsolation {
  readonly database: ModuleDatabase;
  /** Fills one tenant with data. Called for two tenants; must use the same ids in both. */
  readonly fill: (tx: Transaction, tenant: Tenant) => Promise<void>;
  /** Every method of the repository by name, called with ids that exist in both tenants. */
  readonly methods: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>>;
  /** Texts that {@link fill} writes for the other tenant only; none of them may appear in a result. */
  readonly secrets?: (tenant: Tenant) => readonly string[];
  /** Tables that need not be compared, beside those of the kit. */
  readonly ignoredTables?: readonly string[];
}

type Dump = Readonly<Record<string, readonly string[]>>;

/**
 * Two tenants with the same ids: calls each method in one of them and fails when a row of the other tenant was changed or
 * its texts were seen.
 */
export async function expectTenantIsolation(options: TenantIsolation): Promise<void> {
  const { database } = options;
  const mine: Tenant = { contextId: 424_201 };
  const theirs: Tenant = { contextId: 424_202 };
  for (const tenant of [mine, theirs]) await database.transact(tenant, (tx) => options.fill(tx, tenant));
  const before = await dump(database, theirs, options.ignoredTables);
  const filled = Object.values(before).some((rows) => rows.length > 0);
  if (!filled) throw new Error('the isolation test has nothing to protect: `fill` wrote no row of its tenant');

  const problems: string[] = [];
  for (const [name, method] of Object.entries(options.methods)) {
    let result: unknown;
    try {
      // Each method meets the data as they were filled in.
      await database.transact(mine, async (tx) => {
        result = await method(tx);
        throw new Undo();
      });
    } catch (error) {
      if (!(error instanceof Undo)) throw new Error(`${name} failed: ${String(error)}`, { cause: error });
    }
    const seen =
      JSON.stringify(result, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '';
    for (const secret of options.secrets?.(theirs) ?? [])
      if (seen.includes(secret)) problems.push(`${name} showed '${secret}' of another tenant`);
    // Undone above, so writes are judged in a second, committed run.
    await database.transact(mine, (tx) => method(tx)).catch(() => undefined);
    const after = await dump(database, theirs, options.ignoredTables);
    for (const [table, rows] of Object.entries(before))
      if (JSON.stringify(rows) !== JSON.stringify(after[table]))
        problems.push(`${name} changed rows of another tenant in ${table}`);
  }
  if (problems.length > 0) throw new Error(`The tenants are not isolated:\n  ${problems.join('\n  ')}`);
}

class Undo extends Error {}

async function dump(database: ModuleDatabase, tenant: Tenant, ignored: readonly string[] = []): Promise<Dump> {
  return database.acrossContexts('a test looks at all', async (db) => {
    const tables = (await db.rows(
      `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = current_schema() and c.column_name = 'context_id' and t.table_type = 'BASE TABLE'
         and c.table_name not in ('outbox') order by 1`,
    )) as [string][];
    const result: Record<string, string[]> = {};
    for (const [table] of tables)
      if (!ignored.includes(table))
        result[table] = (
          await db.rows(`select t::text from "${table}" t where t.context_id = $1 order by 1`, tenant.contextId)
        ).flat() as string[];
    return result;
  });
}
