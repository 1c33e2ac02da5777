import { action, allowCallers, defineModule, Field, form, PASSWORD_SCOPE, plain, value } from '../kit';
import { AppPasswordErrors } from '../app-passwords/app-passwords.errors';
import { RequestErrors, SessionErrors } from '../edge/edge.errors';
import { DirectoryErrors } from '../identity/identity.errors';
import { MultifactorErrors } from '../multifactor/multifactor.errors';
import { ShareErrors } from '../share/share.errors';
import { LoginErrors, TokenLoginErrors } from './login.errors';

const BY_CREDENTIALS = allowCallers(
  'who presents credentials, a cookie or a token gets the session that these are good for',
);

const RAMP_UP_FOR = 'Client whose first data is wanted; `multifactor`: only what the page of the second factor needs';

/** Parameters that every way to open a session takes, in the URL or in the form body. */
export class SessionParameters {
  @Field.text({
    doc: 'Identifies this attempt in log files; made by the server when absent',
    optional: true,
    maxLength: 512,
  })
  authId?: string;
  @Field.text({ doc: 'Identifier of the client; part of the cookie names', optional: true, maxLength: 256 })
  client?: string;
  @Field.text({ doc: 'Version of the client', optional: true, maxLength: 256 }) version?: string;
  @Field.text({ doc: 'Address of the client, for log files', optional: true, maxLength: 128 }) clientIP?: string;
  @Field.text({ doc: 'User agent to use when the request has none', optional: true, maxLength: 2048 })
  clientUserAgent?: string;
  @Field.text({ doc: 'Language wanted for the session, such as de_DE', optional: true, maxLength: 64 })
  language?: string;
  @Field.boolean({ doc: 'Also store the language in the settings of the user', optional: true })
  storeLanguage?: boolean;
  @Field.text({ doc: 'Other name of language', optional: true, maxLength: 64 }) locale?: string;
  @Field.boolean({ doc: 'Other name of storeLanguage', optional: true }) storeLocale?: boolean;
  @Field.boolean({ doc: 'Keep the session across restarts of the browser', optional: true }) staySignedIn?: boolean;
}

/** Parameters of the ways to log in that answer an object: what it holds besides the session. */
export class ClientParameters extends SessionParameters {
  @Field.boolean({ doc: 'Answer the data a client loads first, too', optional: true }) rampup?: boolean;
  @Field.text({ doc: RAMP_UP_FOR, optional: true, maxLength: 256 }) rampUpFor?: string;
  @Field.text({ doc: 'Older spelling of rampUpFor', optional: true, maxLength: 256 }) rampupFor?: string;
  @Field.boolean({ doc: 'Answer the configuration tree below modules, too', optional: true }) modules?: boolean;
}

/** Query of a login. A password in the URL is refused with SVL-0030 before anything else happens. */
export class LoginQuery extends ClientParameters {
  @Field.text({ doc: 'Login name when it is not in the body', optional: true, maxLength: 1024 }) name?: string;
  @Field.text({ doc: 'Token of a share: the login is that of its named guest', optional: true, maxLength: 512 })
  share?: string;
}

/** Body of a login. */
export class LoginBody extends LoginQuery {
  @Field.text({ doc: 'The password (required)', optional: true, writeOnly: true, maxLength: 4096 }) password?: string;
  @Field.text({ doc: 'Kind of a second factor to show at once', optional: true, maxLength: 32 }) providerName?: string;
  @Field.text({ doc: 'Its device; without it the code may be of any', optional: true, maxLength: 64 })
  deviceId?: string;
  @Field.text({ doc: 'Its code', optional: true, writeOnly: true, maxLength: 256 }) secret_code?: string;
}

/** Parameters of an automatic login. */
export class AutologinQuery extends ClientParameters {
  @Field.text({
    doc: 'Token of a share; default: that of the share this browser opened last',
    optional: true,
    maxLength: 512,
  })
  share?: string;
}

/** Form fields of an automatic login. */
export class AutologinBody extends AutologinQuery {}

