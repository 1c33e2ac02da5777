import { fieldsOf, operations, type FieldDescription, type Model, type Operation } from '@groupware/contracts';
import { nameOf } from './samples';

const rest = operations.filter(({ kind }) => kind === 'rest');
const statuses = new Map<string, Set<number>>();
const problems: string[] = [];

/** Statuses of REST operations that this test file saw, by operation. */
export const seenStatuses = (operation: Operation): number[] =>
  [...(statuses.get(nameOf(operation)) ?? [])].sort((a, b) => a - b);

/** Answers that were not what the contract says, each once. */
export const wrongAnswers = (): string[] => [...new Set(problems)];

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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is wrong with a value of a field; empty when nothing is. */
function wrongValue(field: FieldDescription, value: unknown, where: string, partial: boolean): string[] {
  const bad = (expected: string) => [`${where} is no ${expected}`];
  switch (field.type) {
    case 'text':
    case 'id':
      return typeof value === 'string' ? [] : bad('text');
    case 'boolean':
      return typeof value === 'boolean' ? [] : bad('boolean');
    case 'int':
    case 'number':
    case 'time':
    case 'timestamp':
    case 'date':
      return typeof value === 'number' ? [] : bad('number');
    case 'list':
      if (!Array.isArray(value)) return bad('list');
      return field.model
        ? value.flatMap((item: unknown) => wrongObject(field.model!(), item, `${where}[]`, partial))
        : [];
    case 'object':
      return field.model ? wrongObject(field.model(), value, where, partial) : isRecord(value) ? [] : bad('object');
    default:
      return [];
  }
}

/** What is wrong with an object that should be one of a model. With `partial` a client chose the fields. */
function wrongObject(model: Model, value: unknown, where: string, partial: boolean): string[] {
  if (!isRecord(value)) return [`${where} is no object`];
  const fields = fieldsOf(model);
  const unknown = Object.keys(value).filter((name) => !fields.some(({ wireName }) => wireName === name));
  return [
    ...unknown.map((name) => `${where}.${name} is not declared`),
    ...fields.flatMap((field) => {
      const inner = value[field.wireName];
      if (inner === undefined || (inner === null && field.optional))
        return partial || field.optional || field.writeOnly ? [] : [`${where}.${field.wireName} is missing`];
      return wrongValue(field, inner, `${where}.${field.wireName}`, partial);
    }),
  ];
}

const ERROR_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  error: (value) => typeof value === 'string',
  error_params: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  error_id: (value) => typeof value === 'string' && value !== '',
  error_desc: (value) => typeof value === 'string',
  code: (value) => /^[A-Z_-]+-\d{4,5}$/.test(String(value)),
  categories: (value) => typeof value === 'string' || Array.isArray(value),
  category: (value) => Number.isInteger(value),
  version: (value) => typeof value === 'string',
};

/** Operations whose errors have a form of their own (API pages "DAV client set-up", "Health", "Metrics"). */
const OTHER_ERRORS = /^\/(davclient|health|metrics|servlet)\b/;

function wrongBody(operation: Operation, status: number, text: string): string[] {
  const { kind, model, list, mediaType } = operation.reply;
  if (status >= 400) {
    if (text === '' || OTHER_ERRORS.test(operation.path!)) return [];
    const body = JSON.parse(text) as Record<string, unknown>;
    return Object.entries(ERROR_FIELDS).flatMap(([name, fits]) =>
      fits(body[name]) ? [] : [`error has a bad ${name}`],
    );
  }
  if (kind === 'none' || status === 304) return text === '' ? [] : ['has a body'];
  if (!model || mediaType || kind === 'file' || text === '') return [];
  const body = JSON.parse(text) as unknown;
  const partial = operation.query ? fieldsOf(operation.query).some(({ wireName }) => wireName === 'fields') : false;
  if (!list && kind !== 'many') return wrongObject(model, body, 'answer', partial);
  return Array.isArray(body)
    ? body.flatMap((each) => wrongObject(model, each, 'answer[]', partial))
    : ['answer is no list'];
}

const STREAMS = /event-stream|octet-stream|text\/csv/;

async function note(operation: Operation, response: Response): Promise<void> {
  const name = nameOf(operation);
  const seen = statuses.get(name) ?? new Set();
  statuses.set(name, seen.add(response.status));
  // Nobody knows when a stream ends.
  if (STREAMS.test(response.headers.get('content-type') ?? '')) return;
  try {
    const text = await response.clone().text();
    problems.push(...wrongBody(operation, response.status, text).map((what) => `${name} ${response.status}: ${what}`));
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
    if (operation && operation.listener === listener) await note(operation, response);
    return response;
  };
}
