import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import type { UserRow } from './user.repository';

/** A guest as stored. Times are ms UTC. */
export interface Guest {
  readonly id: number;
  /** Folder, or object wherever it is, of the link of an anonymous guest. */
  readonly module: string | null;
  readonly folder: number | null;
  readonly item: number | null;
  /** Address of a named guest, in lower case. */
  readonly email: string | null;
  /** Empty for anonymous guests. */
  readonly displayName: string;
  readonly createdBy: number;
  readonly changedAt: number;
  /** Sealed. */
  readonly token: string;
  readonly passwordHash: string | null;
  /** Pin of a link, sealed together with its hash. */
  readonly sealedPin: string | null;
  readonly expiresAt: number | null;
  /** Logins without password of a named guest. */
  readonly bareLogins: number;
  /** Data of clients about a link. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** A link opens the folders below its folder, too. */
  readonly includesBelow: boolean;
  /** Contact from which a named guest was chosen, with its folder. */
  readonly contactId: string | null;
  readonly contactFolder: string | null;
  /** Further data that a named guest tells of himself. */
  readonly person: UserRow['person'];
}

/** A guest to store. */
export type NewGuest = Omit<
  Guest,
  'changedAt' | 'bareLogins' | 'meta' | 'includesBelow' | 'contactId' | 'contactFolder' | 'person'
>;

/** A pin as stored: the hash that opens the link, and the sealed text for who may share. */
export type StoredPin = Pick<Guest, 'passwordHash' | 'sealedPin'>;

/** Changes to a link; absent ones stay. */
export interface GuestChange extends Partial<Pick<Guest, 'expiresAt' | 'meta' | 'includesBelow'>> {
  /** Null removes it. */
  readonly pin?: StoredPin | null;
}

/** Target of a link: a folder, or an object wherever it is. */
export interface LinkedTarget {
  readonly module: string;
  readonly folder?: number;
  readonly item?: number;
}

/** Time within which permissions of a new guest must be written. */
const PENDING_MS = 600_000;

const FIELDS = `guest_id as id, module, folder, item, email, created_by as "createdBy",
  case when email is null then '' else display_name end as "displayName",
  changed_at as "changedAt", token, password_hash as "passwordHash", sealed_pin as "sealedPin", expires_at as "expiresAt",
  bare_logins as "bareLogins", meta, includes_below as "includesBelow",
  contact_id as "contactId", contact_folder as "contactFolder", person`;

/** SQL of guests. */
@Injectable()
export class GuestRepository {
  /** Lists guests by id; unknown ids and former guests are left out. */
  listByIds(db: Reader, ids: readonly number[]): Promise<Guest[]> {
    return db.objects<Guest>(
      `select ${FIELDS} from guest where context_id = $1 and guest_id = any($2::int[]) and ended_at is null`,
      ids,
    );
  }

  /** One guest. */
  async findById(db: Reader, id: number): Promise<Guest | undefined> {
    return (await this.listByIds(db, [id]))[0];
  }

  /** Finds the anonymous guest of a folder or object. */
  findByTarget(db: Reader, { module, folder, item }: LinkedTarget): Promise<Guest | undefined> {
    return item === undefined
      ? db.first<Guest>(
          `select ${FIELDS} from guest where context_id = $1 and module = $2 and folder = $3 and email is null`,
          module,
          folder,
        )
      : db.first<Guest>(
          `select ${FIELDS} from guest where context_id = $1 and module = $2 and item = $3 and email is null`,
          module,
          item,
        );
  }

  /** Finds the guest a user invited by an address in lower case, also a former one. */
  findByAddress(db: Reader, userId: number, email: string): Promise<Guest | undefined> {
    return db.first<Guest>(
      `select ${FIELDS} from guest where context_id = $1 and created_by = $2 and email = $3`,
      userId,
      email,
    );
  }

  /** Counts the links a user created, or the named guests he invited. */
  async countByCreator(db: Reader, userId: number, kind: 'links' | 'named'): Promise<number> {
    const [row] = await db.rows(
      `select count(*)::int from guest
       where context_id = $1 and created_by = $2 and (email is null) = $3 and ended_at is null`,
      userId,
      kind === 'links',
    );
    return row![0] as number;
  }

  /** Marks a guest, or former one, as about to get new permissions: losing former ones does not delete him meanwhile. */
  async markPending(tx: Transaction, id: number, now: number): Promise<void> {
    await tx.run(
      'update guest set settled_at = $3, ended_at = null where context_id = $1 and guest_id = $2',
      id,
      now + PENDING_MS,
    );
  }

  /** Stores the contact from which a guest was chosen. */
  async setContact(
    tx: Transaction,
    id: number,
    contact: { readonly id: string; readonly folder: string },
  ): Promise<void> {
    await tx.run(
      'update guest set contact_id = $3, contact_folder = $4 where context_id = $1 and guest_id = $2',
      id,
      contact.id,
      contact.folder,
    );
  }

