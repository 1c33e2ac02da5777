import { Injectable } from '@nestjs/common';
import {
  DirectoryErrors,
  ProvisioningErrors,
  type DirectoryContact,
  type DirectoryPerson,
  type MailServer,
} from '@groupware/contracts';
import { constraintOf, type AdministrationTransaction, type Reader, type Transaction } from '@groupware/persistence';
import { COLLATION } from './collation';
import { reduceAccess, type Access } from '../domain/module-access';
import { toSearchPattern } from '../domain/search-pattern';

/** A user as it is stored. */
export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly displayName: string;
  readonly givenName: string | null;
  readonly surname: string;
  readonly primaryEmail: string;
  readonly aliases: string[];
  readonly locale: string;
  readonly timeZone: string;
  readonly combination: string | null;
  /** The user's own flags; see {@link toEffectiveAccess}. */
  readonly flags: string[];
  readonly contextFlags: string[];
  readonly capabilitiesAdded: string[];
  readonly capabilitiesRemoved: string[];
  readonly quotaMb: number | null;
  readonly imap: MailServer | null;
  readonly smtp: MailServer | null;
  readonly person: Record<string, string | number>;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly version: number;
  readonly isAdmin: boolean;
  /** Group 0 included. */
  readonly groups: number[];
  readonly lastLogin: number | null;
  readonly image: { readonly contentType: string; readonly sizeBytes: number; readonly sha256: string } | null;
}

/** The module access of a user within that of the context. */
export const toEffectiveAccess = (user: Pick<UserRow, 'combination' | 'flags' | 'contextFlags'>): Access =>
  reduceAccess(user, { flags: user.contextFlags });

/** The columns of a user that a change may write. */
export type UserFields = Pick<
  UserRow,
  | 'name'
  | 'enabled'
  | 'displayName'
  | 'givenName'
  | 'surname'
  | 'primaryEmail'
  | 'locale'
  | 'timeZone'
  | 'combination'
  | 'flags'
  | 'capabilitiesAdded'
  | 'capabilitiesRemoved'
  | 'quotaMb'
  | 'imap'
  | 'smtp'
  | 'person'
>;

/** A user who is to be stored. */
export interface NewUser {
  readonly id: number;
  readonly fields: UserFields;
}

/** Account data needed before the password is checked. */
export interface LoginCandidate {
  readonly userId: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly contextEnabled: boolean;
  readonly hash: string | null;
  readonly mustChange: boolean | null;
  readonly isAdmin: boolean;
}

/** Owner of a mail address. */
export interface AddressOwner {
  readonly address: string;
  readonly contextId: number;
  readonly userId: number;
  readonly locale: string;
  readonly displayName: string;
}

const COLUMNS = `u.user_id as id, u.name, u.enabled, u.display_name as "displayName", u.given_name as "givenName", u.surname,
  u.primary_email as "primaryEmail", u.locale, u.time_zone as "timeZone", u.access_combination as combination,
  u.access_flags as flags, c.access_flags as "contextFlags", u.capabilities_added as "capabilitiesAdded", u.capabilities_removed as "capabilitiesRemoved",
  u.quota_mb as "quotaMb", u.imap, u.smtp, u.person, u.created_at as "createdAt", u.changed_at as "changedAt", u.version,
  (c.admin_user_id = u.user_id) as "isAdmin",
  array(select m.spelled from mail_address m where m.context_id = u.context_id and m.entity_id = u.user_id order by m.position)
    as aliases,
  0 || array(select s.group_id from membership s where s.context_id = u.context_id and s.user_id = u.user_id order by 1) as groups,
  (select max(h.last_login) from login_history h where h.context_id = u.context_id and h.user_id = u.user_id) as "lastLogin",
  (select json_build_object('contentType', i.content_type, 'sizeBytes', octet_length(i.bytes), 'sha256', i.sha256)
   from user_image i where i.context_id = u.context_id and i.user_id = u.user_id) as image`;
const FROM = 'from directory_user u join context c on c.context_id = u.context_id';

/** Rows of users, their addresses and credentials. */
@Injectable()
export class UserRepository {
  /** A user, or undefined. */
  findById(db: Reader, userId: number): Promise<UserRow | undefined> {
    return db.first<UserRow>(`select ${COLUMNS} ${FROM} where u.context_id = $1 and u.user_id = $2`, userId);
  }

  /** A user. @throws USR-0010 */
  async get(db: Reader, userId: number): Promise<UserRow> {
    const user = await this.findById(db, userId);
    if (!user) throw DirectoryErrors.userNotFound(userId, db.contextId);
    return user;
  }

