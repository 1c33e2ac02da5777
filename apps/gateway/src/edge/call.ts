import {
  type BodySpec,
  RequestErrors,
  RestErrors,
  UploadErrors,
  CatalogueError,
  type EdgeRequest,
  type Operation,
  type UploadedFile,
} from '@groupware/contracts';
import { basicCredentials } from '@groupware/service-kit';
import {
  checkForm,
  checkJsonBody,
  jsonSourceOf,
  parseBody,
  parseForm,
  parseQuery,
  type ParsedPath,
} from '../input/arguments';
import { BodyAborted, BodyTooLarge, readBody } from '../input/body-reader';
import { IncomingBytes, type IncomingShare } from '../input/incoming-bytes';
import { receiveUpload, receiveWhole, removeFiles } from '../input/upload';
import { first, type Parameters } from '../input/url';
import { cookiesOf } from '../output/cookies';
import type { Exchange } from './exchange';
import type { FileBytes, OutgoingCall, RawAnswer, ServiceCaller } from './ports';
import type { EdgeSettings } from './settings';

/** Arguments of a call after everything was read and checked. */
interface Arguments {
  readonly query: object;
  readonly body?: unknown;
  readonly files: readonly UploadedFile[];
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

const text = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Whoever sends a key relies on it: one that cannot be kept is refused. @throws REST-0400 */
function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  const key = text(header);
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) throw RestErrors.invalid('Idempotency-Key');
  return key;
}

/** What operations that ask for the edge see of the request. Credentials and other sites' cookies stay outside. */
export function edgeRequestOf(exchange: Exchange, settings: EdgeSettings): EdgeRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(exchange.request.headers))
    if (name !== 'cookie' && name !== 'authorization' && value !== undefined) headers[name] = text(value)!;
  const session = first(exchange.parameters, 'session');
  const credentials = exchange.operation?.credentials
    ? basicCredentials(exchange.request.headers.authorization)
    : undefined;
  return {
    ...exchange.origin,
    userAgent: exchange.userAgent,
    cookies: cookiesOf(exchange.request.headers.cookie, settings.cookiePrefixes),
    headers,
    ...(session === undefined ? {} : { session }),
    ...(credentials ? { credentials } : {}),
    ...(exchange.operation?.credentials ? { authorized: exchange.request.headers.authorization !== undefined } : {}),
  };
}

/** Reads the arguments of one HTTP request and makes the call on the bus. */
export class CallRunner {
  private readonly incoming: IncomingBytes;

  constructor(
    private readonly caller: ServiceCaller,
    private readonly files: FileBytes,
    private readonly settings: EdgeSettings,
  ) {
    this.incoming = new IncomingBytes(settings);
  }

  /**
   * Runs the operation of the exchange; its principal is known. Uploads that no service claimed are removed when the call ends,
   * whatever its end, and count until then.
   */
  async run(exchange: Exchange, path?: ParsedPath): Promise<RawAnswer> {
    const operation = exchange.operation!;
    const share = this.incoming.open(exchange.principal!);
    let files: readonly UploadedFile[] = [];
    try {
      const call = await this.argumentsOf(exchange, operation, share, path);
      files = call.files;
      return await this.caller.request(operation, this.outgoing(exchange, operation, call));
    } finally {
      if (files.length > 0) await removeFiles(this.files, files);
      share.release();
    }
  }

  /** Runs an operation with arguments that were not sent as an HTTP request of their own. */
  async runPart(exchange: Exchange, operation: Operation, parameters: Parameters, data: unknown): Promise<RawAnswer> {
    const query = parseQuery(operation, parameters);
    const spec = operation.body;
    let body: unknown;
    if (spec) {
      if (data === undefined) body = parseBody(spec, Buffer.alloc(0), jsonSourceOf(operation));
      else body = spec.kind === 'text' ? String(data) : checkJsonBody(spec, data, jsonSourceOf(operation));
    }
    return this.caller.request(operation, this.outgoing(exchange, operation, { query, body, files: [] }));
  }

  private outgoing(exchange: Exchange, operation: Operation, call: Arguments): OutgoingCall {
    const key = operation.path ? idempotencyKeyOf(exchange.request.headers['idempotency-key']) : undefined;
    return {
      principal: exchange.principal!,
      query: call.query,
      body: call.body,
      files: call.files,
      ...(operation.edge ? { edge: edgeRequestOf(exchange, this.settings) } : {}),
      deadline: Date.now() + (operation.deadlineMs ?? this.settings.deadlineMs),
      requestId: exchange.requestId,
      ...(key === undefined ? {} : { idempotencyKey: key }),
      whenGone: exchange.whenGone,
    };
  }

