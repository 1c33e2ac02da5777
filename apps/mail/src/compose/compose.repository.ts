import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import type { StoredFields } from './compose-fields';

/** A space by its owner. */
export interface SpaceKey {
  readonly userId: number;
  /** UUID. */
  readonly id: string;
}

/** A space as its row has it. */
export interface SpaceRow {
  readonly id: string;
  readonly sender: string;
  readonly recipients: string;
  readonly copies: string;
  readonly blindCopies: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly content: string;
  readonly contentType: string;
  readonly meta: string;
  readonly receipt: boolean;
  readonly priority: string;
  readonly security: string;
  readonly shared: string;
}

/** Use of a space. */
export interface SpaceState {
  /** Until when it is sent or saved, ms UTC; null when it is not. */
  readonly busyUntil: number | null;
  /** Window that has it; null for any. */
  readonly claim: string | null;
}

/** A space that was changed, and its files. */
export interface ChangedSpace {
  readonly space: SpaceRow;
  readonly files: readonly AttachmentRow[];
}

/** A file of a space. */
export interface AttachmentRow {
  readonly id: string;
  readonly spaceId: string;
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  /** Media type by its first bytes; null when they tell none. */
  readonly sniffed: string | null;
  readonly sizeBytes: number;
  /** Set for pictures of the text. */
  readonly cid: string | null;
  readonly origin: string;
  /** Part of the original; null for others. */
  readonly source: string | null;
}

const HEAD = `id, sender, recipients, copies, blind_copies as "blindCopies", reply_to as "replyTo", subject,
  content_type as "contentType", meta, receipt, priority, security, shared`;
const SPACE = `${HEAD}, content`;
const ATTACHMENT = `id, space_id as "spaceId", reference, name, content_type as "contentType", sniffed,
  size_bytes as "sizeBytes", cid, origin, source`;

/** A folder with files of a mail that goes when its link ends. */
export interface EndingFolder {
  readonly contextId: number;
  readonly userId: number;
  readonly folder: number;
}

/** Rows of mails that are written, and of their files. Times: ms UTC. */
@Injectable()
export class ComposeRepository {
  /** Spaces of a user, the one that was written last first. */
  list(db: Reader, userId: number): Promise<SpaceRow[]> {
    return db.objects<SpaceRow>(
      `select ${SPACE} from compose_space where context_id = $1 and user_id = $2 order by modified desc, id`,
      userId,
    );
  }

  find(db: Reader, { userId, id }: SpaceKey): Promise<SpaceRow | undefined> {
    return db.first<SpaceRow>(
      `select ${SPACE} from compose_space where context_id = $1 and user_id = $2 and id = $3::uuid`,
      userId,
      id,
    );
  }

  /** Waits for others that open spaces of the user, and counts them. */
  async countLocked(tx: Transaction, userId: number): Promise<number> {
    await tx.rows(`select pg_advisory_xact_lock($1, hashtext('compose-' || $2::text))`, userId);
    const [[count] = []] = await tx.rows(
      'select count(*)::int from compose_space where context_id = $1 and user_id = $2',
      userId,
    );
    return count as number;
  }

  async insert(
    tx: Transaction,
    { userId, id }: SpaceKey,
    space: { readonly contentType: string; readonly meta: string; readonly claim: string | null; readonly now: number },
  ): Promise<void> {
    await tx.run(
      `insert into compose_space (context_id, user_id, id, modified, content_type, meta, claim)
       values ($1, $2, $3::uuid, $4, $5, $6, $7)`,
      userId,
      id,
      space.now,
      space.contentType,
      space.meta,
      space.claim,
    );
  }