  /** Stores the password of a guest; undefined when the previous one, null for none, is not the stored one any more. */
  setPassword(
    tx: Transaction,
    id: number,
    { hash, previous }: { readonly hash: string; readonly previous: string | null },
    now: number,
  ): Promise<Guest | undefined> {
    return tx.first<Guest>(
      `update guest set password_hash = $3, changed_at = greatest($4, changed_at + 1)
       where context_id = $1 and guest_id = $2 and password_hash is not distinct from $5::text returning ${FIELDS}`,
      id,
      hash,
      now,
      previous,
    );
  }

  /** Stores what a guest tells of himself; undefined when the guest changed since he was read. */
  setPerson(
    tx: Transaction,
    { id, changedAt, displayName, person }: Pick<Guest, 'id' | 'changedAt' | 'displayName' | 'person'>,
    now: number,
  ): Promise<Guest | undefined> {
    return tx.first<Guest>(
      `update guest set display_name = $3, person = $4::jsonb, changed_at = greatest($5, changed_at + 1)
       where context_id = $1 and guest_id = $2 and changed_at = $6 returning ${FIELDS}`,
      id,
      displayName,
      JSON.stringify(person),
      now,
      changedAt,
    );
  }

  /** Counts a login without password; false beyond the limit (-1: none). */
  async incrementBareLogins(tx: Transaction, id: number, limit: number): Promise<boolean> {
    const counted = await tx.rows(
      `update guest set bare_logins = bare_logins + 1
       where context_id = $1 and guest_id = $2 and password_hash is null and ($3 < 0 or bare_logins < $3) returning 1`,
      id,
      limit,
    );
    return counted.length > 0;
  }

  /** Stores a new guest. */
  async insert(tx: Transaction, guest: NewGuest, now: number): Promise<void> {
    await tx.run(
      `insert into guest (context_id, guest_id, module, folder, item, email, display_name, created_by, created_at, changed_at,
         token, password_hash, sealed_pin, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13)`,
      guest.id,
      guest.module,
      guest.folder,
      guest.item,
      guest.email,
      guest.displayName,
      guest.createdBy,
      now,
      guest.token,
      guest.passwordHash,
      guest.sealedPin,
      guest.expiresAt,
    );
  }

  /** Updates pin, expiry and client data, unless they changed after the stamp that is known; absent ones stay. */
  update(tx: Transaction, id: number, change: GuestChange, now: number, known?: number): Promise<Guest | undefined> {
    return tx.first<Guest>(
      `update guest set changed_at = greatest($3, changed_at + 1),
         password_hash = case when $4 then $5 else password_hash end, sealed_pin = case when $4 then $6 else sealed_pin end,
         expires_at = case when $7 then $8 else expires_at end, meta = case when $9 then $10::json else meta end,
         includes_below = coalesce($11::boolean, includes_below)
       where context_id = $1 and guest_id = $2 and ($12::bigint is null or changed_at <= $12) returning ${FIELDS}`,
      id,
      now,
      change.pin !== undefined,
      change.pin?.passwordHash ?? null,
      change.pin?.sealedPin ?? null,
      change.expiresAt !== undefined,
      change.expiresAt ?? null,
      change.meta !== undefined,
      change.meta == null ? null : JSON.stringify(change.meta),
      change.includesBelow ?? null,
      known ?? null,
    );
  }

  /** Marks the permissions of guests as written. */
  async clearPending(tx: Transaction, ids: readonly number[], now: number): Promise<void> {
    await tx.run('update guest set settled_at = $3 where context_id = $1 and guest_id = any($2::int[])', ids, now);
  }

  /** Deletes guests; answers the deleted ids. */
  async delete(tx: Transaction, ids: readonly number[]): Promise<number[]> {
    const gone = await tx.rows(
      'delete from guest where context_id = $1 and guest_id = any($2::int[]) returning guest_id',
      ids,
    );
    return gone.map(([id]) => id as number);
  }

  /** Deletes the guests of links and invitations that a user made; answers their ids. */
  async deleteByCreator(tx: Transaction, userId: number): Promise<number[]> {
    const gone = await tx.rows(
      'delete from guest where context_id = $1 and created_by = $2 returning guest_id',
      userId,
    );
    return gone.map(([id]) => id as number);
  }

  /**
   * Deletes guests who lost their last permission at a time, unless they got new ones since or expect them. Named ones become
   * former guests where these are kept.
   */
  async deleteWithdrawn(tx: Transaction, ids: readonly number[], stamp: number, keepsNamed: boolean): Promise<void> {
    const withdrawn = `context_id = $1 and guest_id = any($2::int[])
      and coalesce(settled_at, changed_at + ${PENDING_MS}) <= $3`;
    if (keepsNamed)
      await tx.run(
        `update guest set ended_at = coalesce(ended_at, $3) where ${withdrawn} and email is not null`,
        ids,
        stamp,
      );
    await tx.run(`delete from guest where ${withdrawn} and ended_at is null`, ids, stamp);
  }

  /** Deletes former guests of all contexts of a shard who are so since before a time; their number. */
  async deleteFormer(db: AdministrationTransaction, before: number): Promise<number> {
    const gone = await db.rows('delete from guest where ended_at < $1 returning 1', before);
    return gone.length;
  }
}