  /** A user, locked against other changes. @throws USR-0010 */
  async lock(tx: Transaction, userId: number): Promise<UserRow> {
    const user = await tx.first<UserRow>(
      `select ${COLUMNS} ${FROM} where u.context_id = $1 and u.user_id = $2 for update of u`,
      userId,
    );
    if (!user) throw DirectoryErrors.userNotFound(userId, tx.contextId);
    return user;
  }

  /** Users by id; unknown ids are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<UserRow[]> {
    return db.objects<UserRow>(
      `select ${COLUMNS} ${FROM} where u.context_id = $1 and u.user_id = any ($2::int[])`,
      ids,
    );
  }

  /** A user by login name, case ignored. */
  findByName(db: Reader, name: string): Promise<UserRow | undefined> {
    return db.first<UserRow>(`select ${COLUMNS} ${FROM} where u.context_id = $1 and lower(u.name) = lower($2)`, name);
  }

  /** Ids of users by login name in lower case; unknown names are left out. */
  async findIdsByNames(db: Reader, names: readonly string[]): Promise<Map<string, number>> {
    const rows = await db.rows(
      'select lower(name), user_id from directory_user where context_id = $1 and lower(name) = any ($2::text[])',
      names.map((name) => name.toLowerCase()),
    );
    return new Map(rows as [string, number][]);
  }

  /** Users in the order of their ids. */
  list(db: Reader, filter: { q?: string; after: number; limit: number }): Promise<UserRow[]> {
    return db.objects<UserRow>(
      `select ${COLUMNS} ${FROM}
       where u.context_id = $1 and u.user_id > $2
         and ($3::text is null or lower(u.name) like lower($3) or u.display_name ${COLLATION} ilike $3
           or u.user_id::text like $3
           or exists (select from mail_address m
                      where m.context_id = u.context_id and m.entity_id = u.user_id and m.address like lower($3)))
       order by u.user_id limit $4`,
      filter.after,
      filter.q === undefined ? null : toSearchPattern(filter.q),
      filter.limit,
    );
  }

  /** Ids of all users. */
  async listIds(db: Reader): Promise<number[]> {
    const rows = await db.rows('select user_id from directory_user where context_id = $1 order by user_id');
    return rows.map(([id]) => id as number);
  }

  /** Counts the users of the context. */
  async count(db: Reader): Promise<number> {
    return Number(await db.text('select count(*) from directory_user where context_id = $1'));
  }

  /** Filters ids of existing users. */
  async filterExisting(db: Reader, ids: readonly number[]): Promise<Set<number>> {
    const rows = await db.rows(
      'select user_id from directory_user where context_id = $1 and user_id = any ($2::int[])',
      ids,
    );
    return new Set(rows.map(([id]) => id as number));
  }

  /** Filters ids of existing users, and keeps these from being removed until the transaction ends. */
  async lockExisting(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
    const rows = await tx.rows(
      `select user_id from directory_user where context_id = $1 and user_id = any ($2::int[])
       order by user_id for key share`,
      ids,
    );
    return new Set(rows.map(([id]) => id as number));
  }

  /** Finds the account of a login name. */
  findLoginCandidate(db: Reader, name: string): Promise<LoginCandidate | undefined> {
    return db.first<LoginCandidate>(
      `select u.user_id as "userId", u.name, u.enabled, c.enabled and c.state = 'ready' as "contextEnabled", k.hash,
         k.must_change as "mustChange", c.admin_user_id = u.user_id as "isAdmin"
       ${FROM} left join credential k on k.context_id = u.context_id and k.user_id = u.user_id
       where u.context_id = $1 and lower(u.name) = lower($2)`,
      name,
    );
  }

  /** Owners of mail addresses (lower case) over all contexts that are enabled. */
  listAddressOwners(db: AdministrationTransaction, addresses: readonly string[]): Promise<AddressOwner[]> {
    return db.objects<AddressOwner>(
      `select m.address, u.context_id as "contextId", u.user_id as "userId", u.locale, u.display_name as "displayName"
       from mail_address m
         join directory_user u on u.context_id = m.context_id and u.user_id = m.entity_id
         join context c on c.context_id = u.context_id and c.enabled and c.state = 'ready'
       where m.address = any ($1::text[])`,
      addresses,
    );
  }

  /** Lists data of users for address cards. */
  contacts(db: Reader, ids: readonly number[]): Promise<DirectoryContact[]> {
    return db.objects<DirectoryContact>(
      `select u.user_id as id, u.person->>'title' as title, u.given_name as "givenName", u.surname, u.primary_email as email,
         (select i.changed_at from user_image i where i.context_id = $1 and i.user_id = u.user_id) as "imageChanged"
       from directory_user u where u.context_id = $1 and u.user_id = any ($2::int[])`,
      ids,
    );
  }

