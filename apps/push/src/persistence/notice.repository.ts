import { REPLAY_LIMIT, type Notice, type Replay, type StreamPosition } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** A notice that was stored for one user. */
export interface StoredNotice {
  readonly userId: number;
  readonly epoch: number;
  readonly seq: number;
}

/** Every so many notices of a user, the oldest ones beyond the limit go. */
const TRIM_EVERY = 50;

/** SQL of `stream` and `notice`. */
@Injectable()
export class NoticeRepository {
  /**
   * Stores a notice for those of the users whose streams are wanted; others cost nothing. The row lock of the stream makes
   * numbers follow the order of commits, without gaps.
   */
  async append(
    tx: Transaction,
    users: readonly number[],
    { topic, data, at }: Omit<Notice, 'seq'>,
    keep: number,
  ): Promise<StoredNotice[]> {
    const stored = await tx.objects<StoredNotice>(
      `with wanted as (
         select user_id from stream where context_id = $1 and user_id = any($2::int[]) and wanted_until > $5
         order by user_id for update),
       numbered as (
         update stream set last_seq = last_seq + 1 from wanted
         where stream.context_id = $1 and stream.user_id = wanted.user_id
         returning stream.user_id, epoch, last_seq),
       stored as (
         insert into notice (context_id, user_id, seq, topic, data, created_at)
         select $1, user_id, last_seq, $3, $4::json, $5 from numbered)
       select user_id as "userId", epoch, last_seq as seq from numbered`,
      users,
      topic,
      JSON.stringify(data),
      at,
    );
    for (const { userId, seq } of stored)
      if (seq % TRIM_EVERY === 0)
        await tx.run(
          'delete from notice where context_id = $1 and user_id = $2 and seq <= $3',
          userId,
          Number(seq) - keep,
        );
    return stored.map(({ userId, epoch, seq }) => ({ userId, epoch: Number(epoch), seq: Number(seq) }));
  }

  /** Locks the streams of users, in the order in which {@link append} does. */
  async lock(tx: Transaction, users: readonly number[]): Promise<void> {
    await tx.rows(
      'select 1 from stream where context_id = $1 and user_id = any($2::int[]) order by user_id for update',
      users,
    );
  }

  /** Notices of the user are kept from now on. Numbers begin anew where none were kept meanwhile. */
  async open(tx: Transaction, userId: number, nowMs: number, untilMs: number): Promise<StreamPosition> {
    const row = await tx.first<{ epoch: number; last: number }>(
      `insert into stream (context_id, user_id, epoch, last_seq, wanted_until) values ($1, $2, $3, 0, $4)
       on conflict on constraint stream_key do update set
         epoch = case when stream.wanted_until > $3 then stream.epoch else greatest($3, stream.epoch + 1) end,
         last_seq = case when stream.wanted_until > $3 then stream.last_seq else 0 end,
         wanted_until = greatest(stream.wanted_until, $4)
       returning epoch, last_seq as last, xmax = 0 as fresh`,
      userId,
      nowMs,
      untilMs,
    );
    const position = { epoch: Number(row!.epoch), last: Number(row!.last) };
    // Numbers that begin anew must not meet notices of the former epoch.
    if (position.last === 0) await tx.run('delete from notice where context_id = $1 and user_id = $2', userId);
    return position;
  }

  /** Where the notices of users stand. */
  async positions(tx: Transaction, users: readonly number[], nowMs: number, untilMs: number) {
    const rows = await tx.objects<StreamPosition & { userId: number }>(
      `with wanted as (
         select user_id from stream where context_id = $1 and user_id = any($2::int[]) and wanted_until > $3
         order by user_id for update)
       update stream set wanted_until = greatest(wanted_until, $4) from wanted
       where stream.context_id = $1 and stream.user_id = wanted.user_id
       returning stream.user_id as "userId", epoch, last_seq as last`,
      users,
      nowMs,
      untilMs,
    );
    return Object.fromEntries(
      rows.map(({ userId, epoch, last }) => [userId, { epoch: Number(epoch), last: Number(last) }]),
    );
  }

  /** Notices after a position, the oldest first. Reads one moment: pass a reader with a snapshot. */
  async after(db: Reader, userId: number, epoch: number, after: number): Promise<Replay> {
    const stream = await db.first<StreamPosition>(
      'select epoch, last_seq as last from stream where context_id = $1 and user_id = $2',
      userId,
    );
    const position = { epoch: Number(stream?.epoch ?? 0), last: Number(stream?.last ?? 0) };
    if (position.epoch !== epoch || after > position.last) return { ...position, notices: [], lost: true };
    const rows = await db.objects<Notice>(
      `select seq, topic, data, created_at as at from notice
       where context_id = $1 and user_id = $2 and seq > $3 order by seq limit ${REPLAY_LIMIT}`,
      userId,
      after,
    );
    const notices = rows.map((row) => ({ ...row, seq: Number(row.seq), at: Number(row.at) }));
    const first = notices[0]?.seq ?? position.last + 1;
    if (first !== after + 1) return { ...position, notices: [], lost: true };
    return { ...position, notices, lost: false };
  }

  /** Removes what is too old, on one shard; the step is bounded. */
  async removeOld(db: AdministrationTransaction, before: { notices: number; mails: number }): Promise<void> {
    await db.run(
      `delete from notice where ctid = any(array(select ctid from notice where created_at < $1 limit 10000))`,
      before.notices,
    );
    await db.run(
      `delete from seen_mail where ctid = any(array(select ctid from seen_mail where seen_at < $1 limit 10000))`,
      before.mails,
    );
  }

  /** True for a mail that was noted. */
  async hasMail(db: Reader, userId: number, mail: string): Promise<boolean> {
    return (
      (await db.first(
        'select 1 as one from seen_mail where context_id = $1 and user_id = $2 and mail = $3',
        userId,
        mail,
      )) !== undefined
    );
  }

  /** Notes a mail; false when it was noted since `sinceMs`. */
  async noteMail(tx: Transaction, userId: number, mail: string, nowMs: number, sinceMs: number): Promise<boolean> {
    const noted = await tx.run(
      `insert into seen_mail (context_id, user_id, mail, seen_at) values ($1, $2, $3, $4)
       on conflict on constraint seen_mail_key do update set seen_at = excluded.seen_at where seen_mail.seen_at <= $5`,
      userId,
      mail,
      nowMs,
      sinceMs,
    );
    return noted === 1;
  }
}
