import type { Migration, MigrationRunner } from '@groupware/persistence';

/**
 * Documents, each with its versions. Version 0 is that of a document without file, and there is no other then; `last_version` is the
 * highest number that was ever used. `document.filename` repeats that of the current version, so that names of a folder are unique.
 * `origin` and `origin_path` say where a document in the trash was. `media` is for what is found out about pictures, sound and film.
 */
export class CreateDocuments1764600000002 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table document (
        context_id int not null,
        id int not null,
        folder_id int not null,
        created_by int not null,
        modified_by int not null,
        created bigint not null,
        last_modified bigint not null,
        version int not null,
        last_version int not null,
        versions int not null,
        filename text,
        categories text,
        color smallint,
        meta jsonb,
        locked_by int,
        locked_until bigint,
        origin int,
        origin_path text,
        constraint document_key primary key (context_id, id)
      );
      create unique index document_name on document (context_id, folder_id, lower(filename collate "und-x-icu"))
        where filename is not null;
      create index document_age on document (context_id, folder_id, last_modified);
      create index document_of_user on document (context_id, created_by);
      create index document_lock_of_user on document (context_id, locked_by) where locked_by is not null;
      create table document_version (
        context_id int not null,
        document_id int not null,
        version int not null,
        created_by int not null,
        created bigint not null,
        title text,
        filename text,
        url text,
        description text,
        comment text,
        mime_type text,
        size_bytes bigint,
        md5 text,
        reference text,
        media jsonb,
        media_status text,
        constraint document_version_key primary key (context_id, document_id, version),
        constraint document_version_document foreign key (context_id, document_id)
          references document (context_id, id) on delete cascade,
        constraint document_version_file foreign key (context_id, reference)
          references stored_file (context_id, reference)
      );
      create index document_version_of_file on document_version (context_id, reference) where reference is not null;
      create table document_permission (
        context_id int not null,
        document_id int not null,
        entity int not null,
        is_group boolean not null,
        bits smallint not null,
        created_by int not null,
        constraint document_permission_key primary key (context_id, document_id, is_group, entity),
        constraint document_permission_document foreign key (context_id, document_id)
          references document (context_id, id) on delete cascade
      );
      create index document_permission_of_entity on document_permission (context_id, is_group, entity);
      create table document_tombstone (
        context_id int not null,
        folder_id int not null,
        id int not null,
        created_by int not null,
        last_modified bigint not null,
        constraint document_tombstone_key primary key (context_id, folder_id, id)
      );
      create index document_tombstone_age on document_tombstone (context_id, folder_id, last_modified);
      create index document_tombstone_expiry on document_tombstone (last_modified);
      create table permission_tombstone (
        context_id int not null,
        document_id int not null,
        is_group boolean not null,
        entity int not null,
        last_modified bigint not null,
        constraint permission_tombstone_key primary key (context_id, is_group, entity, document_id)
      );
      create index permission_tombstone_expiry on permission_tombstone (last_modified);
      create table folder_access (
        context_id int not null,
        folder_id int not null,
        stamp bigint not null,
        constraint folder_access_key primary key (context_id, folder_id)
      );
    `);
    for (const table of ['document', 'document_version', 'document_tombstone'])
      await db.query(
        `alter table ${table} set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 200)`,
      );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(
      'drop table folder_access; drop table permission_tombstone; drop table document_tombstone; drop table document_permission; drop table document_version; drop table document',
    );
  }
}