  /** The persons behind users; unknown ids are left out. */
  listPersons(db: Reader, ids: readonly number[]): Promise<DirectoryPerson[]> {
    return db.objects<DirectoryPerson>(
      `select u.user_id as "userId", u.uid::text as uid, c.admin_user_id = u.user_id as "isAdmin",
         u.changed_at as "changedAt",
         u.person || jsonb_build_object('display_name', u.display_name, 'first_name', u.given_name, 'last_name', u.surname,
           'email1', u.primary_email) as data,
         (select json_build_object('contentType', i.content_type, 'changedAt', i.changed_at) from user_image i
          where i.context_id = $1 and i.user_id = u.user_id) as image
       from directory_user u join context c on c.context_id = $1
       where u.context_id = $1 and u.user_id = any ($2::int[])`,
      ids,
    );
  }

  /** Users who were given a login for the mail server, over all contexts that are enabled; not more than two. */
  ofMailLogin(db: AdministrationTransaction, login: string): Promise<{ contextId: number; userId: number }[]> {
    return db.objects(
      `select u.context_id as "contextId", u.user_id as "userId" from directory_user u
         join context c on c.context_id = u.context_id and c.enabled and c.state = 'ready'
       where lower(u.imap->>'login') = lower($1) limit 2`,
      login,
    );
  }

  /** Users by login name, case ignored; unknown names are left out. */
  listByNames(db: Reader, names: readonly string[]): Promise<UserRow[]> {
    return db.objects<UserRow>(
      `select ${COLUMNS} ${FROM} where u.context_id = $1 and lower(u.name) = any ($2::text[])`,
      names.map((name) => name.toLowerCase()),
    );
  }

  /** Stores new users. The error of several names the first one. @throws PROV-0001, PROV-0005 */
  async insert(tx: Transaction, users: readonly NewUser[], stamp: { at: number; by: number | null }): Promise<void> {
    const rows = users.map(({ id, fields }) => ({ id, ...fields }));
    await this.mapUniqueViolation(users[0]!.fields, () =>
      tx.run(
        `insert into directory_user (context_id, user_id, name, enabled, display_name, given_name, surname, primary_email, locale,
           time_zone, access_combination, access_flags, capabilities_added, capabilities_removed, quota_mb, imap, smtp,
           person, created_at, changed_at, created_by, changed_by)
         select $1, id, name, enabled, "displayName", "givenName", surname, "primaryEmail", locale, "timeZone", combination, flags,
           "capabilitiesAdded", "capabilitiesRemoved", "quotaMb", imap, smtp, person, $3, $3, $4, $4
         from jsonb_to_recordset($2::jsonb) as r (id int, name text, enabled boolean, "displayName" text, "givenName" text,
           surname text, "primaryEmail" text, locale text, "timeZone" text, combination text, flags text[],
           "capabilitiesAdded" text[], "capabilitiesRemoved" text[], "quotaMb" double precision, imap jsonb, smtp jsonb, person jsonb)`,
        JSON.stringify(rows),
        stamp.at,
        stamp.by,
      ),
    );
  }

  /** Writes a user and counts the version up. @throws PROV-0001, PROV-0005 */
  async update(
    tx: Transaction,
    userId: number,
    fields: UserFields,
    stamp: { at: number; by: number | null },
  ): Promise<void> {
    await this.mapUniqueViolation(fields, () =>
      tx.run(
        `update directory_user set name = $3, enabled = $4, display_name = $5, given_name = $6, surname = $7,
           primary_email = $8, locale = $9, time_zone = $10, access_combination = $11, access_flags = $12,
           capabilities_added = $13, capabilities_removed = $14, quota_mb = $15, imap = $16::jsonb, smtp = $17::jsonb,
           person = $18::jsonb, changed_at = $19, changed_by = $20, version = version + 1
         where context_id = $1 and user_id = $2`,
        userId,
        ...toParameters(fields),
        stamp.at,
        stamp.by,
      ),
    );
  }

  /** Replaces the addresses of a user or resource. @throws PROV-0002, naming the owner's context where `reveal` says so */
  async setAddresses(
    tx: Transaction,
    entityId: number,
    addresses: readonly string[],
    options: { reveal: boolean },
  ): Promise<void> {
    await tx.run('delete from mail_address where context_id = $1 and entity_id = $2', entityId);
    await this.insertAddresses(tx, [{ id: entityId, addresses }], options);
  }

