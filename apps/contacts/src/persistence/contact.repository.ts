import { Injectable } from '@nestjs/common';
import { groupBy, type UserContactFigures } from '@groupware/contracts';
import { ObjectRepository, toStorableJson, type ReadableFolders } from '@groupware/folders';
import type { Reader, Transaction } from '@groupware/persistence';
import { type Contact, type StoredMember, TEXT_FIELDS } from '../domain/contact';
import { columnOfText, readable, referredMail, SHOWN_MEMBER } from './contact.columns';

/** Table columns by property of {@link Contact}, with their types. */
const FIELDS: readonly (readonly [property: string, column: string, type: string])[] = [
  ['id', 'id', 'int'],
  ['folderId', 'folder_id', 'int'],
  ['uid', 'uid', 'text'],
  ['createdBy', 'created_by', 'int'],
  ['modifiedBy', 'modified_by', 'int'],
  ['created', 'created', 'bigint'],
  ['lastModified', 'last_modified', 'bigint'],
  ['isPrivate', 'is_private', 'boolean'],
  ['color', 'color', 'smallint'],
  ['categories', 'categories', 'text'],
  ['defaultAddress', 'default_address', 'int'],
  ['userId', 'user_id', 'int'],
  ['isAdmin', 'is_admin', 'boolean'],
  ['isList', 'is_list', 'boolean'],
  ['members', 'members', 'int'],
  ['imageType', 'image_type', 'text'],
  ['imageChanged', 'image_changed', 'bigint'],
  ['birthday', 'birthday', 'bigint'],
  ['anniversary', 'anniversary', 'bigint'],
  ...TEXT_FIELDS.map((name) => [name, columnOfText(name), 'text'] as const),
];

const CONTACT = FIELDS.map(([property, column]) => `a.${column} as "${property}"`).join(', ');
const RECORD = FIELDS.map(([property, , type]) => `"${property}" ${type}`).join(', ');
const INSERT = `insert into contact (context_id, ${FIELDS.map(([, column]) => column).join(', ')})
  select $1, ${FIELDS.map(([property]) => `x."${property}"`).join(', ')} from json_to_recordset($2) as x (${RECORD})`;
const UPDATE = `update contact a set ${FIELDS.slice(1)
  .map(([property, column]) => `${column} = x."${property}"`)
  .join(', ')}
  from json_to_recordset($2) as x (${RECORD}) where a.context_id = $1 and a.id = x.id`;

/** A list that changed because a contact in it did. */
export type TouchedList = Pick<Contact, 'id' | 'folderId' | 'uid'>;

/** Rows of contacts and members of distribution lists. */
@Injectable()
export class ContactRepository extends ObjectRepository {
  constructor() {
    super('contact_counter', 'contact');
  }

  /** Contacts by id in no particular order; unknown ones are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<Contact[]> {
    return db.objects<Contact>(
      `select ${CONTACT} from contact a where a.context_id = $1 and a.id = any($2::int[])`,
      ids,
    );
  }

  /** Those of the ids that there are. */
  async listIdsAmong(db: Reader, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const rows = await db.rows('select id from contact where context_id = $1 and id = any($2::int[])', ids);
    return new Set(rows.map(([id]) => id as number));
  }

  /** One contact. */
  async findById(db: Reader, id: number): Promise<Contact | undefined> {
    return (await this.listByIds(db, [id]))[0];
  }

  /** Contacts by id, locked until the end of the transaction in the order of their ids. */
  lockByIds(tx: Transaction, ids: readonly number[]): Promise<Contact[]> {
    return tx.objects<Contact>(
      `select ${CONTACT} from contact a where a.context_id = $1 and a.id = any($2::int[]) order by a.id for update`,
      ids,
    );
  }

  /** Waits for other imports into a folder, until the end of the transaction: what they store is known by its uid then. */
  async lockImports(tx: Transaction, folderId: number): Promise<void> {
    await tx.rows(`select pg_advisory_xact_lock(hashtextextended('imports into ' || $2::int, $1::int))`, folderId);
  }

  /** Contacts of a folder by uid, locked until the end of the transaction in the order of their ids. */
  lockByUids(tx: Transaction, folderId: number, uids: readonly string[]): Promise<Contact[]> {
    return tx.objects<Contact>(
      `select ${CONTACT} from contact a where a.context_id = $1 and a.folder_id = $2 and a.uid = any($3::text[])
       order by a.id for update`,
      folderId,
      uids,
    );
  }

  /** Those of the uids that contacts of other folders have which a user created. */
  async listUidsElsewhere(
    db: Reader,
    userId: number,
    folderId: number,
    uids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const rows = await db.rows(
      `select distinct uid from contact
       where context_id = $1 and created_by = $2 and folder_id <> $3 and uid = any($4::text[])`,
      userId,
      folderId,
      uids,
    );
    return new Set(rows.map(([uid]) => uid as string));
  }

