import { validateSync, type ValidationError } from 'class-validator';
import { DEFAULT_MAX_LENGTH, fieldsOf, type FieldDescription, type FieldType, type Model } from './field';

/** One field that was refused. `value` is shortened; it is absent where the field was missing. */
export interface Problem {
  readonly kind: 'missing' | 'invalid';
  readonly name: string;
  readonly value?: string;
  /** Set when a text with a column is too long. */
  readonly tooLong?: { readonly column: number; readonly length: number; readonly limit: number };
  /** Why it was refused, in English, for `error_desc`. */
  readonly reason: string;
}

/** The outcome of reading untrusted input into a model. */
export interface Parsed<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}

/**
 * Source of the input. `text` (query, form) holds strings that are coerced. `json` is a body of the client API: clients
 * of all ages send booleans as 0 and 1 and simple values as texts, so both are taken (API page "Client behaviour"). A
 * `strictJson` body must have the types as declared, except for ids, which may be numbers, and fields that are declared loose.
 */
export type InputSource = 'text' | 'json' | 'strictJson';

const INTEGER = /^[+-]?\d{1,16}$/;
const NUMBER = /^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d{1,3})?$/i;

function coerceText(field: FieldDescription, given: string): unknown {
  const raw = field.prefix ? given.replace(field.prefix, '') : given;
  switch (field.type) {
    case 'int':
    case 'time':
    case 'date':
      return INTEGER.test(raw) ? Number(raw) : raw;
    case 'timestamp':
      return /^[+-]?\d{1,19}$/.test(raw) ? Number(raw) : raw;
    case 'number':
      return NUMBER.test(raw) ? Number(raw) : raw;
    case 'boolean': {
      const lower = raw.toLowerCase();
      if (lower === 'true' || lower === '1') return true;
      if (lower === 'false' || lower === '0') return false;
      return raw;
    }
    case 'columns':
      return raw
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'list':
      return raw === ''
        ? []
        : raw.split(',').map((part) => {
            const text = part.trim();
            return field.items !== 'text' && field.items !== 'id' && INTEGER.test(text) ? Number(text) : text;
          });
    case 'object':
    case 'any':
      try {
        return JSON.parse(raw);
      } catch {
        return raw;
      }
    default:
      return raw;
  }
}

const SIMPLE: ReadonlySet<FieldType> = new Set(['int', 'number', 'boolean', 'time', 'timestamp', 'date']);

function coerceJson(field: FieldDescription, raw: unknown, source: InputSource): unknown {
  if (SIMPLE.has(field.type)) return coerceSimple(field, raw, source);
  if (field.type === 'id') return typeof raw === 'number' && Number.isSafeInteger(raw) ? String(raw) : raw;
  if (field.type === 'object' && field.model) return instantiate(field.model(), raw, source);
  // A list that is too long is refused whatever it holds: nothing is made of its elements.
  if (field.type === 'list' && Array.isArray(raw) && raw.length <= field.maxItems!) {
    // The validator would look into nested arrays; null is what it refuses.
    if (field.model)
      return raw.map((element) => (Array.isArray(element) ? null : instantiate(field.model!(), element, source)));
    if (field.items === 'id') return raw.map((element) => (typeof element === 'number' ? String(element) : element));
    if (source === 'json' && field.items !== undefined && SIMPLE.has(field.items))
      return raw.map((element) => (isNumeral(element) ? Number(element) : element));
  }
  return raw;
}

const isNumeral = (value: unknown): value is string => typeof value === 'string' && NUMBER.test(value);

function coerceSimple(field: FieldDescription, raw: unknown, source: InputSource): unknown {
  const isTolerant = source === 'json' || field.loose === true;
  if (typeof raw === 'string') {
    const text = raw.trim();
    // In JSON an empty text stands for null: it deletes the value.
    if (text === '' && (isTolerant || (field.optional && raw === ''))) return null;
    return isTolerant ? coerceText(field, text) : raw;
  }
  return field.type === 'boolean' && isTolerant && (raw === 0 || raw === 1) ? raw === 1 : raw;
}

/** The value of a field in a request, by the first of its names that is there. */
function findValue({ requestNames }: FieldDescription, raw: Readonly<Record<string, unknown>>): unknown {
  for (const name of requestNames) if (Object.hasOwn(raw, name)) return raw[name];
  return undefined;
}

function instantiate(model: Model, raw: unknown, source: InputSource): unknown {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return raw;
  const target = new model() as Record<string, unknown>;
  for (const field of fieldsOf(model)) {
    if (field.readOnly) continue;
    const value = findValue(field, raw as Record<string, unknown>);
    if (value !== undefined) target[field.property] = coerceJson(field, value, source);
  }
  return target;
}

const SHOWN_LENGTH = 100;

const shorten = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(beginningOf(value)) ?? String(value));
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
};

/** Each element takes a character at least. */
const beginningOf = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, SHOWN_LENGTH) : value);

function tooLong(field: FieldDescription | undefined, value: unknown): Pick<Problem, 'tooLong'> {
  if (field?.type !== 'text' || field.column === undefined || typeof value !== 'string') return {};
  const limit = field.maxLength ?? DEFAULT_MAX_LENGTH;
  return value.length > limit ? { tooLong: { column: field.column, length: value.length, limit } } : {};
}

