import { MailAccountErrors, type OAuthMailAccount } from '@groupware/contracts';
import { constraintOf, type Reader, type Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import { STORED_FIELDS, type StoredAccount, type StoredField } from '../domain/stored-account';

const COLUMNS = STORED_FIELDS.join(', ');
/** Accounts with services elsewhere by which an account logs in to its two servers; null for none. */
const OAUTH_ACCOUNTS = `case when mail_oauth >= 0 then mail_oauth end,
       case when transport_oauth >= 0 and transport_auth = 'custom' then transport_oauth end`;
const toColumnValue = (field: StoredField, account: Partial<StoredAccount>): unknown =>
  field === 'meta' && account.meta !== undefined && account.meta !== null
    ? JSON.stringify(account.meta)
    : (account[field] ?? null);

/** Rows of mail accounts. */
@Injectable()
export class AccountRepository {
  /** Lists the accounts of a user by id. */
  async listByUser(db: Reader, userId: number): Promise<StoredAccount[]> {
    return db.objects<StoredAccount>(
      `select id, ${COLUMNS} from account where context_id = $1 and user_id = $2 order by id`,
      userId,
    );
  }

  /** One row. */
  async findById(db: Reader, userId: number, id: number): Promise<StoredAccount | undefined> {
    return db.first<StoredAccount>(
      `select id, ${COLUMNS} from account where context_id = $1 and user_id = $2 and id = $3`,
      userId,
      id,
    );
  }

  /** Finds and locks an account. */
  async lockById(tx: Transaction, userId: number, id: number): Promise<StoredAccount | undefined> {
    return tx.first<StoredAccount>(
      `select id, ${COLUMNS} from account where context_id = $1 and user_id = $2 and id = $3 for update`,
      userId,
      id,
    );
  }

  /** Counts the accounts of a user besides the primary one. */
  async count(db: Reader, userId: number): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int as count from account where context_id = $1 and user_id = $2 and id > 0',
      userId,
    );
    return row?.count ?? 0;
  }

  /** Allocates an id; ids are never reused. Serializes creations of the same user. */
  async allocateId(tx: Transaction, userId: number): Promise<number> {
    const row = await tx.first<{ id: number }>(
      `insert into account_counter (context_id, user_id, next_id) values ($1, $2, 2)
       on conflict (context_id, user_id) do update set next_id = account_counter.next_id + 1
       returning next_id - 1 as id`,
      userId,
    );
    return row!.id;
  }

  /** @throws ACC-0015, ACC-0017, ACC-0011 */
  async insert(tx: Transaction, userId: number, account: StoredAccount, now: number): Promise<void> {
    const places = STORED_FIELDS.map((_field, index) => `$${index + 5}`).join(', ');
    await this.mapUniqueViolation(account, () =>
      tx.run(
        `insert into account (context_id, user_id, id, created, last_modified, ${COLUMNS})
         values ($1, $2, $3, $4, $4, ${places})`,
        userId,
        account.id,
        now,
        ...STORED_FIELDS.map((field) => toColumnValue(field, account)),
      ),
    );
  }

  /** Updates the given fields; inserts row 0 when it is missing. @throws ACC-0015, ACC-0017 */
  async upsert(
    tx: Transaction,
    userId: number,
    id: number,
    changes: Partial<StoredAccount>,
    now: number,
  ): Promise<void> {
    const fields = STORED_FIELDS.filter((field) => field in changes);
    if (id === 0)
      await tx.run(
        `insert into account (context_id, user_id, id, created, last_modified) values ($1, $2, 0, $3, $3)
         on conflict (context_id, user_id, id) do nothing`,
        userId,
        now,
      );
    const sets = fields.map((field, index) => `, ${field} = $${index + 5}`).join('');
    await this.mapUniqueViolation({ id, ...changes }, () =>
      tx.run(
        `update account set last_modified = $4${sets} where context_id = $1 and user_id = $2 and id = $3`,
        userId,
        id,
        now,
        ...fields.map((field) => toColumnValue(field, changes)),
      ),
    );
  }

  /** Deletes accounts; answers the deleted ids. */
  async delete(tx: Transaction, userId: number, ids: readonly number[]): Promise<number[]> {
    const rows = await tx.rows(
      'delete from account where context_id = $1 and user_id = $2 and id = any($3::int[]) returning id',
      userId,
      ids,
    );
    return rows.map(([id]) => id as number);
  }

  /** Lists the accounts of a user that log in by accounts with services elsewhere, with the ids of those. */
  async listOAuthAccounts(db: Reader, userId: number): Promise<OAuthMailAccount[]> {
    return db.objects<OAuthMailAccount>(
      `select id, coalesce(name, '') as name, array_remove(array[${OAUTH_ACCOUNTS}], null) as "oauthAccounts" from account
       where context_id = $1 and user_id = $2 and id > 0 and coalesce(${OAUTH_ACCOUNTS}) is not null order by id`,
      userId,
    );
  }

  /** Deletes the accounts of a user that log in by an account with a service elsewhere; answers their ids. */
  async deleteByOAuthAccount(tx: Transaction, userId: number, oauthAccount: number): Promise<number[]> {
    const rows = await tx.rows(
      `delete from account where context_id = $1 and user_id = $2 and id > 0 and $3::int in (${OAUTH_ACCOUNTS}) returning id`,
      userId,
      oauthAccount,
    );
    return rows.map(([id]) => id as number);
  }

  /** Deletes all accounts of a user; answers their ids. */
  async deleteByUser(tx: Transaction, userId: number): Promise<number[]> {
    const rows = await tx.rows('delete from account where context_id = $1 and user_id = $2 returning id', userId);
    await tx.run('delete from account_counter where context_id = $1 and user_id = $2', userId);
    return rows.map(([id]) => id as number);
  }

  /** Removes everything of the context. */
  async deleteByContext(tx: Transaction): Promise<void> {
    await tx.run('delete from account where context_id = $1');
    await tx.run('delete from account_counter where context_id = $1');
  }

  private async mapUniqueViolation(account: Partial<StoredAccount>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      switch (constraintOf(error)) {
        case 'account_address':
          throw MailAccountErrors.addressTaken(account.primary_address).with({ cause: error });
        case 'account_mailbox':
          throw MailAccountErrors.mailboxTaken(account.mail_server, account.login).with({ cause: error });
        case 'account_unified':
          throw MailAccountErrors.unifiedExists().with({ cause: error });
        default:
          throw error;
      }
    }
  }
}
