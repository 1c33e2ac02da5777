import type { Migration, MigrationClass, MigrationRunner } from '@groupware/persistence';

/**
 * The tables of a module that stores files, as a migration of that module: counters and used space of contexts, the files, and what
 * scans of them found. A file is `claiming` from the intent to keep it until its first use is committed, `kept` while it is used,
 * `dying` from the loss of the last use until its bytes are gone. Equal files of a context are stored once.
 * @param timestamp 13 digits, ms: the place among the migrations of the module
 */
export function createStoredFileTables(timestamp: number): MigrationClass {
  const migration = class implements Migration {
    async up(db: MigrationRunner): Promise<void> {
      await db.query(`
        create table context_state (
          context_id int primary key,
          next_id int not null default 1,
          last_stamp bigint not null default 0,
          used_bytes bigint not null default 0,
          forgotten bigint not null default 0,
          store_id int
        );
        comment on column context_state.store_id is 'set by a move: nothing new is kept in other stores from then on';
        create table stored_file (
          context_id int not null,
          reference text not null,
          sha256 text not null,
          size_bytes bigint not null,
          sniffed text,
          state text not null check (state in ('claiming', 'kept', 'dying')),
          touched bigint not null,
          constraint stored_file_key primary key (context_id, reference)
        );
        create unique index stored_file_content on stored_file (context_id, sha256, size_bytes) where state = 'kept';
        create index stored_file_unsettled on stored_file (context_id, touched) where state <> 'kept';
        create table scan_result (
          context_id int not null,
          sha256 text not null,
          signatures text not null,
          virus text,
          scanned bigint not null,
          constraint scan_result_key primary key (context_id, sha256)
        );
      `);
    }

    async down(db: MigrationRunner): Promise<void> {
      await db.query('drop table scan_result; drop table stored_file; drop table context_state');
    }
  };
  Object.defineProperty(migration, 'name', { value: `CreateStoredFiles${timestamp}` });
  return migration;
}
