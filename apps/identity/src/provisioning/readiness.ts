import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  folderOwners,
  shareableFolderOwners,
  type ContextData,
  type FolderOwner,
  type ProvisionedUser,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** Time that a deletion waits for the folders of its user, ms. */
const HANDOVER_WAIT_MS = 5_000;
/** Longest pause between two looks, ms; the first ones are shorter. */
const MAX_PAUSE_MS = 100;

/**
 * Has modules create the defaults of new users, and hand over what deleted ones had, for calls that wait for it. A module that
 * does not answer does so on its event, or creates defaults on first use.
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

  /**
   * Waits, for a limited time, until modules handed over or removed what deleted users had rights on. A module that does not
   * answer follows on its event.
   */
  async awaitHandover(contextId: number, userIds: readonly number[]): Promise<void> {
    const signal = AbortSignal.timeout(HANDOVER_WAIT_MS);
    const handovers = shareableFolderOwners().map(async ({ contract }) => {
      for (
        let pauseMs = 5;
        await this.hasRights({ contextId, userIds, signal }, contract);
        pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
      )
        await pause(pauseMs, undefined, { signal });
    });
    for (const outcome of await Promise.allSettled(handovers))
      if (outcome.status === 'rejected')
        this.log.info(
          { contextId, userIds, error: String(outcome.reason) },
          'folders of a deleted user are handed over later',
        );
  }

  private async hasRights(
    { contextId, userIds, signal }: { contextId: number; userIds: readonly number[]; signal: AbortSignal },
    owner: FolderOwner,
  ): Promise<boolean> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    const query = { entities: [...userIds] };
    return (await this.caller.call(owner.granted, { principal, query, signal })).length > 0;
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
