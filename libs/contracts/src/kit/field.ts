import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';

/** A class whose fields are declared with {@link Field}: usable as query, body, or reply of an operation. */
export type Model<T extends object = object> = new () => T;

/**
 * Kind of value of a field on the wire.
 * `time`: ms since the epoch plus the offset of the request's zone; `timestamp`: ms since the epoch, UTC, never
 * shifted; `date`: midnight UTC of a day in ms; `columns`: comma list of column numbers or names.
 */
export type FieldType =
  'int' | 'number' | 'text' | 'id' | 'boolean' | 'time' | 'timestamp' | 'date' | 'columns' | 'object' | 'list' | 'any';

/** Options that every kind of field takes. */
export interface FieldOptions {
  /** Documentation for client developers; becomes the description in the OpenAPI document. */
  readonly doc: string;
  /** Column number in row answers (see the column tables of the API). */
  readonly column?: number;
  /** The field may be absent; in a JSON body it may also be null, which deletes the value. */
  readonly optional?: boolean;
  /** Wire name when it is no legal or no sensible property name. */
  readonly name?: string;
  /** Set by the server only: ignored in bodies. */
  readonly readOnly?: boolean;
  /** Accepted in bodies, never sent. */
  readonly writeOnly?: boolean;
  /** Bodies of the administrative API, too, may hold the value as text: `"993"`, `"true"`. */
  readonly loose?: boolean;
  /** An empty text of a query or form is one; otherwise it is as good as none. */
  readonly keepsEmpty?: boolean;
  /** All values count that a query repeats, joined by commas; otherwise the first does. */
  readonly joinsRepeated?: boolean;
}

/** Bounds of a number. */
export interface NumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
  /** The only values allowed. */
  readonly values?: readonly number[];
  /** Prefixes of the number in a query that have no meaning of their own. */
  readonly prefix?: RegExp;
}

/** Bounds of a text. Lengths count UTF-16 code units. */
export interface TextOptions extends FieldOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  /** The only values allowed. */
  readonly values?: readonly string[];
}

/** Bounds of a list. */
export interface ListOptions extends FieldOptions {
  /** At most so many elements; default {@link DEFAULT_MAX_ITEMS}. */
  readonly maxItems?: number;
}

/** Description of one field: the source of validation, coercion, columns and documentation. */
export interface FieldDescription extends NumberOptions, Omit<TextOptions, 'values'> {
  readonly property: string;
  readonly wireName: string;
  /** Names under which requests may hold it: the wire name, and where that is one of a vendor, the same of the other. */
  readonly requestNames: readonly string[];
  readonly type: FieldType;
  readonly allowed?: readonly (string | number)[];
  readonly maxItems?: number;
  /** Model of an `object` or of the elements of a `list`. */
  readonly model?: () => Model;
  /** Kind of the elements of a `list` without model. */
  readonly items?: FieldType;
  /**
   * True for values that keep every rule of the field, a short cut past class-validator, which costs some microseconds a
   * field. False says nothing. For a list without model: each of its elements. Absent for fields with a model.
   */
  readonly surelyValid?: (value: unknown) => boolean;
  /** It is true where it stands in a query, whatever its value. */
  readonly countsByPresence?: boolean;
  /** It names the context of a path: administrators are checked against its value. */
  readonly isContext?: boolean;
  /** A value that breaks a rule of the field counts as absent in a query. */
  readonly isLenient?: boolean;
}

/** Longest text a field takes unless it says otherwise. */
export const DEFAULT_MAX_LENGTH = 65_536;
/** Most elements a list takes unless it says otherwise. */
export const DEFAULT_MAX_ITEMS = 10_000;
/** Most columns a request may ask for. */
export const MAX_COLUMNS = 200;

const declared = new WeakMap<object, FieldDescription[]>();
const resolved = new WeakMap<object, readonly FieldDescription[]>();

/** All fields of a model in the order of declaration, those of base classes first. */
export function fieldsOf(model: Model): readonly FieldDescription[] {
  const known = resolved.get(model);
  if (known) return known;
  const chain: object[] = [];
  for (let type = model.prototype as object; type && type !== Object.prototype; type = Object.getPrototypeOf(type))
    chain.unshift(type);
  const byName = new Map<string, FieldDescription>();
  for (const type of chain) for (const field of declared.get(type) ?? []) byName.set(field.property, field);
  const fields = [...byName.values()];
  resolved.set(model, fields);
  return fields;
}

