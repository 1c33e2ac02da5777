/**
 * Callers that an operation is open to.
 * `session`: a user with a live session and its secret cookie · `none`: anybody · `admin`: HTTP Basic of one of the
 * {@link AdminCaller}s that the operation names · `userBasic`: a user by HTTP Basic, with the own password or an
 * application password of one of the operation's scopes · `internal`: other services only, never reachable over HTTP.
 */
export type Auth = 'session' | 'none' | 'admin' | 'userBasic' | 'internal';

/** Kinds of administrators and services that REST operations are opened to one by one. */
export const ADMIN_CALLERS = ['master', 'reseller', 'resellerOfContext', 'contextAdmin', 'service'] as const;

/**
 * `master`: a master administrator · `reseller`: any reseller; the handler lets him reach his own contexts only ·
 * `resellerOfContext`: the reseller in whose subtree the context of the path is · `contextAdmin`: the administrator of the
 * context of the path · `service`: the pair of cooperating services.
 */
export type AdminCaller = (typeof ADMIN_CALLERS)[number];

/** Callers of a REST operation; `anybody` and `user` (with a password) stand alone. */
export type RestCallers = readonly ['anybody'] | readonly ['user'] | readonly AdminCaller[];

/** A user with a session, as the gateway resolved it. Travels in the headers of every message. */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly contextId: number;
  readonly userId: number;
  /** Ids of the groups the user is a member of, group 0 (all users) included. */
  readonly groups: readonly number[];
  /** `en_US` form. */
  readonly locale: string;
  /** IANA name. */
  readonly timeZone: string;
  /** Lower-case ids, see the capabilities module. */
  readonly capabilities: readonly string[];
  readonly login: string;
  readonly displayName: string;
  /** Primary mail address. */
  readonly email: string;
  readonly sessionId: string;
  /** Sees what was shared with the guest and writes nothing but settings; only operations with `guests` are open. */
  readonly guest?: boolean;
  /** Scopes of the application password the session was opened with; absent for the user's own password. */
  readonly appScopes?: readonly string[];
  /** A second factor is still to come: only few operations are open. */
  readonly secondFactorPending?: boolean;
  /** A mail server is set for the user or the context, where the server has none of its own. */
  readonly hasMailServer?: boolean;
}

/** An administrator or cooperating service of the REST API. */
export interface AdminPrincipal {
  readonly kind: 'master' | 'reseller' | 'context-admin' | 'service';
  readonly login: string;
  /** Set for resellers: its name. The administrator answers for the contexts of it and of resellers below it. */
  readonly reseller?: string;
  /** Set for context administrators. */
  readonly contextId?: number;
  readonly userId?: number;
}

/** A service that asks another one, on behalf of a tenant. */
export interface ServicePrincipal {
  readonly kind: 'internal';
  /** Name of the asking service. */
  readonly service: string;
  /** The tenant concerned; 0 where the question spans tenants. */
  readonly contextId: number;
  /** The user on whose behalf the question is asked, where there is one. */
  readonly user?: UserPrincipal;
}

/** Anonymous caller: operations that need no authentication. */
export interface AnonymousPrincipal {
  readonly kind: 'anonymous';
}

/** Caller of an operation. */
export type Principal = UserPrincipal | AdminPrincipal | ServicePrincipal | AnonymousPrincipal;

/** The principal a handler sees, by the authentication its operation demands. */
export type PrincipalOf<A extends Auth> = A extends 'session' | 'userBasic'
  ? UserPrincipal
  : A extends 'admin'
    ? AdminPrincipal
    : A extends 'internal'
      ? ServicePrincipal
      : AnonymousPrincipal;

/** Anything that names a tenant: the key to its data. */
export interface Tenant {
  readonly contextId: number;
}

/** Facts that the HTTP edge knows about the client; only for operations that ask for them. */
export interface EdgeRequest {
  /** Address of the client after trusted proxies. */
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** True when the request came over TLS, directly or through a trusted proxy. */
  readonly secure: boolean;
  readonly host: string;
  /** Cookies whose names begin with one of the product's prefixes. */
  readonly cookies: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials of an HTTP Basic header; only for operations that ask for them. */
  readonly credentials?: { readonly login: string; readonly password: string };
  /** An Authorization header was sent, of whatever scheme; only for operations that ask for credentials. */
  readonly authorized?: boolean;
  /** The query as it was sent; only for operations whose query is signed. */
  readonly rawQuery?: string;
  /** The method is HEAD: nothing must come into being. */
  readonly isHead?: boolean;
  /** Session id of the request's `session` parameter, where given. */
  readonly session?: string;
}
