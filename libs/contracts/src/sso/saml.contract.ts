import { action, allowCallers, defineModule, Field, form, plain } from '../kit';

const BY_PROVIDER = allowCallers(
  'who comes back from the provider with its signed assertion gets the session of the user that it names',
);
const PLACE = { doc: 'Name of the tenant in the path', optional: true, maxLength: 64 } as const;
/** Longest message, base64. */
const MESSAGE = { maxLength: 262_144 } as const;
const STATE = { doc: 'State that comes back', optional: true, maxLength: 1024 } as const;

/** Parameters of the start of a login or logout. */
export class SamlInitQuery {
  @Field.text({ doc: 'login, relogin or logout', optional: true, maxLength: 32 }) flow?: string;
  @Field.boolean({ doc: 'Redirect the browser instead of answering the address', optional: true }) redirect?: boolean;
  @Field.text({ doc: 'Identifier of the client', optional: true, maxLength: 256 }) client?: string;
  @Field.text({ doc: 'Fragment of the web client to return to', optional: true, maxLength: 2048 }) hash?: string;
  @Field.text(PLACE) tenant?: string;
}

/** The start of a login or logout. */
export class SamlInitAnswer {
  @Field.text({ doc: 'Address the browser must go to' }) redirect_uri!: string;
}

/** An assertion on its way. */
export class SamlAcsBody {
  @Field.text({ doc: 'Response of the provider, base64', optional: true, ...MESSAGE }) SAMLResponse?: string;
  @Field.text(STATE) RelayState?: string;
  @Field.text(PLACE) tenant?: string;
}

/** A message of single logout. */
export class SamlSlsQuery {
  @Field.text({ doc: 'Logout of the provider', optional: true, ...MESSAGE }) SAMLRequest?: string;
  @Field.text({ doc: 'Answer of the provider to a logout', optional: true, ...MESSAGE }) SAMLResponse?: string;
  @Field.text(STATE) RelayState?: string;
  @Field.text({ doc: 'Algorithm of the signature', optional: true, maxLength: 256 }) SigAlg?: string;
  @Field.text({ doc: 'Signature', optional: true, maxLength: 4096 }) Signature?: string;
  @Field.text(PLACE) tenant?: string;
}

/** The same as form fields; the signature is within the message. */
export class SamlSlsBody {
  @Field.text({ doc: 'Logout of the provider', optional: true, ...MESSAGE }) SAMLRequest?: string;
  @Field.text({ doc: 'Answer of the provider to a logout', optional: true, ...MESSAGE }) SAMLResponse?: string;
  @Field.text(STATE) RelayState?: string;
  @Field.text(PLACE) tenant?: string;
}

/** Place of a tenant. */
export class SamlTenantQuery {
  @Field.text(PLACE) tenant?: string;
}

const MAX_BODY = { maxBytes: 524_288 } as const;

/** Starts logins and logouts by SAML. */
export const samlInit = defineModule(
  'saml/{tenant}/init',
  {
    start: action({
      http: 'GET',
      auth: 'none',
      action: null,
      paths: ['saml/init'],
      edge: true,
      access: BY_PROVIDER,
      doc: 'Starts a login (`flow=login`) or a logout (`flow=logout` with `session`) at the identity provider: answers its address, or redirects to it. 400 for another flow and for an unknown session',
      query: SamlInitQuery,
      reply: plain<SamlInitAnswer | undefined>(SamlInitAnswer),
    }),
  },
  { service: 'sso' },
);

/** Takes assertions. */
export const samlAcs = defineModule(
  'saml/{tenant}/acs',
  {
    take: action({
      http: 'POST',
      auth: 'none',
      action: null,
      paths: ['saml/acs'],
      edge: true,
      idempotency: 'none',
      access: BY_PROVIDER,
      doc: 'The browser brings an assertion: leads to `login?action=samlLogin`, or answers a page that says why not',
      body: form(SamlAcsBody, MAX_BODY),
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
    }),
  },
  { service: 'sso' },
);

/** Takes messages of single logout. */
export const samlSls = defineModule(
  'saml/{tenant}/sls',
  {
    request: action({
      http: 'GET',
      auth: 'none',
      action: null,
      paths: ['saml/sls'],
      edge: true,
      signedQuery: true,
      access: BY_PROVIDER,
      doc: 'Single logout by redirect: a signed request of the provider ends the sessions that it names and is answered there; an answer of the provider finishes a logout that began here',
      query: SamlSlsQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
    }),
    post: action({
      http: 'POST',
      auth: 'none',
      action: null,
      edge: true,
      idempotency: 'none',
      access: BY_PROVIDER,
      doc: 'Single logout by form',
      body: form(SamlSlsBody, MAX_BODY),
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
    }),
  },
  { service: 'sso' },
);

/** Describes this product to identity providers. */
export const samlMetadata = defineModule(
  'saml/{tenant}/metadata',
  {
    read: action({
      http: 'GET',
      auth: 'none',
      action: null,
      paths: ['saml/metadata'],
      edge: true,
      access: allowCallers('tells addresses and certificates that are public'),
      doc: 'Metadata of the service provider for a tenant; 404 where they are off',
      query: SamlTenantQuery,
      reply: plain<undefined>(undefined, { doc: 'XML' }),
    }),
  },
  { service: 'sso' },
);
