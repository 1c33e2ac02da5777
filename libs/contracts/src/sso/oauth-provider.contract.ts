import { action, allowCallers, defineModule, Field, form, json, none, plain, rest, restAt, value } from '../kit';
import { OAuthProviderErrors } from './oauth-provider.errors';

const BY_CLIENT = allowCallers('the secret of the application and the code or token that it shows decide');
const OWN_GRANTS = allowCallers('grants of the user of the session only');
const at = (name: string, doc: string, maxLength = 2048) => ({ doc: `${doc} (${name})`, optional: true, maxLength });

/** Request of an application to a user (RFC 6749, section 4.1.1). */
export class AuthorizationQuery {
  @Field.text(at('RFC 6749', 'Id of the application', 256)) client_id?: string;
  @Field.text(at('RFC 6749', 'Address to return to, one of those registered')) redirect_uri?: string;
  @Field.text(at('RFC 6749', 'Comes back unchanged')) state?: string;
  @Field.text(at('RFC 6749', '`code`', 64)) response_type?: string;
  @Field.text(at('RFC 6749', 'Scopes separated by blanks; default: those of the application', 1024)) scope?: string;
  @Field.text({
    doc: 'Language of the pages, such as de_DE; default: that of the browser',
    optional: true,
    maxLength: 64,
  })
  language?: string;
  @Field.text(at('RFC 7636', 'Challenge of the code', 128)) code_challenge?: string;
  @Field.text(at('RFC 7636', '`S256`', 16)) code_challenge_method?: string;
}

/** Form that a user sends from the page of a login or a grant. */
export class AuthorizationForm {
  @Field.text({ doc: 'Token of the page: good once, in one browser', optional: true, maxLength: 128 })
  request?: string;
  @Field.text({ doc: 'Login name', optional: true, maxLength: 1024 }) login?: string;
  @Field.text({ doc: 'Password', optional: true, writeOnly: true, maxLength: 4096 }) password?: string;
  @Field.text({ doc: 'Code of a second factor', optional: true, writeOnly: true, maxLength: 256 })
  secret_code?: string;
  @Field.text({ doc: 'allow or deny', optional: true, maxLength: 16 }) decision?: string;
}

/** Form that an application sends for a token. */
export class AccessTokenForm {
  @Field.text({ doc: 'authorization_code or refresh_token', optional: true, maxLength: 64 }) grant_type?: string;
  @Field.text({ doc: 'Id of the application', optional: true, maxLength: 256 }) client_id?: string;
  @Field.text({ doc: 'Secret of the application', optional: true, writeOnly: true, maxLength: 512 })
  client_secret?: string;
  @Field.text({ doc: 'Address that the code was sent to', optional: true, maxLength: 2048 }) redirect_uri?: string;
  @Field.text({ doc: 'Code', optional: true, writeOnly: true, maxLength: 512 }) code?: string;
  @Field.text({ doc: 'Verifier of the code (RFC 7636)', optional: true, writeOnly: true, maxLength: 128 })
  code_verifier?: string;
  @Field.text({ doc: 'Refresh token', optional: true, writeOnly: true, maxLength: 512 }) refresh_token?: string;
}

/** A token to revoke. */
export class RevokeQuery {
  @Field.text({ doc: 'Access token', optional: true, maxLength: 512 }) access_token?: string;
  @Field.text({ doc: 'Refresh token', optional: true, maxLength: 512 }) refresh_token?: string;
}

/** A token to revoke, as form fields. */
export class RevokeForm extends RevokeQuery {}

/** A token to describe. */
export class TokenInfoQuery {
  @Field.text({ doc: 'Access token', optional: true, maxLength: 512 }) access_token?: string;
}

/** An answer of the token endpoint: tokens, or why there are none (RFC 6749, sections 5.1 and 5.2). */
export class AccessTokenAnswer {
  @Field.text({ doc: 'Access token', optional: true }) access_token?: string;
  @Field.text({ doc: 'Refresh token; replaces the former one', optional: true }) refresh_token?: string;
  @Field.text({ doc: 'Bearer', optional: true }) token_type?: string;
  @Field.int({ doc: 'Life of the access token, seconds', optional: true }) expires_in?: number;
  @Field.text({ doc: 'Scopes that were granted', optional: true }) scope?: string;
  @Field.text({ doc: 'Why there is none', optional: true }) error?: string;
  @Field.text({ doc: 'The same in words', optional: true }) error_description?: string;
}

