import {
  CatalogueError,
  isCatalogueError,
  contextFieldOf,
  DEFAULT_MAX_ITEMS,
  fieldsOf,
  JsonLimitExceeded,
  listLongTexts,
  MAX_BAD_ITEMS,
  MAX_INT,
  parseInput,
  parseJsonInSlices,
  RequestErrors,
  SLICE_BYTES,
  toLongTextsError,
  type BodySpec,
  type ErrorFactory,
  type FieldType,
  type InputSource,
  type Model,
  type Operation,
  type Problem,
} from '@groupware/contracts';
import { pauseAfterTurn } from '@groupware/service-kit';
import { parseParameters, type Parameters } from './url';

/** Deepest nesting of a JSON body. Deeper ones only exist to exhaust the stack of the service that writes them again. */
const MAX_JSON_DEPTH = 100;

const LISTS: ReadonlySet<FieldType> = new Set(['list', 'columns']);

/** Repeated parameters: a list takes all of them, everything else the first, unless the field says otherwise. */
function flatten(model: Model, parameters: Parameters): Record<string, unknown> {
  let flat: Record<string, unknown> | undefined;
  for (const field of fieldsOf(model)) {
    const value = parameters[field.wireName];
    if (!Array.isArray(value)) continue;
    flat ??= { ...parameters };
    flat[field.wireName] = LISTS.has(field.type) || field.joinsRepeated ? value.join(',') : value[0];
  }
  return flat ?? parameters;
}

function problemError(problems: readonly Problem[], invalid: (problem: Problem) => CatalogueError): CatalogueError {
  const leading = problems.find((problem) => problem.kind === 'missing') ?? problems[0]!;
  const error = leading.kind === 'missing' ? RequestErrors.missingParameter(leading.name) : invalid(leading);
  return error.with({ problematic: problems.map(({ name, kind, reason }) => ({ name, kind, reason })) });
}

/** Problems where the administrative API is strict (API page "Common rules", section "Parsing"); clients may be laxer. */
function strictProblems(model: Model, raw: Readonly<Record<string, unknown>>): Problem[] {
  return fieldsOf(model).flatMap(({ type, wireName: name }): Problem[] => {
    const value = raw[name];
    if (typeof value !== 'string' || value === '') return [];
    const invalid = (reason: string): Problem[] => [{ kind: 'invalid', name, value: value.slice(0, 100), reason }];
    if (type === 'boolean' && /^[01]$/.test(value)) return invalid('true or false');
    if (type === 'int' && value.startsWith('+')) return invalid('digits only');
    if (type === 'timestamp' && /^[+-]?\d+$/.test(value) && !Number.isSafeInteger(Number(value)))
      return invalid('too large');
    return [];
  });
}

/** The places of a path after parsing. */
export interface ParsedPath {
  readonly values: object;
  readonly problems: readonly Problem[];
  /** The context that the path names, the very value that handlers get; absent when it names none or a malformed one. */
  readonly contextId?: number;
}

/** Numbers of a path have one spelling: decimal digits without leading zeros or signs (API page "Common rules"). */
const PATH_NUMBER = /^(0|-?[1-9]\d*)$/;

/** Reads the places of a path. Who may call is decided by what they are parsed into, so that both are one value. */
export function parsePath(operation: Operation, places: Readonly<Record<string, string>>): ParsedPath {
  const { params } = operation;
  if (!params) return { values: {}, problems: [] };
  const { value: values, problems: found } = parseInput(params, places, 'text');
  const problems = [...found, ...strictProblems(params, places)];
  for (const { type, wireName: name } of fieldsOf(params)) {
    const value = places[name];
    if (type === 'int' && value !== undefined && !PATH_NUMBER.test(value))
      problems.push({ kind: 'invalid', name, value: value.slice(0, 100), reason: 'digits only, no leading zero' });
  }
  const field = contextFieldOf(params);
  const contextId = field && (values as Record<string, unknown>)[field.property];
  const isGood = typeof contextId === 'number' && !problems.some(({ name }) => name === field?.wireName);
  return { values, problems, ...(isGood ? { contextId } : {}) };
}

/**
 * Reads query parameters into the query model of the operation, beside the places of the path.
 * @throws SVL-0002 for a missing parameter, SVL-0010 or the operation's own error for a malformed one; every bad field is
 * listed in `problematic`.
 */
