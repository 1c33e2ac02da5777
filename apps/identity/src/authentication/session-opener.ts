import { Injectable } from '@nestjs/common';
import type { SharedFolder } from '../guests/guest-folders';
import {
  APP_PASSWORD_REFUSED_CLIENTS,
  AppPasswordErrors,
  DEFAULT_CLIENT,
  LoginErrors,
  MAX_SESSIONS_PER_CLIENT,
  MAX_SESSIONS_PER_USER,
  SessionErrors,
  type SessionParameters,
  type EdgeRequest,
  type LoginObject,
  findLocale,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import {
  computeCookieHash,
  SESSION_FACTS,
  SessionStore,
  SIGN_ON_INDEX,
  signOnNames,
  signOnOf,
  type Session,
} from '@groupware/sessions';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { FactorPolicy } from '../multifactor/factor-policy';
import { PropertyRepository } from '../configuration/property.repository';
import { UserRepository } from '../persistence/user.repository';
import { Cascade, type ScopedValues } from '../configuration/cascade';
import { PrincipalBuilder } from '../directory/principal-builder';

/** An authenticated user. */
export interface AuthenticatedUser {
  readonly contextId: number;
  readonly userId: number;
  /** The login as it was entered. */
  readonly login: string;
  readonly password?: string;
  /** Hash the password was checked against, if any: the session must not outlive a change of it. */
  readonly checkedHash?: string;
  /** Facts that come with the session. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The client of a login, as its parameters and headers name it. */
export interface LoginClient {
  readonly client: string;
  readonly userAgent: string;
  readonly agentless: boolean;
  readonly hash: string;
}

/** Opens sessions of authenticated users. */
@Injectable()
export class SessionOpener {
  private readonly log = Logger.for('identity.login');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly properties: PropertyRepository,
    private readonly principals: PrincipalBuilder,
    private readonly cascade: Cascade,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
    private readonly appPasswords: AppPasswordRepository,
    private readonly factors: FactorPolicy,
    private readonly devices: FactorDeviceRepository,
  ) {}

  /** Resolves the client of a login. @throws LGI-0021 when the user agent was given as client */
  resolveClient(parameters: SessionParameters, edge: EdgeRequest): LoginClient {
    const client = parameters.client || this.cascade.value(DEFAULT_CLIENT);
    if (edge.userAgent !== '' && client === edge.userAgent) throw LoginErrors.clientIsUserAgent(client);
    const userAgent = edge.userAgent || parameters.clientUserAgent || '';
    const hash = computeCookieHash({ userAgent, client, headers: edge.headers }, this.sessions.settings);
    return { client, userAgent, agentless: edge.userAgent === '', hash };
  }

  /** Opens the session. @throws SES-0007, SES-0207, SES-0008, SES-0204, LGI-0006 when the account changed meanwhile */
  async openSession(
    user: AuthenticatedUser,
    client: LoginClient,
    parameters: SessionParameters,
    edge: EdgeRequest,
  ): Promise<Session> {
    const { contextId, userId } = user;
    this.requireAllowedClient(user, client);
    const stored = findLocaleToStore(parameters);
    const { principal, facts, limits } = await this.database.transact({ contextId }, async (tx) => {
      const now = this.clock.now();
      if (stored) await this.users.setLocale(tx, userId, stored, now);
      const scoped = await this.properties.getEffective(tx, userId);
      return {
        principal: this.principals.toPrincipal(contextId, await this.users.get(tx, userId), scoped),
        facts: await this.collectFacts(tx, user, scoped),
        limits: {
          perUser: this.cascade.value(MAX_SESSIONS_PER_USER, scoped),
          perClient: this.cascade.value(MAX_SESSIONS_PER_CLIENT, scoped),
        },
      };
    });
    const session = await this.sessions.createSession(
      {
        contextId,
        userId,
        login: user.login,
        version: parameters.version ?? '',
        ip: edge.remoteAddress,
        staySignedIn: parameters.staySignedIn ?? false,
        principal,
        ...client,
        ...(parameters.authId ? { authId: parameters.authId } : {}),
        ...(user.password === undefined ? {} : { password: user.password }),
        parameters: { ...facts, ...user.parameters },
      },
      limits,
    );
    await this.noteSignOn(session);
    await this.requireUnchanged(user, session);
    if (stored) await this.sessions.refreshPrincipal(contextId, userId, principal);
    const { clientIP } = parameters;
    this.log.info({ contextId, userId, client: client.client, ...(clientIP && { clientIP }) }, 'session opened');
    return session;
  }

  /** Makes a session found by the logout at its identity provider. */
  private async noteSignOn(session: Session): Promise<void> {
    const signOn = signOnOf(session);
    if (signOn)
      await this.sessions.sessionIndex(SIGN_ON_INDEX).addSession(Object.values(signOnNames(signOn)), session.id);
  }

  /** Collects session facts; a session derived from another one keeps those of the other. */
  private async collectFacts(
    tx: Transaction,
    user: AuthenticatedUser,
    scoped: ScopedValues,
  ): Promise<Record<string, string>> {
    const settled = [SESSION_FACTS.appPassword, SESSION_FACTS.secondFactor].some((fact) => user.parameters?.[fact]);
    return settled ? {} : this.factors.resolveSessionFacts(tx, user.userId, scoped);
  }

  /** @throws ASP-0012 when the client takes the user's own password only */
  private requireAllowedClient(user: AuthenticatedUser, { client }: LoginClient): void {
    if (user.parameters?.[SESSION_FACTS.appPassword] === undefined) return;
    const refused = this.cascade.value(APP_PASSWORD_REFUSED_CLIENTS).split(',');
    if (refused.some((each) => each.trim() === client)) throw AppPasswordErrors.clientNotAllowed(client);
  }

  /**
   * Checks the account again after opening: a concurrent disabling or password change closed only the sessions of that
   * moment.
   */
  private async requireUnchanged(user: AuthenticatedUser, session: Session): Promise<void> {
    const { contextId, userId } = user;
    const now = await this.database.transact({ contextId }, async (tx) => {
      const row = await this.users.findById(tx, userId);
      const current = row && (await this.users.findLoginCandidate(tx, row.name));
      const valid = current?.enabled && current.contextEnabled && isCurrent(user, current.hash);
      return { current, valid: valid && (await this.recordLogin(tx, session)) };
    });
    if (now.valid) return;
    await this.sessions.removeSession(session.id);
    throw now.current && !now.current.contextEnabled
      ? SessionErrors.contextDisabled(contextId)
      : LoginErrors.invalidCredentials();
  }

  /** Records a login; false when its application password was removed meanwhile. */
  private async recordLogin(tx: Transaction, session: Session): Promise<boolean> {
    const at = this.clock.now();
    const appPassword = session.parameters[SESSION_FACTS.appPassword];
    if (appPassword !== undefined) {
      const device = `${session.client} ${session.userAgent}`.trim().slice(0, MAX_DEVICE_LENGTH);
      if (!(await this.appPasswords.recordUse(tx, appPassword, { at, address: session.ip, device }))) return false;
    } else await this.devices.countLogin(tx, session.userId, at);
    await this.users.recordLogin(tx, session.userId, session.client, at);
    return true;
  }
}

/** The locale that a login wants in the settings of its user, by either name of the parameters; tags that are none are ignored. */
function findLocaleToStore(parameters: SessionParameters): string | undefined {
  const { storeLanguage, storeLocale, language, locale } = parameters;
  const wanted = language || locale;
  return (storeLanguage ?? storeLocale) && wanted ? findLocale(wanted) : undefined;
}

/** Maximum stored length of a device description. */
const MAX_DEVICE_LENGTH = 256;

const isCurrent = (user: AuthenticatedUser, hash: string | null): boolean =>
  user.checkedHash === undefined || user.checkedHash === hash;

/** Converts a session to the login response. */
export const toLoginObject = (session: Session): LoginObject => ({
  session: session.id,
  user: session.login,
  user_id: session.userId,
  context_id: session.contextId,
  locale: session.principal.locale,
  ...(session.parameters[SESSION_FACTS.secondFactor] === 'pending' ? { requires_multifactor: true } : {}),
});

/** Answer to the login of a guest: also the folder that the link leads to. */
export const toGuestLoginObject = (session: Session, place: SharedFolder): LoginObject => ({
  ...toLoginObject(session),
  ...toPlaceNames(place),
});

/** A shared folder or object as clients name it. */
export const toPlaceNames = ({ module, folder, item }: SharedFolder) => ({
  module,
  folder: String(folder),
  ...(item === undefined ? {} : { item: `${folder}/${item}` }),
});
