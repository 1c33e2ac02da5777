import type { AdministrationTransaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** A scheduling mail that waits. */
export interface PushedMail {
  readonly id: string;
  /** The field `user` as it came. */
  readonly userName: string | null;
  readonly messageId: string | null;
  /** Lower-case address. */
  readonly sender: string | null;
  readonly recipients: readonly string[];
  /** ms UTC. */
  readonly sentAt: number | null;
  readonly method: string;
  /** iCalendar text. */
  readonly calendar: string;
  /** ms UTC. */
  readonly createdAt: number;
  /** How often it was taken, this time included. */
  readonly attempts: number;
}

/** SQL of `pushed_mail`. Whose mail it is, and so the context, is not known yet: the table is on the default shard. */
@Injectable()
export class PushedMailRepository {
  /** Queues a mail. */
  async add(db: AdministrationTransaction, mail: Omit<PushedMail, 'id' | 'attempts'>): Promise<void> {
    await db.run(
      `insert into pushed_mail (id, user_name, message_id, sender, recipients, sent_at, method, calendar, created_at, due_at)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $8, $8)`,
      mail.userName,
      mail.messageId,
      mail.sender,
      mail.recipients,
      mail.sentAt,
      mail.method,
      mail.calendar,
      mail.createdAt,
    );
  }

  /** Takes mails whose time has come; they come back at `againMs` unless they are removed. */
  async take(db: AdministrationTransaction, nowMs: number, againMs: number, limit: number): Promise<PushedMail[]> {
    return db.objects<PushedMail>(
      `update pushed_mail set due_at = $2, attempts = attempts + 1
       where id = any(array(select id from pushed_mail where due_at <= $1 order by due_at limit $3 for update skip locked))
       returning id, user_name as "userName", message_id as "messageId", sender, recipients, sent_at as "sentAt", method,
         calendar, created_at as "createdAt", attempts`,
      nowMs,
      againMs,
      limit,
    );
  }

  /** Tries a mail again later. */
  async postpone(db: AdministrationTransaction, id: string, dueMs: number): Promise<void> {
    await db.run('update pushed_mail set due_at = $2 where id = $1', id, dueMs);
  }

  /** Forgets a mail. */
  async remove(db: AdministrationTransaction, id: string): Promise<void> {
    await db.run('delete from pushed_mail where id = $1', id);
  }
}
