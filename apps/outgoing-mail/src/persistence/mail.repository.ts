import type { MailState, MailTemplate } from '@groupware/contracts';
import type { AdministrationTransaction, Reader, Transaction } from '@groupware/persistence';
import { Injectable } from '@nestjs/common';
import type { MailFile } from '../files/mail-files';

/** A mail before it is stored. */
export interface NewMail {
  readonly id: string;
  readonly key: string;
  /** Lower-case address of the recipient. */
  readonly address: string;
  readonly template: MailTemplate;
  /** The whole mail (RFC 5322) in ASCII; of one with files the draft as JSON. */
  readonly message: string;
  /** References to the files that it carries. */
  readonly files?: readonly MailFile[];
}

/** A mail whose time has come. */
export interface DueMail {
  readonly contextId: number;
  readonly id: string;
  readonly address: string;
  /** The whole mail (RFC 5322) in ASCII; of one with files the draft as JSON. */
  readonly message: string;
  /** Null for mails without files from the beginning. */
  readonly files: readonly MailFile[] | null;
  /** How often it was taken, this time included. */
  readonly attempts: number;
  /** ms UTC. */
  readonly createdAt: number;
}

/** How many mails of a context leave: GCRA with a burst of one minute. */
export interface MailRate {
  readonly intervalMs: number;
  readonly burst: number;
}

/** Numbers of mails by state, on one shard. */
export interface MailCounts {
  readonly state: MailState;
  readonly count: number;
  /** ms UTC. */
  readonly oldest: number;
}

const WAITING = "state in ('queued', 'temporary', 'transferring', 'notConfigured')";

/** SQL of `mail` and `mail_allowance`. */
@Injectable()
export class MailRepository {
  /** Locks the allowance of a context, so that its mails are counted one transaction after the other. */
  async lockAllowance(tx: Transaction): Promise<void> {
    await tx.run('insert into mail_allowance (context_id, next_at) values ($1, 0) on conflict do nothing');
    await tx.rows('select 1 from mail_allowance where context_id = $1 for update');
  }

  /** Number of mails of the context that wait. */
  async countWaiting(db: Reader): Promise<number> {
    const row = await db.first<{ count: number }>(
      `select count(*)::int as count from mail where context_id = $1 and ${WAITING}`,
    );
    return row!.count;
  }

  /** Number of mails of a template to an address that were ordered after a time; after {@link lockAllowance}. */
  async countSince(tx: Transaction, template: MailTemplate, address: string, sinceMs: number): Promise<number> {
    const row = await tx.first<{ count: number }>(
      `select count(*)::int as count from mail where context_id = $1 and template = $2 and address = $3 and created_at > $4`,
      template,
      address,
      sinceMs,
    );
    return row!.count;
  }

  /** Stores mails that are not known yet by key and address, each due when the rate of the context allows it. */
  async insert(
    tx: Transaction,
    mails: readonly NewMail[],
    state: MailState,
    nowMs: number,
    rate: MailRate,
  ): Promise<void> {
    await tx.run(
      `with wanted as (
         select m.*, row_number() over (order by number) - 1 as position
         from rows from (json_to_recordset($2::json) as (id uuid, key text, address text, template text, message text, files jsonb))
           with ordinality as m (id, key, address, template, message, files, number)
         where not exists (
           select 1 from mail where context_id = $1 and mail.key = m.key and mail.address = m.address)),
       allowance as (
         update mail_allowance set next_at = greatest(next_at, $4::bigint) + (select count(*) from wanted) * $5::bigint
         where context_id = $1 returning next_at)
       insert into mail (context_id, id, key, address, template, message, files, state, created_at, due_at)
       select $1, id, key, address, template, message, files, $3, $4,
         greatest($4::bigint, next_at - ((select count(*) from wanted) - position + $6::bigint - 1) * $5::bigint)
       from wanted, allowance on conflict do nothing`,
      JSON.stringify(mails),
      state,
      nowMs,
      rate.intervalMs,
      rate.burst,
    );
  }

  /** States of the mails with a key, by address. */
  async findStates(db: Reader, key: string): Promise<Map<string, MailState>> {
    const rows = await db.objects<{ address: string; state: MailState }>(
      'select address, state from mail where context_id = $1 and key = $2',
      key,
    );
    return new Map(rows.map(({ address, state }) => [address, state]));
  }

