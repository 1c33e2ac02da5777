import { randomUUID } from 'node:crypto';
import type { EventType, Tenant } from '@groupware/contracts';
import type { PipelinedTransaction } from './connections/pipelined-transaction';
import type { ResultMode, StatementResult } from './connections/statement';
import type {
  AdministrationStatements,
  AdministrationTransaction,
  ExplainedStatement,
  Reader,
  Transaction,
} from './reader';
import type { InspectStatement } from './statement-inspector';

/** Sends one statement somewhere. */
export type Send = (mode: ResultMode, sql: string, params: readonly unknown[]) => Promise<StatementResult>;

const MENTIONS_CONTEXT = /\$1(?!\d)/;

abstract class Statements {
  private ended = false;

  constructor(
    private readonly send: Send,
    protected readonly inspect: InspectStatement,
  ) {}

  /** From now on every use is refused. */
  end(): void {
    this.ended = true;
  }

  async rows(sql: string, ...params: readonly unknown[]): Promise<unknown[][]> {
    return (await this.query('rows', sql, params)).rows as unknown[][];
  }

  async objects<T extends object>(sql: string, ...params: readonly unknown[]): Promise<T[]> {
    return (await this.query('objects', sql, params)).rows as T[];
  }

  async first<T extends object>(sql: string, ...params: readonly unknown[]): Promise<T | undefined> {
    return (await this.query('objects', sql, params)).rows[0] as T | undefined;
  }

  async text(sql: string, ...params: readonly unknown[]): Promise<string | undefined> {
    const [row] = (await this.query('text', sql, params)).rows as (string | null)[][];
    return row?.[0] ?? undefined;
  }

  async run(sql: string, ...params: readonly unknown[]): Promise<number> {
    return (await this.query('rows', sql, params)).rowCount ?? 0;
  }

  /** Statements of the same place without a tenant; they end with these. */
  protected unbound(): UnboundStatements {
    return new UnboundStatements((mode, sql, params) => {
      this.assertUsable();
      return this.send(mode, sql, params);
    }, this.inspect);
  }

  protected query(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    return this.send(mode, sql, this.bound(sql, params));
  }

  /** The parameters, unless the callback has ended or the statement is not one for it. */
  protected bound(sql: string, params: readonly unknown[]): readonly unknown[] {
    this.assertUsable();
    return this.bind(sql, params);
  }

  private assertUsable(): void {
    if (this.ended) throw new Error('a reader or transaction was used after its callback had ended');
  }

  protected abstract bind(sql: string, params: readonly unknown[]): readonly unknown[];
}

/** Statements of one tenant: `$1` is the context id. */
export class TenantStatements extends Statements implements Reader {
  constructor(
    send: Send,
    readonly contextId: number,
    inspect: InspectStatement,
  ) {
    super(send, inspect);
  }

  acrossContexts(_reason: string): AdministrationStatements {
    return this.unbound();
  }

  protected bind(sql: string, params: readonly unknown[]): readonly unknown[] {
    if (!MENTIONS_CONTEXT.test(sql))
      throw new Error(`a statement does not name the context ($1): ${sql.slice(0, 200)}`);
    this.inspect?.(sql, 'of one context');
    return [this.contextId, ...params];
  }
}

/** An event that waits for the end of its transaction. */
interface PendingEvent {
  readonly contextId: number;
  readonly name: string;
  readonly payload: object;
}

/** Most events of one statement. */
const EVENTS_AT_ONCE = 500;

/** Work of a transaction at its end. */
export class TransactionEnd {
  events: PendingEvent[] = [];
  effects: (() => void)[] = [];
  /** Effects that the caller waits for. */
  awaitedEffects: (() => Promise<void>)[] = [];
  /** Notes what the transaction returns under the key of its call: last, so that a failed transaction makes no other one wait. */
  note: { readonly sql: string; readonly params: readonly unknown[] } | undefined;

  /** Whether what it returns counts by itself. */
  isDecision = false;

  constructor(readonly pipeline: PipelinedTransaction) {}

