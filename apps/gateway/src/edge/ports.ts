import type {
  ArchiveEntry,
  CatalogueError,
  CookieChange,
  EdgeRequest,
  AdminPrincipal,
  Operation,
  Principal,
  UploadedFile,
  UserPrincipal,
} from '@groupware/contracts';
import type { BasicCredentials } from '@groupware/service-kit';

/** Call that the edge hands to the bus. */
export interface OutgoingCall {
  readonly principal: Principal;
  readonly query: unknown;
  readonly body?: unknown;
  readonly files?: readonly UploadedFile[];
  readonly edge?: EdgeRequest;
  /** Point in time (ms UTC) after which no client waits. */
  readonly deadline: number;
  readonly requestId: string;
  readonly idempotencyKey?: string;
  /** Takes what ends the call when the client goes away. */
  readonly whenGone?: (end: () => void) => void;
}

/** A file a service answered with, by reference or as the body of its answer. */
export interface RepliedFile {
  readonly reference: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes?: number;
  readonly temporary?: boolean;
  readonly inline?: boolean;
  readonly part?: { readonly start: number; readonly length: number };
  readonly archive?: readonly ArchiveEntry[];
  /** The part of the file that the body has, both bounds included. */
  readonly range?: { readonly start: number; readonly end: number };
  readonly streamed?: boolean;
}

/** A successful answer, its bytes unparsed. */
export interface RawAnswer {
  readonly status?: number;
  readonly timestamp?: number;
  readonly warnings?: readonly CatalogueError[];
  readonly cookies?: readonly CookieChange[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly file?: RepliedFile;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** The bus as the edge uses it; failures are catalogue errors. */
export interface ServiceCaller {
  request(operation: Operation, call: OutgoingCall): Promise<RawAnswer>;
}

/** Parts of the request that a session check needs. */
export interface SessionRequest {
  readonly sessionId: string | undefined;
  /** The Cookie header. */
  readonly cookies: string | undefined;
  readonly userAgent: string;
  readonly remoteAddress: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Present where a public session is enough: the value of `public_session`, empty for that of a cookie. */
  readonly publicSession?: string;
}

/** Resolves sessions. */
export interface SessionGate {
  /**
   * The user of the session, and cookies the browser lacks.
   * @throws SES-0201 to SES-0208
   */
  check(request: SessionRequest): Promise<{ principal: UserPrincipal; cookies: readonly CookieChange[] }>;
  /** The user of an access token, with its scopes; undefined for one that is not good. @throws SES-0208 */
  checkToken(token: string): Promise<UserPrincipal | undefined>;
  /** Finds the user of a session that an operation has just opened. */
  findUser(sessionId: string): Promise<UserPrincipal | undefined>;
  /** Cookies that the answer to a failed check must expire. */
  cookiesAfter(error: CatalogueError): readonly CookieChange[];
}

/** The file store as the edge uses it. */
export interface FileBytes {
  /** With a context the bytes go to the store provisioned for it. */
  write(
    bytes: AsyncIterable<Uint8Array>,
    options: { maxBytes: number; contextId?: number; hashesMd5?: boolean },
  ): Promise<{ reference: string; sizeBytes: number; sha256: string; md5?: string }>;
  /** `end` is inclusive. */
  read(reference: string, range?: { start: number; end?: number }): AsyncIterable<Uint8Array>;
  /** Removes a file unless a service claimed it. */
  discard(reference: string): Promise<unknown>;
}

/** Owner of a bound on incoming bytes. */
export interface QuotaOwner {
  readonly key: string;
  readonly max: number;
}

/** Counts the bytes of uploads under way of all gateways. */
export interface IncomingQuota {
  /** Takes `want` or, where that is too much, `need` for a lease that holds `held`; with a need of 0 it only renews the lease. */
  request(
    lease: string,
    owners: readonly QuotaOwner[],
    request: { readonly held: number; readonly need: number; readonly want: number },
  ): Promise<{ readonly granted: number } | { readonly owner: QuotaOwner; readonly total: number }>;
  /** Gives back all that a lease holds. */
  release(lease: string, owners: readonly QuotaOwner[]): Promise<void>;
}

/** Counts events per key in a window. */
export interface Throttle {
  /** Counts one event and answers the seconds to wait when that was one too many, else 0. */
  count(key: string): Promise<number>;
}

/** Limits wrong credentials per address and target, and per address. */
export interface CredentialAttempts {
  /** Answers what the check finds; undefined for wrong credentials, which count. @throws SVL-0019 with Retry-After */
  attempt<T>(
    keys: { readonly target: string; readonly address: string },
    check: () => Promise<T | undefined>,
  ): Promise<{ readonly found: T | undefined }>;
}

/** Checks resellers and administrators of contexts against the identity service. */
export interface AdministratorCheck {
  (
    credentials: BasicCredentials,
    call: {
      /** Context that the path was parsed into, where it names one. */
      readonly contextId: number | undefined;
      /** Whether the administrator of that context may call, too. */
      readonly contextAdmin: boolean;
      readonly remoteAddress: string;
      readonly deadline: number;
      readonly requestId: string;
    },
  ): Promise<
    | {
        readonly principal: AdminPrincipal;
        /** True when the context of the path is certainly one of those the administrator answers for. */
        readonly isResponsible: boolean;
      }
    | undefined
  >;
}

/** Checks users without session against the identity service. */
export interface UserCheck {
  (
    credentials: BasicCredentials,
    call: {
      /** Scopes of which an application password needs one; empty: none is enough. */
      readonly scopes: readonly string[];
      readonly remoteAddress: string;
      readonly deadline: number;
      readonly requestId: string;
    },
  ): Promise<UserPrincipal | undefined>;
}

/** Structured log of one subsystem. */
export interface EdgeLog {
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}
