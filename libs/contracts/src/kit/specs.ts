import type { FieldType, Model } from './field';
import type { BodySpec, ReplySpec } from './operation';
import type { FileReply } from './reply';

/** `data` is one object of the model. */
export const one = <T extends object>(model: Model<T>): ReplySpec<T> => ({ kind: 'one', model });
/** `data` is an array of objects of the model. */
export const many = <T extends object>(model: Model<T>): ReplySpec<T[]> => ({ kind: 'many', model });
/** `data` is an array of rows, their values in the order of the `columns` parameter. */
export const rows = (model: Model): ReplySpec<unknown[][]> => ({ kind: 'rows', model });
/** `data` is any JSON value. */
export const value = <T>(doc: string): ReplySpec<T> => ({ kind: 'value', doc });
/** The body is the JSON of the result, without envelope. */
export const plain = <T>(
  model?: Model,
  options: { status?: number; doc?: string; list?: boolean } = {},
): ReplySpec<T> => ({
  kind: 'plain',
  model,
  ...options,
});
/** The body is the bytes of a file; of an operation that may answer something else, too, then an envelope with it. */
export const file = <T = never>(mediaType: string): ReplySpec<FileReply | T> => ({ kind: 'file', mediaType });
/** The body is a text of another media type than JSON; handlers answer it with `jsonText`. */
export const text = (mediaType: string): ReplySpec<string> => ({ kind: 'plain', mediaType });
/** The envelope inside the HTML page that answers form uploads; plain JSON when the client asks for it. */
export const page = <T>(doc: string): ReplySpec<T> => ({ kind: 'page', doc });
/** Stays open and tells events as they happen; the gateway answers it itself. */
export const stream = (mediaType: string): ReplySpec<undefined> => ({ kind: 'stream', mediaType });
/** No body (REST), or an envelope without data (module calls). */
export const none = (status?: number): ReplySpec<undefined> => ({ kind: 'none', status });

/** A JSON object. */
export const json = <T extends object>(model: Model<T>, options: Partial<BodySpec> = {}): BodySpec<T> => ({
  required: true,
  ...options,
  kind: 'json',
  model,
  value: undefined,
});
/** A JSON array of objects. */
export const jsonList = <T extends object>(model: Model<T>, options: Partial<BodySpec> = {}): BodySpec<T[]> => ({
  required: true,
  ...options,
  kind: 'jsonList',
  model,
  value: undefined,
});
/** A JSON object or an array of them; the handler always sees an array. */
export const jsonOneOrList = <T extends object>(model: Model<T>, options: Partial<BodySpec> = {}): BodySpec<T[]> => ({
  required: true,
  ...options,
  kind: 'jsonOneOrList',
  model,
  value: undefined,
});
/** A JSON array of simple values. */
export const jsonListOf = <T extends string | number>(
  items: FieldType,
  options: Partial<BodySpec> = {},
): BodySpec<T[]> => ({
  required: true,
  ...options,
  kind: 'jsonList',
  items,
  value: undefined,
});
/** Any JSON value. */
export const jsonValue = <T = unknown>(options: Partial<BodySpec> = {}): BodySpec<T> => ({
  required: true,
  ...options,
  kind: 'jsonValue',
  value: undefined,
});
/** `application/x-www-form-urlencoded`; JSON with the same names is accepted too. */
export const form = <T extends object>(model: Model<T>, options: Partial<BodySpec> = {}): BodySpec<T> => ({
  required: true,
  ...options,
  kind: 'form',
  model,
  value: undefined,
});
/** `multipart/form-data`: fields into the model, files into the file store. A raw body counts as one file named `file`. */
export const upload = <T extends object>(model?: Model<T>, options: Partial<BodySpec> = {}): BodySpec<T> => ({
  required: true,
  ...options,
  kind: 'upload',
  model,
  value: undefined,
});
/**
 * JSON too large for a message: its bytes go into the file store as they come, and the handler reads them as its only file.
 * The model documents what it has to check itself.
 */
export const stored = (model: Model, options: Partial<BodySpec> = {}): BodySpec<undefined> => ({
  required: true,
  ...options,
  kind: 'stored',
  model,
  value: undefined,
});
