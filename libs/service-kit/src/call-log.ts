import type { CallOutcome } from '@groupware/messaging';
import { Logger } from './log/logger';
import { countCall } from './metrics';

const log = Logger.for('call');

/** Writes one line for an operation; the detail of an unforeseen error stays here, under its id. */
export function report(outcome: CallOutcome): void {
  countCall(outcome);
  const { operation, principal, requestId, code, durationMs, error } = outcome;
  // The access log of the gateway has a line for each success already.
  if (!error && !log.isEnabled('debug')) return;
  const fields = {
    requestId,
    module: operation.module,
    action: operation.name,
    ...('contextId' in principal ? { context: principal.contextId } : {}),
    ...('userId' in principal ? { user: principal.userId } : {}),
    code,
    durationMs: Math.round(durationMs * 100) / 100,
    ...(error ? { errorId: error.errorId } : {}),
  };
  const cause = error?.details.cause;
  if (error && error.entry.category === 'ERROR')
    log.error({ ...fields, cause: cause instanceof Error ? cause.stack : cause, stack: error.stack }, error.message);
  else if (cause) log.warn({ ...fields, cause: cause instanceof Error ? cause.message : cause });
  else if (error) log.info(fields);
  else log.debug(fields);
}