/** Application, user, scopes and end of an access token. */
export class TokenInfoAnswer {
  @Field.text({ doc: 'Id of the application', optional: true }) audience?: string;
  @Field.int({ doc: 'Context id', optional: true }) context_id?: number;
  @Field.int({ doc: 'User id', optional: true }) user_id?: number;
  @Field.timestamp({ doc: 'End, ms UTC', optional: true }) expiration_date?: number;
  @Field.text({ doc: 'Scopes', optional: true }) scope?: string;
  @Field.text({ doc: 'invalid_token', optional: true }) error?: string;
}

/** Endpoint at which users grant access to an application. */
export const oauthAuthorization = defineModule(
  'oauth/provider/authorization',
  {
    show: action({
      http: 'GET',
      auth: 'none',
      action: null,
      edge: true,
      access: BY_CLIENT,
      doc: 'The page on which a user logs in and grants access to an application. 400 without redirect for an unknown application or address; other faults go back to the application',
      query: AuthorizationQuery,
      reply: plain<undefined>(undefined, { doc: 'HTML page or redirect' }),
    }),
    decide: action({
      http: 'POST',
      auth: 'none',
      action: null,
      edge: true,
      idempotency: 'none',
      access: BY_CLIENT,
      doc: 'What the user sent from that page: credentials, or the decision, which leads back to the application',
      body: form(AuthorizationForm),
      reply: plain<undefined>(undefined, { doc: 'HTML page or redirect' }),
    }),
  },
  { service: 'sso' },
);

/** Endpoint at which applications get tokens. */
export const oauthAccessToken = defineModule(
  'oauth/provider/accessToken',
  {
    exchange: action({
      http: 'POST',
      auth: 'none',
      action: null,
      idempotency: 'none',
      edge: true,
      clientCredentials: true,
      access: BY_CLIENT,
      doc: 'Exchanges a code or a refresh token for an access token; id and secret of the application may also stand in a Basic header (RFC 6749, section 2.3.1). A code that comes twice ends what was granted by it, and so does a refresh token that was replaced',
      body: form(AccessTokenForm),
      reply: plain<AccessTokenAnswer>(AccessTokenAnswer),
    }),
  },
  { service: 'sso' },
);

/** Endpoint at which applications give tokens back. */
export const oauthRevoke = defineModule(
  'oauth/provider/revoke',
  {
    revoke: action({
      http: 'GET',
      auth: 'none',
      action: null,
      repeatable: false,
      idempotency: 'none',
      access: BY_CLIENT,
      doc: 'Ends the grant that a token belongs to, with all its tokens',
      query: RevokeQuery,
      body: form(RevokeForm, { required: false }),
      reply: plain<AccessTokenAnswer | undefined>(AccessTokenAnswer),
    }),
  },
  { service: 'sso' },
);

/** Endpoint at which applications ask what a token is good for. */
export const oauthTokenInfo = defineModule(
  'oauth/provider/tokeninfo',
  {
    describe: action({
      http: 'GET',
      auth: 'none',
      action: null,
      access: BY_CLIENT,
      doc: 'What an access token is good for',
      query: TokenInfoQuery,
      reply: plain<TokenInfoAnswer>(TokenInfoAnswer),
    }),
  },
  { service: 'sso' },
);

/** An application as users see it. */
export class GrantedClient {
  @Field.text({ doc: 'Id of the application' }) id!: string;
  @Field.text({ doc: 'Name' }) name!: string;
  @Field.text({ doc: 'What it does' }) description!: string;
  @Field.text({ doc: 'Its web site' }) website!: string;
  @Field.text({ doc: 'Address of its picture, which needs no session; empty for none' }) icon!: string;
}

/** Grant of a user to one application. */
export interface OAuthGrantData {
  readonly client: GrantedClient;
  /** Scopes with their names for people. */
  readonly scopes: Readonly<Record<string, string>>;
  /** Newest grant, ms UTC. */
  readonly date: number;
}

/** The application to end the access of. */
export class RevokeGrantQuery {
  @Field.text({ doc: 'Id of the application', maxLength: 256 }) client!: string;
}

