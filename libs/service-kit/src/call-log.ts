import { callsLogger, isServiceFault, type CatalogueError, type Principal } from '@groupware/contracts';
import type { CallOutcome } from '@groupware/messaging';
import { withLogScope, Logger, logsStack } from './log/logger';
import { maskSecrets } from './log/mask-secrets';
import { countCall } from './metrics';

const logs = new Map<string, Logger>();

function getLogger(service: string): Logger {
  let log = logs.get(service);
  if (!log) logs.set(service, (log = Logger.for(callsLogger(service))));
  return log;
}

/** Counts an operation and writes one line for it; the detail of an unforeseen error stays here, under its id. */
export function reportCall(outcome: CallOutcome): void {
  countCall(outcome);
  const log = getLogger(outcome.operation.service);
  // The access log of the gateway has a line for each success already.
  if (outcome.error || log.isEnabledForSome('debug')) withLogScope(outcome.principal, () => writeLine(log, outcome));
}

function writeLine(log: Logger, { operation, principal, requestId, code, durationMs, error }: CallOutcome): void {
  const fields = {
    requestId,
    module: operation.module,
    action: operation.name,
    ...('contextId' in principal ? { context: principal.contextId } : {}),
    ...('userId' in principal ? { user: principal.userId } : {}),
    code,
    durationMs: Math.round(durationMs * 100) / 100,
    ...(error ? { error_id: error.errorId } : {}),
  };
  if (!error) return log.debug(fields);
  const stacks = toStackFields(error, principal);
  if (isServiceFault(error.entry)) log.error({ ...fields, ...stacks }, maskSecrets(error.message));
  else if (stacks.cause !== undefined) log.warn({ ...fields, ...stacks });
  else log.info({ ...fields, ...stacks });
}

/** Stack and cause of an error, without stacks where operators do not want them. */
export function toStackFields(
  error: CatalogueError,
  principal: Principal | undefined,
): { cause?: unknown; stack?: string } {
  const { cause } = error.details;
  const wanted = logsStack(error.entry.category, principal);
  return {
    ...(cause === undefined
      ? {}
      : { cause: cause instanceof Error ? maskSecrets((wanted && cause.stack) || cause.message) : cause }),
    ...(wanted ? { stack: maskSecrets(error.stack ?? '') } : {}),
  };
}
