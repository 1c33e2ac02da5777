import { allowCallers, defineModule, Field, internal, type UserPrincipal, value } from '../kit';
import { LoginErrors } from '../login/login.errors';
import { MultifactorErrors } from '../multifactor/multifactor.errors';
import { RequestErrors } from '../edge/edge.errors';

const BEFORE_LOGIN = allowCallers('who calls is what it finds out');

/** Credentials of an administrator as HTTP Basic sent them. */
export class AdministratorCredentials {
  @Field.int({ doc: 'Context of the path, where it names one', optional: true, min: 1 }) contextId?: number;
  @Field.boolean({ doc: 'Whether the administrator of that context may call, too' }) contextAdmin!: boolean;
  @Field.text({ doc: 'Name of a reseller, or of the administrator within the context', maxLength: 1024 })
  login!: string;
  @Field.text({ doc: 'Password', maxLength: 4096, writeOnly: true }) password!: string;
  @Field.text({ doc: 'Address of the client, for the limit of failed attempts', maxLength: 128 })
  remoteAddress!: string;
}

/** A login name with its password. */
export class IdentifyQuery {
  @Field.text({ doc: 'Login name', maxLength: 1024 }) login!: string;
  @Field.text({ doc: 'Password', maxLength: 4096, writeOnly: true }) password!: string;
  @Field.text({ doc: 'Address of the client, for the limits of failed logins', maxLength: 128 })
  remoteAddress!: string;
}

/** A token of `token?action=acquireToken`. */
export class TokenOwnerQuery {
  @Field.text({ doc: 'Token', maxLength: 256 }) token!: string;
}

/** Owner of credentials or tokens; empty when there is none. */
export interface IdentifiedUser {
  readonly contextId?: number;
  readonly userId?: number;
  readonly login?: string;
}

/** Outcome of a check of administrator credentials. */
export interface AdministratorCheck {
  /** False also for unknown and disabled contexts: no client learns which contexts exist. */
  readonly accepted: boolean;
  /** Set for the administrator of the context. */
  readonly userId?: number;
  /** Set for master administrators. */
  readonly master?: true;
  /** Set for resellers. */
  readonly reseller?: string;
  /** True for a reseller when the context of the path is one of his; false for unknown ones and without. */
  readonly responsible?: boolean;
}

/** An application password to make for a device that set itself up. */
export class DevicePasswordQuery {
  @Field.int({ doc: 'User id', min: 1 }) userId!: number;
  @Field.text({ doc: 'Login name it is used with', maxLength: 1024 }) login!: string;
  @Field.text({ doc: 'Kind of application', maxLength: 64 }) scope!: string;
  @Field.text({ doc: 'Name in the list of the user', maxLength: 256 }) name!: string;
  @Field.boolean({ doc: 'Whether the user showed a second factor; default yes', optional: true })
  showedFactor?: boolean;
}

/** Credentials of a user as clients without sessions send them: DAV, calendars on telephones. */
export class ScopedCredentials {
  @Field.text({ doc: 'Login name, as at the login', maxLength: 1024 }) login!: string;
  @Field.text({ doc: 'Own password or application password', maxLength: 4096, writeOnly: true }) password!: string;
  @Field.text({ doc: 'Address of the client, for the limit of failed attempts', maxLength: 128 })
  remoteAddress!: string;
  @Field.listOf('text', {
    doc: 'Scopes of which an application password must have one, such as read_calendar; empty: none is enough',
    maxItems: 100,
  })
  scopes!: string[];
}

/** A user whom an identity provider named. */
export class SignOnUserQuery {
  @Field.text({ doc: 'Name of the user', maxLength: 1024 }) user!: string;
  @Field.text({ doc: 'Login mapping of the context; empty: the default one', maxLength: 1024 }) mapping!: string;
  @Field.boolean({ doc: 'Make the user when the context is known and the user is not' }) isProvisioned!: boolean;
  @Field.text({ doc: 'Mail address of a new user', optional: true, maxLength: 255 }) email?: string;
  @Field.text({ doc: 'Given name of a new user', optional: true, maxLength: 320 }) givenName?: string;
  @Field.text({ doc: 'Surname of a new user', optional: true, maxLength: 320 }) surname?: string;
  @Field.text({ doc: 'Display name of a new user', optional: true, maxLength: 320 }) displayName?: string;
}

/** Access of an application to open. */
export class ApplicationSessionQuery {
  @Field.int({ doc: 'User id', min: 1 }) userId!: number;
  @Field.text({ doc: 'Session id, made of the access token', maxLength: 32 }) sessionId!: string;
  @Field.text({ doc: 'Client id of the session', maxLength: 256 }) client!: string;
  @Field.text({ doc: 'The grant', maxLength: 64 }) grant!: string;
  @Field.listOf('text', { doc: 'Scopes', maxItems: 100 }) scopes!: string[];
  @Field.timestamp({ doc: 'End, ms UTC' }) validUntil!: number;
}