  /** Takes mails that are due, on one shard; others leave them alone until the lease ends. */
  async claimDue(db: AdministrationTransaction, nowMs: number, leaseMs: number, limit: number): Promise<DueMail[]> {
    return db.objects<DueMail>(
      `with due as (
         select context_id, id from mail where due_at <= $1 and state in ('queued', 'temporary', 'notConfigured')
         order by due_at limit $3 for update skip locked)
       update mail m set due_at = $1 + $2, attempts = attempts + 1
       from due where m.context_id = due.context_id and m.id = due.id
       returning m.context_id as "contextId", m.id, m.address, m.message, m.files, m.attempts, m.created_at as "createdAt"`,
      nowMs,
      leaseMs,
      limit,
    );
  }

  /** Marks a mail whose text begins to leave; false when another process holds it by now. */
  async beginTransfer(tx: Transaction, { id, attempts }: DueMail, leaseEndMs: number): Promise<boolean> {
    const count = await tx.run(
      `update mail set state = 'transferring', due_at = $4
       where context_id = $1 and id = $2 and attempts = $3 and state <> 'transferring' and finished_at is null`,
      id,
      attempts,
      leaseEndMs,
    );
    return count > 0;
  }

  /** Notes the outcome of a mail for good, and forgets its text. */
  async finish(
    tx: Transaction,
    { id, attempts }: DueMail,
    state: MailState,
    reply: string,
    nowMs: number,
  ): Promise<void> {
    await tx.run(
      `update mail set state = $4, reply = $5, message = null, files = null, due_at = null, finished_at = $6
       where context_id = $1 and id = $2 and attempts = $3 and finished_at is null`,
      id,
      attempts,
      state,
      reply,
      nowMs,
    );
  }

  /** Notes that a mail was refused for now, and when to try again. */
  async postpone(tx: Transaction, { id, attempts }: DueMail, reply: string, againMs: number): Promise<void> {
    await tx.run(
      `update mail set state = 'temporary', reply = $4, due_at = $5
       where context_id = $1 and id = $2 and attempts = $3 and finished_at is null`,
      id,
      attempts,
      reply,
      againMs,
    );
  }

  /** Notes that a mail was too large for the server: it leaves without its files. */
  async omitFiles(tx: Transaction, { id, attempts }: DueMail, reply: string, nowMs: number): Promise<void> {
    await tx.run(
      `update mail set state = 'temporary', reply = $4, due_at = $5, files = '[]'
       where context_id = $1 and id = $2 and attempts = $3 and finished_at is null`,
      id,
      attempts,
      reply,
      nowMs,
    );
  }

  /** Ends mails whose process died while their text was on its way, on one shard; answers how many. */
  expireTransfers(db: AdministrationTransaction, nowMs: number): Promise<number> {
    return db.run(
      `update mail set state = 'unknown', reply = 'the process ended', message = null, files = null, due_at = null, finished_at = $1
       where due_at <= $1 and state = 'transferring'`,
      nowMs,
    );
  }

  /** Gives up mails that wait since before a moment and are due, on one shard; answers how many. */
  expireWaiting(db: AdministrationTransaction, nowMs: number, beforeMs: number): Promise<number> {
    return db.run(
      `update mail set state = 'refused', message = null, files = null, due_at = null, finished_at = $1
       where due_at <= $1 and state in ('queued', 'temporary', 'notConfigured') and created_at < $2`,
      nowMs,
      beforeMs,
    );
  }

  /** Marks mails that are due while there is no mail server, on one shard; answers how many. */
  holdDue(db: AdministrationTransaction, nowMs: number): Promise<number> {
    return db.run(
      "update mail set state = 'notConfigured' where due_at <= $1 and state in ('queued', 'temporary')",
      nowMs,
    );
  }

  /** Forgets outcomes from before a moment, on one shard. */
  async removeOld(db: AdministrationTransaction, beforeMs: number): Promise<void> {
    await db.run(
      'delete from mail where ctid = any(array(select ctid from mail where finished_at < $1 limit 10000))',
      beforeMs,
    );
  }

  /** Numbers of mails by state, on one shard. */
  count(db: AdministrationTransaction): Promise<MailCounts[]> {
    return db.objects('select state, count(*)::int as count, min(created_at) as oldest from mail group by state');
  }

  /** Removes all mails of a context. */
  async removeContext(tx: Transaction): Promise<void> {
    await tx.run('delete from mail where context_id = $1');
    await tx.run('delete from mail_allowance where context_id = $1');
  }
}