/** Parameters of a change of the client's address. */
export class ChangeAddressQuery {
  @Field.text({ doc: 'New address of the client', maxLength: 128 }) clientIP!: string;
}

/** Parameters of both logins by random token. */
export class RandomTokenQuery {
  @Field.text({
    doc: 'Random token from an earlier login (required: without it the answer is 400)',
    optional: true,
    maxLength: 128,
  })
  random?: string;
  @Field.text({ doc: 'Identifier of the client', optional: true, maxLength: 256 }) client?: string;
}

/** Parameters of a login by random token that answers the session. */
export class RandomTokenSessionQuery extends RandomTokenQuery {
  @Field.boolean({ doc: 'Answer the configuration tree below modules, too', optional: true }) modules?: boolean;
}

/** Parameters of a login by random token that leads to the web client. */
export class RandomTokenRedirectQuery extends RandomTokenQuery {
  @Field.text({ doc: 'Put into the address of the web client as it is', optional: true, maxLength: 16 })
  store?: string;
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) uiWebPath?: string;
}

/** Parameters of the login after a single sign-on. */
export class SingleSignOnQuery extends SessionParameters {
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) loginPath?: string;
}

/** Parameters of the login after a single sign-on with SAML. */
export class SamlLoginQuery extends SingleSignOnQuery {
  @Field.text({ doc: 'Reservation that the single sign-on made', optional: true, maxLength: 512 }) token?: string;
}

/** Parameters of the login after a single sign-on with OpenID Connect. */
export class OidcLoginQuery extends SingleSignOnQuery {
  @Field.text({ doc: 'Reservation that the single sign-on made', optional: true, maxLength: 512 })
  sessionToken?: string;
}

/** Parameters of the logout after a single sign-on. */
export class SingleLogoutQuery {
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) loginPath?: string;
}

/** Body of a login by HTML form. */
export class FormLoginBody extends ClientParameters {
  @Field.text({ doc: 'Login name', maxLength: 1024 }) login!: string;
  @Field.text({ doc: 'Password', writeOnly: true, maxLength: 4096 }) password!: string;
  @Field.text({ doc: 'Identifier of the client; part of the cookie names', maxLength: 256 }) override client!: string;
  @Field.text({ doc: 'Version of the client', maxLength: 256 }) override version!: string;
  @Field.boolean({ doc: 'Keep the session across restarts of the browser' }) autologin!: boolean;
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) uiWebPath?: string;
}

/** Body of the first step of a login by tokens. */
export class TokenLoginBody extends ClientParameters {
  @Field.text({ doc: 'Login name', maxLength: 1024 }) login!: string;
  @Field.text({ doc: 'Password', writeOnly: true, maxLength: 4096 }) password!: string;
  @Field.text({ doc: 'Token the client made up', minLength: 1, maxLength: 512 }) clientToken!: string;
  @Field.text({ doc: 'Identifies this attempt in log files', minLength: 1, maxLength: 512 }) override authId!: string;
  @Field.text({ doc: 'Identifier of the client', maxLength: 256 }) override client!: string;
  @Field.text({ doc: 'Version of the client', maxLength: 256 }) override version!: string;
  @Field.boolean({ doc: 'Keep the session across restarts of the browser', optional: true }) autologin?: boolean;
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) uiWebPath?: string;
  @Field.boolean({ doc: 'Answer an object instead of a redirect', optional: true }) jsonResponse?: boolean;
}

/** Body of the second step of a login by tokens. */
export class TokensBody {
  @Field.text({ doc: 'Token the server answered', maxLength: 512 }) serverToken!: string;
  @Field.text({ doc: 'Token the client made up', maxLength: 512 }) clientToken!: string;
  @Field.text({ doc: 'Identifier of the client', maxLength: 256 }) client!: string;
}

/** Body of a login by a token of the module `token`. */
export class RedeemTokenBody extends ClientParameters {
  @Field.text({ doc: 'Token of acquireToken', maxLength: 512 }) token!: string;
  @Field.text({ doc: 'Identifies this attempt in log files', minLength: 1, maxLength: 512 }) override authId!: string;
  @Field.text({ doc: 'Secret of the redeeming application', writeOnly: true, maxLength: 512 }) secret!: string;
  @Field.text({ doc: 'Identifier of the client', maxLength: 256 }) override client!: string;
}