/** Sessions to end. */
export class EndedSessionsQuery {
  @Field.listOf('text', { doc: 'Session ids', maxItems: 10_000 }) ids!: string[];
}

/** A code that a user shows who proved the password before. */
export class FactorCodeQuery {
  @Field.int({ doc: 'User id', min: 1 }) userId!: number;
  @Field.text({ doc: 'Code of a second factor', maxLength: 256, writeOnly: true }) code!: string;
  @Field.text({ doc: 'Address of the client, for the limit of failed attempts', maxLength: 128 })
  remoteAddress!: string;
}

/** A user whose password was right and who has to show a second factor. */
export interface MissingFactor {
  readonly contextId: number;
  readonly userId: number;
  /** Whether a code is enough, which needs no challenge. */
  readonly takesCode: boolean;
}

/** Outcome of a check of user credentials. */
export interface UserProof {
  /** False for wrong ones, disabled users and contexts, application passwords without one of the scopes, and the own password of users with a second factor. */
  readonly accepted: boolean;
  /** The user; `sessionId` is empty: there is no session. */
  readonly principal?: UserPrincipal;
  /** Set where nothing but the second factor is missing. */
  readonly missingFactor?: MissingFactor;
}

/** Checks of credentials for the REST edge, answered by the identity service. */
export const authentication = defineModule(
  'authentication',
  {
    administrator: internal({
      access: BEFORE_LOGIN,
      calledBy: ['gateway'],
      doc: 'Tells whether login and password are those of a reseller or of the administrator of the context. Too many failures per address or account: SVL-0019 with Retry-After',
      query: AdministratorCredentials,
      reply: value<AdministratorCheck>('outcome'),
      idempotency: 'none',
      errors: [RequestErrors.tooManyRequests],
    }),
    identify: internal({
      access: BEFORE_LOGIN,
      calledBy: ['admin'],
      doc: 'Whose login name and password they are, empty for wrong ones. Failures count for the limits of logins; a success leaves no trace',
      query: IdentifyQuery,
      reply: value<IdentifiedUser>('user'),
      idempotency: 'none',
    }),
    tokenOwner: internal({
      access: BEFORE_LOGIN,
      calledBy: ['admin'],
      doc: 'Whose token it is, empty for an unknown one. The token stays good',
      query: TokenOwnerQuery,
      reply: value<IdentifiedUser>('user'),
      repeatable: true,
    }),
    devicePassword: internal({
      access: BEFORE_LOGIN,
      calledBy: ['admin'],
      idempotency: 'none',
      doc: 'Makes an application password for a user; null when the user or the context is disabled or gone',
      query: DevicePasswordQuery,
      reply: value<{ login: string; password: string } | null>('login and password'),
    }),
    signOnUser: internal({
      access: BEFORE_LOGIN,
      calledBy: ['sso'],
      idempotency: 'none',
      doc: 'The user whom an identity provider named; null for an unknown or disabled one',
      query: SignOnUserQuery,
      reply: value<{ contextId: number; userId: number; login: string } | null>('the user'),
    }),
    openApplication: internal({
      access: BEFORE_LOGIN,
      calledBy: ['sso'],
      idempotency: 'none',
      doc: 'Opens the session behind an access token; false when the user or the context is disabled or gone',
      query: ApplicationSessionQuery,
      reply: value<boolean>('whether it is open'),
    }),
    endSessions: internal({
      access: allowCallers('the identity provider of the sessions, or their user, logged out'),
      calledBy: ['sso'],
      doc: 'Ends sessions everywhere; answers how many were live',
      query: EndedSessionsQuery,
      reply: value<number>('number of sessions'),
      repeatable: true,
    }),
    prove: internal({
      access: BEFORE_LOGIN,
      calledBy: ['gateway', 'admin', 'sso'],
      doc: 'Tells who a user without session is. Too many failures: SVL-0019 or LGI-0028',
      query: ScopedCredentials,
      reply: value<UserProof>('outcome'),
      idempotency: 'none',
      errors: [RequestErrors.tooManyRequests, LoginErrors.tooManyAttempts],
    }),
    proveFactor: internal({
      access: allowCallers('who calls proved the password of the user'),
      calledBy: ['sso'],
      doc: 'Tells who a user without session is who shows the code of a second factor after the password',
      query: FactorCodeQuery,
      reply: value<UserProof>('outcome; not accepted when the user or the context is disabled or gone'),
      idempotency: 'none',
      errors: [MultifactorErrors.failedWithAttempts, MultifactorErrors.lockedOut],
    }),
  },
  { service: 'identity' },
);
