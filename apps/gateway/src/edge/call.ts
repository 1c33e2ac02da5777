import { Readable } from 'node:stream';
import {
  LONG_BODY_FIELD,
  type BodySpec,
  RequestErrors,
  RestErrors,
  UploadErrors,
  CatalogueError,
  isCatalogueError,
  type EdgeRequest,
  type Operation,
  type UploadedFile,
  type UserPrincipal,
} from '@groupware/contracts';
import { basicCredentials } from '@groupware/service-kit';
import {
  checkForm,
  checkJsonBody,
  jsonSourceOf,
  parseBody,
  parseForm,
  parseQuery,
  toParameters,
  type ParsedPath,
} from '../input/arguments';
import { BodyAborted, BodyTooLarge, readBody } from '../input/body-reader';
import type { JobRunner } from '../jobs/jobs';
import type { IncomingBytes, IncomingShare } from '../input/incoming-bytes';
import { receiveUpload, receiveWhole, removeFiles, type ReceivedUpload } from '../input/upload';
import { first, splitTarget, type Parameters } from '../input/url';
import { cookiesOf } from '../output/cookies';
import type { Exchange } from './exchange';
import type { FileBytes, OutgoingCall, RawAnswer, ServiceCaller } from './ports';
import type { EdgeSettings } from './settings';

/** Arguments of a call after everything was read and checked. */
interface Arguments {
  readonly query: object;
  readonly body?: unknown;
  readonly files: readonly UploadedFile[];
  /** Bytes of the body as it came. */
  readonly sizeBytes?: number;
}

/** Longest body or field within a message of the bus, bytes: most buses are set up for 1 MiB. Longer ones go as files where the operation allows it. */
const LONG_BYTES = 512 * 1024;

/** Takes the place of the header Idempotency-Key. */
const KEY_PARAMETER = 'idempotency_key';
/** Visible ASCII: what a header carries unchanged. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** Whether the gateway answers an operation itself: those of the module `jobs`. */
const isOfGateway = ({ service }: Operation): boolean => service === 'gateway';

const text = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/**
 * The idempotency key that the client sent with a call that may need one: in a header, or as a parameter where it cannot set any.
 * Clients rely on it, so one that cannot be kept is refused. @throws REST-0400 or SVL-0010
 */
function idempotencyKeyOf({ request, parameters }: Exchange, operation: Operation): string | undefined {
  if (operation.repeatable || operation.idempotency === 'none') return undefined;
  const header = text(request.headers['idempotency-key']);
  const key = header ?? (operation.kind === 'rest' ? undefined : first(parameters, KEY_PARAMETER));
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key;
  if (operation.kind === 'rest') throw RestErrors.invalid('Idempotency-Key');
  throw RequestErrors.badParameter(header === undefined ? KEY_PARAMETER : 'Idempotency-Key', key);
}

/** The request as seen by operations that ask for the edge. Credentials and other sites' cookies stay outside. */
function edgeRequestOf(exchange: Exchange, settings: EdgeSettings): EdgeRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(exchange.request.headers))
    if (name !== 'cookie' && name !== 'authorization' && value !== undefined) headers[name] = text(value)!;
  const session = first(exchange.parameters, 'session');
  const { operation } = exchange;
  const credentials =
    (operation?.credentials ?? operation?.clientCredentials)
      ? basicCredentials(exchange.request.headers.authorization)
      : undefined;
  return {
    ...exchange.origin,
    userAgent: exchange.userAgent,
    cookies: cookiesOf(exchange.request.headers.cookie, settings.cookiePrefixes),
    headers,
    ...(session === undefined ? {} : { session }),
    ...(exchange.request.method === 'HEAD' ? { isHead: true } : {}),
    ...(exchange.operation?.signedQuery ? { rawQuery: splitTarget(exchange.request.url ?? '').query } : {}),
    ...(credentials ? { credentials } : {}),
    ...(exchange.operation?.credentials ? { authorized: exchange.request.headers.authorization !== undefined } : {}),
  };
}