/** Collects the problems of an object; `values` are its own, where the validator looked at those that may be bad only. */
function collect(
  errors: readonly ValidationError[],
  model: Model | undefined,
  values: unknown,
  path: string,
  into: Problem[],
): void {
  for (const error of errors) {
    const field = model && fieldsOf(model).find((candidate) => candidate.property === error.property);
    const name = path + (field?.wireName ?? error.property);
    const value = (values as Record<string, unknown> | undefined)?.[error.property];
    if (error.constraints) {
      const missing = value === undefined || (value === null && 'isDefined' in error.constraints);
      into.push({
        kind: missing ? 'missing' : 'invalid',
        name,
        // Write-only values are passwords and the like: not even a wrong one may reach a log or an answer.
        ...(missing || field?.writeOnly ? {} : { value: shorten(value) }),
        ...tooLong(field, value),
        reason: Object.values(error.constraints).join('; '),
      });
    }
    if (error.children?.length) {
      const inner = field?.type === 'list' ? undefined : field?.model?.();
      if (field?.type === 'list')
        for (const element of error.children) {
          // An element that is no object at all has a fault of its own instead of faulty fields.
          const place = `${name}[${element.property}]`;
          if (element.constraints)
            into.push({ kind: 'invalid', name: place, reason: Object.values(element.constraints).join('; ') });
          const own = (value as readonly unknown[])[Number(element.property)];
          collect(element.children ?? [], field.model?.(), own, `${place}.`, into);
        }
      else collect(error.children, inner, value, `${name}.`, into);
    }
  }
}

/** Of a list so many bad elements are told: there may be thousands, and each costs more than all good ones. */
export const MAX_BAD_ITEMS = 100;

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isSurelyValid(field: FieldDescription, value: unknown): boolean {
  if (value === undefined || value === null) return field.optional === true;
  if (field.type === 'object') return isSurelyValidModel(field.model!(), value);
  if (field.type !== 'list') return field.surelyValid?.(value) ?? false;
  return Array.isArray(value) && value.length <= field.maxItems! && value.every(itemCheckOf(field));
}

/** The same for the elements of a list. */
function itemCheckOf({ model, surelyValid }: FieldDescription): (value: unknown) => boolean {
  const elements = model?.();
  return elements ? (value) => isSurelyValidModel(elements, value) : (surelyValid ?? (() => false));
}

const isSurelyValidModel = (model: Model, value: unknown): boolean =>
  isPlainObject(value) && fieldsOf(model).every((field) => isSurelyValid(field, value[field.property]));

/**
 * A copy of an instance for the validator, which needs some microseconds for each value, in one go: lists have gaps, which it
 * does not look at, instead of elements that are valid.
 */
function withoutValidItems(model: Model, instance: Record<string, unknown>): object {
  const copy = Object.create(Object.getPrototypeOf(instance) as object) as Record<string, unknown>;
  for (const field of fieldsOf(model)) {
    const value = instance[field.property];
    if (field.type === 'object' && isPlainObject(value))
      copy[field.property] = withoutValidItems(field.model!(), value);
    else if (field.type === 'list' && Array.isArray(value)) copy[field.property] = badItemsOf(field, value);
    else copy[field.property] = value;
  }
  return copy;
}

function badItemsOf(field: FieldDescription, list: readonly unknown[]): unknown[] {
  const bad = new Array<unknown>(list.length);
  if (list.length > field.maxItems!) return bad;
  const isValid = itemCheckOf(field);
  const model = field.model?.();
  for (let index = 0, count = 0; index < list.length && count < MAX_BAD_ITEMS; index++) {
    const element = list[index];
    if (isValid(element)) continue;
    bad[index] = model && isPlainObject(element) ? withoutValidItems(model, element) : element;
    count++;
  }
  return bad;
}

/**
 * Reads untrusted input into an instance of the model and reports every bad field, of lists the first {@link MAX_BAD_ITEMS} bad
 * elements. Unknown names are ignored: existing clients send more than the documentation names. Read-only fields are dropped.
 */
export function parseInput<T extends object>(model: Model<T>, input: unknown, source: InputSource): Parsed<T> {
  const target = new model() as Record<string, unknown>;
  const raw = (input ?? {}) as Record<string, unknown>;
  const fields = fieldsOf(model);
  for (const field of fields) {
    if (field.readOnly && source !== 'text') continue;
    const value = findValue(field, raw);
    if (value === undefined) continue;
    if (source === 'text' && field.countsByPresence) {
      target[field.property] = true;
      continue;
    }
    if (source === 'text' && value === '' && (field.optional || field.type !== 'text') && !field.keepsEmpty) continue;
    const coerced =
      source === 'text' && typeof value === 'string' ? coerceText(field, value) : coerceJson(field, value, source);
    if (field.isLenient && source === 'text' && !isSurelyValid(field, coerced)) continue;
    target[field.property] = coerced;
  }
  if (fields.every((field) => isSurelyValid(field, target[field.property])))
    return { value: target as T, problems: [] };
  const problems: Problem[] = [];
  const suspects = withoutValidItems(model, target);
  const errors = validateSync(suspects, { stopAtFirstError: true, forbidUnknownValues: false });
  collect(errors, model, target, '', problems);
  // A field that is optional in the parent of the model passes the validator, which inherits that.
  for (const { property, wireName, optional, readOnly } of fields)
    if (
      !optional &&
      !readOnly &&
      (target[property] ?? null) === null &&
      !problems.some(({ name }) => name === wireName)
    )
      problems.push({ kind: 'missing', name: wireName, reason: `${property} should not be null or undefined` });
  return { value: target as T, problems };
}

/** Writes a model instance under its wire names, leaving out what is undefined or write-only. */
export function toWire(model: Model, value: object): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of fieldsOf(model)) {
    const raw = (value as Record<string, unknown>)[field.property];
    if (raw !== undefined && !field.writeOnly) out[field.wireName] = raw;
  }
  return out;
}
