import { patternsOf, type Transport } from '@groupware/contracts';
import type { AdministrationTransaction, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import type { News } from '../domain/news';

/** A subscription whose time has come. */
export interface DueSubscription {
  readonly contextId: number;
  readonly id: string;
  readonly userId: number;
  readonly transport: Transport;
  /** Sealed. */
  readonly token: string;
  readonly attempts: number;
}

/** Something to deliver. */
export interface Delivery {
  readonly id: number;
  /** The same each time it is delivered: receivers know repetitions by it. */
  readonly noticeId: string;
  readonly topic: string;
  readonly data: object;
  readonly at: number;
}

/** Subscriptions beyond this number that one piece of news concerns are called so much later each, ms. */
const HERD = { at_once: 20, stepMs: 20 };

/** SQL of `delivery`, and of the times of `subscription`. */
@Injectable()
export class DeliveryRepository {
  /** Queues news for every subscription that wants them; answers how many those are. */
  add(tx: Transaction, news: readonly News[], nowMs: number): Promise<number> {
    const patterns = news.map(({ topic }) => patternsOf(topic));
    return tx.run(
      `with told as (select * from unnest($2::int[], $3::int[]) as t (user_id, position)),
       wanted as (
         select id, user_id, topics, token_hash from subscription
         where context_id = $1 and user_id = any($2::int[]) and transport in ('webpush', 'webhook') and topics && $7::text[]
         order by id for update),
       chosen as (
         select id, position, row_number() over (partition by position order by random()) as number
         from told join wanted using (user_id) where topics && string_to_array(($8::text[])[position], ' ')
           and (user_id = ($9::int[])[position]
             and token_hash = any(string_to_array(($10::text[])[position], ' '))) is not true),
       queued as (
         insert into delivery (context_id, subscription_id, notice_id, topic, data, created_at)
         select $1, id, gen_random_uuid(), ($4::text[])[position], ($5::text[])[position]::json, $6
         from chosen order by position)
       update subscription set due_at = case when attempts > 0 and due_at is not null then due_at
         else least(coalesce(due_at, 9e15::bigint), greatest(window_until,
           $6::bigint + greatest(0, number - ${HERD.at_once}) * ${HERD.stepMs})) end
       from (select id, min(number) as number from chosen group by id) as first
       where subscription.context_id = $1 and subscription.id = first.id`,
      news.flatMap(({ users }) => users),
      news.flatMap(({ users }, index) => users.map(() => index + 1)),
      news.map(({ topic }) => topic),
      news.map(({ data }) => JSON.stringify(data)),
      nowMs,
      [...new Set(patterns.flat())],
      // No pattern of a topic has a blank.
      patterns.map((some) => some.join(' ')),
      news.map(({ except }) => except?.userId ?? null),
      news.map(({ except }) => except?.tokenHashes.join(' ') ?? null),
    );
  }

  /** Takes subscriptions that are due, on one shard; others leave them alone until the lease ends. */
  take(db: AdministrationTransaction, nowMs: number, leaseMs: number, limit: number): Promise<DueSubscription[]> {
    return db.objects(
      `with due as (
         select context_id, id from subscription where due_at <= $1 order by due_at limit $3 for update skip locked)
       update subscription s set due_at = $1 + $2 from due where s.context_id = due.context_id and s.id = due.id
       returning s.context_id as "contextId", s.id, s.user_id as "userId", s.transport, s.token, s.attempts`,
      nowMs,
      leaseMs,
      limit,
    );
  }

  /** The oldest deliveries of a subscription. */
  async next(tx: Pick<Transaction, 'objects'>, id: string, limit: number): Promise<Delivery[]> {
    const rows = await tx.objects<Delivery>(
      `select id, notice_id as "noticeId", topic, data, created_at as at from delivery
       where context_id = $1 and subscription_id = $2 order by id limit $3`,
      id,
      limit,
    );
    return rows.map((row) => ({ ...row, id: Number(row.id), at: Number(row.at) }));
  }

  /** Notes what was delivered; what is left waits for the end of the window. */
  async delivered(tx: Transaction, id: string, upTo: number, windowUntilMs: number): Promise<void> {
    // The lock comes first: news that are being queued are then seen below.
    await tx.rows('select 1 from subscription where context_id = $1 and id = $2 for update', id);
    await tx.run('delete from delivery where context_id = $1 and subscription_id = $2 and id <= $3', id, upTo);
    await tx.run(
      `update subscription set attempts = 0, window_until = $3, due_at = case when exists (
         select 1 from delivery where context_id = $1 and subscription_id = $2) then $3::bigint end
       where context_id = $1 and id = $2`,
      id,
      windowUntilMs,
    );
  }

  /** Notes a failure and when to try again. */
  async failed(tx: Transaction, id: string, againMs: number): Promise<void> {
    await tx.run(
      'update subscription set attempts = attempts + 1, due_at = $3 where context_id = $1 and id = $2',
      id,
      againMs,
    );
  }

  /** Removes a subscription with what waits for it. */
  async removeSubscription(tx: Transaction, id: string): Promise<void> {
    await tx.run('delete from subscription where context_id = $1 and id = $2', id);
  }

  /** Gives up what is too old, on one shard. */
  async removeOld(db: AdministrationTransaction, beforeMs: number): Promise<void> {
    await db.run(
      'delete from delivery where ctid = any(array(select ctid from delivery where created_at < $1 limit 10000))',
      beforeMs,
    );
  }

  /** Deliveries that wait, on one shard. */
  async waiting(db: AdministrationTransaction): Promise<number> {
    const row = await db.first<{ count: number }>('select count(*)::int as count from delivery');
    return row!.count;
  }
}