/** The query of an operation that refuses none: values that break a rule count as absent. All its fields are optional. */
export function lenient<T extends object>(model: Model<T>): Model<T> {
  class Lenient extends (model as Model) {}
  Object.defineProperty(Lenient, 'name', { value: model.name });
  declared.set(
    Lenient.prototype,
    fieldsOf(model).map((field) => ({ ...field, isLenient: true })),
  );
  return Lenient as Model<T>;
}

/** The field of a path that names the context, or undefined. */
export function contextFieldOf(model: Model): FieldDescription | undefined {
  return fieldsOf(model).find((field) => field.isContext);
}

/** The field of a model that bears a column number, or undefined. */
export function fieldOfColumn(model: Model, column: number): FieldDescription | undefined {
  return fieldsOf(model).find((field) => field.column === column);
}

/** This product and the original, in names of properties. */
const VENDORS = ['com.example.', 'com.openexchange.'] as const;

function listRequestNames(name: string): string[] {
  const own = VENDORS.find((vendor) => name.startsWith(vendor));
  if (own === undefined) return [name];
  return [name, ...VENDORS.filter((vendor) => vendor !== own).map((vendor) => vendor + name.slice(own.length))];
}

function declare(type: FieldType, options: FieldOptions & Partial<FieldDescription>, rules: PropertyDecorator[]) {
  return (target: object, property: string | symbol): void => {
    const list = declared.get(target) ?? [];
    const wireName = options.name ?? String(property);
    list.push({ ...options, property: String(property), wireName, requestNames: listRequestNames(wireName), type });
    declared.set(target, list);
    // null deletes the value of an optional field, so rules look at present values only.
    if (options.optional) {
      ValidateIf((_object, value) => value !== undefined && value !== null)(target, property);
    } else {
      IsDefined()(target, property);
    }
    for (const rule of rules) rule(target, property);
  };
}

const surelyNumber =
  ({ min = -Infinity, max = Infinity, values }: Omit<NumberOptions, 'doc'>, isNumber = Number.isInteger) =>
  (value: unknown): boolean =>
    isNumber(value) &&
    (value as number) >= min &&
    (value as number) <= max &&
    (values === undefined || values.includes(value as number));

const surelyText =
  ({ minLength = 0, maxLength = DEFAULT_MAX_LENGTH, pattern, values }: Omit<TextOptions, 'doc'>) =>
  (value: unknown): boolean =>
    typeof value === 'string' &&
    value.length >= minLength &&
    value.length <= maxLength &&
    (pattern === undefined || pattern.test(value)) &&
    (values === undefined || values.includes(value));

const surelyBoolean = (value: unknown): boolean => typeof value === 'boolean';
const surelyColumns = (value: unknown): boolean => Array.isArray(value) && value.length <= MAX_COLUMNS;

function surelyItem(items: FieldType): (value: unknown) => boolean {
  if (items === 'text' || items === 'id') return (value) => typeof value === 'string';
  return items === 'int' ? surelyNumber(anyInt) : Number.isFinite;
}

function numberRules(options: NumberOptions, whole: boolean, each = false): PropertyDecorator[] {
  return [
    whole ? IsInt({ each }) : IsNumber({}, { each }),
    ...(options.min === undefined ? [] : [Min(options.min, { each })]),
    ...(options.max === undefined ? [] : [Max(options.max, { each })]),
    ...(options.values ? [IsIn(options.values)] : []),
  ];
}

function textRules(options: TextOptions): PropertyDecorator[] {
  return [
    IsString(),
    MaxLength(options.maxLength ?? DEFAULT_MAX_LENGTH),
    ...(options.minLength === undefined ? [] : [MinLength(options.minLength)]),
    ...(options.pattern ? [Matches(options.pattern)] : []),
    ...(options.values ? [IsIn(options.values)] : []),
  ];
}

/** Whole numbers lie between this and its negative unless bounds say otherwise: ids are columns of 32 bits. */
export const MAX_INT = 2 ** 31 - 1;
/** Times are limited to the years 1 to 9999, so that every date library agrees about them. */
export const MIN_TIME = -62_135_596_800_000;
/** See {@link MIN_TIME}. */
export const MAX_TIME = 253_402_300_799_999;
const anyInt = { min: -MAX_INT, max: MAX_INT };
/** Bounds of points in time that are stored, ms UTC. */
export const ANY_TIME = { min: MIN_TIME, max: MAX_TIME };
const ANY_TIMESTAMP = { min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_VALUE };

/**
 * Declares one field of a model: its rule for class-validator, its coercion from query strings, its column number and
 * its documentation, in one place.
 */
