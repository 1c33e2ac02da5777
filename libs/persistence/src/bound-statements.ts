import { randomUUID } from 'node:crypto';
import type { EventType, Tenant } from '@groupware/contracts';
import type { AdministrationTransaction, LaterStatement, Reader, Transaction } from './reader';
import type { TransactionLine } from './transaction-line';
import type { ResultMode, StatementResult } from './wire-statement';

/** Runs one statement somewhere. */
export type Run = (mode: ResultMode, sql: string, params: readonly unknown[]) => Promise<StatementResult>;

const MENTIONS_CONTEXT = /\$1(?!\d)/;

abstract class Statements {
  private ended = false;

  constructor(private readonly send: Run) {}

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

  protected query(mode: ResultMode, sql: string, params: readonly unknown[]): Promise<StatementResult> {
    return this.send(mode, sql, this.bound(sql, params));
  }

  /** The parameters, unless the callback has ended or the statement is not one for it. */
  protected bound(sql: string, params: readonly unknown[]): readonly unknown[] {
    if (this.ended) throw new Error('a reader or transaction was used after its callback had ended');
    return this.bind(sql, params);
  }

  protected abstract bind(sql: string, params: readonly unknown[]): readonly unknown[];
}

/** Statements of one tenant: `$1` is the context id. */
export class TenantStatements extends Statements implements Reader {
  constructor(
    send: Run,
    readonly contextId: number,
  ) {
    super(send);
  }

  protected bind(sql: string, params: readonly unknown[]): readonly unknown[] {
    if (!MENTIONS_CONTEXT.test(sql))
      throw new Error(`a statement does not name the context ($1): ${sql.slice(0, 200)}`);
    return [this.contextId, ...params];
  }
}

/** An event that waits for the end of its transaction. */
interface PendingEvent {
  readonly contextId: number;
  readonly name: string;
  readonly payload: object;
}

/** What a transaction does at its end. */
export class TransactionEnd {
  events: PendingEvent[] = [];
  effects: (() => void)[] = [];

  constructor(readonly line: TransactionLine) {}

  /** Statements on the connection of the transaction. */
  readonly send: Run = (mode, sql, params) => this.line.send(mode, sql, params);

  /** Writes the events and commits. */
  async commit(now: number): Promise<void> {
    if (this.events.length > 0)
      this.line.later(
        `insert into outbox (id, context_id, name, payload, occurred_at)
         select id, context_id, name, payload, $5
         from unnest($1::uuid[], $2::int[], $3::text[], $4::jsonb[]) with ordinality as e (id, context_id, name, payload, position)
         order by position`,
        [
          this.events.map(() => randomUUID()),
          this.events.map((event) => event.contextId),
          this.events.map((event) => event.name),
          this.events.map((event) => JSON.stringify(event.payload)),
          now,
        ],
      );
    await this.line.commit();
  }
}

/** The transaction of one tenant. */
export class TenantTransaction extends TenantStatements implements Transaction {
  private savepoints = 0;

  constructor(
    private readonly close: TransactionEnd,
    contextId: number,
  ) {
    super(close.send, contextId);
  }

  later(statement: string | LaterStatement, ...params: readonly unknown[]): void {
    const { sql, explain } = typeof statement === 'string' ? { sql: statement, explain: undefined } : statement;
    this.close.line.later(sql, this.bound(sql, params), explain);
  }

  settle(): Promise<void> {
    return this.close.line.settle();
  }

  async publish<P extends object>(event: EventType<P>, payload: P): Promise<void> {
    this.close.events.push({ contextId: this.contextId, name: event.name, payload });
  }

  afterCommit(effect: () => void): void {
    this.close.effects.push(effect);
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${++this.savepoints}`;
    const { events, effects } = { events: this.close.events.length, effects: this.close.effects.length };
    const { line } = this.close;
    line.later(`savepoint ${name}`, []);
    try {
      const result = await work();
      line.later(`release savepoint ${name}`, []);
      // A failure of what was kept belongs to the savepoint.
      await line.settle();
      return result;
    } catch (error) {
      this.close.events.length = events;
      this.close.effects.length = effects;
      line.later(`rollback to savepoint ${name}`, []);
      line.later(`release savepoint ${name}`, []);
      throw error;
    }
  }
}

/** A transaction without tenant. */
export class UnboundTransaction extends Statements implements AdministrationTransaction {
  constructor(private readonly close: TransactionEnd) {
    super(close.send);
  }

  later(sql: string, ...params: readonly unknown[]): void {
    this.close.line.later(sql, this.bound(sql, params));
  }

  async publishFor<P extends object>(tenant: Tenant, event: EventType<P>, payload: P): Promise<void> {
    this.close.events.push({ contextId: tenant.contextId, name: event.name, payload });
  }

  afterCommit(effect: () => void): void {
    this.close.effects.push(effect);
  }

  protected bind(_sql: string, params: readonly unknown[]): readonly unknown[] {
    return params;
  }
}
