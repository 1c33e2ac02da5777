import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  APP_PASSWORD_KEEPS_PASSWORD,
  APP_PASSWORD_TYPES,
  AppPasswordErrors,
  MAX_APP_PASSWORDS,
  MultifactorErrors,
  RequestErrors,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { SealedText, SESSION_FACTS, SessionStore } from '@groupware/sessions';
import { Cascade } from '../configuration/cascade';
import { PropertyRepository } from '../configuration/property.repository';
import { PrincipalBuilder } from '../directory/principal-builder';
import { FactorDeviceRepository } from '../multifactor/factor-device.repository';
import { UserRepository } from '../persistence/user.repository';
import { SessionCloser } from '../sessions/session-closer';
import { AppPasswordRepository, type AppPasswordRow } from './app-password.repository';
import { hashAppPassword, deriveAppPasswordKey, isAppPasswordFormat, generateAppPassword } from './app-password-format';
import { parseAppTypes, type AppType } from './app-types';

/** An application password that was right at a login. */
export interface VerifiedAppPassword {
  /** Facts for the session. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The user's own password, where it is kept. */
  readonly password?: string;
}

/** Input for a new application password. */
export interface AppPasswordInput {
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  readonly scope: string;
  readonly name: string;
  readonly own?: string;
  /** Whether who wants it showed a second factor: such passwords open the account without one. */
  readonly showedFactor: boolean;
}

const createSeal = (password: string): SealedText => new SealedText([deriveAppPasswordKey(password)], 'app-password');
/** Binds a sealed password to its row: a value moved to another row does not open. */
const toSealOwner = (contextId: number, userId: number, id: string): string => `${contextId}/${userId}/${id}`;

/** Passwords for applications, each good for a part of the account. */
@Injectable()
export class AppPasswords {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: AppPasswordRepository,
    private readonly factors: FactorDeviceRepository,
    private readonly properties: PropertyRepository,
    private readonly users: UserRepository,
    private readonly principals: PrincipalBuilder,
    private readonly cascade: Cascade,
    private readonly sessions: SessionStore,
    private readonly closer: SessionCloser,
    private readonly clock: Clock,
  ) {}

  /** Lists the kinds of applications, in their configured order. */
  listTypes(): AppType[] {
    return parseAppTypes(this.cascade.value(APP_PASSWORD_TYPES));
  }

  /**
   * Makes a password for the user of a session.
   * @throws ASP-0002, SVL-0031 when the user has too many, MFA-0015 in a session from before the user had a second factor
   */
  async createForSession(
    principal: UserPrincipal,
    scope: string,
    name: string,
  ): Promise<{ login: string; password: string }> {
    const { contextId, userId, sessionId } = principal;
    const session = await this.sessions.peek(sessionId);
    const login = session?.login ?? `${principal.login}@${contextId}`;
    const own =
      session && this.cascade.value(APP_PASSWORD_KEEPS_PASSWORD) ? this.sessions.unsealPassword(session) : undefined;
    const showedFactor = session?.parameters[SESSION_FACTS.secondFactor] !== undefined;
    return this.createAppPassword({ contextId, userId, login, scope, name, own, showedFactor });
  }

  /** Creates a password; `own`, the user's own password, is stored sealed by it. @throws ASP-0002, SVL-0031, MFA-0015 */
  async createAppPassword(wanted: AppPasswordInput): Promise<{ login: string; password: string }> {
    const { contextId, userId, login, scope, name, own, showedFactor } = wanted;
    if (!this.listTypes().some((type) => type.name === scope)) throw AppPasswordErrors.unknownScope(scope);
    const password = generateAppPassword();
    const id = randomUUID();
    await this.database.transact({ contextId }, async (tx) => {
      // Passwords and second factors of the user are made one after the other: neither check misses what is being made.
      await this.factors.lockUser(tx, userId);
      if (!showedFactor && (await this.factors.countUsable(tx, userId)) > 0)
        throw MultifactorErrors.recentFactorNeeded();
      const scoped = await this.properties.getEffective(tx, userId);
      const most = this.cascade.value(MAX_APP_PASSWORDS, scoped);
      if ((await this.rows.listByUser(tx, userId)).length >= most)
        throw RequestErrors.badBodyData(`there are ${most} application passwords already`);
      await this.rows.insert(tx, {
        id,
        userId,
        login,
        scope,
        name,
        hash: hashAppPassword(password),
        sealedPassword: own === undefined ? null : createSeal(password).seal(own, toSealOwner(contextId, userId, id)),
        createdAt: this.clock.now(),
      });
    });
    return { login, password };
  }

  /** The passwords of a user. */
  listForUser(principal: UserPrincipal): Promise<AppPasswordRow[]> {
    return this.database.read(principal, (db) => this.rows.listByUser(db, principal.userId));
  }

  /** Removes a password and ends the sessions it opened. @throws ASP-0005 for a foreign or unknown one */
  async removeAppPassword({ contextId, userId }: UserPrincipal, id: string): Promise<void> {
    const removed = await this.database.transact({ contextId }, (tx) => this.rows.deleteById(tx, userId, id));
    if (!removed) throw AppPasswordErrors.unknownPassword();
    await this.endSessions(contextId, userId, (password) => password === id.toLowerCase());
  }

  /** Ends the sessions that application passwords of a user opened; default: of all of them. */
  async endSessions(contextId: number, userId: number, isEnded: (id: string) => boolean = () => true): Promise<void> {
    const opened = (await this.sessions.listByUser(contextId, userId)).filter(({ parameters }) => {
      const id = parameters[SESSION_FACTS.appPassword];
      return id !== undefined && isEnded(id);
    });
    await this.closer.closeByIds(opened.map((session) => session.id));
  }

  /** Finds the application password of a user that matches; undefined without a match. */
  async verifyAppPassword(db: Reader, userId: number, password: string): Promise<VerifiedAppPassword | undefined> {
    if (!isAppPasswordFormat(password)) return undefined;
    const row = await this.rows.findByHash(db, userId, hashAppPassword(password));
    const type = row && this.listTypes().find(({ name }) => name === row.scope);
    // Passwords of a kind that was removed from the settings are void, and all of a user who lost the module.
    if (!type || !(await this.isOpenTo(db, userId))) return undefined;
    const own = row.sealedPassword
      ? createSeal(password).open(row.sealedPassword, toSealOwner(db.contextId, userId, row.id))
      : undefined;
    return {
      parameters: { [SESSION_FACTS.appPassword]: row.id, [SESSION_FACTS.appScopes]: type.scopes.join(' ') },
      ...(own === undefined ? {} : { password: own }),
    };
  }

  private async isOpenTo(db: Reader, userId: number): Promise<boolean> {
    const { capabilities } = await this.principals.build(db, await this.users.get(db, userId));
    return capabilities.includes('app_passwords');
  }
}
