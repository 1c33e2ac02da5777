let isInTransaction = (): boolean => false;

/** Tells how to find out whether the work under way is part of a transaction; only tests do. */
export function setTransactionGuard(find: () => boolean): void {
  isInTransaction = find;
}

/**
 * Refuses to ask another server inside a transaction: its locks would wait for that server, and its rollback would not take the effect
 * back. For the doors to other servers; it costs a call, and nothing in production.
 */
export function assertOutsideTransaction(what: string): void {
  if (isInTransaction())
    throw new Error(`${what} inside a transaction: ask before it, or act after its commit (afterCommit)`);
}