/** Grants of users to applications. */
export const oauthGrants = defineModule(
  'oauth/grants',
  {
    all: action({
      http: 'GET',
      auth: 'session',
      access: OWN_GRANTS,
      doc: 'What the user granted applications, one entry for each',
      reply: value<OAuthGrantData[]>('entries of {client, scopes, date}'),
    }),
    revoke: action({
      http: 'GET',
      auth: 'session',
      repeatable: true,
      access: OWN_GRANTS,
      doc: 'Ends all that the user granted an application; an unknown one is none',
      query: RevokeGrantQuery,
      reply: value<boolean>('true'),
    }),
  },
  { service: 'sso' },
);

const CLIENT_TEXT = { optional: true, maxLength: 2048 } as const;

/** Data of an application that an operator sets. */
export class OAuthClientInput {
  @Field.text({ doc: 'Name that users see', minLength: 1, maxLength: 256 }) name!: string;
  @Field.text({ doc: 'What it does, for users', ...CLIENT_TEXT }) description?: string;
  @Field.text({ doc: 'Its web site', ...CLIENT_TEXT }) website?: string;
  @Field.text({ doc: 'Address of a picture of it, for users', ...CLIENT_TEXT, pattern: /^(https:\/\/[^\s"'<>]+)?$/ })
  icon?: string;
  @Field.text({ doc: 'Address of those who run it', ...CLIENT_TEXT }) contactAddress?: string;
  @Field.listOf('text', { doc: 'Addresses that users return to, compared as whole texts', maxItems: 50 })
  redirectURIs!: string[];
  @Field.listOf('text', { doc: 'Scopes when the application names none', maxItems: 50 }) defaultScope!: string[];
  @Field.boolean({ doc: 'Default true; false ends all its access for now', optional: true }) enabled?: boolean;
}

/** A registered application. */
export class OAuthClientData extends OAuthClientInput {
  @Field.text({ doc: 'Id' }) id!: string;
  @Field.text({ doc: 'Secret: shown once, when the application is registered', optional: true }) secret?: string;
}

/** All registered applications. */
export class OAuthClientList {
  @Field.list(() => OAuthClientData, { doc: 'Applications by name' }) items!: OAuthClientData[];
}

/** Place of an application. */
export class OAuthClientPath {
  @Field.text({ doc: 'Id of the application', maxLength: 256 }) client!: string;
}

const path = '/admin/v1/oauth/clients';
const refusals = [OAuthProviderErrors.badRedirect, OAuthProviderErrors.badScope] as const;

/** Operators register applications. */
export const oauthClients = defineModule(
  'oauth-clients',
  {
    listOAuthClients: rest<object, undefined, OAuthClientList>({
      http: 'GET',
      path,
      callers: ['master'],
      doc: 'Lists registered applications',
      reply: plain<OAuthClientList>(OAuthClientList),
    }),
    createOAuthClient: rest<object, OAuthClientInput, OAuthClientData>({
      http: 'POST',
      path,
      callers: ['master'],
      idempotency: 'none',
      doc: 'Registers an application; the answer alone has its secret',
      body: json(OAuthClientInput),
      reply: plain<OAuthClientData>(OAuthClientData, { status: 201 }),
      errors: refusals,
    }),
    getOAuthClient: restAt(OAuthClientPath, {
      http: 'GET',
      path: `${path}/{client}`,
      callers: ['master'],
      doc: 'Reads an application',
      reply: plain<OAuthClientData>(OAuthClientData),
      errors: [OAuthProviderErrors.clientNotFound],
    }),
    putOAuthClient: restAt(OAuthClientPath, {
      http: 'PUT',
      path: `${path}/{client}`,
      callers: ['master'],
      repeatable: true,
      doc: 'Changes an application; what is switched off loses all access at once',
      body: json(OAuthClientInput),
      reply: plain<OAuthClientData>(OAuthClientData),
      errors: [OAuthProviderErrors.clientNotFound, ...refusals],
    }),
    deleteOAuthClient: restAt(OAuthClientPath, {
      http: 'DELETE',
      path: `${path}/{client}`,
      callers: ['master'],
      repeatable: true,
      doc: 'Removes an application with all access to users',
      reply: none(204),
      errors: [OAuthProviderErrors.clientNotFound],
    }),
  },
  { service: 'sso' },
);
