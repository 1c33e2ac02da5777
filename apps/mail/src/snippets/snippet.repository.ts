import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** A snippet as its row has it. */
export interface SnippetRow {
  readonly id: number;
  readonly createdBy: number;
  /** Grows with each change. */
  readonly revision: number;
  readonly accountId: number;
  readonly type: string;
  readonly module: string;
  readonly displayName: string;
  /** Pictures are named by `cid:` and the id of their file. */
  readonly content: string;
  /** JSON; null: none. */
  readonly misc: string | null;
  /** JSON object of texts. */
  readonly props: string;
  readonly shared: boolean;
}

/** A file of a snippet. */
export interface SnippetFileRow {
  readonly snippetId: number;
  /** 32 hex digits. */
  readonly id: string;
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  /** Media type by its first bytes; null when they tell none. */
  readonly sniffed: string | null;
  readonly sizeBytes: number;
  /** Whether the text shows it. */
  readonly inline: boolean;
}

const SNIPPET = `id, created_by as "createdBy", revision, account_id as "accountId", type, module,
  display_name as "displayName", content, misc, props, shared`;
const FILE = `snippet_id as "snippetId", replace(id::text, '-', '') as id, reference, name, content_type as "contentType",
  sniffed, size_bytes as "sizeBytes", inline`;

/** Rows of snippets and of their files. */
@Injectable()
export class SnippetRepository {
  /** Snippets that a user sees. @param types kinds; null: all */
  listVisible(db: Reader, userId: number, types: readonly string[] | null): Promise<SnippetRow[]> {
    return db.objects<SnippetRow>(
      `select ${SNIPPET} from snippet where context_id = $1 and (created_by = $2 or shared)
         and ($3::text[] is null or type = any($3::text[])) order by id`,
      userId,
      types,
    );
  }

  /** Those of some snippets that a user sees. */
  findVisible(db: Reader, userId: number, ids: readonly number[]): Promise<SnippetRow[]> {
    return db.objects<SnippetRow>(
      `select ${SNIPPET} from snippet where context_id = $1 and id = any($3::int[]) and (created_by = $2 or shared)`,
      userId,
      ids,
    );
  }

  /** Files of snippets, in the order in which they came. */
  listFiles(db: Reader, snippetIds: readonly number[]): Promise<SnippetFileRow[]> {
    return db.objects<SnippetFileRow>(
      `select ${FILE} from snippet_file where context_id = $1 and snippet_id = any($2::int[]) order by position`,
      snippetIds,
    );
  }

  /** Number of snippets of a user. */
  async count(db: Reader, userId: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from snippet where context_id = $1 and created_by = $2',
      userId,
    );
    return row!.count;
  }

  async insert(tx: Transaction, row: SnippetRow): Promise<void> {
    await tx.run(
      `insert into snippet
         (context_id, id, created_by, revision, account_id, type, module, display_name, content, misc, props, shared)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      row.id,
      row.createdBy,
      row.revision,
      row.accountId,
      row.type,
      row.module,
      row.displayName,
      row.content,
      row.misc,
      row.props,
      row.shared,
    );
  }

  async update(tx: Transaction, row: SnippetRow): Promise<void> {
    await tx.run(
      `update snippet set revision = $3, account_id = $4, type = $5, module = $6, display_name = $7, content = $8,
         misc = $9, props = $10, shared = $11
       where context_id = $1 and id = $2`,
      row.id,
      row.revision,
      row.accountId,
      row.type,
      row.module,
      row.displayName,
      row.content,
      row.misc,
      row.props,
      row.shared,
    );
  }

  async insertFiles(tx: Transaction, files: readonly SnippetFileRow[]): Promise<void> {
    await tx.run(
      `insert into snippet_file
         (context_id, snippet_id, id, reference, name, content_type, sniffed, size_bytes, inline)
       select $1, x."snippetId", x.id, x.reference, x.name, x."contentType", x.sniffed, x."sizeBytes", x.inline
       from json_to_recordset($2) as x ("snippetId" int, id uuid, reference text, name text, "contentType" text,
         sniffed text, "sizeBytes" bigint, inline boolean)`,
      JSON.stringify(files),
    );
  }

  /** Deletes files of a snippet; answers the references of their bytes. */
  async deleteFiles(tx: Transaction, snippetId: number, ids: readonly string[]): Promise<string[]> {
    const rows = await tx.rows(
      'delete from snippet_file where context_id = $1 and snippet_id = $2 and id = any($3::uuid[]) returning reference',
      snippetId,
      ids,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Deletes snippets with their files; answers the references of the bytes. */
  async delete(tx: Transaction, ids: readonly number[]): Promise<string[]> {
    const rows = await tx.rows(
      'delete from snippet_file where context_id = $1 and snippet_id = any($2::int[]) returning reference',
      ids,
    );
    await tx.run('delete from snippet where context_id = $1 and id = any($2::int[])', ids);
    return rows.map(([reference]) => reference as string);
  }

  /** Ids of the snippets that a user made. */
  async listOfUser(tx: Transaction, userId: number): Promise<number[]> {
    const rows = await tx.rows('select id from snippet where context_id = $1 and created_by = $2', userId);
    return rows.map(([id]) => id as number);
  }

  /** Deletes all snippets of the context; answers the references of bytes. */
  async deleteAll(tx: Transaction): Promise<string[]> {
    await tx.run('delete from snippet_file where context_id = $1');
    await tx.run('delete from snippet where context_id = $1');
    await tx.run('delete from scan_result where context_id = $1');
    const rows = await tx.rows('select reference from stored_file where context_id = $1');
    return rows.map(([reference]) => reference as string);
  }
}
