import { STATUS_CODES } from 'node:http';
import { errorObject, httpStatusOf, RestErrors, type CatalogueError } from '@groupware/contracts';
import type { RestAccess } from '../access/rest-access';
import { parsePath } from '../input/arguments';
import { JSON_TYPE, NO_CACHE, sendBuffer, sendStream } from '../output/send';
import type { CallRunner } from './call';
import { asCatalogueError, failureHeaders, type Exchange } from './exchange';
import type { FileSender } from './file-sender';
import type { RawAnswer } from './ports';
import type { RestMatch } from './route-table';
import type { EdgeSettings } from './settings';

/** Parts that REST calls are made of. */
export interface RestCallParts {
  readonly runner: CallRunner;
  readonly access: RestAccess;
  readonly files: FileSender;
  readonly settings: EdgeSettings;
  /** Version written into error objects. */
  readonly version: string;
}

/** Operations with a path and a method of their own; errors are the standard error object with a fitting status. */
export class RestCalls {
  constructor(private readonly parts: RestCallParts) {}

  /** Handles one request; `match` is undefined for a path that no contract declares. */
  async handle(exchange: Exchange, match: RestMatch | undefined): Promise<void> {
    try {
      if (!match) throw RestErrors.notFound(exchange.path);
      const { operation, params, allow } = match;
      if (!operation) {
        const methods = allow.includes('GET') ? [...allow, 'HEAD'] : allow;
        throw RestErrors.methodNotAllowed(exchange.method).with({ headers: { Allow: methods.join(', ') } });
      }
      exchange.operation = operation;
      const path = parsePath(operation, params);
      // The caller is settled before anything is looked up: a 404 must not tell strangers what exists.
      exchange.principal = await this.parts.access.principalOf(operation, {
        authorization: exchange.request.headers.authorization,
        remoteAddress: exchange.origin.remoteAddress,
        contextId: path.contextId,
        deadline: Date.now() + (operation.deadlineMs ?? this.parts.settings.deadlineMs),
        requestId: exchange.requestId,
      });
      await this.write(exchange, await this.parts.runner.run(exchange, path));
    } catch (error) {
      this.fail(exchange, asCatalogueError(error));
    }
  }

  private async write(exchange: Exchange, answer: RawAnswer): Promise<void> {
    const { response } = exchange;
    if (exchange.isGone) return this.parts.files.discard(answer);
    const spec = exchange.operation!.reply;
    const headers = Object.entries(answer.headers ?? {}).flat();
    if (answer.file) return this.parts.files.send(exchange, answer, headers);
    const status = answer.status ?? spec.status ?? 200;
    if (spec.kind === 'none') return sendBuffer(exchange, status, undefined, Buffer.alloc(0), headers);
    if (answer.body instanceof Uint8Array) {
      const { buffer, byteOffset, byteLength } = answer.body;
      const type = byteLength > 0 ? (spec.mediaType ?? JSON_TYPE) : undefined;
      return sendBuffer(exchange, status, type, Buffer.from(buffer, byteOffset, byteLength), headers);
    }
    response.writeHead(status, [...NO_CACHE, ...headers, 'Content-Type', spec.mediaType ?? JSON_TYPE]);
    await sendStream(exchange, answer.body);
  }

  /** Answers a failed call with the standard error object. */
  fail(exchange: Exchange, error: CatalogueError): void {
    exchange.fail(error);
    const { response } = exchange;
    if (response.headersSent || exchange.isGone) {
      response.destroy();
      return;
    }
    const status = httpStatusOf(error.entry);
    const headers = failureHeaders(error, status, this.parts.settings.retryAfterSeconds);
    headers.push(...exchange.dropBody());
    const complete = errorObject(error, exchange.locale, {
      stack: this.parts.settings.showsStack(exchange.principal),
    });
    const isProblem = exchange.operation?.problemDocument && status === 400;
    const object = exchange.operation?.errorTextOnly
      ? { error: complete.error }
      : {
          ...complete,
          version: this.parts.version,
          ...(isProblem ? { title: STATUS_CODES[status], status } : {}),
        };
    const body = Buffer.from(JSON.stringify(object));
    sendBuffer(exchange, status, JSON_TYPE, body, headers);
  }
}