  /**
   * Changes fields of a space in one statement; undefined when there is none, it is busy, or another window has it.
   * @param token window that asks, null for clients without
   */
  async update(
    tx: Transaction,
    { userId, id }: SpaceKey,
    fields: StoredFields,
    token: string | null,
    now: number,
  ): Promise<ChangedSpace | undefined> {
    const [row] = await tx.objects<Omit<SpaceRow, 'content'> & { readonly content: string | null; files: string }>(
      `update compose_space set modified = $4, sender = coalesce($6, sender), recipients = coalesce($7, recipients),
         copies = coalesce($8, copies), blind_copies = coalesce($9, blind_copies), reply_to = coalesce($10, reply_to),
         subject = coalesce($11, subject), content = coalesce($12, content), content_type = coalesce($13, content_type),
         receipt = coalesce($14, receipt), priority = coalesce($15, priority), security = coalesce($16, security),
         shared = coalesce($17, shared), claim = coalesce($18::text, claim)
       where context_id = $1 and user_id = $2 and id = $3::uuid and (busy_until is null or busy_until < $4)
         and ($5::text is null or claim is null or claim = $5)
       returning ${HEAD}, case when $12::text is null then content end as content,
         (select coalesce(json_agg(f), '[]')::text from (select ${ATTACHMENT} from compose_attachment
           where context_id = $1 and user_id = $2 and space_id = $3::uuid and removed is null order by position) f) as files`,
      userId,
      id,
      now,
      token,
      fields.sender ?? null,
      fields.recipients ?? null,
      fields.copies ?? null,
      fields.blindCopies ?? null,
      fields.replyTo ?? null,
      fields.subject ?? null,
      fields.content ?? null,
      fields.contentType ?? null,
      fields.receipt ?? null,
      fields.priority ?? null,
      fields.security ?? null,
      fields.shared ?? null,
      fields.claim ?? null,
    );
    if (!row) return undefined;
    // A text that was just written does not come back: mails are written again and again, and may be long.
    const { files, content, ...head } = row;
    return {
      space: { ...head, content: content ?? fields.content! },
      files: JSON.parse(files) as AttachmentRow[],
    };
  }

  /** Locks a space; undefined without one. */
  async lock(tx: Transaction, { userId, id }: SpaceKey): Promise<SpaceState | undefined> {
    return tx.first<SpaceState>(
      `select busy_until as "busyUntil", claim from compose_space
       where context_id = $1 and user_id = $2 and id = $3::uuid for update`,
      userId,
      id,
    );
  }

  /** Makes a space busy, or (null) free again. */
  async setBusy(tx: Transaction, { userId, id }: SpaceKey, until: number | null): Promise<void> {
    await tx.run(
      'update compose_space set busy_until = $4 where context_id = $1 and user_id = $2 and id = $3::uuid',
      userId,
      id,
      until,
    );
  }

  /** Counts a change of files as activity. */
  async touch(tx: Transaction, { userId, id }: SpaceKey, now: number): Promise<void> {
    await tx.run(
      'update compose_space set modified = $4 where context_id = $1 and user_id = $2 and id = $3::uuid',
      userId,
      id,
      now,
    );
  }

  /** Deletes a space with its files, whose bytes the sweep removes; 0 without one. */
  async delete(tx: Transaction, { userId, id }: SpaceKey, now: number): Promise<number> {
    const deleted = await tx.run(
      'delete from compose_space where context_id = $1 and user_id = $2 and id = $3::uuid',
      userId,
      id,
    );
    await tx.run(
      `update compose_attachment set removed = $4
       where context_id = $1 and user_id = $2 and space_id = $3::uuid and removed is null`,
      userId,
      id,
      now,
    );
    return deleted;
  }

  /** Files of spaces, in the order in which they came. */
  listAttachments(db: Reader, userId: number, spaceIds: readonly string[]): Promise<AttachmentRow[]> {
    return db.objects<AttachmentRow>(
      `select ${ATTACHMENT} from compose_attachment
       where context_id = $1 and user_id = $2 and space_id = any($3::uuid[]) and removed is null order by position`,
      userId,
      spaceIds,
    );
  }

  /** Notes files whose bytes are to be kept: until {@link confirm} they count as removed. */
  async insertAttachments(
    tx: Transaction,
    userId: number,
    files: readonly AttachmentRow[],
    now: number,
  ): Promise<void> {
    await tx.run(
      `insert into compose_attachment
         (context_id, user_id, space_id, id, reference, name, content_type, sniffed, size_bytes, cid, origin, source, removed)
       select $1, $2, x."spaceId", x.id, x.reference, x.name, x."contentType", x.sniffed, x."sizeBytes", x.cid, x.origin,
         x.source, $4
       from json_to_recordset($3) as x (id uuid, "spaceId" uuid, reference text, name text, "contentType" text,
         sniffed text, "sizeBytes" bigint, cid text, origin text, source text)`,
      userId,
      JSON.stringify(files),
      now,
    );
  }