/** Query of a guest's login. */
export class GuestLoginQuery extends ClientParameters {
  @Field.text({ doc: 'Token of the share (required), here or in the body', optional: true, maxLength: 512 })
  share?: string;
  @Field.text({
    doc: 'Path of the link after the token: which of the shares is opened',
    optional: true,
    maxLength: 512,
  })
  target?: string;
}

/** Body of a guest's login. */
export class GuestLoginBody extends GuestLoginQuery {
  @Field.text({
    doc: 'Mail address of a named guest: when given, it must be the right one; an empty one is wrong',
    optional: true,
    keepsEmpty: true,
    maxLength: 1024,
  })
  name?: string;
  @Field.text({ doc: 'Password or pin', optional: true, writeOnly: true, maxLength: 4096 }) password?: string;
  @Field.text({
    doc: 'Token of the mail for a named guest who forgot the password: the one given becomes the new one',
    optional: true,
    writeOnly: true,
    maxLength: 512,
  })
  confirm?: string;
}

/** Client whose first data is wanted. */
export class RampUpQuery {
  @Field.text({ doc: RAMP_UP_FOR, optional: true, maxLength: 256 }) rampUpFor?: string;
}

/** Parameters of a login by HTTP Basic. */
export class HttpAuthQuery extends SessionParameters {
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) uiWebPath?: string;
}

/** The system a token is wanted for. */
export class JumpQuery {
  @Field.text({ doc: 'Name of the other system', maxLength: 256 }) system!: string;
}

/** A token that is good once. */
export interface LoginToken {
  readonly token: string;
}

/** Result of the first step of a login by tokens with `jsonResponse=true`. */
export class TokenLoginAnswer {
  @Field.text({ doc: 'Token for the second step; good once, for a minute' }) serverToken!: string;
  @Field.text({ doc: 'Kept for old clients: an arbitrary text' }) jsessionid!: string;
  @Field.text({ doc: 'Login name' }) user!: string;
  @Field.int({ doc: 'User id' }) user_id!: number;
  @Field.text({ doc: 'Where a redirect would lead' }) url!: string;
}

/** Result of the second step of a login by tokens. */
export class TokensData {
  @Field.text({ doc: 'Session id: 32 hexadecimal digits' }) session!: string;
  @Field.text({ doc: 'Login name' }) user!: string;
  @Field.int({ doc: 'User id' }) user_id!: number;
  @Field.int({ doc: 'Context id' }) context_id!: number;
  @Field.text({ doc: 'Locale of the session, such as en_US' }) locale!: string;
}

/** Result of a successful login. */
export class LoginObject {
  @Field.text({ doc: 'Session id: 32 hexadecimal digits' }) session!: string;
  @Field.text({ doc: 'Login name' }) user!: string;
  @Field.int({ doc: 'User id' }) user_id!: number;
  @Field.int({ doc: 'Context id' }) context_id!: number;
  @Field.text({ doc: 'Locale of the session, such as en_US' }) locale!: string;
  @Field.text({ doc: 'Random token, only where they are switched on', optional: true }) random?: string;
  @Field.boolean({ doc: 'A second factor is still needed', optional: true }) requires_multifactor?: boolean;
  @Field.text({ doc: 'Module of the folder that the link of a guest leads to', optional: true }) module?: string;
  @Field.text({ doc: 'Folder that the link of a guest leads to', optional: true }) folder?: string;
  @Field.text({ doc: 'Document that the link of a guest leads to', optional: true }) item?: string;
  @Field.any({ doc: 'Data a client loads first, when asked for', optional: true }) rampup?: unknown;
  @Field.any({ doc: 'Configuration tree below modules, when asked for', optional: true }) modules?: unknown;
}