/** Reads the arguments of one HTTP request and makes the call on the bus. */
export class CallRunner {
  constructor(
    private readonly caller: ServiceCaller,
    private readonly files: FileBytes,
    private readonly incoming: IncomingBytes,
    private readonly settings: EdgeSettings,
    private readonly jobs?: JobRunner,
  ) {}

  /** Runs the operation of the exchange; its principal is known. */
  async run(exchange: Exchange, path?: ParsedPath): Promise<RawAnswer> {
    const operation = exchange.operation!;
    if (isOfGateway(operation)) return this.answerOfJob(exchange, operation, exchange.parameters);
    const spec = operation.body;
    if (spec?.kind === 'upload' || spec?.kind === 'stored') return this.runUpload(exchange, operation, spec, path);
    const given = await this.argumentsOf(exchange, operation, path);
    if (spec?.mayBeLong && (given.sizeBytes ?? 0) > LONG_BYTES) return this.runLong(exchange, operation, given);
    const outgoing = this.outgoing(exchange, operation, given);
    if (this.jobs?.mayEnqueue(exchange, operation)) return this.jobs.request(exchange, operation, outgoing);
    return this.caller.request(operation, outgoing);
  }

  /** Answers what became of a call that goes on without its request. */
  private answerOfJob({ principal }: Exchange, operation: Operation, parameters: Parameters): Promise<RawAnswer> {
    if (!this.jobs) throw RequestErrors.serviceUnavailable(operation.module);
    return this.jobs.answer(principal as UserPrincipal, operation, parameters);
  }

  /** The body was checked, and goes as a file. */
  private async runLong(exchange: Exchange, operation: Operation, { query, body }: Arguments): Promise<RawAnswer> {
    const file = await this.storeText(exchange, LONG_BODY_FIELD, JSON.stringify(body));
    try {
      return await this.caller.request(operation, this.outgoing(exchange, operation, { query, files: [file] }));
    } finally {
      await removeFiles(this.files, [file]);
    }
  }

  private async storeText({ principal }: Exchange, field: string, text: string): Promise<UploadedFile> {
    const bytes = Buffer.from(text);
    const contextId = principal?.kind === 'user' ? { contextId: principal.contextId } : {};
    const { reference, sizeBytes } = await this.files.write(Readable.from([bytes], { objectMode: false }), {
      maxBytes: bytes.length,
      ...contextId,
    });
    return { field, reference, name: '', contentType: 'application/json', sizeBytes };
  }

  /** Files that no service claimed are removed when the call ends, whatever its end, and count until then. */
  private async runUpload(
    exchange: Exchange,
    operation: Operation,
    spec: BodySpec,
    path?: ParsedPath,
  ): Promise<RawAnswer> {
    const query = parseQuery(operation, exchange.parameters, path);
    const share = this.incoming.open(exchange.principal!, exchange.requestId);
    let files: readonly UploadedFile[] = [];
    try {
      const upload =
        spec.kind === 'stored'
          ? { fields: {}, files: await this.store(exchange, operation, spec, share) }
          : await this.receive(exchange, spec, share);
      ({ files } = upload);
      if (spec.mayBeLong)
        for (const [name, value] of Object.entries(upload.fields)) {
          if (value.length <= LONG_BYTES / 2) continue;
          files = [...files, await this.storeText(exchange, name, value)];
          delete upload.fields[name];
        }
      if (spec.kind === 'upload' && spec.required && files.length === 0 && Object.keys(upload.fields).length === 0)
        throw RequestErrors.missingParameter('file');
      const body = spec.kind === 'stored' ? undefined : checkForm(spec, { source: 'text', values: upload.fields });
      return await this.caller.request(operation, this.outgoing(exchange, operation, { query, body, files }));
    } finally {
      if (files.length > 0) await removeFiles(this.files, files);
      share.release();
    }
  }