  /** Files whose bytes are kept belong to their space from now on; their number. */
  confirmAttachments(tx: Transaction, userId: number, references: readonly string[]): Promise<number> {
    return tx.run(
      `update compose_attachment set removed = null where context_id = $1 and user_id = $2 and reference = any($3::text[])`,
      userId,
      references,
    );
  }

  /** Takes a file out of its space; 0 when there is none. The sweep removes its bytes. @param except reference that stays */
  removeAttachment(
    tx: Transaction,
    { userId, id }: SpaceKey,
    attachmentId: string,
    except: string | null,
    now: number,
  ): Promise<number> {
    return tx.run(
      `update compose_attachment set removed = $6
       where context_id = $1 and user_id = $2 and space_id = $3::uuid and id = $4::uuid and removed is null
         and ($5::text is null or reference <> $5)`,
      userId,
      id,
      attachmentId,
      except,
      now,
    );
  }

  /** Deletes everything of a user; answers the references of files. */
  async removeUser(tx: Transaction, userId: number): Promise<string[]> {
    await tx.run('delete from compose_space where context_id = $1 and user_id = $2', userId);
    await tx.run('delete from ending_folder where context_id = $1 and user_id = $2', userId);
    const rows = await tx.rows(
      'delete from compose_attachment where context_id = $1 and user_id = $2 returning reference',
      userId,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Deletes everything of the context; answers the references of files. */
  async removeContext(tx: Transaction): Promise<string[]> {
    await tx.run('delete from compose_space where context_id = $1');
    await tx.run('delete from ending_folder where context_id = $1');
    const rows = await tx.rows('delete from compose_attachment where context_id = $1 returning reference');
    return rows.map(([reference]) => reference as string);
  }

  /** Deletes spaces of all contexts, on one shard, that were not written since a time; their files count as removed. */
  async deleteIdle(db: AdministrationTransaction, before: number, now: number): Promise<void> {
    await db.run(
      `with idle as (delete from compose_space where modified < $1 and (busy_until is null or busy_until < $2)
         returning context_id, user_id, id)
       update compose_attachment a set removed = $2 from idle i
       where a.context_id = i.context_id and a.user_id = i.user_id and a.space_id = i.id and a.removed is null`,
      before,
      now,
    );
  }

  /** Notes when a folder of the user goes. */
  async noteEnd(tx: Transaction, userId: number, folder: number, ends: number): Promise<void> {
    await tx.run(
      'insert into ending_folder (context_id, user_id, folder, ends) values ($1, $2, $3, $4)',
      userId,
      folder,
      ends,
    );
  }

  /** A folder is gone, or stays. */
  async forgetEnd(tx: Transaction, folder: number): Promise<void> {
    await tx.run('delete from ending_folder where context_id = $1 and folder = $2', folder);
  }

  /** Folders of all contexts, on one shard, that are to go by now. */
  async listEnded(db: AdministrationTransaction, now: number, limit: number): Promise<EndingFolder[]> {
    const rows = await db.rows(
      'select context_id, user_id, folder from ending_folder where ends < $1 order by ends limit $2',
      now,
      limit,
    );
    return rows.map(([contextId, userId, folder]) => ({ contextId, userId, folder }) as EndingFolder);
  }

  /** Files of all contexts, on one shard, whose bytes may go. */
  async listRemoved(db: AdministrationTransaction, before: number, limit: number): Promise<string[]> {
    const rows = await db.rows(
      'select reference from compose_attachment where removed < $1 order by removed limit $2',
      before,
      limit,
    );
    return rows.map(([reference]) => reference as string);
  }

  /** Deletes files without bytes, on one shard. */
  deleteRemoved(db: AdministrationTransaction, references: readonly string[], before: number): Promise<number> {
    return db.run(
      'delete from compose_attachment where reference = any($1::text[]) and removed < $2',
      references,
      before,
    );
  }
}
