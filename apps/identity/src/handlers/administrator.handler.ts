import {
  ADMIN_ATTEMPTS_PER_MINUTE,
  authentication,
  RequestErrors,
  type AdministratorCheck,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { SessionStore, type RateLimiter } from '@groupware/sessions';
import { Resellers } from '../configuration/resellers';
import { Cascade } from '../login/cascade';
import { MasterAdmins } from '../login/master-admins';
import { RememberedPasswords } from '../login/remembered-passwords';
import { UserRepository } from '../persistence/user.repository';

const WINDOW_MS = 60_000;

/** Tells whether HTTP Basic credentials are those of a master administrator, of a reseller or of the administrator of a context. */
@Handles(authentication.administrator)
export class AdministratorHandler implements Handler<typeof authentication.administrator> {
  private readonly attempts: RateLimiter;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly resellers: Resellers,
    private readonly passwords: RememberedPasswords,
    private readonly masters: MasterAdmins,
    store: SessionStore,
    cascade: Cascade,
  ) {
    const points = () => cascade.value(ADMIN_ATTEMPTS_PER_MINUTE);
    this.attempts = store.rateLimiter({ name: 'context-admin', points, windowMs: WINDOW_MS });
  }

  async handle({ query }: CallOf<typeof authentication.administrator>): Promise<AdministratorCheck> {
    const { contextId, login, password, remoteAddress } = query;
    const limitKey = `${contextId ?? 0} ${remoteAddress}`;
    const wait = await this.attempts.waitSeconds(limitKey);
    if (wait > 0) throw RequestErrors.tooManyRequests(wait).with({ headers: { 'Retry-After': String(wait) } });
    const master = this.masters.hashOf(login);
    if (master !== undefined && (await this.passwords.isRight(password, master)))
      return { accepted: true, master: true };
    const reseller = (await this.resellers.tree()).get(login);
    const admin = query.contextAdmin && contextId !== undefined ? await this.adminOf(contextId, login) : undefined;
    if (reseller && (await this.passwords.isRight(password, reseller.hash)))
      return this.asReseller(reseller.name, contextId);
    if (admin && (await this.passwords.isRight(password, admin.hash))) return { accepted: true, userId: admin.userId };
    // Whoever is unknown takes as long as whoever has another password.
    if (master === undefined && !reseller && !admin) await this.passwords.isRight(password, undefined);
    await this.attempts.count(limitKey);
    return { accepted: false };
  }

  private async asReseller(reseller: string, contextId: number | undefined): Promise<AdministratorCheck> {
    if (contextId === undefined) return { accepted: true, reseller, responsible: false };
    const owner = await this.resellers.ownerOf(contextId);
    const responsible = owner !== undefined && (await this.resellers.tree()).subtreeOf(reseller).includes(owner);
    return { accepted: true, reseller, responsible };
  }

  /** The administrator with that login, unless he may not act: disabled, or still to choose another password. */
  private async adminOf(contextId: number, login: string): Promise<{ userId: number; hash: string } | undefined> {
    const user = await this.database.read({ contextId }, (db) => this.users.loginCandidate(db, login));
    if (!user?.enabled || !user.contextEnabled || !user.isAdmin || user.mustChange || user.hash === null)
      return undefined;
    return { userId: user.userId, hash: user.hash };
  }
}