  /** Contacts of a folder in the order of their changes, those after one of them. */
  listByFolder(
    db: Reader,
    folderId: number,
    after: Pick<Contact, 'lastModified' | 'id'>,
    limit: number,
  ): Promise<Contact[]> {
    return db.objects<Contact>(
      `select ${CONTACT} from contact a
       where a.context_id = $1 and a.folder_id = $2 and (a.last_modified, a.id) > ($3, $4)
       order by a.last_modified, a.id limit $5`,
      folderId,
      after.lastModified,
      after.id,
      limit,
    );
  }

  /** The members of lists as a reader may see them by the id of the list, in the order in which they were given. */
  async mapMembers(
    db: Reader,
    readerId: number,
    { all, own, owned }: ReadableFolders,
    listIds: readonly number[],
  ): Promise<ReadonlyMap<number, StoredMember[]>> {
    const reader = { user: '$3::int', all: '$4::int[]', own: '$5::int[]', owned: '$6::int[]' };
    const rows = await db.objects<StoredMember & { listId: number }>(
      `select m.list_id as "listId", m.mail_field as "mailField", m.contact_id as "contactId",
         ${SHOWN_MEMBER.mail} as mail, ${SHOWN_MEMBER.displayName} as "displayName",
         ${SHOWN_MEMBER.firstName} as "firstName", ${SHOWN_MEMBER.lastName} as "lastName"
       from contact_member m left join contact r on r.context_id = m.context_id and r.id = m.contact_id
         and ${readable('r', reader)}
       where m.context_id = $1 and m.list_id = any($2::int[]) order by m.list_id, m.position`,
      listIds,
      readerId,
      all,
      own,
      owned,
    );
    return groupBy(
      rows,
      ({ listId }) => listId,
      ({ listId: _listId, ...member }): StoredMember => member,
    );
  }

  /** Lets one transaction of the context at a time store contacts of users. */
  async lockUsers(tx: Transaction): Promise<void> {
    await tx.rows(`select pg_advisory_xact_lock(hashtextextended('contacts of users', $1::int))`);
  }

  /** The members of a list as they are stored, in the order in which they were given. */
  listMembers(db: Reader, listId: number): Promise<StoredMember[]> {
    return db.objects<StoredMember>(
      `select m.mail_field as "mailField", m.contact_id as "contactId", m.mail, m.display_name as "displayName",
         m.first_name as "firstName", m.last_name as "lastName"
       from contact_member m where m.context_id = $1 and m.list_id = $2 order by m.position`,
      listId,
    );
  }

  /** Contacts of the context, users not counted. */
  override async countObjects(db: Reader): Promise<number> {
    const row = await db.first<{ count: number }>(
      'select count(*)::int from contact where context_id = $1 and user_id is null',
    );
    return row!.count;
  }

  /** Stores new contacts with the next statement. */
  insert(tx: Transaction, contacts: readonly Contact[]): void {
    tx.enqueue(INSERT, toStorableJson(contacts));
  }

  /** Replaces stored contacts with the next statement. */
  update(tx: Transaction, contacts: readonly Contact[]): void {
    tx.enqueue(UPDATE, toStorableJson(contacts));
  }

  /** Replaces the members of a list with the next statement. */
  replaceMembers(tx: Transaction, listId: number, members: readonly StoredMember[]): void {
    tx.enqueue('delete from contact_member where context_id = $1 and list_id = $2', listId);
    if (members.length === 0) return;
    tx.enqueue(
      `insert into contact_member (context_id, list_id, position, mail_field, contact_id, mail, display_name, first_name,
         last_name)
       select $1, $2, x.position, x."mailField", x."contactId", x.mail, x."displayName", x."firstName", x."lastName"
       from json_to_recordset($3) as x (position int, "mailField" smallint, "contactId" int, mail text,
         "displayName" text, "firstName" text, "lastName" text)`,
      listId,
      toStorableJson(members.map((member, position) => ({ ...member, position }))),
    );
  }

  /** Users who created lists that a contact is in. */
  async listListCreators(db: Reader, contactId: number): Promise<number[]> {
    const rows = await db.rows(
      `select distinct l.created_by from contact_member m join contact l on l.context_id = $1 and l.id = m.list_id
       where m.context_id = $1 and m.contact_id = $2`,
      contactId,
    );
    return rows.map(([id]) => id as number);
  }

