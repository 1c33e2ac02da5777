import type { Operation } from '@groupware/contracts';
import { runCall } from '@groupware/service-kit';

/** Answers a call as a service does: refuses the result of a handler that has not checked what its operation declares. */
export const answerChecked = <T>(operation: Operation, handle: () => Promise<T>): Promise<T> =>
  runCall({ operation, principal: { kind: 'anonymous' }, requestId: 'spec', deadline: Infinity }, handle);