/** Result of an automatic login: what a client loads first stands beside the session, except for names used there. */
export class AutologinObject extends LoginObject {
  @Field.any({ doc: 'Configuration of the server for this user, when asked for with rampup', optional: true })
  serverConfig?: unknown;
}

/** The answer of `hasAutologin`. */
export class AutologinState {
  @Field.boolean({ doc: 'Always true; kept for old clients' }) autologin!: boolean;
}

/**
 * Session life cycle. These operations do their own checks of session and cookies, so most of them ask for no
 * authentication. A plain reply without data is an empty body.
 */
export const login = defineModule(
  'login',
  {
    login: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      startData: 'rampup',
      doc: 'Opens a session by login name and password; writes the secret cookie',
      query: LoginQuery,
      body: form(LoginBody, { required: false }),
      reply: plain<LoginObject>(LoginObject),
      errors: [
        LoginErrors.invalidCredentials,
        LoginErrors.passwordExpired,
        LoginErrors.clientIsUserAgent,
        LoginErrors.guestPasswordWrong,
        AppPasswordErrors.clientNotAllowed,
        LoginErrors.tooManyAttempts,
        MultifactorErrors.failedWithAttempts,
        SessionErrors.tooManyForUser,
        SessionErrors.tooManyForClient,
        SessionErrors.duplicateAuthId,
        SessionErrors.contextDisabled,
      ],
    }),
    autologin: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      startData: 'both',
      doc: 'Returns to the session that the cookies of this browser name: that of a guest before all others',
      query: AutologinQuery,
      body: form(AutologinBody, { required: false }),
      reply: plain<AutologinObject>(AutologinObject),
      errors: [RequestErrors.invalidCookie, RequestErrors.actionDisabled],
    }),
    hasAutologin: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      doc: 'Tells that automatic login exists; kept for old clients',
      reply: plain<AutologinState>(AutologinState),
    }),
    logout: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Closes the session and expires its cookies. 400 without session, 403 for an unknown one or a wrong cookie',
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
    store: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      doc: 'Does nothing; kept for old clients',
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
    refreshSecret: action({
      access: BY_CREDENTIALS,
      appScopes: [PASSWORD_SCOPE],
      guests: true,
      beforeSecondFactor: true,
      auth: 'session',
      http: 'GET',
      edge: true,
      doc: 'Writes the cookies of the session again',
      reply: value<string>('"1"'),
    }),
    changeip: action({
      access: BY_CREDENTIALS,
      guests: true,
      beforeSecondFactor: true,
      auth: 'session',
      http: 'POST',
      edge: true,
      idempotency: 'none',
      doc: 'Moves the session to another client address',
      query: ChangeAddressQuery,
      reply: value<string>('"1"'),
    }),
    redirect: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Login by random token: leads to the web client. 400 while random tokens are off (default), 403 for an unknown one',
      query: RandomTokenRedirectQuery,
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
    redeem: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Login by random token: answers the login object. 400 while random tokens are off (default), 403 for an unknown one',
      query: RandomTokenSessionQuery,
      reply: plain<LoginObject | undefined>(LoginObject),
    }),
    formlogin: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      doc: 'Login by HTML form: leads to the web client, or answers an HTML page that leads back',
      query: ClientParameters,
      body: form(FormLoginBody),
      reply: plain<undefined>(undefined, { doc: 'Redirect or HTML page' }),
      errors: [RequestErrors.missingParameter],
    }),
    tokenLogin: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      doc: 'First step of a login by tokens: checks the password and makes a token for the second step',
      query: ClientParameters,
      body: form(TokenLoginBody),
      reply: plain<TokenLoginAnswer | undefined>(TokenLoginAnswer),
      errors: [LoginErrors.invalidCredentials, LoginErrors.tooManyAttempts],
    }),
    tokens: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      doc: 'Second step of a login by tokens: opens the session',
      body: form(TokensBody),
      reply: value<TokensData>('{session, user, user_id, context_id, locale}'),
      errors: [SessionErrors.unknownServerToken, SessionErrors.wrongClientToken],
    }),
    redeemToken: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      doc: 'Opens a session by a token of `token?action=acquireToken` and the secret of a registered application',
      query: ClientParameters,
      body: form(RedeemTokenBody),
      reply: plain<LoginObject>(LoginObject),
      errors: [TokenLoginErrors.unknownToken],
    }),
    anonymous: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      startData: 'rampup',
      doc: 'Login of an anonymous guest by the token of a link, and its pin where it has one',
      query: GuestLoginQuery,
      body: form(GuestLoginBody),
      reply: plain<LoginObject>(LoginObject),
      errors: [ShareErrors.notFound, LoginErrors.guestPasswordWrong, LoginErrors.tooManyAttempts],
    }),
    guest: action({
      access: BY_CREDENTIALS,
      http: 'POST',
      auth: 'none',
      edge: true,
      idempotency: 'none',
      startData: 'rampup',
      doc: 'Login of a named guest by the token of a share and the password. A guest who has none chooses it by this call, or comes without while com.example.share.emptyGuestPasswords allows it',
      query: GuestLoginQuery,
      body: form(GuestLoginBody),
      reply: plain<LoginObject>(LoginObject),
      errors: [
        ShareErrors.notFound,
        LoginErrors.guestPasswordWrong,
        LoginErrors.tooManyAttempts,
        LoginErrors.tooManyLoginsWithoutPassword,
        LoginErrors.guestPasswordNeeded,
        DirectoryErrors.passwordTooShort,
      ],
    }),
    samlLogin: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Login after a single sign-on with SAML: opens the session of the reservation, and leads to the web client or, for clients that accept JSON, answers the login object. 400 without reservation, 403 for one that is unknown, used, older than a minute or of another browser',
      query: SamlLoginQuery,
      reply: plain<LoginObject | undefined>(LoginObject),
    }),
    oidcLogin: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Login after a single sign-on with OpenID Connect. As samlLogin',
      query: OidcLoginQuery,
      reply: plain<LoginObject | undefined>(LoginObject),
    }),
    samlLogout: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Closes the session and leads to the web client. 400 without session, 403 for an unknown one or a wrong cookie',
      query: SingleLogoutQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect' }),
    }),
    oidcLogout: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Closes the session and leads to the web client. As samlLogout',
      query: SingleLogoutQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect' }),
    }),
    rampup: action({
      access: BY_CREDENTIALS,
      guests: true,
      beforeSecondFactor: true,
      http: 'GET',
      auth: 'session',
      doc: "Data a client loads first; before the second factor only what its page needs and is not the user's. A part that fails is left out and told under `errors`",
      edge: true,
      query: RampUpQuery,
      reply: value<object>('by name of the call it stands for'),
    }),
  },
  { service: 'identity' },
);

