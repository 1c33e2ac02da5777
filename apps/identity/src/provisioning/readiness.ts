import { Injectable } from '@nestjs/common';
import { folderOwners, type ContextData, type ProvisionedUser } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/**
 * Has modules create the defaults of new users, for calls that wait for it. A module that does not answer creates them
 * on its event or on first use.
 */
@Injectable()
export class Readiness {
  private readonly log = Logger.for('identity.provisioning');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly caller: Caller,
  ) {}

  /** Prepares a created user, unless the caller does not wait; answers the user. */
  async prepareUser(contextId: number, user: ProvisionedUser, wait = true): Promise<ProvisionedUser> {
    if (!wait) return { ...user, state: 'provisioning' };
    await this.requestDefaults(contextId, user);
    return { ...user, state: 'ready' };
  }

  /** Prepares a created context, unless the caller does not wait; answers the context. */
  async prepareContext(context: ContextData, wait = true): Promise<ContextData> {
    if (!wait) return context;
    await this.completeContext(context.id);
    return { ...context, state: 'ready' };
  }

  /** Completes the provisioning of a context: its users can log in from now on. No-op for others. */
  async completeContext(contextId: number): Promise<void> {
    await this.prepareAdministrator(contextId);
    await this.database.transact({ contextId }, (tx) => this.contexts.endProvisioning(tx));
  }

  /** Has modules create the defaults of the administrator of a context in provisioning. */
  async prepareAdministrator(contextId: number): Promise<void> {
    const admin = await this.database.read({ contextId }, async (db) => {
      const context = await this.contexts.findCurrent(db);
      return context?.state === 'provisioning' ? this.users.findById(db, context.adminUserId) : undefined;
    });
    if (admin) await this.requestDefaults(contextId, admin);
  }

  private async requestDefaults(
    contextId: number,
    { id: userId, locale, displayName: name }: Pick<ProvisionedUser, 'id' | 'locale' | 'displayName'>,
  ): Promise<void> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const builds = folderOwners().map(({ contract }) =>
      this.caller.call(contract.prepare, { principal, query: { user: userId, locale, name } }),
    );
    for (const outcome of await Promise.allSettled(builds))
      if (outcome.status === 'rejected')
        this.log.info({ contextId, userId, error: String(outcome.reason) }, 'defaults of a new user come later');
  }
}
