/** Tools of a migration. Statements run in the schema of the module, in one transaction unless the migration says otherwise. */
export interface MigrationRunner {
  /** Runs one or several statements without parameters, or one with; resolves to the rows as objects. */
  query<T extends object = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<T[]>;
  /** Creates an extension of Postgres (`btree_gist`, `pg_trgm` …) if it is missing, safe against other processes. */
  extension(name: string): Promise<void>;
  /**
   * Builds an index while others write to the table. What an interrupted run left behind is dropped and built again; a
   * valid index of that name stays as it is. Only in migrations with `isTransactional = false`.
   * @param definition what follows the name: `on appointment (context_id, uid)`
   */
  createIndexConcurrently(name: string, definition: string, options?: IndexOptions): Promise<void>;
  /** Drops an index, if it is there, while others use the table. Only in migrations with `isTransactional = false`. */
  dropIndexConcurrently(name: string): Promise<void>;
}

/** How an index is built. */
export interface IndexOptions {
  /** No two rows may have the same values; false by default. */
  readonly isUnique?: boolean;
}

/** One step of a schema, forward and back. */
export interface Migration {
  /**
   * False for steps that Postgres refuses inside of a transaction. Such a step is repeated as a whole after it was
   * interrupted: it must bear what it did before. Default true.
   */
  readonly isTransactional?: boolean;
  up(db: MigrationRunner): Promise<void>;
  down(db: MigrationRunner): Promise<void>;
}

/**
 * A migration class. Its name ends in the 13 digits of a time in ms, as TypeORM wants it: `CreateAppointments1763700000000`.
 * The time orders the migrations of a module.
 */
export type MigrationClass = new () => Migration;

/** Time in the name of a migration, ms. */
export const timeOfMigration = ({ name }: MigrationClass): number => Number(/\d{13}$/.exec(name)?.[0]);
