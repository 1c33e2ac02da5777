import type { MessagingAccount } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

const ACCOUNT = 'id, service as "messagingService", display_name as "displayName", configuration';

/** Rows of messaging accounts. */
@Injectable()
export class MessagingAccountRepository {
  /** Accounts of a user in the order in which they were made. @param service null: of all services */
  list(db: Reader, userId: number, service: string | null): Promise<MessagingAccount[]> {
    return db.objects<MessagingAccount>(
      `select ${ACCOUNT} from messaging_account
       where context_id = $1 and user_id = $2 and ($3::text is null or service = $3) order by id`,
      userId,
      service,
    );
  }

  findAccount(db: Reader, userId: number, service: string, id: number): Promise<MessagingAccount | undefined> {
    return db.first<MessagingAccount>(
      `select ${ACCOUNT} from messaging_account
       where context_id = $1 and user_id = $2 and id = $3 and service = $4`,
      userId,
      id,
      service,
    );
  }

  /** Number of accounts of a user. */
  async count(db: Reader, userId: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from messaging_account where context_id = $1 and user_id = $2',
      userId,
    );
    return row!.count;
  }

  async insert(tx: Transaction, userId: number, account: MessagingAccount): Promise<void> {
    await tx.run(
      `insert into messaging_account (context_id, user_id, id, service, display_name, configuration)
       values ($1, $2, $3, $4, $5, $6)`,
      userId,
      account.id,
      account.messagingService,
      account.displayName,
      JSON.stringify(account.configuration),
    );
  }

  async update(tx: Transaction, userId: number, account: MessagingAccount): Promise<void> {
    await tx.run(
      `update messaging_account set display_name = $4, configuration = $5
       where context_id = $1 and user_id = $2 and id = $3`,
      userId,
      account.id,
      account.displayName,
      JSON.stringify(account.configuration),
    );
  }

  /** Deletes an account; false when there is none. */
  async delete(tx: Transaction, userId: number, service: string, id: number): Promise<boolean> {
    const rows = await tx.rows(
      `delete from messaging_account where context_id = $1 and user_id = $2 and id = $3 and service = $4 returning id`,
      userId,
      id,
      service,
    );
    return rows.length > 0;
  }

  /** Deletes all accounts of a user. */
  async deleteOfUser(tx: Transaction, userId: number): Promise<void> {
    await tx.run('delete from messaging_account where context_id = $1 and user_id = $2', userId);
  }

  /** Deletes all accounts of the context. */
  async deleteAll(tx: Transaction): Promise<void> {
    await tx.run('delete from messaging_account where context_id = $1');
  }
}