  /** Stores the addresses of entities that have none yet. @throws PROV-0002 */
  async insertAddresses(
    tx: Transaction,
    entities: readonly { readonly id: number; readonly addresses: readonly string[] }[],
    options: { reveal: boolean },
  ): Promise<void> {
    const rows = entities.flatMap(({ id, addresses }) =>
      addresses.map((spelled, position) => ({ id, spelled, address: spelled.toLowerCase(), position })),
    );
    const stored = await tx.rows(
      `insert into mail_address (context_id, entity_id, address, spelled, position)
       select $1, id, address, spelled, position
       from jsonb_to_recordset($2::jsonb) as r (id int, address text, spelled text, position int)
       on conflict on constraint mail_address_unique do nothing returning entity_id, address`,
      JSON.stringify(rows),
    );
    if (stored.length === rows.length) return;
    const own = new Set(stored.map(([id, address]) => `${id} ${address}`));
    const taken = rows.find(({ id, address }) => !own.has(`${id} ${address}`))!;
    const owner = await tx
      .acrossContexts('a mail address exists once in the installation')
      .first<{ contextId: number }>(
        'select context_id as "contextId" from mail_address where address = $1',
        taken.address,
      );
    throw ProvisioningErrors.addressTaken(
      taken.spelled,
      options.reveal && owner ? ` in context ${owner.contextId}` : '',
    );
  }

  /** Sets the hash of a password. */
  setCredential(
    tx: Transaction,
    userId: number,
    credential: { hash: string; mustChange: boolean; at: number },
  ): Promise<void> {
    const { hash, ...same } = credential;
    return this.setCredentials(tx, [{ id: userId, hash }], same);
  }

  /** Sets the hashes of passwords. */
  async setCredentials(
    tx: Transaction,
    credentials: readonly { readonly id: number; readonly hash: string }[],
    { mustChange, at }: { mustChange: boolean; at: number },
  ): Promise<void> {
    await tx.run(
      `insert into credential (context_id, user_id, hash, must_change, changed_at)
       select $1, id, hash, $4, $5 from unnest($2::int[], $3::text[]) as c (id, hash)
       on conflict (context_id, user_id) do update
         set hash = excluded.hash, must_change = excluded.must_change, changed_at = excluded.changed_at`,
      credentials.map(({ id }) => id),
      credentials.map(({ hash }) => hash),
      mustChange,
      at,
    );
  }

  /** Replaces a hash; false when the former one is not the stored one any more. */
  async replaceHash(tx: Transaction, userId: number, former: string, hash: string): Promise<boolean> {
    const changed = await tx.run(
      'update credential set hash = $3 where context_id = $1 and user_id = $2 and hash = $4',
      userId,
      hash,
      former,
    );
    return changed > 0;
  }

  /** Sets the locale. */
  async setLocale(tx: Transaction, userId: number, locale: string, at: number): Promise<boolean> {
    const changed = await tx.run(
      `update directory_user set locale = $3, changed_at = $4, changed_by = $2, version = version + 1
       where context_id = $1 and user_id = $2 and locale <> $3`,
      userId,
      locale,
      at,
    );
    return changed > 0;
  }

  /** Records a login. */
  async recordLogin(tx: Transaction, userId: number, client: string, at: number): Promise<void> {
    await tx.run(
      `insert into login_history (context_id, user_id, client, last_login) values ($1, $2, $3, $4)
       on conflict (context_id, user_id, client) do update
         set last_login = excluded.last_login, logins = login_history.logins + 1`,
      userId,
      client,
      at,
    );
  }

  /** Removes a user and all that belongs to the account, and leaves a tombstone. */
  async delete(tx: Transaction, userId: number, at: number): Promise<void> {
    for (const table of ['mail_address where context_id = $1 and entity_id = $2'])
      await tx.run(`delete from ${table}`, userId);
    for (const table of [
      'credential',
      'invitation',
      'job_password',
      'membership',
      'group_use',
      'property_value',
      'login_history',
      'app_password',
      'factor_device',
      'login_information',
      'password_change',
      'user_attribute',
      'user_image',
      'directory_user',
    ])
      await tx.run(`delete from ${table} where context_id = $1 and user_id = $2`, userId);
    await tx.run(
      `insert into tombstone (context_id, kind, entity_id, deleted_at) values ($1, 'user', $2, $3) on conflict do nothing`,
      userId,
      at,
    );
  }

  private async mapUniqueViolation(fields: UserFields, write: () => Promise<number>): Promise<void> {
    try {
      await write();
    } catch (error) {
      switch (constraintOf(error)) {
        case 'user_name_unique':
          throw ProvisioningErrors.nameTaken(fields.name);
        case 'user_display_name_unique':
          throw ProvisioningErrors.displayNameTaken(fields.displayName);
        default:
          throw error;
      }
    }
  }
}

const toParameters = (fields: UserFields): unknown[] => [
  fields.name,
  fields.enabled,
  fields.displayName,
  fields.givenName,
  fields.surname,
  fields.primaryEmail,
  fields.locale,
  fields.timeZone,
  fields.combination,
  fields.flags,
  fields.capabilitiesAdded,
  fields.capabilitiesRemoved,
  fields.quotaMb,
  fields.imap && JSON.stringify(fields.imap),
  fields.smtp && JSON.stringify(fields.smtp),
  JSON.stringify(fields.person),
];
