import { AccessRecord } from '@groupware/contracts';
import type { CallLabels } from '@groupware/messaging';
import { toLogScope, withLabels } from './log/logger';

/** Runs a handler with its labels, and lets no reply out before the rights were checked that its operation declares. */
export function runCall<T>(
  { requestId, operation, principal, trace, deadline, onBehalf, key }: CallLabels,
  run: () => Promise<T>,
): Promise<T> {
  const access = AccessRecord.isNeeded(operation.access)
    ? new AccessRecord(operation.subject, operation.access)
    : undefined;
  const checkedRun = async (): Promise<T> => {
    const result = await run();
    access?.requireChecks();
    return result;
  };
  return withLabels(
    {
      requestId,
      module: operation.module,
      action: operation.name,
      ...('contextId' in principal ? { context: principal.contextId } : {}),
      ...('userId' in principal ? { user: principal.userId } : {}),
      ...(trace ? { trace } : {}),
    },
    access ? checkedRun : run,
    { deadline, scope: toLogScope(principal, onBehalf), key, isRepeatable: operation.repeatable, access },
  );
}
