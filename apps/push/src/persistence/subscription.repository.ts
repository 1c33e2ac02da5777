import type { Transport } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';

/** Key of a subscription. */
export interface SubscriptionKey {
  readonly userId: number;
  readonly client: string;
  readonly transport: Transport;
  readonly tokenHash: string;
}

/** A subscription to store. */
export interface NewSubscription extends SubscriptionKey {
  /** Sealed. */
  readonly token: string;
  readonly topics: readonly string[];
}

/** SQL of `subscription`. */
@Injectable()
export class SubscriptionRepository {
  /** Waits for other subscriptions of the user under way; answers how many others there are. */
  async lockOthers(tx: Transaction, key: SubscriptionKey): Promise<number> {
    await tx.rows(`select pg_advisory_xact_lock($1, hashtext('push-subscription-' || $2::text))`, key.userId);
    const row = await tx.first<{ count: number }>(
      `select count(*)::int as count from subscription where context_id = $1 and user_id = $2
       and not (transport = $3 and token_hash = $4 and client = $5)`,
      key.userId,
      key.transport,
      key.tokenHash,
      key.client,
    );
    return row!.count;
  }

  /** Stores a subscription, or new topics of a known one. */
  async store(tx: Transaction, subscription: NewSubscription, nowMs: number): Promise<void> {
    await tx.run(
      `insert into subscription (context_id, id, user_id, client, transport, token_hash, token, topics, created_at)
       values ($1, gen_random_uuid(), $2, $3, $4, $5, $6, $7, $8)
       on conflict on constraint subscription_token do update
         set token = excluded.token, topics = excluded.topics, created_at = excluded.created_at, attempts = 0`,
      subscription.userId,
      subscription.client,
      subscription.transport,
      subscription.tokenHash,
      subscription.token,
      subscription.topics,
      nowMs,
    );
  }

  /** A browser belongs to the user who subscribed last: it must not tell the news of who used it before. */
  async takeOver(tx: Transaction, key: SubscriptionKey): Promise<void> {
    await tx.run(
      `delete from subscription where context_id = $1 and token_hash = $2 and transport = $3 and user_id <> $4`,
      key.tokenHash,
      key.transport,
      key.userId,
    );
  }

  /** Removes subscriptions of a token; without a client those of all. */
  remove(tx: Transaction, key: Omit<SubscriptionKey, 'client'> & { client?: string }): Promise<number> {
    return tx.run(
      `delete from subscription where context_id = $1 and user_id = $2 and transport = $3 and token_hash = $4
       and ($5::text is null or client = $5)`,
      key.userId,
      key.transport,
      key.tokenHash,
      key.client ?? null,
    );
  }

  /** Topics of all subscriptions of a user for one transport; undefined without any. */
  async topicsOf(db: Reader, userId: number, transport: string): Promise<string[] | undefined> {
    const rows = await db.rows(
      `select distinct unnest(topics) from subscription where context_id = $1 and user_id = $2 and transport = $3`,
      userId,
      transport,
    );
    return rows.length > 0 ? rows.map(([topic]) => String(topic)) : undefined;
  }

  /** Removes everything of a user. */
  async removeUser(tx: Transaction, userId: number): Promise<void> {
    for (const table of ['subscription', 'notice', 'stream', 'seen_mail'])
      await tx.run(`delete from ${table} where context_id = $1 and user_id = $2`, userId);
  }

  /** Removes everything of a context. */
  async removeContext(tx: Transaction): Promise<void> {
    for (const table of ['subscription', 'notice', 'stream', 'seen_mail'])
      await tx.run(`delete from ${table} where context_id = $1`);
  }
}
