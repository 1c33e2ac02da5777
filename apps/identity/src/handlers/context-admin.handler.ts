import { createHmac, randomBytes } from 'node:crypto';
import {
  ADMIN_ATTEMPTS_PER_MINUTE,
  authentication,
  RequestErrors,
  type AdministratorCheck,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Handles } from '@groupware/service-kit';
import { SessionStore, type RateLimiter } from '@groupware/sessions';
import { Passwords } from '../domain/passwords';
import { Cascade } from '../login/cascade';
import { UserRepository } from '../persistence/user.repository';

const WINDOW_MS = 60_000;
/** How long a right password need not be hashed again. */
const REMEMBER_MS = 60_000;
/** Most remembered checks; the oldest go first. */
const MAX_REMEMBERED = 1_000;

/** Tells whether HTTP Basic credentials are those of the administrator of a context. */
@Handles(authentication.contextAdmin)
export class ContextAdminHandler implements Handler<typeof authentication.contextAdmin> {
  private readonly attempts: RateLimiter;
  /** Checks that were right, by a keyed digest of password and stored hash: no password lies in memory. */
  private readonly remembered = new Map<string, number>();
  private readonly key = randomBytes(32);

  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    store: SessionStore,
    cascade: Cascade,
  ) {
    const points = () => cascade.value(ADMIN_ATTEMPTS_PER_MINUTE);
    this.attempts = store.rateLimiter({ name: 'context-admin', points, windowMs: WINDOW_MS });
  }

  async handle({ query }: CallOf<typeof authentication.contextAdmin>): Promise<AdministratorCheck> {
    const { contextId, login, password, remoteAddress } = query;
    const limitKey = `${contextId} ${remoteAddress}`;
    const wait = await this.attempts.waitSeconds(limitKey);
    if (wait > 0) throw RequestErrors.tooManyRequests(wait).with({ headers: { 'Retry-After': String(wait) } });
    const user = await this.database.read({ contextId }, (db) => this.users.loginCandidate(db, login));
    const eligible = user?.enabled && user.contextEnabled && user.isAdmin && user.hash !== null ? user : undefined;
    if (eligible && this.isRemembered(password, eligible.hash!)) return { accepted: true, userId: eligible.userId };
    const check = await this.passwords.check(password, eligible?.hash ?? undefined);
    if (!eligible || !check.correct) {
      await this.attempts.count(limitKey);
      return { accepted: false };
    }
    this.remember(password, eligible.hash!);
    return { accepted: true, userId: eligible.userId };
  }

  private digest(password: string, hash: string): string {
    return createHmac('sha256', this.key).update(`${password}\n${hash}`).digest('base64');
  }

  private isRemembered(password: string, hash: string): boolean {
    return (this.remembered.get(this.digest(password, hash)) ?? 0) > this.clock.now();
  }

  private remember(password: string, hash: string): void {
    for (const oldest of this.remembered.keys()) {
      if (this.remembered.size < MAX_REMEMBERED) break;
      this.remembered.delete(oldest);
    }
    this.remembered.set(this.digest(password, hash), this.clock.now() + REMEMBER_MS);
  }
}