export const Field = {
  /** A whole number within 32 bits unless bounds say otherwise. */
  int: (options: NumberOptions) =>
    declare(
      'int',
      {
        ...options,
        allowed: options.values,
        surelyValid: surelyNumber({ ...anyInt, ...options }),
      },
      numberRules({ ...anyInt, ...options }, true),
    ),
  /** The context of a path: administrators are checked against what it is parsed into. */
  contextId: (options: Partial<FieldOptions> = {}) => {
    const bounds = { doc: 'Context id', min: 1, max: MAX_INT, ...options };
    return declare('int', { ...bounds, isContext: true, surelyValid: surelyNumber(bounds) }, numberRules(bounds, true));
  },
  /** Any finite number. */
  number: (options: NumberOptions) =>
    declare(
      'number',
      { ...options, allowed: options.values, surelyValid: surelyNumber(options, Number.isFinite) },
      numberRules(options, false),
    ),
  /** A text. */
  text: (options: TextOptions) =>
    declare(
      'text',
      { ...options, values: undefined, allowed: options.values, surelyValid: surelyText(options) },
      textRules(options),
    ),
  /** An object or folder id. JSON bodies may send it as number or text; handlers always see text. */
  id: (options: FieldOptions) =>
    declare('id', { maxLength: 1024, ...options, surelyValid: surelyText({ minLength: 1, maxLength: 1024 }) }, [
      IsString(),
      MinLength(1),
      MaxLength(1024),
    ]),
  /** true or false; in queries and in bodies of the client API also 1 or 0. */
  boolean: (options: FieldOptions) => declare('boolean', { ...options, surelyValid: surelyBoolean }, [IsBoolean()]),
  /** A parameter that is true where it stands, whatever its value. */
  presence: (options: FieldOptions) =>
    declare('boolean', { ...options, optional: true, countsByPresence: true, surelyValid: surelyBoolean }, [
      IsBoolean(),
    ]),
  /** A point in time in ms, shifted by the zone of the request. */
  time: (options: FieldOptions) =>
    declare(
      'time',
      { ...options, surelyValid: surelyNumber(ANY_TIME) },
      numberRules({ ...options, ...ANY_TIME }, true),
    ),
  /** A point in time in ms UTC. Larger values than a date can hold are legal: clients send them to force a change. */
  timestamp: (options: FieldOptions) =>
    declare(
      'timestamp',
      { ...options, surelyValid: surelyNumber(ANY_TIMESTAMP) },
      numberRules({ ...options, ...ANY_TIMESTAMP }, true),
    ),
  /** Midnight UTC of a day in ms. */
  date: (options: FieldOptions) =>
    declare(
      'date',
      { ...options, surelyValid: surelyNumber(ANY_TIME) },
      numberRules({ ...options, ...ANY_TIME }, true),
    ),
  /** A comma list of column numbers or field names. */
  columns: (options: FieldOptions) =>
    declare('columns', { maxItems: MAX_COLUMNS, ...options, surelyValid: surelyColumns }, [
      IsArray(),
      ArrayMaxSize(MAX_COLUMNS),
    ]),
  /** An object with fields of its own. */
  object: (model: () => Model, options: FieldOptions) =>
    declare('object', { ...options, model }, [IsObject(), ValidateNested(), Type(model)]),
  /** A list of objects with fields of their own. */
  list: (model: () => Model, options: ListOptions) =>
    declare('list', { maxItems: DEFAULT_MAX_ITEMS, ...options, model }, [
      IsArray(),
      ArrayMaxSize(options.maxItems ?? DEFAULT_MAX_ITEMS),
      ValidateNested({ each: true }),
      Type(model),
    ]),
  /** A list of simple values. In a query: a comma list. */
  listOf: (items: 'int' | 'text' | 'id' | 'date' | 'timestamp' | 'number', options: ListOptions) =>
    declare('list', { maxItems: DEFAULT_MAX_ITEMS, ...options, items, surelyValid: surelyItem(items) }, [
      IsArray(),
      ArrayMaxSize(options.maxItems ?? DEFAULT_MAX_ITEMS),
      ...(items === 'text' || items === 'id'
        ? [IsString({ each: true })]
        : numberRules(items === 'int' ? { ...anyInt, doc: '' } : { doc: '' }, items === 'int', true)),
    ]),
  /** Any JSON value, stored or passed on as it is. */
  any: (options: FieldOptions) => declare('any', { ...options, surelyValid: () => true }, []),
};
