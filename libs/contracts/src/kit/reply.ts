/** A cookie the gateway writes; attributes not named here follow the gateway's settings. */
export interface CookieChange {
  readonly name: string;
  /** undefined expires the cookie. */
  readonly value?: string;
  /** Life in seconds; absent: until the browser closes. */
  readonly maxAgeSeconds?: number;
}

/** Data that travels beside a result. */
export interface ReplyOptions {
  /** Newest change stamp of the objects concerned, ms UTC: the envelope's `timestamp`. */
  readonly timestamp?: number;
  /** Problems beside a success, as errors of the catalogue. */
  readonly warnings?: readonly import('./errors').CatalogueError[];
  /** HTTP status other than the operation's own. */
  readonly status?: number;
  /** Extra response headers, such as Location. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly CookieChange[];
}

/** A result with what travels beside it. */
export class Reply<T> {
  constructor(
    readonly data: T | JsonText,
    readonly options: ReplyOptions,
  ) {}
}

/**
 * JSON (or, with the reply kind `text`, any text) that is ready to be sent, such as rows built by Postgres. A stream of it is
 * sent no faster than the client reads.
 */
export class JsonText {
  constructor(readonly text: string | Uint8Array | AsyncIterable<Uint8Array>) {}
}

/** The bytes of a file: by reference, then the gateway streams them from the file store, or as they come from the handler. */
export class FileReply {
  constructor(
    readonly file: {
      /** Reference in the file store. */
      readonly reference: string;
      readonly name: string;
      readonly contentType: string;
      readonly sizeBytes?: number;
      /** Delete the stored bytes once they were sent (exports made for one request). */
      readonly temporary?: boolean;
      readonly inline?: boolean;
      /** Only these bytes, as the operation was asked for; the part counts as the whole file. */
      readonly part?: { readonly start: number; readonly length: number };
      /** Answers one ZIP file made of these instead; `reference` is empty then. */
      readonly archive?: readonly ArchiveEntry[];
      /** Bytes that the content has, both bounds included; the answer is 206 and `sizeBytes` is that of the whole file. */
      readonly range?: { readonly start: number; readonly end: number };
    },
    readonly options: ReplyOptions = {},
    /** The bytes, sent no faster than the client reads; `reference` is empty then. Conditions of the request are kept by ETag. */
    readonly content?: AsyncIterable<Uint8Array>,
  ) {}
}

/** A file within a ZIP file that the gateway writes while it sends. */
export interface ArchiveEntry {
  /** Reference in the file store. */
  readonly reference: string;
  /** Relative path, unique within the archive. */
  readonly name: string;
  /** ms UTC. */
  readonly modified: number;
  readonly sizeBytes: number;
}

/** A file of a multipart request after the gateway stored it. */
export interface UploadedFile {
  /** Name of the form field: `file`, `file_0` … */
  readonly field: string;
  /** Reference in the file store; temporary until a service claims it. */
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Lower-case hex, made while the bytes were stored. */
  readonly sha256?: string;
  /** Lower-case hex, where the operation asks for it. */
  readonly md5?: string;
}

/** A result with timestamp, warnings, cookies or another status. */
export const reply = <T>(data: T | JsonText, options: ReplyOptions): Reply<T> => new Reply(data, options);
/** Marks text that is already JSON. */
export const jsonText = (text: string | Uint8Array | AsyncIterable<Uint8Array>): JsonText => new JsonText(text);
