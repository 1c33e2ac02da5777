import { isServiceFault, type CatalogueError } from '@groupware/contracts';
import { maskSession, maskSecrets } from '@groupware/service-kit';
import type { Exchange } from '../edge/exchange';
import type { EdgeLog } from '../edge/ports';

/** Labels of one exchange for every log line about it; what is undefined is not written. */
function labels({ requestId, module, action, operation, principal }: Exchange) {
  return {
    requestId,
    module: operation?.module ?? module,
    action: operation?.name ?? action,
    context: principal && 'contextId' in principal ? principal.contextId : undefined,
    user: principal && 'userId' in principal ? principal.userId : undefined,
  };
}

/** A path as its reader takes it: escapes hide no token. */
function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** One line per request. The query string is left out: it holds the session. */
export function logAccess(log: EdgeLog, exchange: Exchange, milliseconds: number): void {
  const { requestId, module, action, context, user } = labels(exchange);
  const { request, response } = exchange;
  // One object with all fields at once: one that grows costs as much as the rest of the line.
  log.info(
    {
      requestId,
      module,
      action,
      context,
      user,
      method: request.method,
      path: maskSecrets(decodePath(exchange.path)),
      status: response.statusCode,
      code: exchange.code,
      ms: Math.round(milliseconds * 10) / 10,
      bytes: exchange.bytesSent,
      address: exchange.origin.remoteAddress,
      session: exchange.sessionId && maskSession(exchange.sessionId),
      aborted: response.writableFinished ? undefined : true,
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
    detail: maskSecrets(error.message),
  };
  const { cause } = error.details;
  if (isServiceFault(error.entry) && cause !== undefined) log.error({ ...fields, err: cause }, 'request failed');
  else log.warn(fields, 'request refused');
}
