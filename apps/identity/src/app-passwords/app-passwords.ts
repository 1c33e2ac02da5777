import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  APP_PASSWORD_KEEPS_PASSWORD,
  APP_PASSWORD_TYPES,
  AppPasswordErrors,
  MAX_APP_PASSWORDS,
  RequestErrors,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { SealedText, SESSION_FACTS, SessionStore } from '@groupware/sessions';
import { Cascade } from '../login/cascade';
import { PropertyRepository } from '../persistence/property.repository';
import { SessionCloser } from '../sessions/session-closer';
import { AppPasswordRepository, type AppPasswordRow } from './app-password.repository';
import { hashOfAppPassword, keyOfAppPassword, looksLikeAppPassword, newAppPassword } from './app-password-text';
import { parseAppTypes, type AppType } from './app-types';

/** An application password that was shown at a login. */
export interface ShownAppPassword {
  /** Facts for the session. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The user's own password, where it is kept. */
  readonly password?: string;
}

/** A password to make. */
export interface WantedAppPassword {
  readonly contextId: number;
  readonly userId: number;
  readonly login: string;
  readonly scope: string;
  readonly name: string;
  readonly own?: string;
}

const sealOf = (password: string): SealedText => new SealedText([keyOfAppPassword(password)], 'app-password');
/** Who a sealed password belongs to: a value moved to another row does not open. */
const ownerOf = (contextId: number, userId: number, id: string): string => `${contextId}/${userId}/${id}`;

/** Passwords for applications, each good for a part of the account. */
@Injectable()
export class AppPasswords {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: AppPasswordRepository,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
    private readonly sessions: SessionStore,
    private readonly closer: SessionCloser,
    private readonly clock: Clock,
  ) {}

  /** Kinds of applications, in their order. */
  types(): AppType[] {
    return parseAppTypes(this.cascade.value(APP_PASSWORD_TYPES));
  }

  /** Makes a password for the user of a session. @throws ASP-0002, SVL-0031 when the user has too many */
  async add(principal: UserPrincipal, scope: string, name: string): Promise<{ login: string; password: string }> {
    const { contextId, userId, sessionId } = principal;
    const session = await this.sessions.peek(sessionId);
    const login = session?.login ?? `${principal.login}@${contextId}`;
    const own =
      session && this.cascade.value(APP_PASSWORD_KEEPS_PASSWORD) ? this.sessions.passwordOf(session) : undefined;
    return this.make({ contextId, userId, login, scope, name, own });
  }

  /** Makes a password. `own`, the user's own password, is kept sealed with it. @throws ASP-0002, SVL-0031 */
  async make(wanted: WantedAppPassword): Promise<{ login: string; password: string }> {
    const { contextId, userId, login, scope, name, own } = wanted;
    if (!this.types().some((type) => type.name === scope)) throw AppPasswordErrors.unknownScope(scope);
    const password = newAppPassword();
    const id = randomUUID();
    await this.database.transact({ contextId }, async (tx) => {
      const scoped = await this.properties.effective(tx, userId);
      const most = this.cascade.value(MAX_APP_PASSWORDS, scoped);
      if ((await this.rows.ofUser(tx, userId)).length >= most)
        throw RequestErrors.badBodyData(`there are ${most} application passwords already`);
      await this.rows.insert(tx, {
        id,
        userId,
        login,
        scope,
        name,
        hash: hashOfAppPassword(password),
        sealedPassword: own === undefined ? null : sealOf(password).seal(own, ownerOf(contextId, userId, id)),
        createdAt: this.clock.now(),
      });
    });
    return { login, password };
  }

  /** The passwords of a user. */
  list(principal: UserPrincipal): Promise<AppPasswordRow[]> {
    return this.database.read(principal, (db) => this.rows.ofUser(db, principal.userId));
  }

  /** Removes a password and ends the sessions it opened. @throws ASP-0005 for a foreign or unknown one */
  async remove({ contextId, userId }: UserPrincipal, id: string): Promise<void> {
    const removed = await this.database.transact({ contextId }, (tx) => this.rows.remove(tx, userId, id));
    if (!removed) throw AppPasswordErrors.unknownPassword();
    await this.endSessions(contextId, userId, (password) => password === id.toLowerCase());
  }

  /** Ends the sessions that application passwords of a user opened; default: of all of them. */
  async endSessions(contextId: number, userId: number, isEnded: (id: string) => boolean = () => true): Promise<void> {
    const opened = (await this.sessions.ofUser(contextId, userId)).filter(({ parameters }) => {
      const id = parameters[SESSION_FACTS.appPassword];
      return id !== undefined && isEnded(id);
    });
    await this.closer.byId(opened.map((session) => session.id));
  }

  /** The application password of a user that was shown; undefined when it is none. */
  async shown(db: Reader, userId: number, password: string): Promise<ShownAppPassword | undefined> {
    if (!looksLikeAppPassword(password)) return undefined;
    const row = await this.rows.byHash(db, userId, hashOfAppPassword(password));
    const type = row && this.types().find(({ name }) => name === row.scope);
    // A kind that the operator took away opens nothing any more.
    if (!type) return undefined;
    const own = row.sealedPassword
      ? sealOf(password).open(row.sealedPassword, ownerOf(db.contextId, userId, row.id))
      : undefined;
    return {
      parameters: { [SESSION_FACTS.appPassword]: row.id, [SESSION_FACTS.appScopes]: type.scopes.join(' ') },
      ...(own === undefined ? {} : { password: own }),
    };
  }
}
