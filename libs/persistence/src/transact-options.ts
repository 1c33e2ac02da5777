/** How a read sees the data. */
export type ReadOptions =
  | {
      /** All statements see the same moment (repeatable read). Default: each statement sees what is committed when it starts. */
      readonly snapshot: true;
      /** Plans of the statements of the snapshot, as in {@link TransactOptions.plans}. */
      readonly plans?: TransactOptions['plans'];
    }
  | { readonly snapshot?: false };

/** How a transaction is isolated from others and treated by the server. */
export interface TransactOptions {
  /** Default `read committed`. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** False: the commit does not wait for the disk; a crash of the server may undo it. Default true. */
  readonly durable?: boolean;
  /**
   * Longest pause between two statements, ms, where something else is waited for: the relay of the outbox waits for the broker. Default:
   * that of the settings, and tests refuse requests to other servers inside.
   */
  readonly idleTimeoutMs?: number;
  /**
   * `generic`: its statements are planned once for each connection, for any parameters and by index: for short ones that find
   * rows by keys, whose planning costs more than they do. Default: as Postgres likes.
   */
  readonly plans?: 'generic';
}
