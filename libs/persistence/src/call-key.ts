import { deserialize, serialize } from 'node:v8';
import { CatalogueError, errorByKey, RequestErrors } from '@groupware/contracts';
import { constraintOf } from './constraint';
import { beginWriting, type SchemaConnection } from './connections/schema-connection';

/** The idempotency key of the call under way: what each of its transactions returned is noted under it, in that transaction. */
export interface TransactionKey {
  /** A UUID made of the caller and the key it sent. */
  readonly id: string;
  /** Digest of the request, where the caller chose the key and may use it for another one by mistake. */
  readonly request?: Uint8Array;
  /** The call may have been done before. */
  readonly isRepeat: boolean;
  /** When the notes may go, ms UTC. */
  readonly expiresAt: number;
  /** Reserves the smallest free number for a transaction. */
  takeStep(): number;
  /** Gives it back: the transaction was rolled back, and the next one stands in its place. */
  releaseStep(step: number): void;
}

/** Note of a call: its reply (step 0), or what one of its transactions returned. */
export interface CallNote {
  readonly value: unknown;
}

const MINUTE_MS = 60_000;
/** Longest value that is kept, bytes. */
const MAX_VALUE_BYTES = 256 * 1024;
/** Step of the reply. */
export const REPLY_STEP = 0;

const INSERT = `insert into call_key (context_id, key, step, request, value, expires_at) values ($1, $2, $3, $4, $5, $6)`;
const FIND = `select request, value from call_key where context_id = $1 and key = $2 and step = $3`;
const ANY = `select 1 from call_key where context_id = $1 and key = $2 limit 1`;

interface Row {
  readonly request: Buffer | null;
  readonly value: Buffer | null;
}

/** Marks what stands for an error of a catalogue. */
const ERROR = '$error';

interface PlainError extends Pick<CatalogueError, 'params' | 'details' | 'errorId'> {
  /** Key of the error in its catalogue. */
  readonly [ERROR]: string;
}

/** The value with errors of catalogues as plain objects; copies only what holds one. */
function withPlainErrors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (value instanceof CatalogueError) {
    const { entry, params, details, errorId } = value;
    const { problematic, truncated } = details;
    return { [ERROR]: entry.key, params, details: { problematic, truncated }, errorId };
  }
  return mapParts(value, withPlainErrors);
}

/** The other way. */
function withErrors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (!(ERROR in value)) return mapParts(value, withErrors);
  const { [ERROR]: key, params, details, errorId } = value as PlainError;
  return new CatalogueError(errorByKey(key) ?? RequestErrors.unexpected.entry, params, details, errorId);
}

function mapParts(value: object, map: (part: unknown) => unknown): object {
  if (value instanceof Map || value instanceof Set) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, part] of Object.entries(value)) {
    const mapped = map(part);
    if (mapped === part) continue;
    copy ??= (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
    copy[name] = mapped;
  }
  return copy ?? value;
}

/** A value as bytes, or null where it is too long or cannot be kept. */
function encode(value: unknown): Buffer | null {
  try {
    const bytes = serialize(withPlainErrors(value));
    return bytes.length > MAX_VALUE_BYTES ? null : bytes;
  } catch {
    return null;
  }
}

const PLAIN: ReadonlySet<string> = new Set(['Object', 'Array', 'Map', 'Set', 'Date', 'Buffer', 'Uint8Array']);

/** Whether a value comes back as it was: objects of classes lose their methods. */
function isKeepable(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null || value instanceof CatalogueError) return true;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype !== null && !PLAIN.has(prototype.constructor.name)) return false;
  const parts = value instanceof Map || value instanceof Set ? [...value].flat() : Object.values(value);
  return ArrayBuffer.isView(value) || parts.every(isKeepable);
}

/** Refuses a value that would come back as another one: a repeated call would answer something else. @throws Error */
export function assertKeepable(value: unknown, where: string): void {
  if (isKeepable(value)) return;
  throw new Error(`${where}: a transaction returns what cannot be kept under an idempotency key`);
}

/** True when what failed is the note of a call that is noted already. */
export const isNotedAlready = (error: unknown): boolean => constraintOf(error) === 'call_key_pkey';

/** The note of one transaction, or of the reply, of a call with a key. */
export class CallNotes {
  constructor(
    private readonly connection: Pick<SchemaConnection, 'query' | 'withTransaction'>,
    /** Context that owns the data; 0 for what belongs to none. */
    private readonly contextId: number,
    private readonly key: TransactionKey,
  ) {}

  /** The statement that notes a value, for the end of its transaction. */
  insertion(step: number, value: unknown): { sql: string; params: readonly unknown[] } {
    const { id, request, expiresAt } = this.key;
    // By the minute: equal entries of the index by age share their room.
    const minute = Math.ceil(expiresAt / MINUTE_MS);
    return { sql: INSERT, params: [this.contextId, id, step, request ?? null, encode(value), minute] };
  }

  /**
   * Finds what is noted.
   * @throws SVL-0036 when the key was used for another request, SVL-0037 when the value was not kept
   */
  async findNote(step: number): Promise<CallNote | undefined> {
    const { rows } = await this.connection.query('objects', FIND, [this.contextId, this.key.id, step]);
    const [row] = rows as Row[];
    if (!row) return undefined;
    const { request } = this.key;
    if (request && row.request && !row.request.equals(request)) throw RequestErrors.keyReused();
    if (!row.value) throw RequestErrors.replyLost();
    return { value: withErrors(deserialize(row.value)) };
  }

  /** Whether anything is noted. */
  async hasSteps(): Promise<boolean> {
    const { rows } = await this.connection.query('rows', ANY, [this.contextId, this.key.id]);
    return rows.length > 0;
  }

  /**
   * The same when the answer of a commit was lost. That commit may still be under way: an insertion of the same note waits for
   * its end.
   */
  async findLostNote(step: number): Promise<CallNote | undefined> {
    const { sql, params } = this.insertion(step, undefined);
    try {
      await this.connection.withTransaction(beginWriting(), async (pipeline) => {
        await pipeline.send('rows', sql, params);
        throw new NotNoted();
      });
    } catch (error) {
      if (error instanceof NotNoted) return undefined;
      if (isNotedAlready(error)) return this.findNote(step);
      throw error;
    }
    return undefined;
  }

  /** Notes a value by itself; one that is noted already stays. */
  async insertNote(step: number, value: unknown): Promise<void> {
    const { sql, params } = this.insertion(step, value);
    await this.connection.withTransaction(beginWriting({ durable: false }), async (pipeline) => {
      pipeline.enqueue(`${sql} on conflict do nothing`, params);
      await pipeline.commit();
    });
  }
}

/** Ends a transaction that only asked. */
class NotNoted extends Error {}
