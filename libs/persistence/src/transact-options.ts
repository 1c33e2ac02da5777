/** How a read sees the data. */
export interface ReadOptions {
  /** All statements see the same moment (repeatable read). Default: each statement sees what is committed when it starts. */
  readonly snapshot?: boolean;
}

/** How a transaction is isolated from others and treated by the server. */
export interface TransactOptions {
  /** Default `read committed`. */
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  /**
   * `once`: statements are planned once for each connection, as those of a read: for short transactions that find rows by
   * keys. Default: Postgres decides, which suits transactions that fill tables.
   */
  readonly plans?: 'once';
  /** False: nobody waits until the commit is on the disk; a crash of the server may undo it. Default true. */
  readonly durable?: boolean;
}
