import { CATEGORIES, type CatalogueError } from '@groupware/contracts';
import { maskSession, withoutSessions } from '@groupware/service-kit';
import type { Exchange } from '../edge/exchange';
import type { EdgeLog } from '../edge/ports';

/** Labels of one exchange for every log line about it. */
function labels(exchange: Exchange): Record<string, unknown> {
  const { principal, operation } = exchange;
  return {
    requestId: exchange.requestId,
    module: operation?.module ?? exchange.module,
    action: operation?.name ?? exchange.action,
    ...(principal && 'contextId' in principal ? { context: principal.contextId } : {}),
    ...(principal && 'userId' in principal ? { user: principal.userId } : {}),
  };
}

/** One line per request. The query string is left out: it holds the session. */
export function logAccess(log: EdgeLog, exchange: Exchange, milliseconds: number): void {
  const { request, response } = exchange;
  log.info(
    {
      ...labels(exchange),
      method: request.method,
      path: withoutSessions(exchange.path),
      status: response.statusCode,
      ...(exchange.code ? { code: exchange.code } : {}),
      ms: Math.round(milliseconds * 10) / 10,
      bytes: exchange.bytesSent,
      address: exchange.origin.remoteAddress,
      ...(exchange.sessionId ? { session: maskSession(exchange.sessionId) } : {}),
      ...(response.writableFinished ? {} : { aborted: true }),
    },
    'request',
  );
}

/** Errors with their id, so that the `error_id` a client saw is found here; unforeseen ones with their cause. */
export function logError(log: EdgeLog, exchange: Exchange, error: CatalogueError): void {
  const fields = {
    ...labels(exchange),
    error_id: error.errorId,
    code: error.code,
    detail: withoutSessions(error.message),
  };
  const { cause } = error.details;
  if (CATEGORIES[error.entry.category] === CATEGORIES.ERROR && cause !== undefined)
    log.error({ ...fields, err: cause }, 'request failed');
  else log.warn(fields, 'request refused');
}
