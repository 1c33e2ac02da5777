import { Injectable } from '@nestjs/common';
import {
  APP_PASSWORD_REFUSED_CLIENTS,
  AppPasswordErrors,
  DEFAULT_CLIENT,
  LoginErrors,
  MAX_SESSIONS_PER_CLIENT,
  MAX_SESSIONS_PER_USER,
  SessionErrors,
  type ClientParameters,
  type EdgeRequest,
  type LoginObject,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock, Logger } from '@groupware/service-kit';
import { cookieHash, SESSION_FACTS, SessionStore, type Session } from '@groupware/sessions';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { FactorPolicy } from '../multifactor/factor-policy';
import { normalLocale } from '../domain/locale';
import { PropertyRepository } from '../persistence/property.repository';
import { UserRepository } from '../persistence/user.repository';
import { Cascade, type ScopedValues } from './cascade';
import { PrincipalBuilder } from './principal-builder';

/** A user whose identity is proven. */
export interface ProvenUser {
  readonly contextId: number;
  readonly userId: number;
  /** The login as it was entered. */
  readonly login: string;
  readonly password?: string;
  /** Hash the password was checked against, where one was: when it changed meanwhile, the session must not stay. */
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

/** Opens the session of a user whose password was right. */
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

  /** Who the client is. @throws LGI-0021 when the user agent was given as client */
  client(parameters: ClientParameters, edge: EdgeRequest): LoginClient {
    const client = parameters.client || this.cascade.value(DEFAULT_CLIENT);
    if (edge.userAgent !== '' && client === edge.userAgent) throw LoginErrors.clientIsUserAgent(client);
    const userAgent = edge.userAgent || parameters.clientUserAgent || '';
    const hash = cookieHash({ userAgent, client, headers: edge.headers }, this.sessions.settings);
    return { client, userAgent, agentless: edge.userAgent === '', hash };
  }

  /** Opens the session. @throws SES-0007, SES-0207, SES-0008, SES-0204, LGI-0006 when the account changed meanwhile */
  async open(user: ProvenUser, client: LoginClient, parameters: ClientParameters, edge: EdgeRequest): Promise<Session> {
    const { contextId, userId } = user;
    this.checkClient(user, client);
    const stored = parameters.storeLanguage && parameters.language ? normalLocale(parameters.language) : undefined;
    const { principal, facts, limits } = await this.database.transact({ contextId }, async (tx) => {
      const now = this.clock.now();
      if (stored) await this.users.setLocale(tx, userId, stored, now);
      const scoped = await this.properties.effective(tx, userId);
      return {
        principal: this.principals.of(contextId, await this.users.get(tx, userId), scoped),
        facts: await this.factsOf(tx, user, scoped),
        limits: {
          perUser: this.cascade.value(MAX_SESSIONS_PER_USER, scoped),
          perClient: this.cascade.value(MAX_SESSIONS_PER_CLIENT, scoped),
        },
      };
    });
    const session = await this.sessions.create(
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
    await this.confirm(user, session);
    if (stored) await this.sessions.refreshPrincipal(contextId, userId, principal);
    this.log.info({ contextId, userId, client: client.client }, 'session opened');
    return session;
  }

  /** Application passwords stand for themselves; a session made from another one keeps what was shown there. */
  private async factsOf(tx: Transaction, user: ProvenUser, scoped: ScopedValues): Promise<Record<string, string>> {
    const settled = [SESSION_FACTS.appPassword, SESSION_FACTS.secondFactor].some((fact) => user.parameters?.[fact]);
    return settled ? {} : this.factors.sessionFacts(tx, user.userId, scoped);
  }

  /** @throws ASP-0012 when the client takes the user's own password only */
  private checkClient(user: ProvenUser, { client }: LoginClient): void {
    if (user.parameters?.[SESSION_FACTS.appPassword] === undefined) return;
    const refused = this.cascade.value(APP_PASSWORD_REFUSED_CLIENTS).split(',');
    if (refused.some((each) => each.trim() === client)) throw AppPasswordErrors.clientNotAllowed(client);
  }

  /**
   * Closing sessions and opening this one may have crossed: whoever disabled the account or changed the password closed the
   * sessions of that moment. So look again, now that the session can be closed by others.
   */
  private async confirm(user: ProvenUser, session: Session): Promise<void> {
    const { contextId, userId } = user;
    const now = await this.database.transact({ contextId }, async (tx) => {
      const row = await this.users.find(tx, userId);
      const current = row && (await this.users.loginCandidate(tx, row.name));
      const valid = current?.enabled && current.contextEnabled && isCurrent(user, current.hash);
      return { current, valid: valid && (await this.note(tx, session)) };
    });
    if (now.valid) return;
    await this.sessions.remove(session.id);
    throw now.current && !now.current.contextEnabled
      ? SessionErrors.contextDisabled(contextId)
      : LoginErrors.invalidCredentials();
  }

  /** Notes a login; false when the application password behind it is gone meanwhile. */
  private async note(tx: Transaction, session: Session): Promise<boolean> {
    const at = this.clock.now();
    const appPassword = session.parameters[SESSION_FACTS.appPassword];
    if (appPassword !== undefined) {
      const device = `${session.client} ${session.userAgent}`.trim().slice(0, MAX_DEVICE);
      if (!(await this.appPasswords.noteUse(tx, appPassword, { at, address: session.ip, device }))) return false;
    } else await this.devices.countLogin(tx, session.userId, at);
    await this.users.noteLogin(tx, session.userId, session.client, at);
    return true;
  }
}

/** What is kept about the device of a login. */
const MAX_DEVICE = 256;

const isCurrent = (user: ProvenUser, hash: string | null): boolean =>
  user.checkedHash === undefined || user.checkedHash === hash;

/** What a client learns about its session. */
export const loginObject = (session: Session): LoginObject => ({
  session: session.id,
  user: session.login,
  user_id: session.userId,
  context_id: session.contextId,
  locale: session.principal.locale,
  ...(session.parameters[SESSION_FACTS.secondFactor] === 'pending' ? { requires_multifactor: true } : {}),
});
