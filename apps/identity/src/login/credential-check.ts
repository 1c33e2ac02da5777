import { Injectable } from '@nestjs/common';
import { DEFAULT_MAPPING, LoginErrors, SessionErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { AppPasswords } from '../app-passwords/app-passwords';
import { Passwords } from '../domain/passwords';
import { splitLogin } from '../domain/login-name';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository, type LoginCandidate } from '../persistence/user.repository';
import { Cascade } from './cascade';
import { LoginLimits } from './login-limits';
import type { ProvenUser } from './session-opener';

/** Checks a login name and a password: the user's own one or one of the application passwords. */
@Injectable()
export class CredentialCheck {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly passwords: Passwords,
    private readonly limits: LoginLimits,
    private readonly cascade: Cascade,
    private readonly appPasswords: AppPasswords,
  ) {}

  /**
   * The user behind a login. Unknown names take as long as wrong passwords, and only the right password learns that a
   * context or user is disabled.
   * @throws LGI-0006, LGI-0013, LGI-0028, SES-0204, SVL-0019
   */
  async prove(
    login: string,
    password: string,
    remoteAddress: string,
    /** Whether a success is noted, as that of a login is. */
    leavesTrace = true,
  ): Promise<ProvenUser> {
    const key = login.trim().toLowerCase();
    await this.limits.check(key, remoteAddress);
    const { user: name, mapping } = splitLogin(login, this.cascade.value(DEFAULT_MAPPING));
    const contextId = await this.database.acrossContexts((db) => this.contexts.idOfMapping(db, mapping));
    const candidate =
      contextId === undefined
        ? undefined
        : await this.database.read({ contextId }, (db) => this.users.loginCandidate(db, name));
    const check = await this.passwords.check(password, candidate?.hash ?? undefined);
    const app =
      check.correct || contextId === undefined || !candidate
        ? undefined
        : await this.database.read({ contextId }, (db) => this.appPasswords.shown(db, candidate.userId, password));
    if (contextId === undefined || !candidate || !((check.correct && candidate.hash) || app)) {
      await this.limits.failed(key, remoteAddress);
      throw LoginErrors.invalidCredentials();
    }
    if (leavesTrace) await this.limits.succeeded(key, remoteAddress);
    if (!candidate.contextEnabled) throw SessionErrors.contextDisabled(contextId);
    if (!candidate.enabled) throw LoginErrors.notActivated();
    if (app) return { contextId, userId: candidate.userId, login, ...app };
    const checkedHash =
      check.outdated && leavesTrace ? await this.renew(contextId, candidate, password) : candidate.hash!;
    return { contextId, userId: candidate.userId, login, password, checkedHash };
  }

  /** Replaces a hash of an older kind now that the password is known. */
  private async renew(contextId: number, candidate: LoginCandidate, password: string): Promise<string> {
    const hash = await this.passwords.hash(password);
    await this.database.transact({ contextId }, (tx) =>
      this.users.renewHash(tx, candidate.userId, candidate.hash!, hash),
    );
    return hash;
  }
}
