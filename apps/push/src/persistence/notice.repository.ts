import { REPLAY_LIMIT, type Notice, type Replay, type StreamPosition } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import type { News } from '../domain/news';

/** A notice that was stored for one user. */
export interface StoredNotice {
  readonly userId: number;
  readonly epoch: number;
  readonly seq: number;
  readonly news: News;
}

/** Every so many notices of a user, the oldest ones beyond the limit go. */
const TRIM_EVERY = 50;

const toPosition = (row: StreamPosition | undefined): StreamPosition => ({
  epoch: Number(row?.epoch ?? 0),
  last: Number(row?.last ?? 0),
  at: Number(row?.at ?? 0),
});

/** SQL of `stream` and `notice`. */
@Injectable()
export class NoticeRepository {
  /**
   * Stores notices for those of the users whose streams are wanted; others cost nothing. The row locks of the streams make
   * numbers follow the order of commits, without gaps; those of one user follow the order of the news.
   */
  async append(tx: Transaction, news: readonly News[], at: number, keep: number): Promise<StoredNotice[]> {
    const rows = await tx.objects<{ userId: number; epoch: number; seq: number; position: number }>(
      `with told as (select * from unnest($2::int[], $3::int[]) as t (user_id, position)),
       wanted as (
         select user_id from stream where context_id = $1 and user_id = any($2::int[]) and wanted_until > $6
         order by user_id for update),
       step as (
         select user_id, position, row_number() over (partition by user_id order by position) as number,
           count(*) over (partition by user_id) as total
         from told join wanted using (user_id)),
       numbered as (
         update stream set last_seq = last_seq + total, last_at = $6
         from (select distinct user_id, total from step) as s
         where stream.context_id = $1 and stream.user_id = s.user_id
         returning stream.user_id, epoch, last_seq - total as former),
       stored as (
         insert into notice (context_id, user_id, seq, topic, data, created_at)
         select $1, user_id, former + number, ($4::text[])[position], ($5::text[])[position]::json, $6
         from step join numbered using (user_id))
       select user_id as "userId", epoch, former + number as seq, position from step join numbered using (user_id)
       order by position, user_id`,
      news.flatMap(({ users }) => users),
      news.flatMap(({ users }, index) => users.map(() => index + 1)),
      news.map(({ topic }) => topic),
      news.map(({ data }) => JSON.stringify(data)),
      at,
    );
    const stored = rows.map(({ userId, epoch, seq, position }) => ({
      userId,
      epoch: Number(epoch),
      seq: Number(seq),
      news: news[position - 1]!,
    }));
    const full = stored.filter(({ seq }) => seq % TRIM_EVERY === 0);
    if (full.length > 0)
      tx.enqueue(
        `delete from notice using unnest($2::int[], $3::bigint[]) as f (user_id, up_to)
         where context_id = $1 and notice.user_id = f.user_id and seq <= up_to`,
        full.map(({ userId }) => userId),
        full.map(({ seq }) => seq - keep),
      );
    return stored;
  }

  /** Notices of the user are kept from now on. Numbers begin anew where none were kept meanwhile. */
  async open(tx: Transaction, userId: number, nowMs: number, untilMs: number): Promise<StreamPosition> {
    const row = await tx.first<StreamPosition>(
      `insert into stream (context_id, user_id, epoch, last_seq, wanted_until) values ($1, $2, $3, 0, $4)
       on conflict on constraint stream_key do update set
         epoch = case when stream.wanted_until > $3 then stream.epoch else greatest($3, stream.epoch + 1) end,
         last_seq = case when stream.wanted_until > $3 then stream.last_seq else 0 end,
         last_at = case when stream.wanted_until > $3 then stream.last_at else 0 end,
         wanted_until = greatest(stream.wanted_until, $4)
       returning epoch, last_seq as last, last_at as at`,
      userId,
      nowMs,
      untilMs,
    );
    const position = toPosition(row);
    // Numbers that begin anew must not meet notices of the former epoch.
    if (position.last === 0) await tx.run('delete from notice where context_id = $1 and user_id = $2', userId);
    return position;
  }

  /** Positions of the newest notices of users. */
  async positions(tx: Transaction, users: readonly number[], nowMs: number, untilMs: number) {
    const rows = await tx.objects<StreamPosition & { userId: number }>(
      `with wanted as (
         select user_id from stream where context_id = $1 and user_id = any($2::int[]) and wanted_until > $3
         order by user_id for update)
       update stream set wanted_until = greatest(wanted_until, $4) from wanted
       where stream.context_id = $1 and stream.user_id = wanted.user_id
       returning stream.user_id as "userId", epoch, last_seq as last, last_at as at`,
      users,
      nowMs,
      untilMs,
    );
    return Object.fromEntries(rows.map(({ userId, ...position }) => [userId, toPosition(position)]));
  }

  /**
   * Notices after a position, the oldest first. Reads one moment: pass a reader with a snapshot. A position whose notice is
   * not the one that bears its number now, because the database was restored, is lost.
   */
  async after(
    db: Reader,
    userId: number,
    { epoch, seq, at = 0 }: { epoch: number; seq: number; at?: number },
  ): Promise<Replay> {
    const stream = await db.first<StreamPosition>(
      'select epoch, last_seq as last, last_at as at from stream where context_id = $1 and user_id = $2',
      userId,
    );
    const position = toPosition(stream);
    const lost = { ...position, notices: [], lost: true };
    if (position.epoch !== epoch || seq > position.last) return lost;
    const rows = await db.objects<Notice>(
      `select seq, topic, data, created_at as at from notice
       where context_id = $1 and user_id = $2 and seq >= $3 order by seq limit ${REPLAY_LIMIT + 1}`,
      userId,
      seq,
    );
    const found = rows.map((row) => ({ ...row, seq: Number(row.seq), at: Number(row.at) }));
    const known = found[0]?.seq === seq ? found[0].at : seq === position.last ? position.at : undefined;
    if (at !== 0 && known !== at && known !== 0) return lost;
    const notices = found.filter((notice) => notice.seq > seq).slice(0, REPLAY_LIMIT);
    const first = notices[0]?.seq ?? position.last + 1;
    return first === seq + 1 ? { ...position, notices, lost: false } : lost;
  }

  /** Begins a new epoch for all streams of one shard: what they were told may have gaps. Answers how many those are. */
  async startOver(db: AdministrationTransaction, nowMs: number): Promise<number> {
    const count = await db.run(
      `with wanted as (select context_id, user_id from stream order by context_id, user_id for update)
       update stream set epoch = greatest($1, epoch + 1), last_seq = 0, last_at = 0 from wanted
       where stream.context_id = wanted.context_id and stream.user_id = wanted.user_id`,
      nowMs,
    );
    await db.run('delete from notice');
    return count;
  }

  /** Notes which life of the stream of events the shard knows; false when it is another one than before. */
  async noteGeneration(db: AdministrationTransaction, generation: string): Promise<boolean> {
    const row = await db.first<{ former: string | null }>(
      `with former as (select generation from event_stream for update),
       noted as (
         insert into event_stream (generation) values ($1)
         on conflict on constraint event_stream_key do update set generation = excluded.generation)
       select (select generation from former) as former`,
      generation,
    );
    return row!.former === null || row!.former === generation;
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