  private async argumentsOf(
    exchange: Exchange,
    operation: Operation,
    share: IncomingShare,
    path?: ParsedPath,
  ): Promise<Arguments> {
    const spec = operation.body;
    if (spec?.kind === 'form') {
      // Forms and URLs are one set of parameters: clients put the same names here or there.
      const form = parseForm(await this.read(exchange, operation), exchange.request.headers['content-type']);
      const asText =
        form.source === 'text'
          ? (form.values as Parameters)
          : Object.fromEntries(
              Object.entries(form.values).map(([name, value]) => [
                name,
                typeof value === 'object' ? JSON.stringify(value) : String(value),
              ]),
            );
      const query = parseQuery(operation, { ...exchange.parameters, ...asText }, path);
      const body = checkForm(
        spec,
        form.source === 'text' ? { source: 'text', values: { ...exchange.parameters, ...form.values } } : form,
      );
      return { query, body, files: [] };
    }
    const query = parseQuery(operation, exchange.parameters, path);
    if (!spec) return { query, files: [] };
    if (spec.kind === 'stored') return { query, files: await this.store(exchange, operation, spec, share) };
    if (spec.kind !== 'upload')
      return { query, body: parseBody(spec, await this.read(exchange, operation), jsonSourceOf(operation)), files: [] };

    const upload = await receiveUpload(exchange.request, this.files, {
      ...this.uploadSize(spec),
      count: (bytes) => share.add(bytes),
      ...(exchange.principal?.kind === 'user' ? { contextId: exchange.principal.contextId } : {}),
      maxFiles: Math.min(spec.maxItems ?? Infinity, this.settings.maxUploadFiles),
      maxFields: this.settings.maxUploadFields,
      maxFieldBytes: this.settings.maxFieldBytes,
    });
    try {
      if (spec.required && upload.files.length === 0 && Object.keys(upload.fields).length === 0)
        throw RequestErrors.missingParameter('file');
      return { query, body: checkForm(spec, { source: 'text', values: upload.fields }), files: upload.files };
    } catch (error) {
      await removeFiles(this.files, upload.files);
      throw error;
    }
  }

  private async store(
    exchange: Exchange,
    operation: Operation,
    spec: BodySpec,
    share: IncomingShare,
  ): Promise<readonly UploadedFile[]> {
    const { maxBytes } = this.uploadSize(spec);
    try {
      return await receiveWhole(exchange.request, this.files, { maxBytes, count: (bytes) => share.add(bytes) });
    } catch (error) {
      const isTooLarge = error instanceof CatalogueError && error.is(UploadErrors.tooLarge);
      throw isTooLarge && operation.kind === 'rest' ? RestErrors.bodyTooLarge(maxBytes) : error;
    }
  }

  /** How large an upload may be, and the name of what says so. */
  private uploadSize({ maxBytes, limit }: BodySpec): { maxBytes: number; limitName: string } {
    const own = limit && this.settings.limitOf ? this.settings.limitOf(limit) : -1;
    if (limit && own >= 0) return { maxBytes: own === 0 ? Number.MAX_SAFE_INTEGER : own, limitName: limit.key };
    return { maxBytes: maxBytes ?? this.settings.maxUploadBytes, limitName: 'GATEWAY_MAX_UPLOAD_BYTES' };
  }

  private async read(exchange: Exchange, operation: Operation): Promise<Buffer> {
    if (exchange.form) return exchange.form;
    const isRest = operation.kind === 'rest';
    const max = operation.body?.maxBytes ?? (isRest ? this.settings.maxRestBodyBytes : this.settings.maxBodyBytes);
    return readLimited(exchange, max, isRest);
  }
}

/**
 * Reads a body of at most `maxBytes`.
 * @throws UPL-0005 (module calls) or REST-0413, UPL-0013 when the client goes away
 */
export async function readLimited(exchange: Exchange, maxBytes: number, isRest: boolean): Promise<Buffer> {
  try {
    return await readBody(exchange.request, maxBytes);
  } catch (error) {
    throw bodyError(error, isRest);
  }
}

function bodyError(error: unknown, isRest: boolean): CatalogueError | unknown {
  if (error instanceof BodyTooLarge)
    return isRest ? RestErrors.bodyTooLarge(error.maxBytes) : UploadErrors.tooLarge(error.sizeBytes, error.maxBytes);
  if (error instanceof BodyAborted) return UploadErrors.closed();
  return error;
}
