import { randomBytes } from 'node:crypto';
import { authentication, DEFAULT_MAPPING, type CallOf, type Handler, type SignOnUserQuery } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles, Logger } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { Resellers } from '../configuration/resellers';
import { SYSTEM } from '../domain/actor';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { Readiness } from '../provisioning/readiness';
import { ResellerLimits } from '../provisioning/reseller-limits';
import { UserEditor } from '../provisioning/user-editor';
import { toUserView } from '../provisioning/views';

const log = Logger.for('identity.login');
/** Names that a login can have. */
const USER_NAME = /^[^\s@/\\:]{1,128}$/;

/** Finds, and where the operator wants it makes, the user whom an identity provider named. */
@Handles(authentication.signOnUser)
export class SignOnUserHandler implements Handler<typeof authentication.signOnUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly cascade: Cascade,
    private readonly editor: UserEditor,
    private readonly resellers: Resellers,
    private readonly limits: ResellerLimits,
    private readonly notifier: ChangeNotifier,
    private readonly readiness: Readiness,
  ) {}

  async handle({ query }: CallOf<typeof authentication.signOnUser>) {
    const mapping = (query.mapping || this.cascade.value(DEFAULT_MAPPING)).toLowerCase();
    const contextId = await this.database.acrossContexts('a login mapping leads to its context', (db) =>
      this.contexts.findIdByMapping(db, mapping),
    );
    if (contextId === undefined) return null;
    const login = query.mapping ? `${query.user}@${query.mapping}` : query.user;
    const found = await this.find(contextId, query.user);
    if (found) return found.enabled && found.contextEnabled ? { contextId, userId: found.userId, login } : null;
    if (!query.isProvisioned || !USER_NAME.test(query.user) || !query.email) return null;
    await this.provision(contextId, query, query.email);
    const made = await this.find(contextId, query.user);
    return made?.enabled && made.contextEnabled ? { contextId, userId: made.userId, login } : null;
  }

  private find(contextId: number, name: string) {
    return this.database.read({ contextId }, (db) => this.users.findLoginCandidate(db, name));
  }

  /** Two logins at the same time make one user: the second finds the name taken after the lock of the context. */
  private async provision(contextId: number, query: SignOnUserQuery, primaryEmail: string): Promise<void> {
    await this.limits.requireRoom((await this.resellers.findOwner(contextId)) ?? null, { users: 1 });
    const body = {
      name: query.user,
      // No user or operator knows it: the user logs in by single sign-on until an operator sets another.
      password: randomBytes(24).toString('base64url'),
      displayName: query.displayName || query.user,
      givenName: query.givenName || query.user,
      surname: query.surname || query.user,
      primaryEmail,
    };
    const hash = await this.editor.createCredential(body);
    const user = await this.database.transact({ contextId }, async (tx) => {
      const context = await this.contexts.lock(tx);
      if (!context.enabled || (await this.users.findLoginCandidate(tx, query.user))) return undefined;
      return toUserView(await this.editor.createUser(tx, context, body, hash, SYSTEM));
    });
    if (!user) return;
    log.info({ contextId, userId: user.id }, 'user made at the first single sign-on');
    this.notifier.notifyEntitiesChanged(contextId, [user.id]);
    await this.readiness.prepareUser(contextId, user, true);
  }
}
