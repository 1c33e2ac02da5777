import { quoteIdentifier } from './database-settings';
import type { IndexOptions, MigrationRunner } from './migration';

/** Sends one statement, or several without parameters. */
export type Execute = (sql: string, params?: readonly unknown[]) => Promise<readonly object[]>;

/** Runs the statements of a migration at once. */
export class DirectRunner implements MigrationRunner {
  constructor(
    private readonly schema: string,
    private readonly execute: Execute,
  ) {}

  async query<T extends object>(sql: string, params?: readonly unknown[]): Promise<T[]> {
    return (await this.execute(sql, params)) as T[];
  }

  async extension(name: string): Promise<void> {
    // `if not exists` does not help two transactions that create the same extension at once.
    await this.execute(`select pg_advisory_xact_lock(hashtextextended('groupware extension', 0))`);
    await this.execute(`create extension if not exists ${quoteIdentifier(name)} with schema public`);
  }

  async createIndexConcurrently(name: string, definition: string, options: IndexOptions = {}): Promise<void> {
    const [existing] = (await this.execute(
      `select i.indisvalid as "isValid" from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relnamespace = $1::regnamespace and c.relname = $2`,
      [quoteIdentifier(this.schema), name],
    )) as { isValid: boolean }[];
    if (existing?.isValid) return;
    if (existing) await this.dropIndexConcurrently(name);
    await this.withoutLockTimeout(createIndex(name, definition, options));
  }

  async dropIndexConcurrently(name: string): Promise<void> {
    await this.withoutLockTimeout(`drop index concurrently if exists ${quoteIdentifier(name)}`);
  }

  /** Runs a statement that waits for every older transaction, but keeps none out meanwhile. */
  private async withoutLockTimeout(sql: string): Promise<void> {
    const [{ lock_timeout: former }] = (await this.execute('show lock_timeout')) as [{ lock_timeout: string }];
    await this.execute('set lock_timeout = 0');
    try {
      await this.execute(sql);
    } finally {
      await this.execute(`set lock_timeout = '${former}'`);
    }
  }
}

/** Notes the statements of a migration. Those that work inside of a transaction are run as well, so that queries see their effect. */
export class RecordingRunner extends DirectRunner {
  readonly statements: string[] = [];

  constructor(schema: string, execute: Execute, isTransactional: boolean) {
    super(schema, async (sql, params) => {
      this.statements.push(withValues(sql, params));
      return isTransactional || /^\s*(select|show)\b/i.test(sql) ? execute(sql, params) : [];
    });
  }

  override async createIndexConcurrently(name: string, definition: string, options: IndexOptions = {}): Promise<void> {
    this.statements.push(createIndex(name, definition, options));
    await Promise.resolve();
  }

  override async dropIndexConcurrently(name: string): Promise<void> {
    this.statements.push(`drop index concurrently if exists ${quoteIdentifier(name)}`);
    await Promise.resolve();
  }
}

const createIndex = (name: string, definition: string, { isUnique = false }: IndexOptions): string =>
  `create ${isUnique ? 'unique ' : ''}index concurrently ${quoteIdentifier(name)} ${definition}`;

const withValues = (sql: string, params: readonly unknown[] = []): string =>
  [sql.trim(), ...params.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`)].join('\n');
