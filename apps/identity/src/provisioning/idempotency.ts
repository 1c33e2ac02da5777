import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProvisioningErrors, reply, type AdminPrincipal, type Reply } from '@groupware/contracts';
import type { AdministrationTransaction, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';

/** How long a key is remembered, ms. */
export const KEY_LIFETIME_MS = 24 * 3_600_000;

/** What of a call identifies a repetition. */
export interface RepeatableCall {
  readonly principal: AdminPrincipal;
  readonly query: object;
  readonly body: unknown;
  readonly idempotencyKey?: string;
}

/** A result that is remembered under its key. */
export interface Remembered {
  readonly status: number;
  readonly location?: string;
  readonly result: object;
}

interface Row {
  readonly fingerprint: string;
  readonly status: number;
  readonly result: { body: object; location?: string };
}

/** Secrets stay out of the fingerprint: a hash of them could be guessed. */
const fingerprintOf = (operation: string, call: RepeatableCall): string =>
  createHash('sha256')
    .update(operation)
    .update(
      JSON.stringify([call.query, call.body], (name, value: unknown) => (/^password/i.test(name) ? undefined : value)),
    )
    .digest('base64url');

/** The answer of a call that is remembered. */
export const replyOf = <T extends object>(remembered: Remembered): Reply<T> =>
  reply(remembered.result as T, {
    status: remembered.status,
    ...(remembered.location ? { headers: { Location: remembered.location } } : {}),
  });

/** Statements of a transaction; the first parameter is a context, which these do not ask for. */
type Statements = Pick<Transaction, 'run' | 'first' | 'contextId'>;

/** The transaction of what belongs to no context: its keys are noted under number 0. */
const ofInstallation = (db: AdministrationTransaction): Statements => ({
  contextId: 0,
  run: (sql, ...params) => db.run(sql, 0, ...params),
  first: (sql, ...params) => db.first(sql, 0, ...params),
});

/**
 * Repeated POSTs with one key have one effect: the key is noted in the transaction of the effect, with the answer. A second
 * call that runs at the same time waits for that transaction, then answers the same.
 */
@Injectable()
export class Idempotency {
  constructor(private readonly clock: Clock) {}

  /** Runs the work once per key. @throws PROV-0010 when the key was used for a different request */
  async once(
    tx: Statements,
    operation: string,
    call: RepeatableCall,
    work: () => Promise<Remembered>,
  ): Promise<Remembered> {
    if (!call.idempotencyKey) return work();
    const known = await this.claim(tx, operation, call);
    if (known) return known;
    const remembered = await work();
    await this.keep(tx, call, remembered);
    return remembered;
  }

  /** The same for calls outside any context. @throws PROV-0010 */
  onceForInstallation(
    db: AdministrationTransaction,
    operation: string,
    call: RepeatableCall,
    work: () => Promise<Remembered>,
  ): Promise<Remembered> {
    return this.once(ofInstallation(db), operation, call, work);
  }

  /** Notes the key; answers the former result when it was noted before. */
  async claim(
    tx: Statements,
    operation: string,
    call: RepeatableCall,
    contextId = tx.contextId,
  ): Promise<Remembered | undefined> {
    const fingerprint = fingerprintOf(operation, call);
    const now = this.clock.now();
    await tx.run(
      'delete from idempotency_key where context_id = $2 and created_at < $3 and $1::int is not null',
      contextId,
      now - KEY_LIFETIME_MS,
    );
    const inserted = await tx.run(
      `insert into idempotency_key (context_id, owner, key, fingerprint, created_at)
       select $2, $3, $4, $5, $6 where $1::int is not null on conflict do nothing`,
      contextId,
      ownerOf(call),
      call.idempotencyKey,
      fingerprint,
      now,
    );
    if (inserted > 0) return undefined;
    const row = await tx.first<Row>(
      `select fingerprint, status, result from idempotency_key
       where context_id = $2 and owner = $3 and key = $4 and $1::int is not null`,
      contextId,
      ownerOf(call),
      call.idempotencyKey,
    );
    return row && this.check(row, fingerprint);
  }

  /** Notes the answer under the key. */
  async keep(tx: Statements, call: RepeatableCall, remembered: Remembered, contextId = tx.contextId): Promise<void> {
    await tx.run(
      `update idempotency_key set status = $5, result = $6::jsonb
       where context_id = $2 and owner = $3 and key = $4 and $1::int is not null`,
      contextId,
      ownerOf(call),
      call.idempotencyKey,
      remembered.status,
      JSON.stringify({ body: remembered.result, location: remembered.location }),
    );
  }

  /** The former result of a call outside any context, or undefined. */
  async recall(
    db: AdministrationTransaction,
    operation: string,
    call: RepeatableCall,
  ): Promise<Remembered | undefined> {
    if (!call.idempotencyKey) return undefined;
    const row = await db.first<Row>(
      `select fingerprint, status, result from idempotency_key
       where context_id = 0 and owner = $1 and key = $2 and created_at >= $3`,
      ownerOf(call),
      call.idempotencyKey,
      this.clock.now() - KEY_LIFETIME_MS,
    );
    return row && this.check(row, fingerprintOf(operation, call));
  }

  private check(row: Row, fingerprint: string): Remembered {
    if (row.fingerprint !== fingerprint) throw ProvisioningErrors.keyReused();
    return {
      status: row.status,
      result: row.result.body,
      ...(row.result.location ? { location: row.result.location } : {}),
    };
  }
}

const ownerOf = (call: RepeatableCall): string => `${call.principal.kind}:${call.principal.login}`;
