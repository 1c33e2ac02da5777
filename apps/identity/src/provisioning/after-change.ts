import { Injectable } from '@nestjs/common';
import {
  DIRECTORY_CHANGED,
  FILESTORES_CHANGED,
  type DirectoryChange,
  type FilestoresChange,
} from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { PROPERTY_CHANGED } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { SessionKeeper } from '../login/session-keeper';

/** More changed users than these are not named one by one. */
const MANY = 20;

/**
 * What follows a committed change at once: caches of other processes are told, sessions get new principals. Consumers of our
 * own events repeat the part about sessions, so nothing is lost when this does not happen.
 */
@Injectable()
export class AfterChange {
  constructor(
    private readonly events: EventBus,
    private readonly sessions: SessionKeeper,
    private readonly resellers: Resellers,
  ) {}

  /** Users changed: names, groups, access, state. */
  async users(contextId: number, userIds: readonly number[]): Promise<void> {
    this.broadcast({ contextId, ids: userIds });
    // Context sets choose by module access.
    if (userIds.length > MANY) this.events.broadcast(PROPERTY_CHANGED, { contextId });
    else for (const userId of userIds) this.events.broadcast(PROPERTY_CHANGED, { contextId, userId });
    await this.sessions.soon(this.sessions.refresh(contextId, userIds));
  }

  /** Groups or resources changed. */
  entities(contextId: number, ids: readonly number[]): void {
    this.broadcast({ contextId, ids });
  }

  /** A user is gone or must log in again. */
  async userClosed(contextId: number, userId: number): Promise<void> {
    this.broadcast({ contextId, ids: [userId] });
    await this.sessions.soon(this.sessions.closeUser(contextId, userId));
  }

  /** A context is disabled or gone. */
  async contextClosed(contextId: number): Promise<void> {
    this.broadcast({ contextId });
    await this.sessions.soon(this.sessions.closeContext(contextId));
  }

  /** File stores changed, or (with a context) a context stores elsewhere from now on. */
  filestores(change: FilestoresChange = {}): void {
    this.events.broadcast(FILESTORES_CHANGED, change);
  }

  /** Values of the cascade changed, of one user or (0) of the context. */
  async properties(contextId: number, userId: number): Promise<void> {
    this.events.broadcast(PROPERTY_CHANGED, userId === 0 ? { contextId } : { contextId, userId });
    await this.sessions.soon(
      userId === 0 ? this.sessions.refreshAll(contextId) : this.sessions.refresh(contextId, [userId]),
    );
  }

  /** A reseller changed: values for the users of all its contexts and of those below it may differ now. */
  async reseller(name: string): Promise<void> {
    this.resellers.changed();
    this.events.broadcast(PROPERTY_CHANGED, {});
    const names = (await this.resellers.tree()).subtreeOf(name);
    const refresh = async () => {
      for await (const ids of this.resellers.contextsOf(names))
        for (const contextId of ids) await this.sessions.refreshAll(contextId);
    };
    void this.sessions.soon(refresh());
  }

  private broadcast(change: DirectoryChange): void {
    this.events.broadcast(DIRECTORY_CHANGED, change);
  }
}
