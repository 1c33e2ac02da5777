import { action, allowCallers, defineModule, Field, form, plain } from '../kit';

const BY_PROVIDER = allowCallers(
  'who comes back from the provider with its signed answer gets the session of the user that it names',
);
const PLACE = { optional: true, maxLength: 64 } as const;

/** Parameters of the start of a login or logout. */
export class OidcInitQuery {
  @Field.text({ doc: 'login or logout', optional: true, maxLength: 32 }) flow?: string;
  @Field.boolean({ doc: 'Redirect the browser instead of answering the address', optional: true }) redirect?: boolean;
  @Field.text({ doc: 'Fragment of the web client to return to', optional: true, maxLength: 2048 }) hash?: string;
  @Field.text({ doc: 'Identifier of the client', optional: true, maxLength: 256 }) client?: string;
  @Field.text({ doc: 'Version of the client', optional: true, maxLength: 256 }) version?: string;
  @Field.text({ doc: 'Issuer, when the provider starts the login', optional: true, maxLength: 2048 }) iss?: string;
  @Field.text({ doc: 'Who is to log in, for the page of the provider', optional: true, maxLength: 1024 })
  login_hint?: string;
  @Field.text({ doc: 'Name of the backend in the path', ...PLACE }) backend?: string;
}

/** The same as form fields. */
export class OidcInitBody extends OidcInitQuery {}

/** The start of a login or logout. */
export class OidcInitAnswer {
  @Field.text({ doc: 'Address the browser must go to' }) redirect!: string;
}

/** Response of a provider, sent with the browser. */
export class OidcAuthQuery {
  @Field.text({ doc: 'State of the login', optional: true, maxLength: 512 }) state?: string;
  @Field.text({ doc: 'Code for the tokens', optional: true, maxLength: 8192 }) code?: string;
  @Field.text({ doc: 'Issuer of the answer', optional: true, maxLength: 2048 }) iss?: string;
  @Field.text({ doc: 'Session at the provider', optional: true, maxLength: 2048 }) session_state?: string;
  @Field.text({ doc: 'Why there is no code', optional: true, maxLength: 256 }) error?: string;
  @Field.text({ doc: 'The same in words, not shown', optional: true, maxLength: 2048 }) error_description?: string;
  @Field.text({ doc: 'Name of the backend in the path', ...PLACE }) backend?: string;
}

/** Response of a provider after a logout, sent with the browser. */
export class OidcLogoutQuery {
  @Field.text({ doc: 'State of the logout', optional: true, maxLength: 512 }) state?: string;
  @Field.text({ doc: '`resume`: the user stays logged in', optional: true, maxLength: 32 }) type?: string;
  @Field.text({ doc: 'Name of the backend in the path', ...PLACE }) backend?: string;
}

/** Message of a provider that a user logged out there. */
export class BackchannelLogoutBody {
  @Field.text({ doc: 'Signed token that names what to end', optional: true, maxLength: 262_144, writeOnly: true })
  logout_token?: string;
  @Field.text({ doc: 'Name of the backend in the path', ...PLACE }) backend?: string;
}

/** Starts logins and logouts by OpenID Connect. */
export const oidcInit = defineModule(
  'init',
  {
    start: action({
      http: 'GET',
      auth: 'none',
      action: null,
      paths: ['oidc/init', 'oidc/{backend}/init'],
      edge: true,
      access: BY_PROVIDER,
      doc: 'Starts a login (`flow=login`) or a logout (`flow=logout` with `session`) at the OpenID provider of the host: answers its address, or redirects to it. 400 for another flow and for an unknown session',
      query: OidcInitQuery,
      body: form(OidcInitBody, { required: false }),
      reply: plain<OidcInitAnswer | undefined>(OidcInitAnswer),
    }),
  },
  { service: 'sso' },
);

/** Takes the answers of OpenID providers. */
export const oidcAuth = defineModule(
  'oidc/auth',
  {
    finish: action({
      http: 'GET',
      auth: 'none',
      action: null,
      paths: ['oidc/{backend}/auth'],
      edge: true,
      access: BY_PROVIDER,
      doc: 'The browser comes back from the provider: leads to `login?action=oidcLogin`, or answers a page that says why not',
      query: OidcAuthQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
    }),
  },
  { service: 'sso' },
);

/** Takes browsers that come back from a logout at the provider. */
export const oidcLogout = defineModule(
  'logout',
  {
    finish: action({
      http: 'GET',
      auth: 'none',
      action: null,
      paths: ['oidc/logout', 'oidc/{backend}/logout'],
      edge: true,
      access: allowCallers('the state names the session that it ends'),
      doc: 'The browser comes back from the logout at the provider: ends the session that the state stands for and leads to the page after logouts',
      query: OidcLogoutQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
    }),
  },
  { service: 'sso' },
);

/** Takes logouts that a provider reports by itself. */
export const oidcBackchannel = defineModule(
  'oidc/backchannel',
  {
    logout: action({
      http: 'POST',
      auth: 'none',
      action: null,
      paths: ['oidc/{backend}/backchannel'],
      edge: true,
      idempotency: 'none',
      access: allowCallers('the signed token of the provider names the sessions that it ends'),
      doc: 'Back-channel logout of OpenID Connect: ends the sessions that the token names. 400 for a token that is not valid',
      body: form(BackchannelLogoutBody),
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
  },
  { service: 'sso' },
);