export function parseQuery(operation: Operation, parameters: Parameters, path?: ParsedPath): object {
  const bad: ErrorFactory = operation.badParameter ?? RequestErrors.badParameter;
  const problems: Problem[] = [];
  let result: object = {};
  if (operation.query) {
    const flat = flatten(operation.query, parameters);
    const parsed = parseInput(operation.query, flat, 'text');
    result = parsed.value;
    problems.push(...parsed.problems);
    if (operation.kind === 'rest') problems.push(...strictProblems(operation.query, flat));
  }
  if (path) {
    result = Object.assign(result, path.values);
    problems.push(...path.problems);
  }
  if (problems.length > 0) throw problemError(problems, (problem) => bad(problem.name, problem.value));
  return result;
}

const nameOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value === '' ? 'nothing' : typeof value;

/** Bounds of JSON bodies: parsing or writing one within them holds the event loop for a moment only. */
export const JSON_LIMITS = { depth: MAX_JSON_DEPTH, values: 100_000, members: 10_000 };

/** Refuses JSON that is nested too deeply, without parsing it: the other limits are out of reach of small bodies. @throws SVL-0031 */
function checkDepth(bytes: Buffer): void {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inText) {
      if (byte === 0x5c) index++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) throw RequestErrors.badBodyData(`nested deeper than ${MAX_JSON_DEPTH} levels`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Parses JSON bytes (UTF-8, a byte order mark is tolerated): small ones at once, larger ones in slices.
 * @throws SVL-0029 for anything that is no JSON, SVL-0031 for one nested too deeply or with too many values
 */
export function parseJson(bytes: Buffer): unknown {
  const json = bytes[0] === 0xef && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
  if (json.length > SLICE_BYTES) return parseLargeJson(json);
  checkDepth(json);
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    throw RequestErrors.brokenJson();
  }
}

async function parseLargeJson(json: Buffer): Promise<unknown> {
  try {
    return await parseJsonInSlices(json, { limits: JSON_LIMITS, pause: pauseAfterTurn });
  } catch (error) {
    throw error instanceof JsonLimitExceeded ? RequestErrors.badBodyData(error.message) : RequestErrors.brokenJson();
  }
}

const badBody = (problem: Problem): CatalogueError => RequestErrors.badBodyData(`${problem.name}: ${problem.reason}`);

/** The error for a body with bad fields; values that are too long have one of their own where the operation names it. */
function bodyError(
  { tooLong, textLimit, model }: BodySpec,
  problems: readonly Problem[],
  body?: object,
): CatalogueError {
  if (!tooLong || problems.some(({ kind }) => kind === 'missing')) return problemError(problems, badBody);
  const long = problems.flatMap(({ name, tooLong: size }) => (size ? [{ name, ...size }] : []));
  const counted = long.length > 0 && textLimit && model && body ? listLongTexts(model, body, textLimit) : [];
  const [first, ...rest] = counted.length > 0 ? counted : long;
  return first ? toLongTextsError(tooLong, [first, ...rest]) : problemError(problems, badBody);
}

const isWithin = (items: FieldType, number: number): boolean =>
  items === 'number' || (Number.isInteger(number) && (items !== 'int' || Math.abs(number) <= MAX_INT));

function coerceItem(items: FieldType, value: unknown, index: number): unknown {
  if (items === 'id' || items === 'text') {
    if (typeof value === 'string' && value.length <= 65_536) return value;
    if (items === 'id' && Number.isSafeInteger(value)) return String(value);
  } else {
    // Ids were texts in some releases and numbers in others: clients send both.
    const number = items === 'int' && typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number) && isWithin(items, number)) return number;
  }
  throw RequestErrors.badBodyData(`[${index}]: expected ${items}, got ${nameOf(value)}`);
}

/** How the JSON of an operation is read: the administrative API takes values in one form only. */
export const jsonSourceOf = ({ kind }: Pick<Operation, 'kind'>): InputSource =>
  kind === 'rest' ? 'strictJson' : 'json';

