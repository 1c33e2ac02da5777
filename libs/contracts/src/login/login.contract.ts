import { action, defineModule, Field, form, plain, value } from '../kit';
import { RequestErrors, SessionErrors } from '../edge/edge.errors';
import { LoginErrors } from './login.errors';

/** Parameters that every way to log in takes, in the URL or in the form body. */
export class ClientParameters {
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
  @Field.boolean({ doc: 'Keep the session across restarts of the browser', optional: true }) staySignedIn?: boolean;
  @Field.boolean({ doc: 'Answer the data a client loads first, too', optional: true }) rampup?: boolean;
  @Field.text({ doc: 'Client whose first data is wanted', optional: true, maxLength: 256 }) rampUpFor?: string;
  @Field.text({ doc: 'Older spelling of rampUpFor', optional: true, maxLength: 256 }) rampupFor?: string;
  @Field.boolean({ doc: 'Answer the configuration tree below modules, too', optional: true }) modules?: boolean;
}

/** Query of a login. A password in the URL is refused with SVL-0030 before anything else happens. */
export class LoginQuery extends ClientParameters {
  @Field.text({ doc: 'Login name when it is not in the body', optional: true, maxLength: 1024 }) name?: string;
}

/** Body of a login. */
export class LoginBody extends LoginQuery {
  @Field.text({ doc: 'The password (required)', optional: true, writeOnly: true, maxLength: 4096 }) password?: string;
}

/** Form fields of an automatic login. */
export class AutologinBody extends ClientParameters {}

/** Parameters of a change of the client's address. */
export class ChangeAddressQuery {
  @Field.text({ doc: 'New address of the client', maxLength: 128 }) clientIP!: string;
}

/** Parameters of a login by random token; this server gives out no random tokens. */
export class RandomTokenQuery {
  @Field.text({ doc: 'Random token from an earlier login', maxLength: 128 }) random!: string;
  @Field.text({ doc: 'Identifier of the client', optional: true, maxLength: 256 }) client?: string;
  @Field.boolean({ doc: 'Keep the session', optional: true }) store?: boolean;
  @Field.text({ doc: 'Path of the web client', optional: true, maxLength: 1024 }) uiWebPath?: string;
}

/** What a successful login answers. */
export class LoginObject {
  @Field.text({ doc: 'Session id: 32 hexadecimal digits' }) session!: string;
  @Field.text({ doc: 'Login name' }) user!: string;
  @Field.int({ doc: 'User id' }) user_id!: number;
  @Field.int({ doc: 'Context id' }) context_id!: number;
  @Field.text({ doc: 'Locale of the session, such as en_US' }) locale!: string;
  @Field.any({ doc: 'Data a client loads first, when asked for', optional: true }) rampup?: unknown;
  @Field.any({ doc: 'Configuration tree below modules, when asked for', optional: true }) modules?: unknown;
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
      http: 'POST',
      auth: 'none',
      edge: true,
      doc: 'Opens a session by login name and password; writes the secret cookie',
      query: LoginQuery,
      body: form(LoginBody, { required: false }),
      reply: plain<LoginObject>(LoginObject),
      errors: [
        LoginErrors.invalidCredentials,
        LoginErrors.clientIsUserAgent,
        LoginErrors.tooManyAttempts,
        SessionErrors.tooManyForUser,
        SessionErrors.tooManyForClient,
        SessionErrors.duplicateAuthId,
        SessionErrors.contextDisabled,
      ],
    }),
    autologin: action({
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Returns to the session that the cookies of this browser name (sessions opened with staySignedIn)',
      query: ClientParameters,
      body: form(AutologinBody, { required: false }),
      reply: plain<LoginObject>(LoginObject),
      errors: [RequestErrors.invalidCookie, RequestErrors.actionDisabled],
    }),
    hasAutologin: action({
      http: 'GET',
      auth: 'none',
      doc: 'Tells that automatic login exists; kept for old clients',
      reply: plain<AutologinState>(AutologinState),
    }),
    logout: action({
      http: 'GET',
      auth: 'none',
      edge: true,
      doc: 'Closes the session and expires its cookies. 400 without session, 403 for an unknown one or a wrong cookie',
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
    store: action({
      http: 'GET',
      auth: 'none',
      doc: 'Does nothing; kept for old clients',
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
    refreshSecret: action({
      auth: 'session',
      http: 'GET',
      edge: true,
      doc: 'Writes the cookies of the session again',
      reply: value<string>('"1"'),
    }),
    changeip: action({
      auth: 'session',
      http: 'POST',
      edge: true,
      doc: 'Moves the session to another client address',
      query: ChangeAddressQuery,
      reply: value<string>('"1"'),
    }),
    redirect: action({
      http: 'GET',
      auth: 'none',
      doc: 'Login by random token. Random tokens are not offered: always 400',
      query: RandomTokenQuery,
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
    redeem: action({
      http: 'GET',
      auth: 'none',
      doc: 'Login by random token. Random tokens are not offered: always 400',
      query: RandomTokenQuery,
      reply: plain<undefined>(undefined, { doc: 'Empty body' }),
    }),
  },
  { service: 'identity' },
);
