import { SessionErrors } from '../edge/edge.errors';
import { action, allowCallers, defineModule, Field, internal, json, page, plain, value } from '../kit';
import { OAUTH_PROBLEMS, OAuthErrors } from './oauth-client.errors';
import { OidcErrors } from './oidc.errors';

const OWN_ACCOUNTS = allowCallers('accounts of the user of the session only');

/** Scopes of the API, which the operator maps to those of a service. */
export const OAUTH_SERVICE_SCOPES = [
  ...['mail', 'calendar_ro', 'calendar', 'contacts_ro', 'contacts', 'drive', 'offline', 'generic'],
] as const;

/** A service elsewhere with which users may have accounts. */
export class OAuthServiceMetaData {
  @Field.text({ doc: 'Id: `com.example.oauth.<name>`' }) id!: string;
  @Field.text({ doc: 'Name for people' }) displayName!: string;
  @Field.listOf('text', { doc: 'Scopes that may be asked for', maxItems: 20 }) availableScopes!: string[];
}

/** An object that depends on an account. */
export class OAuthAccountAssociation {
  @Field.text({ doc: 'Id within its module' }) id!: string;
  @Field.text({ doc: 'Name for people' }) name!: string;
  @Field.text({ doc: 'Module, such as `mail`' }) module!: string;
  @Field.text({ doc: 'Folder that shows it, where one does', optional: true }) folder?: string;
  @Field.listOf('text', { doc: 'Scopes it needs', maxItems: 20 }) scopes!: string[];
}

/** An account of the user with a service elsewhere. Its tokens are never told. */
export class OAuthAccountData {
  @Field.int({ doc: 'Id' }) id!: number;
  @Field.text({ doc: 'Name that the user gave it' }) displayName!: string;
  @Field.text({ doc: 'Id of the service' }) serviceId!: string;
  @Field.listOf('text', { doc: 'Scopes that were granted', maxItems: 20 }) enabledScopes!: string[];
  @Field.listOf('text', { doc: 'Scopes that may be asked for', maxItems: 20 }) availableScopes!: string[];
  @Field.list(() => OAuthAccountAssociation, { doc: 'What depends on the account' })
  associations!: OAuthAccountAssociation[];
}

/** One service. */
export class OAuthServiceQuery {
  @Field.text({ doc: 'Id of the service', maxLength: 256 }) id!: string;
}

/** Which accounts. */
export class OAuthAccountsQuery {
  @Field.text({ doc: 'Only accounts of this service', optional: true, maxLength: 256 }) serviceId?: string;
}

/** One account. */
export class OAuthAccountQuery {
  @Field.int({ doc: 'Id of the account' }) id!: number;
}

const NAME = { doc: 'Name for the account', maxLength: 256 } as const;
const SCOPES = {
  doc: 'Scopes, separated by blanks; default: all of the service',
  optional: true,
  maxLength: 1024,
} as const;

/** The account that is wanted. */
export class OAuthInitQuery {
  @Field.text({ doc: 'Id of the service', maxLength: 256 }) serviceId!: string;
  @Field.text(NAME) displayName!: string;
  @Field.text(SCOPES) scopes?: string;
  @Field.int({ doc: 'Account whose access is granted anew', optional: true }) id?: number;
  @Field.text({ doc: 'Function that the page at the end calls', optional: true, maxLength: 64 }) cb?: string;
  @Field.boolean({ doc: 'Redirect the browser instead of answering the address', optional: true }) redirect?: boolean;
}

/** How the access is granted. */
export class OAuthAccountInteraction {
  @Field.text({ doc: 'Address that the browser must go to' }) authUrl!: string;
  @Field.text({ doc: 'callback: the service sends the browser back' }) type!: string;
  @Field.text({ doc: 'Of older versions of the protocol; empty' }) token!: string;
  @Field.text({ doc: 'Names the request: good once, in this session' }) uuid!: string;
}

const ANSWER = { optional: true, maxLength: 8192 } as const;

/** Response of a service, sent with the browser. */
class OAuthAnswerQuery {
  @Field.text({ doc: 'State of the request', optional: true, maxLength: 512 }) state?: string;
  @Field.text({ doc: 'Code for the tokens', ...ANSWER }) code?: string;
  @Field.text({ doc: 'Issuer of the answer', optional: true, maxLength: 2048 }) iss?: string;
  @Field.text({ doc: 'Why there is no code', optional: true, maxLength: 256 }) error?: string;
}

/** The same, at the address that the service knows. */
export class OAuthDeferQuery extends OAuthAnswerQuery {}