function parseModel(
  model: Model,
  value: unknown,
  source: InputSource,
  prefix = '',
): { value: object; problems: Problem[] } {
  const parsed = parseInput(model, value, source);
  const problems = parsed.problems.map((problem) => ({ ...problem, name: prefix + problem.name }));
  return { value: parsed.value, problems };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** So many elements are checked before others may have their turn. */
const ITEMS_AT_ONCE = 100;

async function parseList(spec: BodySpec, list: readonly unknown[], source: InputSource): Promise<unknown[]> {
  const max = spec.maxItems ?? DEFAULT_MAX_ITEMS;
  if (list.length > max) throw RequestErrors.badBodyData(`more than ${max} elements`);
  if (spec.items) return list.map((element, index) => coerceItem(spec.items!, element, index));
  if (!spec.model) return [...list];
  const problems: Problem[] = [];
  const values: object[] = [];
  let bad = 0;
  for (let index = 0; index < list.length && bad < MAX_BAD_ITEMS; index++) {
    const element = list[index];
    if (!isObject(element)) throw RequestErrors.wrongBodyType('an array of objects', `${nameOf(element)} at ${index}`);
    const parsed = parseModel(spec.model, element, source, `[${index}].`);
    if (parsed.problems.length > 0) bad++;
    problems.push(...parsed.problems);
    values.push(parsed.value);
    const turn = index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1 ? pauseAfterTurn() : undefined;
    if (turn) await turn;
  }
  if (problems.length > 0) throw bodyError(spec, problems);
  return values;
}

const EXPECTED = {
  json: 'a JSON object',
  jsonList: 'a JSON array',
  jsonOneOrList: 'a JSON object or array',
  jsonValue: 'a JSON value',
} as const;

type JsonKind = keyof typeof EXPECTED;

/**
 * Checks a JSON value against the body of an operation. An absent optional list is undefined.
 * @throws SVL-0028 for a wrong type, SVL-0002 for a missing field, SVL-0031 for a bad one
 */
export async function checkJsonBody(spec: BodySpec, value: unknown, source: InputSource): Promise<unknown> {
  const kind = spec.kind as JsonKind;
  if (kind === 'jsonValue') return value;
  if (Array.isArray(value) && kind !== 'json') return parseList(spec, value, source);
  // Clients send an empty object where they have no body (API page "Client behaviour", 1).
  if (kind === 'jsonList' && !spec.required && isObject(value) && Object.keys(value).length === 0) return undefined;
  if (isObject(value) && kind !== 'jsonList') {
    if (!spec.model) return kind === 'json' ? value : [value];
    const parsed = parseModel(spec.model, value, source);
    if (parsed.problems.length > 0) throw bodyError(spec, parsed.problems, parsed.value);
    return kind === 'json' ? parsed.value : [parsed.value];
  }
  throw RequestErrors.wrongBodyType(EXPECTED[kind], nameOf(value));
}

/** Reads the bytes of a JSON or text body. An absent optional body is undefined. */
export async function parseBody(spec: BodySpec, bytes: Buffer, source: InputSource): Promise<unknown> {
  if (spec.kind === 'text') return bytes.length === 0 && !spec.required ? undefined : bytes.toString('utf8');
  if (bytes.length === 0) {
    if (!spec.required) return undefined;
    throw RequestErrors.wrongBodyType(EXPECTED[spec.kind as JsonKind] ?? spec.kind, 'nothing');
  }
  return checkJsonBody(spec, await parseJsonOf(spec, bytes), source);
}

/** @throws the operation's own error for what is no JSON */
async function parseJsonOf({ broken }: BodySpec, bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes);
  } catch (error) {
    if (broken && isCatalogueError(error, RequestErrors.brokenJson)) throw broken('it is not valid JSON');
    throw error;
  }
}

/** Values of a form body: as text, or with JSON's own types when the client sent JSON. */
export interface FormInput {
  readonly source: 'text' | 'json';
  readonly values: Record<string, unknown>;
}

/** True for the content type of JSON. */
export const isJsonType = (contentType: string | undefined): boolean =>
  /^application\/([a-z.+-]*\+)?json\b/i.test(contentType ?? '');

/** Reads the bytes of a form; clients may send a JSON object with the same names. */
export async function parseForm(bytes: Buffer, contentType: string | undefined): Promise<FormInput> {
  if (isJsonType(contentType)) {
    const value = bytes.length === 0 ? {} : await parseJson(bytes);
    if (!isObject(value)) throw RequestErrors.wrongBodyType('a JSON object', nameOf(value));
    return { source: 'json', values: value };
  }
  return { source: 'text', values: parseParameters(bytes.toString('utf8')) };
}

/** The values of a form as texts, as in a URL: null in JSON stands for a parameter that was not sent. */
export function toParameters({ source, values }: FormInput): Parameters {
  if (source === 'text') return values as Parameters;
  const given = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}

/** Checks the values of a form (or the fields of an upload) against its model; without one they pass as they are. */
export function checkForm(spec: BodySpec, form: FormInput): unknown {
  if (!spec.model) return form.values;
  const input = form.source === 'text' ? flatten(spec.model, form.values as Parameters) : form.values;
  const parsed = parseInput(spec.model, input, form.source);
  if (parsed.problems.length > 0)
    throw problemError(parsed.problems, (problem) => RequestErrors.badParameter(problem.name, problem.value));
  return parsed.value;
}