  /** Runs an operation with arguments that were not sent as an HTTP request of their own. */
  async runPart(
    exchange: Exchange,
    operation: Operation,
    { number, parameters, data }: { number: number; parameters: Parameters; data: unknown },
  ): Promise<RawAnswer> {
    if (isOfGateway(operation)) return this.answerOfJob(exchange, operation, parameters);
    const query = parseQuery(operation, parameters);
    const spec = operation.body;
    let body: unknown;
    if (spec) {
      if (data === undefined) body = await parseBody(spec, Buffer.alloc(0), jsonSourceOf(operation));
      else body = spec.kind === 'text' ? String(data) : await checkJsonBody(spec, data, jsonSourceOf(operation));
    }
    return this.caller.request(operation, this.outgoing(exchange, operation, { query, body, files: [] }, number));
  }

  /** @param part its place among the calls of one request, which share a key */
  private outgoing(exchange: Exchange, operation: Operation, call: Arguments, part?: number): OutgoingCall {
    const key = idempotencyKeyOf(exchange, operation);
    return {
      principal: exchange.principal!,
      query: call.query,
      body: call.body,
      files: call.files,
      ...(operation.edge ? { edge: edgeRequestOf(exchange, this.settings) } : {}),
      deadline: Date.now() + (operation.deadlineMs ?? this.settings.deadlineMs),
      requestId: exchange.requestId,
      ...(key === undefined ? {} : { idempotencyKey: part === undefined ? key : `${key} ${part}` }),
      whenGone: exchange.whenGone,
    };
  }

  private async argumentsOf(exchange: Exchange, operation: Operation, path?: ParsedPath): Promise<Arguments> {
    const spec = operation.body;
    if (spec?.kind === 'form') {
      // Forms and URLs are one set of parameters: clients put the same names here or there.
      const form = await parseForm(await this.read(exchange, operation), exchange.request.headers['content-type']);
      const query = parseQuery(operation, { ...exchange.parameters, ...toParameters(form) }, path);
      const body = checkForm(spec, { source: form.source, values: { ...exchange.parameters, ...form.values } });
      return { query, body, files: [] };
    }
    const query = parseQuery(operation, exchange.parameters, path);
    if (!spec) return { query, files: [] };
    const bytes = await this.read(exchange, operation);
    const body = await parseBody(spec, bytes, jsonSourceOf(operation));
    return { query, body, files: [], sizeBytes: bytes.length };
  }

  private async receive(exchange: Exchange, spec: BodySpec, share: IncomingShare): Promise<ReceivedUpload> {
    const size = this.uploadSize(spec);
    const received = receiveUpload(exchange.request, this.files, {
      ...size,
      ...(spec.hashesMd5 && { hashesMd5: true }),
      count: (bytes) => share.add(bytes),
      ...(exchange.principal?.kind === 'user' ? { contextId: exchange.principal.contextId } : {}),
      maxFiles: Math.min(spec.maxItems ?? Infinity, this.settings.maxUploadFiles),
      maxFields: this.settings.maxUploadFields,
      maxFieldBytes: spec.maxFieldBytes ?? this.settings.maxFieldBytes,
    });
    try {
      return await received;
    } catch (error) {
      // Long fields and what many uploads are together have limits of their own.
      const isTooLarge = isCatalogueError(error, UploadErrors.tooLarge);
      if (!spec.tooLarge || !isTooLarge || error.params[1] !== String(size.maxBytes)) throw error;
      throw spec.tooLarge(size.maxBytes).with({ ...error.details, cause: error });
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
      const isTooLarge = isCatalogueError(error, UploadErrors.tooLarge);
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
    // Browsers save files by an address: see findForOtherMethod.
    if (operation.http !== 'GET' && exchange.method === 'GET')
      return Buffer.from(first(exchange.parameters, 'body') ?? '');
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
