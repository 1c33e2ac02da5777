import { Injectable } from '@nestjs/common';
import { DEFAULT_MAPPING, LoginErrors, PASSWORD_CHANGE_URL, SessionErrors } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { AppPasswords, type ShownAppPassword } from '../app-passwords/app-passwords';
import { Passwords } from '../domain/passwords';
import { splitLogin } from '../domain/login-name';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository, type LoginCandidate } from '../persistence/user.repository';
import { Cascade } from './cascade';
import { accountOf, plainSpelling } from './account-attempts';
import { LoginLimits } from './login-limits';
import { RememberedPasswords } from './remembered-passwords';
import type { ProvenUser } from './session-opener';

/** Asked instead of a context that does not exist; what is found there is not used. */
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
    private readonly remembered: RememberedPasswords,
  ) {}

  /**
   * The user behind a login. Unknown names take as long as wrong passwords, and only the right password learns that a
   * context or user is disabled.
   * @throws LGI-0006, LGI-0011, LGI-0013, LGI-0028, SES-0204, SVL-0019
   */
  async prove(
    login: string,
    password: string,
    remoteAddress: string,
    options: {
      /** Whether a success is noted, as that of a login is; default true. */
      readonly leavesTrace?: boolean;
      /** Whether a right password is remembered for a minute. */
      readonly remember?: boolean;
      /** Whether a password that has expired is the only one that counts; by default it is refused. */
      readonly expired?: boolean;
    } = {},
  ): Promise<ProvenUser> {
    const { leavesTrace = true, remember = false, expired = false } = options;
    const { user: name, mapping } = splitLogin(login, this.cascade.value(DEFAULT_MAPPING));
    const contextId = await this.database.acrossContexts((db) => this.contexts.idOfMapping(db, mapping));
    // The same questions whether there is such a context and user or not: the time tells nothing.
    const tenant = { contextId: contextId ?? NO_CONTEXT };
    const candidate = await this.database.read(tenant, (db) => this.users.loginCandidate(db, name));
    const account = candidate
      ? accountOf(tenant.contextId, candidate.userId)
      : `unknown ${plainSpelling(name)}@${contextId ?? plainSpelling(mapping)}`;
    const attempted = { account, address: remoteAddress };
    const proof = await this.limits.attempt(attempted, login.trim(), async () => {
      const shown = await this.compare(tenant, candidate, password, remember);
      return shown && expired && (shown.app || !candidate!.mustChange) ? undefined : shown;
    });
    if (contextId === undefined || !candidate || !proof) throw LoginErrors.invalidCredentials();
    if (leavesTrace) await this.limits.remember(attempted);
    const { app, isOutdated } = proof;
    if (!candidate.contextEnabled) throw SessionErrors.contextDisabled(contextId);
    if (!candidate.enabled) throw LoginErrors.notActivated();
    if (candidate.mustChange && !app && !expired)
      throw LoginErrors.passwordExpired(this.cascade.value(PASSWORD_CHANGE_URL));
    if (app) return { contextId, userId: candidate.userId, login, ...app };
    const checkedHash = isOutdated && leavesTrace ? await this.renew(contextId, candidate, password) : candidate.hash!;
    return { contextId, userId: candidate.userId, login, password, checkedHash };
  }

  /** What the password shows of the candidate; undefined when it is wrong. Nobody takes as long as somebody. */
  private async compare(
    tenant: { readonly contextId: number },
    candidate: LoginCandidate | undefined,
    password: string,
    remember: boolean,
  ): Promise<{ readonly app?: ShownAppPassword; readonly isOutdated: boolean } | undefined> {
    const stored = candidate?.hash ?? undefined;
    const { correct, outdated } = remember
      ? { correct: await this.remembered.isRight(password, stored), outdated: false }
      : await this.passwords.check(password, stored);
    if (correct) return { isOutdated: outdated };
    const app = await this.database.read(tenant, (db) => this.appPasswords.shown(db, candidate?.userId ?? 0, password));
    return app && { app, isOutdated: false };
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
