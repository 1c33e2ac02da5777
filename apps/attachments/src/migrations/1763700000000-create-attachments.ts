import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Attachments and the contents they share. A content is `claiming` from the intent to keep it until its first attachment
 * is committed, `kept` while it has attachments, `dying` from the loss of the last one until its bytes are gone.
 */
export class CreateAttachments1763700000000 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table context_state (
        context_id int primary key,
        next_id int not null default 1,
        last_stamp bigint not null default 0,
        used_bytes bigint not null default 0
      );
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
      create table attachment (
        context_id int not null,
        id int not null,
        module int not null,
        object_id int not null,
        filename text not null,
        content_type text not null,
        size_bytes bigint not null,
        rtf boolean not null,
        created_by int not null,
        created bigint not null,
        reference text not null,
        constraint attachment_key primary key (context_id, id),
        constraint attachment_content foreign key (context_id, reference) references stored_file (context_id, reference)
      );
      create index attachment_of_object on attachment (context_id, module, object_id, id);
      create index attachment_of_content on attachment (context_id, reference);
      create table tombstone (
        context_id int not null,
        id int not null,
        module int not null,
        object_id int not null,
        deleted bigint not null,
        constraint tombstone_key primary key (context_id, id)
      );
      create index tombstone_of_object on tombstone (context_id, module, object_id, deleted);
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
    await db.query(
      'drop table scan_result; drop table tombstone; drop table attachment; drop table stored_file; drop table context_state',
    );
  }
}
