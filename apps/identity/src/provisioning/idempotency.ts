import { Injectable } from '@nestjs/common';
import { ProvisioningErrors, reply, type AdminPrincipal, type Reply } from '@groupware/contracts';
import type { AdministrationStatements, AdministrationTransaction, Transaction } from '@groupware/persistence';
import { Clock, SecretKeySettings } from '@groupware/service-kit';
import { KeyedDigest } from '@groupware/sessions';

/** Lifetime of a key, ms. */
const KEY_LIFETIME_MS = 24 * 3_600_000;

/** The parts of a call that identify a repetition. */
export interface RepeatableCall {
  readonly principal: AdminPrincipal;
  readonly query: object;
  readonly body: unknown;
  readonly idempotencyKey?: string;
}

/** A reply stored under its key. */
export interface StoredReply {
  readonly status: number;
  readonly location?: string;
  readonly result: object;
}

interface Row {
  readonly fingerprint: string;
  readonly status: number;
  readonly result: { body: object; location?: string };
}

/** The text of a request, which repetitions have in common. */
const toRequestText = (operation: string, { query, body }: RepeatableCall): string =>
  JSON.stringify([operation, query, body]);

/** Converts a stored reply to a reply. */
export const toReply = <T extends object>(remembered: StoredReply): Reply<T> =>
  reply(remembered.result as T, {
    status: remembered.status,
    ...(remembered.location ? { headers: { Location: remembered.location } } : {}),
  });

/** Statements of a transaction; the first parameter is the context. */
type Statements = Pick<Transaction, 'run' | 'first' | 'contextId'>;

/** Adapts statements of the installation: its keys are stored under context 0. */
export const toInstallationStatements = (db: Pick<AdministrationStatements, 'run' | 'first'>): Statements => ({
  contextId: 0,
  run: (sql, ...params) => db.run(sql, 0, ...params),
  first: (sql, ...params) => db.first(sql, 0, ...params),
});

/**
 * Idempotency keys: repeated POSTs with one key have one effect. The key is stored in the transaction of the effect,
 * with the reply; a concurrent second call waits for that transaction and answers the same.
 */
@Injectable()
export class Idempotency {
  /** Makes fingerprints of requests: with a key, because passwords could be guessed from a bare hash. */
  private readonly fingerprints: KeyedDigest;

  constructor(
    private readonly clock: Clock,
    keys: SecretKeySettings,
  ) {
    this.fingerprints = new KeyedDigest(keys.secretKeys(), 'idempotency-key');
  }

  /** Runs the work once per key. @throws PROV-0010 when the key was used for a different request */
  async runOnce(
    tx: Statements,
    operation: string,
    call: RepeatableCall,
    work: () => Promise<StoredReply>,
  ): Promise<StoredReply> {
    if (!call.idempotencyKey) return work();
    const known = await this.claimKey(tx, operation, call);
    if (known) return known;
    const remembered = await work();
    await this.storeReply(tx, call, remembered);
    return remembered;
  }

  /** Runs work once per key outside any context. @throws PROV-0010 */
  runOnceForInstallation(
    db: AdministrationTransaction,
    operation: string,
    call: RepeatableCall,
    work: () => Promise<StoredReply>,
  ): Promise<StoredReply> {
    return this.runOnce(toInstallationStatements(db), operation, call, work);
  }

  /** Claims the key; answers the stored reply when it was claimed before. */
  async claimKey(tx: Statements, operation: string, call: RepeatableCall): Promise<StoredReply | undefined> {
    const request = toRequestText(operation, call);
    const now = this.clock.now();
    await tx.run('delete from idempotency_key where context_id = $1 and created_at < $2', now - KEY_LIFETIME_MS);
    const inserted = await tx.run(
      `insert into idempotency_key (context_id, owner, key, fingerprint, created_at)
       values ($1, $2, $3, $4, $5) on conflict do nothing`,
      toKeyOwner(call),
      call.idempotencyKey,
      this.fingerprints.compute(request),
      now,
    );
    if (inserted > 0) return undefined;
    const row = await tx.first<Row>(
      'select fingerprint, status, result from idempotency_key where context_id = $1 and owner = $2 and key = $3',
      toKeyOwner(call),
      call.idempotencyKey,
    );
    return row && this.requireSameRequest(row, request);
  }

  /** Stores the reply under the key. */
  async storeReply(tx: Statements, call: RepeatableCall, remembered: StoredReply): Promise<void> {
    await tx.run(
      `update idempotency_key set status = $4, result = $5::jsonb
       where context_id = $1 and owner = $2 and key = $3`,
      toKeyOwner(call),
      call.idempotencyKey,
      remembered.status,
      JSON.stringify({ body: remembered.result, location: remembered.location }),
    );
  }

  /** Finds the stored reply of a call outside any context. */
  async findReply(
    db: AdministrationTransaction,
    operation: string,
    call: RepeatableCall,
  ): Promise<StoredReply | undefined> {
    if (!call.idempotencyKey) return undefined;
    const row = await db.first<Row>(
      `select fingerprint, status, result from idempotency_key
       where context_id = 0 and owner = $1 and key = $2 and created_at >= $3`,
      toKeyOwner(call),
      call.idempotencyKey,
      this.clock.now() - KEY_LIFETIME_MS,
    );
    return row && this.requireSameRequest(row, toRequestText(operation, call));
  }

  private requireSameRequest(row: Row, request: string): StoredReply {
    if (!this.fingerprints.matches(row.fingerprint, request)) throw ProvisioningErrors.keyReused();
    return {
      status: row.status,
      result: row.result.body,
      ...(row.result.location ? { location: row.result.location } : {}),
    };
  }
}

const toKeyOwner = (call: RepeatableCall): string => `${call.principal.kind}:${call.principal.login}`;