  /** Statements on the connection of the transaction. */
  readonly send: Send = (mode, sql, params) => this.pipeline.send(mode, sql, params);

  /** Writes the events and commits. */
  async commit(now: number): Promise<void> {
    for (let from = 0; from < this.events.length; from += EVENTS_AT_ONCE) {
      // The wait for the server is the turn of others.
      if (from > 0) await this.pipeline.flush();
      this.enqueueEvents(this.events.slice(from, from + EVENTS_AT_ONCE), now);
    }
    // A transaction that asked for nothing is none, unless it decides something.
    if (this.note && (this.isDecision || this.pipeline.isUsed)) this.pipeline.enqueue(this.note.sql, this.note.params);
    await this.pipeline.commit();
  }

  private enqueueEvents(events: readonly PendingEvent[], now: number): void {
    this.pipeline.enqueue(
      `insert into outbox (id, context_id, name, payload, occurred_at)
       select id, context_id, name, payload, $5
       from unnest($1::uuid[], $2::int[], $3::text[], $4::jsonb[]) with ordinality as e (id, context_id, name, payload, position)
       order by position`,
      [
        events.map(() => randomUUID()),
        events.map((event) => event.contextId),
        events.map((event) => event.name),
        events.map((event) => JSON.stringify(event.payload)),
        now,
      ],
    );
  }
}

/** The transaction of one tenant. */
export class TenantTransaction extends TenantStatements implements Transaction {
  private savepoints = 0;

  constructor(
    private readonly close: TransactionEnd,
    contextId: number,
    inspect: InspectStatement,
  ) {
    super(close.send, contextId, inspect);
  }

  enqueue(statement: string | ExplainedStatement, ...params: readonly unknown[]): void {
    const { sql, explain } = typeof statement === 'string' ? { sql: statement, explain: undefined } : statement;
    this.close.pipeline.enqueue(sql, this.bound(sql, params), explain);
  }

  flush(): Promise<void> {
    return this.close.pipeline.flush();
  }

  async publish<P extends object>(event: EventType<P>, payload: P): Promise<void> {
    this.close.events.push({ contextId: this.contextId, name: event.name, payload });
  }

  afterCommit(effect: () => void): void {
    this.close.effects.push(effect);
  }

  awaitAfterCommit(effect: () => Promise<void>): void {
    this.close.awaitedEffects.push(effect);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${++this.savepoints}`;
    const { events, effects, awaitedEffects } = this.close;
    const before = [events, effects, awaitedEffects].map((each) => [each, each.length] as const);
    const { pipeline } = this.close;
    pipeline.enqueueControl(`savepoint ${name}`);
    try {
      const result = await work();
      pipeline.enqueueControl(`release savepoint ${name}`);
      // A failure of what was kept belongs to the savepoint.
      await pipeline.flush();
      return result;
    } catch (error) {
      for (const [each, length] of before) each.length = length;
      pipeline.enqueueControl(`rollback to savepoint ${name}`);
      pipeline.enqueueControl(`release savepoint ${name}`);
      throw error;
    }
  }
}

/** Statements without tenant. */
class UnboundStatements extends Statements implements AdministrationStatements {
  protected bind(sql: string, params: readonly unknown[]): readonly unknown[] {
    this.inspect?.(sql, 'across contexts');
    return params;
  }
}

/** A transaction without tenant. */
export class UnboundTransaction extends UnboundStatements implements AdministrationTransaction {
  constructor(
    private readonly close: TransactionEnd,
    inspect: InspectStatement,
  ) {
    super(close.send, inspect);
  }

  enqueue(sql: string, ...params: readonly unknown[]): void {
    this.close.pipeline.enqueue(sql, this.bound(sql, params));
  }

  async publishFor<P extends object>(tenant: Tenant, event: EventType<P>, payload: P): Promise<void> {
    this.close.events.push({ contextId: tenant.contextId, name: event.name, payload });
  }

  afterCommit(effect: () => void): void {
    this.close.effects.push(effect);
  }
}
