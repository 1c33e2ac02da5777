import { Injectable } from '@nestjs/common';
import { ModuleDatabase } from '@groupware/persistence';
import { Logger } from '@groupware/service-kit';
import { SessionStore } from '@groupware/sessions';
import { GuestRepository } from '../guests/guest.repository';
import { UserRepository } from '../persistence/user.repository';
import { SessionCloser } from '../sessions/session-closer';
import { PrincipalBuilder } from './principal-builder';

/** Users whose sessions follow at a time. */
const BATCH = 200;

/**
 * Keeps live sessions in step with the directory. Called right after a change, and once more by the consumers of our own
 * events: so a change reaches the sessions also when the process dies or the store is away right after the commit.
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
  async refresh(contextId: number, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) return;
    const online = new Set(await this.sessions.usersWithSessions(contextId));
    const wanted = userIds.filter((userId) => online.has(userId));
    if (wanted.length === 0) return;
    for (let at = 0; at < wanted.length; at += BATCH) await this.refreshBatch(contextId, wanted.slice(at, at + BATCH));
  }

  private async refreshBatch(contextId: number, userIds: readonly number[]): Promise<void> {
    const { drafts, guests } = await this.database.read({ contextId }, async (db) => {
      const found = await this.users.byIds(db, userIds);
      return {
        drafts: await this.principals.buildMany(
          db,
          found.filter((user) => user.enabled),
        ),
        // What guests may do depends on nothing that changes.
        guests: await this.guests.byIds(db, userIds),
      };
    });
    await Promise.all(drafts.map((draft) => this.sessions.refreshPrincipal(contextId, draft.userId, draft)));
    const living = new Set([...drafts.map(({ userId }) => userId), ...guests.map(({ id }) => id)]);
    for (const userId of userIds) if (!living.has(userId)) await this.closer.byUser(contextId, userId);
  }

  /** Gives all sessions of the context their current principal. */
  async refreshAll(contextId: number): Promise<void> {
    await this.refresh(contextId, await this.sessions.usersWithSessions(contextId));
  }

  /** Gives all sessions their current principal: values of the server or of context sets changed. */
  async refreshEverybody(): Promise<void> {
    for await (const contextIds of this.sessions.contextsWithSessions())
      for (const contextId of contextIds) await this.refreshAll(contextId);
  }

  /** Ends the sessions of a user. */
  async closeUser(contextId: number, userId: number): Promise<void> {
    await this.closer.byUser(contextId, userId);
  }

  /** Ends the sessions of a context. */
  async closeContext(contextId: number): Promise<void> {
    await this.closer.byContext(contextId);
  }

  /** Does it now and forgives failures: the change is committed, and a consumer does the same again. */
  async soon(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => this.log.warn({ error }, 'sessions follow later'));
  }
}
