/** What a migration may do. The statements run in one transaction, in the schema of the module. */
export interface MigrationRunner {
  /** Runs one or several statements without parameters, or one with; resolves to the rows as objects. */
  query<T extends object = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<T[]>;
  /** Creates an extension of Postgres (`btree_gist`, `pg_trgm` …) if it is missing, safe against other processes. */
  extension(name: string): Promise<void>;
}

/** One step of a schema, forward and back. */
export interface Migration {
  up(db: MigrationRunner): Promise<void>;
  down(db: MigrationRunner): Promise<void>;
}

/**
 * A migration class. Its name ends in the 13 digits of a time in ms, as TypeORM wants it: `CreateAppointments1763700000000`.
 * The time orders the migrations of a module.
 */
export type MigrationClass = new () => Migration;
