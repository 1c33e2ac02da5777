import { Injectable } from '@nestjs/common';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';

/** Mark of what is about an occurrence and all that follow. */
export const FOLLOWING = '+';

/** Identifies a cancelled appointment, or occurrence, of an organizer for a user. */
export interface CancellationKey {
  readonly userId: number;
  /** Lower-case address of who called it off. */
  readonly organizer: string;
  readonly uid: string;
  /** Original start as the message has it, with {@link FOLLOWING} when it means all that follow as well; empty: all of it. */
  readonly recurrence: string;
}

/** A cancellation by its revision: see `Revision`. */
export interface Cancellation {
  readonly sequence: number;
  readonly dtstampMs: number;
}

/** Most cancelled occurrences that are looked at for one series. */
const MAX_OCCURRENCES = 1_000;
const HASH = 'md5($3::text || chr(10) || $4::text)';

/** Cancellations by external organizers. */
@Injectable()
export class CancellationRepository {
  /** Notes a cancellation, unless a newer one is known. */
  async insertCancellation(
    tx: Transaction,
    key: CancellationKey,
    { sequence, dtstampMs }: Cancellation,
    nowMs: number,
  ) {
    await tx.run(
      `insert into cancellation as c (context_id, user_id, uid_hash, recurrence, sequence, dtstamp, noted_at)
       values ($1, $2, ${HASH}, $5, $6, $7, $8)
       on conflict (context_id, user_id, uid_hash, recurrence) do update
         set sequence = excluded.sequence, dtstamp = excluded.dtstamp, noted_at = excluded.noted_at
         where (excluded.sequence, excluded.dtstamp) >= (c.sequence, c.dtstamp)`,
      key.userId,
      key.organizer,
      key.uid,
      key.recurrence,
      sequence,
      dtstampMs,
      nowMs,
    );
  }

  /** The newest cancellation of the whole, of the occurrence, or of one before it and all that follow. */
  async findNewest(
    db: Reader,
    { userId, organizer, uid, recurrence }: CancellationKey,
  ): Promise<Cancellation | undefined> {
    return db.first<Cancellation>(
      `select sequence, dtstamp as "dtstampMs" from cancellation
       where context_id = $1 and user_id = $2 and uid_hash = ${HASH} and (recurrence in ('', $5)
         or case when recurrence like '%+' then rtrim(recurrence, '+')::bigint <= $6::bigint end)
       order by sequence desc, dtstamp desc limit 1`,
      userId,
      organizer,
      uid,
      recurrence,
      recurrence === '' ? null : Number.parseInt(recurrence, 10),
    );
  }

  /** Original starts (ms UTC) of occurrences that were cancelled later than a revision. */
  async listOccurrences(
    db: Reader,
    { userId, organizer, uid }: Omit<CancellationKey, 'recurrence'>,
    { sequence, dtstampMs }: Cancellation,
  ): Promise<number[]> {
    const rows = await db.objects<{ start: number }>(
      `select recurrence::bigint as start from cancellation
       where context_id = $1 and user_id = $2 and uid_hash = ${HASH} and recurrence ~ '^-?[0-9]+$'
         and (sequence, dtstamp) > ($5::int, $6::bigint) limit ${MAX_OCCURRENCES}`,
      userId,
      organizer,
      uid,
      sequence,
      dtstampMs,
    );
    return rows.map(({ start }) => start);
  }

  /** Forgets those of all contexts that were noted before a time, at most so many. @returns how many are gone */
  deleteBefore(db: AdministrationTransaction, beforeMs: number, limit: number): Promise<number> {
    return db.run(
      `delete from cancellation where ctid = any(array(
         select ctid from cancellation where noted_at < $1 order by noted_at limit $2))`,
      beforeMs,
      limit,
    );
  }
}