  /**
   * Lets lists of some creators, or all, follow changes of a contact in them, but for addresses that are emptied: other lists keep
   * what was known of it. Returns all lists that it is in, which get a new stamp.
   */
  async updateMembersOf(
    tx: Transaction,
    contactId: number,
    creators: readonly number[] | undefined,
    userId: number,
    stamp: number,
  ): Promise<TouchedList[]> {
    tx.enqueue(
      `update contact_member m set display_name = a.display_name, first_name = a.first_name, last_name = a.last_name,
         mail = coalesce(${referredMail('a')}, m.mail)
       from contact a, contact l
       where m.context_id = $1 and a.context_id = $1 and m.contact_id = a.id and a.id = $2
         and l.context_id = $1 and l.id = m.list_id and ($3::int[] is null or l.created_by = any($3))`,
      contactId,
      creators ?? null,
    );
    return this.touchListsOf(tx, [contactId], userId, stamp);
  }

  /** Makes members bare addresses whose contacts go; returns the lists, which get a new stamp. */
  async detachMembersOf(
    tx: Transaction,
    contactIds: readonly number[],
    userId: number,
    stamp: number,
  ): Promise<TouchedList[]> {
    const lists = await this.touchListsOf(tx, contactIds, userId, stamp);
    if (lists.length > 0)
      tx.enqueue(
        `update contact_member set contact_id = null, mail_field = 0
         where context_id = $1 and contact_id = any($2::int[])`,
        contactIds,
      );
    return lists;
  }

  private touchListsOf(
    tx: Transaction,
    contactIds: readonly number[],
    userId: number,
    stamp: number,
  ): Promise<TouchedList[]> {
    return tx.objects<TouchedList>(
      `update contact a set last_modified = $4, modified_by = $3
       where a.context_id = $1 and not a.id = any($2::int[]) and a.id in (
         select m.list_id from contact_member m where m.context_id = $1 and m.contact_id = any($2::int[]))
       returning a.id, a.folder_id as "folderId", a.uid`,
      contactIds,
      userId,
      stamp,
    );
  }

  /** Deletes contacts with the next statement and leaves tombstones. */
  remove(tx: Transaction, contacts: readonly Contact[], stamp: number): void {
    this.insertTombstones(tx, contacts, stamp);
    tx.enqueue(
      'delete from contact where context_id = $1 and id = any($2::int[])',
      contacts.map(({ id }) => id),
    );
  }

  /** Notes with the next statement that contacts left their folders. */
  insertTombstones(tx: Transaction, contacts: readonly Contact[], stamp: number): void {
    tx.enqueue(
      `insert into contact_tombstone (context_id, folder_id, id, created_by, is_private, last_modified)
       select $1, x.*, $6 from unnest($2::int[], $3::int[], $4::int[], $5::boolean[]) as x
       on conflict (context_id, folder_id, id) do update
         set created_by = excluded.created_by, is_private = excluded.is_private, last_modified = excluded.last_modified`,
      contacts.map(({ folderId }) => folderId),
      contacts.map(({ id }) => id),
      contacts.map(({ createdBy }) => createdBy),
      contacts.map(({ isPrivate }) => isPrivate),
      stamp,
    );
  }

  /** Forgets with the next statement that contacts left a folder: they are back. */
  removeTombstones(tx: Transaction, folderId: number, ids: readonly number[]): void {
    tx.enqueue(
      'delete from contact_tombstone where context_id = $1 and folder_id = $2 and id = any($3::int[])',
      folderId,
      ids,
    );
  }

  /** Sets with the next statement how often a user used a contact. */
  setUseCount(tx: Transaction, userId: number, contactId: number, uses: number): void {
    tx.enqueue(
      `insert into contact_use (context_id, user_id, contact_id, uses) values ($1, $2, $3, $4)
       on conflict (context_id, user_id, contact_id) do update set uses = excluded.uses`,
      userId,
      contactId,
      uses,
    );
  }

  /** Figures of the contacts of users that have any, of all or some. */
  listUserFigures(
    db: Reader,
    readerId: number,
    users: readonly number[] | undefined,
  ): Promise<({ readonly userId: number } & UserContactFigures)[]> {
    return db.objects(
      `select a.user_id as "userId", a.attachments, a.newest_attachment as newest, coalesce(u.uses, 0) as uses
       from contact a left join contact_use u on u.context_id = $1 and u.user_id = $2 and u.contact_id = a.id
       where a.context_id = $1 and a.user_id is not null and ($3::int[] is null or a.user_id = any($3))
         and (a.attachments > 0 or u.uses > 0)`,
      readerId,
      users ?? null,
    );
  }

  /** Deletes everything of the context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from contact where context_id = $1');
    await tx.run('delete from contact_import where context_id = $1');
    await tx.run('delete from contact_tombstone where context_id = $1');
    await tx.run('delete from folder_access where context_id = $1');
    await tx.run('delete from collecting_folder where context_id = $1');
    await tx.run('delete from contact_counter where context_id = $1');
  }
}
