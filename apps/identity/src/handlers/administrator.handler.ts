import {
  ADMIN_ATTEMPTS_PER_MINUTE,
  authentication,
  LOGIN_ATTEMPTS_FROM_STRANGERS,
  LOGIN_ATTEMPTS_OF_A_STRANGER,
  type AdministratorCheck,
  type AdministratorCredentials,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { Resellers } from '../configuration/resellers';
import { AccountAttempts, toAccountKey, normalizeSpelling } from '../attempts/account-attempts';
import { Cascade } from '../configuration/cascade';
import { MasterAdmins } from '../authentication/master-admins';
import { PasswordCache } from '../authentication/password-cache';
import { UserRepository } from '../persistence/user.repository';

const WINDOW_MS = 60_000;

/** Accounts that match a login. */
interface Candidates {
  /** Hash of the password. */
  readonly master: string | undefined;
  readonly reseller: { readonly name: string; readonly hash: string } | undefined;
  readonly admin: { readonly contextId: number; readonly userId: number; readonly hash: string } | undefined;
}

/** Checks HTTP Basic credentials of master administrators, resellers and context administrators. */
@Handles(authentication.administrator)
export class AdministratorHandler implements Handler<typeof authentication.administrator> {
  private readonly attempts: AccountAttempts;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly resellers: Resellers,
    private readonly passwords: PasswordCache,
    private readonly masters: MasterAdmins,
    store: SessionStore,
    cascade: Cascade,
  ) {
    // Limits per address alone belong to the gateway: GATEWAY_REST_FAILURES_PER_MINUTE.
    this.attempts = new AccountAttempts(store, 'administrator', {
      perPair: () => cascade.value(ADMIN_ATTEMPTS_PER_MINUTE),
      perAccount: () => cascade.value(LOGIN_ATTEMPTS_FROM_STRANGERS),
      perStranger: () => cascade.value(LOGIN_ATTEMPTS_OF_A_STRANGER),
      windowMs: () => WINDOW_MS,
    });
  }

  async handle({ query }: CallOf<typeof authentication.administrator>): Promise<AdministratorCheck> {
    const { contextId, login, password, remoteAddress } = query;
    const master = this.masters.findHash(login);
    const reseller = (await this.resellers.loadTree()).findReseller(login);
    const admin = query.contextAdmin && contextId !== undefined ? await this.findAdmin(contextId, login) : undefined;
    const attempted = { account: toAttemptAccount({ master, reseller, admin }, query), address: remoteAddress };
    const { found } = await this.attempts.attempt(attempted, () =>
      this.verifyPassword(password, { master, reseller, admin }),
    );
    if (!found) return { accepted: false };
    await this.attempts.rememberAddress(attempted);
    if (found === 'master') return { accepted: true, master: true };
    return found === 'reseller'
      ? this.checkReseller(reseller!.name, contextId)
      : { accepted: true, userId: admin!.userId };
  }

  /** Finds the account the password belongs to, in constant time for unknown accounts. */
  private async verifyPassword(
    password: string,
    { master, reseller, admin }: Candidates,
  ): Promise<keyof Candidates | undefined> {
    if (master !== undefined && (await this.passwords.verifyPassword(password, master))) return 'master';
    if (reseller && (await this.passwords.verifyPassword(password, reseller.hash))) return 'reseller';
    if (admin && (await this.passwords.verifyPassword(password, admin.hash))) return 'admin';
    if (master === undefined && !reseller && !admin) await this.passwords.verifyPassword(password, undefined);
    return undefined;
  }

  private async checkReseller(reseller: string, contextId: number | undefined): Promise<AdministratorCheck> {
    if (contextId === undefined) return { accepted: true, reseller, responsible: false };
    const owner = await this.resellers.findOwner(contextId);
    const responsible =
      owner !== undefined && (await this.resellers.loadTree()).listSubtreeNames(reseller).includes(owner);
    return { accepted: true, reseller, responsible };
  }

  /** Finds the administrator of a login, unless disabled or required to change the password. */
  private async findAdmin(contextId: number, login: string): Promise<Candidates['admin']> {
    const user = await this.database.read({ contextId }, (db) => this.users.findLoginCandidate(db, login));
    if (!user?.enabled || !user.contextEnabled || !user.isAdmin || user.mustChange || user.hash === null)
      return undefined;
    return { contextId, userId: user.userId, hash: user.hash };
  }
}

/** The account that attempts count for: the first match of the login, else its spelling. */
function toAttemptAccount(
  { master, reseller, admin }: Candidates,
  { contextId, login }: AdministratorCredentials,
): string {
  if (master !== undefined) return `master ${login}`;
  if (reseller) return `reseller ${reseller.name}`;
  return admin ? toAccountKey(admin.contextId, admin.userId) : `unknown ${normalizeSpelling(login)}@${contextId ?? ''}`;
}
