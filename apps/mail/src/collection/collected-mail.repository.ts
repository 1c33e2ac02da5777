import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** `storing`: it may be in the primary mailbox or not, `refused`: the primary mailbox never takes it. */
export type CollectionState = 'storing' | 'stored' | 'refused';
/** What became of mails of an account, by their ids. */
export type CollectedMails = ReadonlyMap<string, CollectionState>;

/** Rows of mails that were collected. */
@Injectable()
export class CollectedMailRepository {
  async list(db: Reader, userId: number, account: number): Promise<CollectedMails> {
    const rows = await db.objects<{ id: string; state: CollectionState }>(
      `select id, state from collected_mail where context_id = $1 and user_id = $2 and account_id = $3`,
      userId,
      account,
    );
    return new Map(rows.map(({ id, state }) => [id, state]));
  }

  /** Notes what becomes of a mail. */
  async put(tx: Transaction, userId: number, account: number, id: string, state: CollectionState): Promise<void> {
    await tx.run(
      `insert into collected_mail (context_id, user_id, account_id, id, state) values ($1, $2, $3, $4, $5)
       on conflict on constraint collected_mail_key do update set state = excluded.state`,
      userId,
      account,
      id,
      state,
    );
  }

  async delete(tx: Transaction, userId: number, account: number, ids: readonly string[]): Promise<void> {
    await tx.run(
      'delete from collected_mail where context_id = $1 and user_id = $2 and account_id = $3 and id = any($4)',
      userId,
      account,
      ids,
    );
  }

  async deleteOfAccount(tx: Transaction, userId: number, account: number): Promise<void> {
    await tx.run(
      'delete from collected_mail where context_id = $1 and user_id = $2 and account_id = $3',
      userId,
      account,
    );
  }

  async deleteOfUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from collected_mail where context_id = $1 and user_id = $2', userId);
  }

  /** Deletes all of the context. */
  async deleteAll(tx: Transaction): Promise<void> {
    await tx.run('delete from collected_mail where context_id = $1');
  }
}
