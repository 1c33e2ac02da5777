import { Injectable } from '@nestjs/common';
import { folderOwners, type ContextData, type ProvisionedUser } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/**
 * Has modules build what they give every new user, for calls that wait for it. A module that does not answer does it when it
 * gets the event, or when the user first needs it: nobody has to wait for it then.
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

  /** The answer of the creation of a user, which waits unless the caller does not want to. */
  async ofUser(contextId: number, user: ProvisionedUser, wait = true): Promise<ProvisionedUser> {
    if (!wait) return { ...user, state: 'provisioning' };
    await this.build(contextId, user.id, user.locale);
    return { ...user, state: 'ready' };
  }

  /** The answer of the creation of a context, which waits unless the caller does not want to. */
  async ofContext(context: ContextData, wait = true): Promise<ContextData> {
    if (!wait) return context;
    await this.complete(context.id);
    return { ...context, state: 'ready' };
  }

  /** Ends the provisioning of a context: its users can log in from now on. Does nothing to others. */
  async complete(contextId: number): Promise<void> {
    await this.prepare(contextId);
    await this.database.transact({ contextId }, (tx) => this.contexts.endProvisioning(tx));
  }

  /** Has modules build what the administrator of a context in provisioning needs. */
  async prepare(contextId: number): Promise<void> {
    const admin = await this.database.read({ contextId }, async (db) => {
      const context = await this.contexts.find(db);
      return context?.state === 'provisioning' ? this.users.find(db, context.adminUserId) : undefined;
    });
    if (admin) await this.build(contextId, admin.id, admin.locale);
  }

  private async build(contextId: number, userId: number, locale: string): Promise<void> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const builds = folderOwners().map(({ contract }) =>
      this.caller.call(contract.prepare, { principal, query: { user: userId, locale } }),
    );
    for (const outcome of await Promise.allSettled(builds))
      if (outcome.status === 'rejected')
        this.log.info({ contextId, userId, error: String(outcome.reason) }, 'defaults of a new user come later');
  }
}
