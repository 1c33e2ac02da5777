import { Injectable } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { GuestRepository } from '../persistence/guest.repository';
import { UserRepository } from '../persistence/user.repository';
import { SessionCloser } from './session-closer';
import { PrincipalBuilder } from '../directory/principal-builder';

/** Users per batch of refreshed sessions. */
const BATCH = 200;

/**
 * Keeps live sessions in step with the directory. Called after a commit and again by the consumers of our own events,
 * so a change reaches sessions also when the process dies or the store is unavailable right after the commit.
 */
@Injectable()
export class SessionKeeper {
  private readonly log = Logger.for('identity.sessions');

  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly guests: GuestRepository,
    private readonly principals: PrincipalBuilder,
    private readonly sessions: SessionStore,
    private readonly closer: SessionCloser,
  ) {}

  /** Gives the sessions of users their current principal; those of disabled and removed users end. */
  async refreshUsers(contextId: number, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) return;
    const online = new Set(await this.sessions.listUsersWithSessions(contextId));
    const wanted = userIds.filter((userId) => online.has(userId));
    if (wanted.length === 0) return;
    for (let at = 0; at < wanted.length; at += BATCH) await this.refreshBatch(contextId, wanted.slice(at, at + BATCH));
  }

  private async refreshBatch(contextId: number, userIds: readonly number[]): Promise<void> {
    const { drafts, guests } = await this.database.read({ contextId }, async (db) => {
      const found = await this.users.listByIds(db, userIds);
      return {
        drafts: await this.principals.buildMany(
          db,
          found.filter((user) => user.enabled),
        ),
        // Guests get their capabilities with their log-in and by opening a link.
        guests: await this.guests.listByIds(db, userIds),
      };
    });
    await Promise.all(drafts.map((draft) => this.sessions.refreshPrincipal(contextId, draft.userId, draft)));
    const living = new Set([...drafts.map(({ userId }) => userId), ...guests.map(({ id }) => id)]);
    for (const userId of userIds) if (!living.has(userId)) await this.closer.closeByUser(contextId, userId);
  }

  /** Gives all sessions of the context their current principal. */
  async refreshContext(contextId: number): Promise<void> {
    await this.refreshUsers(contextId, await this.sessions.listUsersWithSessions(contextId));
  }

  /** Gives all sessions their current principal: values of the server or of context sets changed. */
  async refreshAllContexts(): Promise<void> {
    for await (const contextIds of this.sessions.scanContextsWithSessions())
      for (const contextId of contextIds) await this.refreshContext(contextId);
  }

  /** Ends the sessions of a user. */
  async closeUserSessions(contextId: number, userId: number): Promise<void> {
    await this.closer.closeByUser(contextId, userId);
  }

  /** Ends the sessions of a context. */
  async closeContextSessions(contextId: number): Promise<void> {
    await this.closer.closeByContext(contextId);
  }

  /** Runs work as best effort: the change is committed, and a consumer repeats the work. */
  async bestEffort(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => this.log.warn({ error }, 'sessions follow later'));
  }
}
