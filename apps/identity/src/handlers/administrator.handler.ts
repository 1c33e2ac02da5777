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
import { AccountAttempts, accountOf, plainSpelling } from '../login/account-attempts';
import { Cascade } from '../login/cascade';
import { MasterAdmins } from '../login/master-admins';
import { RememberedPasswords } from '../login/remembered-passwords';
import { UserRepository } from '../persistence/user.repository';

const WINDOW_MS = 60_000;

/** Those whom a login names. */
interface Candidates {
  /** Hash of the password. */
  readonly master: string | undefined;
  readonly reseller: { readonly name: string; readonly hash: string } | undefined;
  readonly admin: { readonly contextId: number; readonly userId: number; readonly hash: string } | undefined;
}

/** Tells whether HTTP Basic credentials are those of a master administrator, of a reseller or of the administrator of a context. */
@Handles(authentication.administrator)
export class AdministratorHandler implements Handler<typeof authentication.administrator> {
  private readonly attempts: AccountAttempts;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly resellers: Resellers,
    private readonly passwords: RememberedPasswords,
    private readonly masters: MasterAdmins,
    store: SessionStore,
    cascade: Cascade,
  ) {
    // Addresses without regard to the account are the gateway's business: GATEWAY_REST_FAILURES_PER_MINUTE.
    this.attempts = new AccountAttempts(store, 'administrator', {
      perPair: () => cascade.value(ADMIN_ATTEMPTS_PER_MINUTE),
      perAccount: () => cascade.value(LOGIN_ATTEMPTS_FROM_STRANGERS),
      perStranger: () => cascade.value(LOGIN_ATTEMPTS_OF_A_STRANGER),
      windowMs: () => WINDOW_MS,
    });
  }

  async handle({ query }: CallOf<typeof authentication.administrator>): Promise<AdministratorCheck> {
    const { contextId, login, password, remoteAddress } = query;
    const master = this.masters.hashOf(login);
    const reseller = (await this.resellers.tree()).get(login);
    const admin = query.contextAdmin && contextId !== undefined ? await this.adminOf(contextId, login) : undefined;
    const attempted = { account: accountIn({ master, reseller, admin }, query), address: remoteAddress };
    const { found } = await this.attempts.attempt(attempted, () => this.compare(password, { master, reseller, admin }));
    if (!found) return { accepted: false };
    await this.attempts.remember(attempted);
    if (found === 'master') return { accepted: true, master: true };
    return found === 'reseller'
      ? this.asReseller(reseller!.name, contextId)
      : { accepted: true, userId: admin!.userId };
  }

  /** Whose password it is. Whoever is unknown takes as long as whoever has another password. */
  private async compare(
    password: string,
    { master, reseller, admin }: Candidates,
  ): Promise<keyof Candidates | undefined> {
    if (master !== undefined && (await this.passwords.isRight(password, master))) return 'master';
    if (reseller && (await this.passwords.isRight(password, reseller.hash))) return 'reseller';
    if (admin && (await this.passwords.isRight(password, admin.hash))) return 'admin';
    if (master === undefined && !reseller && !admin) await this.passwords.isRight(password, undefined);
    return undefined;
  }

  private async asReseller(reseller: string, contextId: number | undefined): Promise<AdministratorCheck> {
    if (contextId === undefined) return { accepted: true, reseller, responsible: false };
    const owner = await this.resellers.ownerOf(contextId);
    const responsible = owner !== undefined && (await this.resellers.tree()).subtreeOf(reseller).includes(owner);
    return { accepted: true, reseller, responsible };
  }

  /** The administrator with that login, unless he may not act: disabled, or still to choose another password. */
  private async adminOf(contextId: number, login: string): Promise<Candidates['admin']> {
    const user = await this.database.read({ contextId }, (db) => this.users.loginCandidate(db, login));
    if (!user?.enabled || !user.contextEnabled || !user.isAdmin || user.mustChange || user.hash === null)
      return undefined;
    return { contextId, userId: user.userId, hash: user.hash };
  }
}

/** The account that attempts count for: the first that the login names, else its spelling. */
function accountIn({ master, reseller, admin }: Candidates, { contextId, login }: AdministratorCredentials): string {
  if (master !== undefined) return `master ${login}`;
  if (reseller) return `reseller ${reseller.name}`;
  return admin ? accountOf(admin.contextId, admin.userId) : `unknown ${plainSpelling(login)}@${contextId ?? ''}`;
}