/** The end of a request for a new account. */
export class OAuthCreateQuery extends OAuthAnswerQuery {
  @Field.text({ doc: 'Name of the request', maxLength: 64 }) uuid!: string;
  @Field.text({ doc: 'Id of the service', optional: true, maxLength: 256 }) serviceId?: string;
  @Field.text({ ...NAME, optional: true }) displayName?: string;
  @Field.text(SCOPES) scopes?: string;
  @Field.text({ doc: 'The same as code', ...ANSWER }) oauth_token?: string;
  @Field.text({ doc: 'The same as state', optional: true, maxLength: 512 }) oauth_verifier?: string;
}

/** The end of a request to grant access anew. */
export class OAuthReauthorizeQuery extends OAuthAnswerQuery {
  @Field.int({ doc: 'Id of the account' }) id!: number;
  @Field.text({ doc: 'Name of the request', maxLength: 64 }) uuid!: string;
  @Field.text({ doc: 'Id of the service', optional: true, maxLength: 256 }) serviceId?: string;
  @Field.text(SCOPES) scopes?: string;
}

/** Fields of an account that may be changed. */
export class OAuthAccountChange {
  @Field.text({ ...NAME, optional: true }) displayName?: string;
}

/** Services elsewhere with which users may have accounts. */
export const oauthServices = defineModule(
  'oauth/services',
  {
    all: action({
      http: 'GET',
      access: OWN_ACCOUNTS,
      doc: 'Services that the user may connect with',
      reply: value<OAuthServiceMetaData[]>('entries of {id, displayName, availableScopes}'),
    }),
    get: action({
      http: 'GET',
      access: OWN_ACCOUNTS,
      doc: 'A service that the user may connect with',
      query: OAuthServiceQuery,
      reply: value<OAuthServiceMetaData>('{id, displayName, availableScopes}'),
      errors: [OAuthErrors.unknownService],
    }),
  },
  { service: 'sso' },
);

const ANSWER_ERRORS = [
  ...[OAuthErrors.unknownService, OAuthErrors.cancelled, OAuthErrors.invalidResponse, OAuthErrors.connectFailed],
  ...[...Object.values(OAUTH_PROBLEMS), OAuthErrors.unknownProblem],
] as const;
/** Three questions to a service of ten seconds each. */
const DEADLINE = { deadlineMs: 45_000, idempotency: 'none' } as const;

/** Accounts of users with services elsewhere. */
export const oauthAccounts = defineModule(
  'oauth/accounts',
  {
    all: action({
      http: 'GET',
      access: OWN_ACCOUNTS,
      doc: 'Accounts of the user with services elsewhere',
      query: OAuthAccountsQuery,
      reply: value<OAuthAccountData[]>('accounts'),
    }),
    get: action({
      http: 'GET',
      access: OWN_ACCOUNTS,
      doc: 'One account of the user',
      query: OAuthAccountQuery,
      reply: value<OAuthAccountData>('account'),
      errors: [OAuthErrors.accountNotFound],
    }),
    init: action({
      http: 'GET',
      access: OWN_ACCOUNTS,
      edge: true,
      repeatable: false,
      ...DEADLINE,
      doc: 'Begins a request for a new account, or with `id` for new access of an account: answers the address at which the user grants it',
      query: OAuthInitQuery,
      reply: value<OAuthAccountInteraction>('{authUrl, type, token, uuid}'),
      errors: [
        ...[OAuthErrors.unknownService, OAuthErrors.accountNotFound, OAuthErrors.missingDisplayName],
        ...[OAuthErrors.connectFailed, OAuthErrors.tooManyAccounts],
      ],
    }),
    create: action({
      http: 'PUT',
      access: OWN_ACCOUNTS,
      ...DEADLINE,
      doc: 'Ends a request for a new account with what the service answered',
      query: OAuthCreateQuery,
      reply: value<OAuthAccountData>('account'),
      errors: [...ANSWER_ERRORS, OAuthErrors.tooManyAccounts],
    }),
    createByGet: action({
      http: 'GET',
      action: 'create',
      access: OWN_ACCOUNTS,
      repeatable: false,
      ...DEADLINE,
      doc: 'The same, for the browser that comes back from the service: answers a page with `respondWithHTML=true`',
      query: OAuthCreateQuery,
      reply: page<OAuthAccountData>('account'),
      errors: [...ANSWER_ERRORS, OAuthErrors.tooManyAccounts],
    }),
    reauthorize: action({
      http: 'PUT',
      access: OWN_ACCOUNTS,
      ...DEADLINE,
      doc: 'Ends a request for new access of an account. It must be granted for the same account of the service',
      query: OAuthReauthorizeQuery,
      reply: value<boolean>('true'),
      errors: [...ANSWER_ERRORS, OAuthErrors.accountNotFound, OAuthErrors.differentAccount],
    }),
    reauthorizeByGet: action({
      http: 'GET',
      action: 'reauthorize',
      access: OWN_ACCOUNTS,
      repeatable: false,
      ...DEADLINE,
      doc: 'The same, for the browser that comes back from the service: answers a page with `respondWithHTML=true`',
      query: OAuthReauthorizeQuery,
      reply: page<boolean>('true'),
      errors: [...ANSWER_ERRORS, OAuthErrors.accountNotFound, OAuthErrors.differentAccount],
    }),
    update: action({
      http: 'PUT',
      access: OWN_ACCOUNTS,
      doc: 'Gives an account another name',
      query: OAuthAccountQuery,
      body: json(OAuthAccountChange),
      reply: value<boolean>('true'),
      errors: [OAuthErrors.accountNotFound, OAuthErrors.missingDisplayName],
    }),
    delete: action({
      http: 'PUT',
      access: OWN_ACCOUNTS,
      deadlineMs: 45_000,
      doc: 'Deletes an account, and gives its tokens back where the service takes them',
      query: OAuthAccountQuery,
      reply: value<boolean>('true'),
      errors: [OAuthErrors.accountNotFound],
    }),
  },
  { service: 'sso' },
);

