import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction } from '@groupware/persistence';
import type { FeedbackRow } from '../domain/feedback-row';

/** Entries of one type in one context group. */
export interface FeedbackScope {
  readonly contextGroup: string;
  readonly type: string;
}

/** A place in the order of entries: by date, then by id. */
export interface FeedbackPlace {
  readonly date: number;
  readonly id: number;
}

/** An entry to store. */
export interface NewFeedback extends FeedbackScope {
  readonly date: number;
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  readonly serverVersion: string;
  readonly content: string;
}

/** Entries of a global database: those of all contexts of its groups lie together. */
@Injectable()
export class FeedbackRepository {
  /** Stores an entry. */
  async insert(db: AdministrationTransaction, entry: NewFeedback): Promise<void> {
    await db.run(
      `insert into feedback (context_group, type, date, context_id, user_id, login, server_version, content)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      entry.contextGroup,
      entry.type,
      entry.date,
      entry.contextId,
      entry.userId,
      entry.login,
      entry.serverVersion,
      entry.content,
    );
  }

  /** Entries behind a place and before a date, in their order. */
  listPage(
    db: AdministrationTransaction,
    { contextGroup, type }: FeedbackScope,
    after: FeedbackPlace,
    before: number,
    limit: number,
  ): Promise<FeedbackRow[]> {
    return db.objects<FeedbackRow>(
      `select id, date, context_id as "contextId", user_id as "userId", server_version as "serverVersion", content
       from feedback
       where context_group = $1 and type = $2 and (date, id) > ($3::bigint, $4::bigint) and date < $5
       order by date, id limit $6`,
      contextGroup,
      type,
      after.date,
      after.id,
      before,
      limit,
    );
  }

  /** Deletes at most `limit` entries between two dates, both exclusive; answers how many. */
  delete(
    db: AdministrationTransaction,
    { contextGroup, type }: FeedbackScope,
    after: number,
    before: number,
    limit: number,
  ): Promise<number> {
    return db.run(
      `delete from feedback where id in (
         select id from feedback where context_group = $1 and type = $2 and date > $3 and date < $4 limit $5)`,
      contextGroup,
      type,
      after,
      before,
      limit,
    );
  }

  /** Notes when the entries of a user (without one: of a context) lose the link to him. A note that is there stays. */
  async scheduleAnonymization(
    db: AdministrationTransaction,
    contextId: number,
    userId: number | null,
    at: number,
  ): Promise<void> {
    await db.run(
      `update feedback set forget_at = $3
       where context_id = $1 and ($2::int is null or user_id = $2) and forget_at is null`,
      contextId,
      userId,
      at,
    );
  }

  /** Takes the user from at most `limit` entries whose time has come; answers how many. */
  anonymize(db: AdministrationTransaction, now: number, limit: number): Promise<number> {
    return db.run(
      `update feedback set context_id = null, user_id = null, login = null, forget_at = null
       where id in (select id from feedback where forget_at <= $1 limit $2)`,
      now,
      limit,
    );
  }
}
