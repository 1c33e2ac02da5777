/** How a read sees the data. */
export interface ReadOptions {
  /** All statements see the same moment (repeatable read). Default: each statement sees what is committed when it starts. */
  readonly snapshot?: boolean;
}

/** How a transaction is isolated from others and treated by the server. */
export interface TransactOptions {
  /** Default `read committed`. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /** False: nobody waits until the commit is on the disk; a crash of the server may undo it. Default true. */
  readonly durable?: boolean;
  /** Longest pause between two statements, ms, where something else is waited for. Default: that of the settings. */
  readonly idleTimeoutMs?: number;
}
