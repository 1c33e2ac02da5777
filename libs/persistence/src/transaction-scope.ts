import { AsyncLocalStorage } from 'node:async_hooks';
import { setTransactionGuard } from '@groupware/contracts';

const scope = new AsyncLocalStorage<{ isOpen: boolean }>();
setTransactionGuard(() => scope.getStore()?.isOpen === true);

/** Runs the work of a transaction so that what asks other servers inside is refused: in tests. */
export function guardTransaction<T>(work: () => Promise<T>): Promise<T> {
  const open = { isOpen: true };
  return scope.run(open, work).finally(() => (open.isOpen = false));
}