/** Endpoint to which services send browsers back. */
export const oauthDefer = defineModule(
  'defer',
  {
    forward: action({
      http: 'GET',
      auth: 'none',
      action: null,
      edge: true,
      repeatable: false,
      idempotency: 'none',
      access: allowCallers('leads the browser that began a request to the call that ends it, which needs its session'),
      doc: 'The browser comes back from a service elsewhere: leads to `oauth/accounts?action=create` or `reauthorize`, or answers a page that says why not',
      query: OAuthDeferQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
    }),
  },
  { service: 'sso' },
);

/** Purpose of the key that seals access tokens between services. */
export const OAUTH_TOKEN_PURPOSE = 'oauth-token';

/** For whom an access token is sealed. */
export const toOAuthTokenOwner = (user: { contextId: number; userId: number }, id: number): string =>
  `${user.contextId}/${user.userId}/${id}`;

/** Place of the session's own token among the owners of sealed tokens: accounts begin with 1. */
export const SESSION_TOKEN_ID = 0;

const REFUSED = {
  doc: 'Sealed token of an answer before that the server refused: another one is got, once a minute at most',
  optional: true,
  maxLength: 65_536,
} as const;

/** The account, and who is to be shown its token. */
export class OAuthTokenQuery {
  @Field.int({ doc: 'Id of the account' }) id!: number;
  @Field.text({ doc: 'Host of the server that the token is for', maxLength: 256 }) host!: string;
  @Field.text(REFUSED) refused?: string;
}

/** The session, and who is to be shown its token. */
export class SessionAccessTokenQuery {
  @Field.text({ doc: 'Session id', maxLength: 256 }) session!: string;
  @Field.text({ doc: 'Host of the server that the token is for', maxLength: 256 }) host!: string;
  @Field.text(REFUSED) refused?: string;
}

/** An access token. */
export interface OAuthToken {
  /** Sealed, see {@link OAUTH_TOKEN_PURPOSE}. */
  readonly sealed: string;
}

/** The access token of a session. */
export interface SessionAccessToken extends OAuthToken {
  /** ms UTC; absent where the provider does not say. */
  readonly expiresAt?: number;
}

/** Access tokens of accounts elsewhere, for the services that use them. */
export const oauthTokens = defineModule(
  'oauth-tokens',
  {
    find: internal({
      access: allowCallers('tokens of the user of the call, for the service that uses them for the same user'),
      calledBy: ['mail-account'],
      doc: 'An access token that is good for a minute at least; nothing when the operator does not name the host among those that may be shown it',
      query: OAuthTokenQuery,
      reply: value<OAuthToken | null>('token'),
      repeatable: true,
      deadlineMs: 30_000,
      errors: [
        ...[OAuthErrors.accountNotFound, OAuthErrors.unknownService, OAuthErrors.invalidAccount],
        ...[OAuthErrors.connectFailed, OAuthErrors.invalidResponse],
      ],
    }),
    findOfSession: internal({
      access: allowCallers(
        'whoever knows the id of a session has the session: one service, for the user and for mail proxies',
      ),
      calledBy: ['mail-account'],
      doc: 'The access token that the identity provider of the login gave, refreshed before its end; a refused refresh ends the session. Nothing when the login gave none, or the operator does not name the host among those that may be shown it',
      query: SessionAccessTokenQuery,
      reply: value<SessionAccessToken | null>('token'),
      repeatable: true,
      deadlineMs: 30_000,
      errors: [SessionErrors.unknown, OidcErrors.noToken, OidcErrors.badToken, OidcErrors.unreachable],
    }),
  },
  { service: 'sso' },
);