/** Login by HTTP Basic: for browsers behind a proxy that knows the password. */
export const httpAuthLogin = defineModule(
  'login/httpAuth',
  {
    httpAuth: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'none',
      action: null,
      edge: true,
      credentials: true,
      repeatable: false,
      idempotency: 'none',
      doc: 'Login by HTTP Basic: leads to the web client. 401 with a challenge without credentials or with wrong ones',
      query: HttpAuthQuery,
      reply: plain<undefined>(undefined, { doc: 'Redirect' }),
    }),
  },
  { service: 'identity' },
);

/** Tokens that another application may redeem for a session. */
export const token = defineModule(
  'token',
  {
    acquireToken: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'session',
      // A token is made each time: a repetition is harmless.
      doc: 'Makes a token for the user, good once and for a minute; `login?action=redeemToken` takes it',
      reply: value<LoginToken>('{token}'),
    }),
  },
  { service: 'identity' },
);

/** Tokens for other systems that the operator registered. */
export const jump = defineModule(
  'jump',
  {
    identityToken: action({
      access: BY_CREDENTIALS,
      http: 'GET',
      auth: 'session',
      doc: 'Makes a token that tells another system who the user is; good once and for a minute',
      query: JumpQuery,
      reply: value<LoginToken>('{token}'),
      errors: [RequestErrors.badParameter],
    }),
  },
  { service: 'identity' },
);
