import { Injectable } from '@nestjs/common';
import { DEFAULT_MAPPING, LoginErrors, PASSWORD_CHANGE_URL, SessionErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { AppPasswords, type VerifiedAppPassword } from '../app-passwords/app-passwords';
import { Passwords } from '../domain/passwords';
import { parseLoginName } from '../domain/login-name';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository, type LoginCandidate } from '../persistence/user.repository';
import { Cascade } from '../configuration/cascade';
import { toAccountKey, normalizeSpelling } from '../attempts/account-attempts';
import { LoginLimits } from '../attempts/login-limits';
import { PasswordCache } from './password-cache';
import type { AuthenticatedUser } from './session-opener';

/** Queried instead of a context that does not exist, for equal timing; the result is not used. */
export const NO_CONTEXT = 0x7fffffff;

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
    private readonly remembered: PasswordCache,
  ) {}

  /**
   * Authenticates a login. Unknown names take as long as wrong passwords, and a disabled context or user is only
   * revealed to the right password.
   * @throws LGI-0006, LGI-0011, LGI-0013, LGI-0028, SES-0204, SVL-0019
   */
  async authenticate(
    login: string,
    password: string,
    remoteAddress: string,
    options: {
      /** Whether a success is recorded like a login; default true. */
      readonly leavesTrace?: boolean;
      /** Whether a right password is cached for a minute. */
      readonly remember?: boolean;
      /** Accepts only an expired password; by default expired ones are refused. */
      readonly expired?: boolean;
    } = {},
  ): Promise<AuthenticatedUser> {
    const { leavesTrace = true, remember = false, expired = false } = options;
    const { user: name, mapping } = parseLoginName(login, this.cascade.value(DEFAULT_MAPPING));
    const contextId = await this.database.acrossContexts('a login mapping leads to its context', (db) =>
      this.contexts.findIdByMapping(db, mapping),
    );
    // The same queries whether context and user exist or not, for equal timing.
    const tenant = { contextId: contextId ?? NO_CONTEXT };
    const candidate = await this.database.read(tenant, (db) => this.users.findLoginCandidate(db, name));
    const account = candidate
      ? toAccountKey(tenant.contextId, candidate.userId)
      : `unknown ${normalizeSpelling(name)}@${contextId ?? normalizeSpelling(mapping)}`;
    const attempted = { account, address: remoteAddress };
    const proof = await this.limits.attempt(attempted, login.trim(), async () => {
      const shown = await this.verifyPassword(tenant, candidate, password, remember);
      return shown && expired && (shown.app || !candidate!.mustChange) ? undefined : shown;
    });
    if (contextId === undefined || !candidate || !proof) throw LoginErrors.invalidCredentials();
    if (leavesTrace) await this.limits.rememberAddress(attempted);
    const { app, isOutdated } = proof;
    if (!candidate.contextEnabled) throw SessionErrors.contextDisabled(contextId);
    if (!candidate.enabled) throw LoginErrors.notActivated();
    if (candidate.mustChange && !app && !expired)
      throw LoginErrors.passwordExpired(this.cascade.value(PASSWORD_CHANGE_URL));
    if (app) return { contextId, userId: candidate.userId, login, ...app };
    const checkedHash = isOutdated && leavesTrace ? await this.rehash(contextId, candidate, password) : candidate.hash!;
    return { contextId, userId: candidate.userId, login, password, checkedHash };
  }

  /** Verifies a password of the candidate; undefined when wrong. Missing candidates take as long. */
  private async verifyPassword(
    tenant: { readonly contextId: number },
    candidate: LoginCandidate | undefined,
    password: string,
    remember: boolean,
  ): Promise<{ readonly app?: VerifiedAppPassword; readonly isOutdated: boolean } | undefined> {
    const stored = candidate?.hash ?? undefined;
    const { correct, outdated } = remember
      ? { correct: await this.remembered.verifyPassword(password, stored), outdated: false }
      : await this.passwords.check(password, stored);
    if (correct) return { isOutdated: outdated };
    const app = await this.database.read(tenant, (db) =>
      this.appPasswords.verifyAppPassword(db, candidate?.userId ?? 0, password),
    );
    return app && { app, isOutdated: false };
  }

  /** Replaces a hash of an older kind now that the password is known. */
  private async rehash(contextId: number, candidate: LoginCandidate, password: string): Promise<string> {
    const hash = await this.passwords.hash(password);
    await this.database.transact({ contextId }, (tx) =>
      this.users.replaceHash(tx, candidate.userId, candidate.hash!, hash),
    );
    return hash;
  }
}
