import { Injectable } from '@nestjs/common';
import {
  DIRECTORY_CHANGED,
  contactUsers,
  FILESTORES_CHANGED,
  type DirectoryChange,
  type FilestoresChange,
} from '@groupware/contracts';
import { Caller, EventBus } from '@groupware/messaging';
import { Logger, PROPERTY_CHANGED } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { SessionKeeper } from '../sessions/session-keeper';

const log = Logger.for('identity.provisioning');
/** Above this count users are not listed individually. */
const MANY = 20;

/**
 * Publishes a committed change at once: invalidates caches of other processes and refreshes sessions. Consumers of our
 * own events repeat the refresh, so nothing is lost when this fails.
 */
@Injectable()
export class ChangeNotifier {
  constructor(
    private readonly events: EventBus,
    private readonly sessions: SessionKeeper,
    private readonly resellers: Resellers,
    private readonly caller: Caller,
  ) {}

  /** Users changed: names, groups, access, state. */
  async notifyUsersChanged(contextId: number, userIds: readonly number[]): Promise<void> {
    this.broadcast({ contextId, ids: userIds });
    // Context sets depend on module access.
    if (userIds.length > MANY) this.events.broadcast(PROPERTY_CHANGED, { contextId });
    else for (const userId of userIds) this.events.broadcast(PROPERTY_CHANGED, { contextId, userId });
    await this.sessions.bestEffort(this.sessions.refreshUsers(contextId, userIds));
  }

  /** Persons changed: their contacts follow at once, so that who changed one finds it changed. Their event is the guarantee. */
  async refreshContacts(contextId: number, userIds: readonly number[]): Promise<void> {
    const principal = { kind: 'internal', service: 'identity', contextId } as const;
    await this.caller
      .call(contactUsers.refresh, { principal, query: { ids: [...userIds] } })
      .catch((error: unknown) => log.warn({ error, contextId }, 'contacts of users follow later'));
  }

  /** Groups or resources changed. */
  notifyEntitiesChanged(contextId: number, ids: readonly number[]): void {
    this.broadcast({ contextId, ids });
  }

  /** A user was removed or must log in again. */
  async notifyUserClosed(contextId: number, userId: number): Promise<void> {
    this.broadcast({ contextId, ids: [userId] });
    await this.sessions.bestEffort(this.sessions.closeUserSessions(contextId, userId));
  }

  /** A context was disabled or removed. */
  async notifyContextClosed(contextId: number): Promise<void> {
    this.broadcast({ contextId });
    await this.sessions.bestEffort(this.sessions.closeContextSessions(contextId));
  }

  /** File stores changed, or (with a context) a context stores elsewhere from now on. */
  notifyFilestoresChanged(change: FilestoresChange = {}): void {
    this.events.broadcast(FILESTORES_CHANGED, change);
  }

  /** Values of the cascade changed, of one user or (0) of the context. */
  async notifyPropertiesChanged(contextId: number, userId: number): Promise<void> {
    this.events.broadcast(PROPERTY_CHANGED, userId === 0 ? { contextId } : { contextId, userId });
    await this.sessions.bestEffort(
      userId === 0 ? this.sessions.refreshContext(contextId) : this.sessions.refreshUsers(contextId, [userId]),
    );
  }

  /** A reseller changed: values for the users of all its contexts and of those below it may differ now. */
  async notifyResellerChanged(name: string): Promise<void> {
    this.resellers.invalidate();
    this.events.broadcast(PROPERTY_CHANGED, {});
    const names = (await this.resellers.loadTree()).listSubtreeNames(name);
    const refresh = async () => {
      for await (const ids of this.resellers.scanContextIds(names))
        for (const contextId of ids) await this.sessions.refreshContext(contextId);
    };
    void this.sessions.bestEffort(refresh());
  }

  private broadcast(change: DirectoryChange): void {
    this.events.broadcast(DIRECTORY_CHANGED, change);
  }
}
