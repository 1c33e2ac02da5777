import { fieldsOf, operations, type Operation } from '@groupware/contracts';
import { wrongObject } from './contract-models';
import { hasShape, misfits, referenceOf, type ReferenceOperation } from './rest-models';
import { nameOf } from './samples';

const rest = operations.filter(({ kind }) => kind === 'rest');
const statuses = new Map<string, Set<number>>();
const problems: string[] = [];

/** Statuses of REST operations that this test file saw, by operation. */
export const seenStatuses = (operation: Operation): number[] =>
  [...(statuses.get(nameOf(operation)) ?? [])].sort((a, b) => a - b);

/** Answers that were not what the contract says, each once. */
export const wrongAnswers = (): string[] => [...new Set(problems)];

/** Forgets answers that a test of the watch itself made: others of the same process would report them as their own. */
export function forgetAnswers(): void {
  statuses.clear();
  problems.length = 0;
}

const patterns = rest.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path!.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}$`),
  places: operation.path!.split('{').length,
}));

/** The operation of a request: fixed segments win over places. */
function operationOf(method: string, path: string): Operation | undefined {
  return patterns
    .filter(({ operation, pattern }) => operation.http === method && pattern.test(path))
    .sort((a, b) => a.places - b.places)[0]?.operation;
}

/** Models of requests that the API takes in other forms as well. */
const TOLERANT = ['ExceptionCategory[]', 'AdvertisementPackageConfig[]', 'PushMessage', 'PushMail'];
/** Answers with secrets. */
const SECRET = /^\/(preliminary\/(configuration|mail)|davclient)\//;
const CHALLENGE = /^Basic realm="[^"]+", charset="UTF-8"$/;

/** Lists what is wrong with the headers of an answer. */
function wrongHeaders(operation: Operation, { status, headers }: Response): string[] {
  const needs = (name: string, form: RegExp): string[] =>
    form.test(headers.get(name) ?? '') ? [] : [`${name} is ${headers.get(name) ?? 'missing'}`];
  const isDav = operation.path!.startsWith('/davclient');
  return [
    ...(status === 401 ? needs('www-authenticate', CHALLENGE) : []),
    ...(status === 429 ? needs('retry-after', /^[1-9]\d*$/) : []),
    ...(isDav && status === 304 ? [...needs('etag', /^(W\/)?"[^"]+"$/), ...needs('cache-control', /^private/)] : []),
    ...(SECRET.test(operation.path!) && status < 300
      ? needs('cache-control', isDav ? /no-store|^private/ : /no-store/)
      : []),
  ];
}

function wrongError(operation: Operation, status: number, text: string): string[] {
  const isDav = operation.path!.startsWith('/davclient');
  const isHealth = operation.path === '/health' && status === 500;
  // The sessions' 409 tells that another process is at it (API page "Site availability").
  if (status === 409 && text === '') return [];
  return misfits(
    isDav ? 'DavClientErrorResponse' : isHealth ? 'HealthData' : 'StandardError',
    JSON.parse(text),
    'error',
  );
}

/** Lists what is wrong with the body of a success by the reference of the API. */
function wrongSuccess({ success }: ReferenceOperation, status: number, type: string, text: string): string[] {
  const { model, mediaType } = success;
  if (!mediaType || status === 304) return text === '' ? [] : ['has a body'];
  const essence = (media: string): string => media.split(';')[0]!.trim().toLowerCase();
  return [
    ...(essence(type) === essence(mediaType) ? [] : [`is ${type}, not ${mediaType}`]),
    ...(model && hasShape(model) ? misfits(model, JSON.parse(text), 'answer') : []),
  ];
}

function wrongBody(operation: Operation, { status, headers }: Response, text: string): string[] {
  if (status >= 400) return wrongError(operation, status, text);
  const { kind, model, list, mediaType } = operation.reply;
  const documented = referenceOf(operation.http, operation.path!);
  const first = documented ? wrongSuccess(documented, status, headers.get('content-type') ?? '', text) : [];
  if (kind === 'none' || status === 304) return text === '' ? first : ['has a body'];
  if (!model || mediaType || kind === 'file' || text === '') return first;
  const body = JSON.parse(text) as unknown;
  const partial = operation.query ? fieldsOf(operation.query).some(({ wireName }) => wireName === 'fields') : false;
  if (!list && kind !== 'many') return [...first, ...wrongObject(model, body, 'answer', partial)];
  return Array.isArray(body)
    ? [...first, ...body.flatMap((each) => wrongObject(model, each, 'answer[]', partial))]
    : [...first, 'answer is no list'];
}

/** Lists where a request that succeeded differs from the documents. */
function wrongRequest(operation: Operation, status: number, body: unknown): string[] {
  const model = referenceOf(operation.http, operation.path!)?.body?.model;
  if (!model || status >= 300 || TOLERANT.includes(model) || typeof body !== 'string') return [];
  return misfits(model, JSON.parse(body), 'request');
}

const STREAMS = /event-stream|octet-stream|text\/csv/;

/** Bodies up to this size are checked; who reads more is not kept from reading it bit by bit. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A body of bounded size; undefined for a larger one. */
async function textOf(response: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.clone().body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
    pieces.push(next.value);
    size += next.value.length;
    if (size > MAX_BODY_BYTES) {
      // Settles when the reader of the other branch is done, too: it is not waited for.
      void reader!.cancel();
      return undefined;
    }
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function note(operation: Operation, response: Response, request: unknown): Promise<void> {
  const name = nameOf(operation);
  const seen = statuses.get(name) ?? new Set();
  statuses.set(name, seen.add(response.status));
  // The end of a stream is unknown; those are read by their tests.
  if (STREAMS.test(response.headers.get('content-type') ?? '')) return;
  try {
    const text = await textOf(response);
    const wrong = [
      ...wrongRequest(operation, response.status, request),
      ...wrongHeaders(operation, response),
      ...(text === undefined ? [] : wrongBody(operation, response, text)),
    ];
    problems.push(...wrong.map((what) => `${name} ${response.status}: ${what}`));
  } catch (error) {
    problems.push(`${name} ${response.status}: ${String(error)}`);
  }
}

const listeners = new Map<string, 'public' | 'internal'>();
let isWatching = false;

/** Watches the requests that `fetch` makes to the listeners of a world: statuses and bodies of REST operations. */
export function watchRest(world: { readonly publicUrl: string; readonly internalUrl: string }): void {
  if (world.publicUrl) listeners.set(new URL(world.publicUrl).origin, 'public');
  listeners.set(new URL(world.internalUrl).origin, 'internal');
  if (isWatching) return;
  isWatching = true;
  const plain = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await plain(input, init);
    const target = input instanceof Request ? input.url : String(input);
    const url = URL.canParse(target) ? new URL(target) : undefined;
    const listener = url && listeners.get(url.origin);
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    const operation = listener && operationOf(method, url.pathname);
    if (operation && operation.listener === listener) await note(operation, response, init?.body);
    return response;
  };
}
