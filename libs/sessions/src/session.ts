import { PASSWORD_SCOPE, resolveGrantedScopes, type UserPrincipal } from '@groupware/contracts';

/** A live session. Times are ms since the epoch, UTC. */
export interface Session {
  /** 32 lower-case hex digits. */
  readonly id: string;
  /** Value of the secret cookie: 32 hex digits. */
  readonly secret: string;
  /** Value of the public session cookie: 32 hex digits. */
  readonly alternativeId: string;
  /** Names the login attempt; no two live sessions share one. */
  readonly authId: string;
  readonly contextId: number;
  readonly userId: number;
  /** The login as the user entered it. */
  readonly login: string;
  readonly client: string;
  /** Version of the client. */
  readonly version: string;
  /** User agent that went into {@link hash}. */
  readonly userAgent: string;
  /** True when requests of this client carry no User-Agent header, so that the stored one counts. */
  readonly agentless?: boolean;
  /** Hash in the names of the session's cookies, as computed at login. */
  readonly hash: string;
  /** Address of the client. */
  readonly ip: string;
  readonly staySignedIn: boolean;
  /** Of a guest: context and user are in every cookie name, so that a browser holds sessions of several guests. */
  readonly guest?: boolean;
  readonly createdAt: number;
  /** Last request; a look-up makes it now. */
  readonly lastActive: number;
  /** When the session ends without further requests. */
  readonly expiresAt: number;
  readonly principal: UserPrincipal;
  /** Sealed password; see {@link SessionStore.passwordOf}. */
  readonly password?: string;
  /** Facts that modules keep with the session, such as the state of a second factor. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Input of a new session; the store adds ids and times. */
export interface NewSession {
  /** Made up when absent: 32 hex digits, the first bit tells whether it is long-lived. */
  readonly id?: string;
  /** Made up when absent. */
  readonly authId?: string;
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  readonly client: string;
  readonly version: string;
  readonly userAgent: string;
  readonly agentless?: boolean;
  readonly hash: string;
  readonly ip: string;
  readonly staySignedIn: boolean;
  readonly guest?: boolean;
  /** Plain text; stored sealed. */
  readonly password?: string;
  readonly principal: Omit<UserPrincipal, 'sessionId'>;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Most live sessions; -1 means no limit. */
export interface SessionLimits {
  readonly perUser: number;
  readonly perClient: number;
}

/** True for texts in the form of a session id. */
export const isSessionId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** Names of facts that restrict a session. */
export const SESSION_FACTS = {
  /** Id of the application password the session was opened with. */
  appPassword: 'appPassword',
  /** Its scopes, separated by spaces. */
  appScopes: 'appScopes',
  /** `pending` until a second factor was shown, then the time of that in ms UTC. */
  secondFactor: 'secondFactor',
  /** When the session ends whatever happens, ms UTC: that of a guest whose access has an end. */
  validUntil: 'validUntil',
  /** The single sign-on that opened the session, as JSON; see `signOnOf`. */
  signOn: 'signOn',
  /** The grant of an application: such a session is reached by its access token only. */
  grant: 'grant',
} as const;

/** The user of a session, with what restricts the session. */
export function toPrincipal(session: Session): UserPrincipal {
  const scopes = session.parameters[SESSION_FACTS.appScopes];
  const pending = session.parameters[SESSION_FACTS.secondFactor] === 'pending';
  // The same object where nothing restricts it: its text on the bus is made once.
  if (scopes === undefined && !pending) return session.principal;
  const isGranted = session.parameters[SESSION_FACTS.grant] !== undefined;
  const resolve = (named: string[]) => (isGranted ? resolveGrantedScopes(named) : [...named, PASSWORD_SCOPE]);
  return {
    ...session.principal,
    ...(scopes === undefined ? {} : { appScopes: resolve(scopes.split(' ')) }),
    ...(pending ? { secondFactorPending: true } : {}),
  };
}
