import { Injectable } from '@nestjs/common';
import { ContextErrors, contextStorage, directory, DirectoryErrors, LoggingErrors } from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { SessionStore } from '@groupware/sessions';
import type { ScopeKey } from './log-table';

/** Knows whether contexts, users and sessions exist. */
@Injectable()
export class Owners {
  constructor(
    private readonly caller: Caller,
    private readonly sessions: SessionStore,
  ) {}

  /** @throws CTX-0002, USR-0010 or LOGCONF-0003 when there is no such context, user or session */
  async requireOwner({ kind, key }: ScopeKey): Promise<void> {
    if (kind === 'contexts') return this.requireContext(Number(key));
    if (kind === 'users') {
      const [contextId, userId] = key.split(':').map(Number);
      return this.requireUser(contextId!, userId!);
    }
    if (!(await this.sessions.peek(key))) throw LoggingErrors.unknownSession();
  }

  /** @throws CTX-0002 */
  async requireContext(contextId: number): Promise<void> {
    await this.caller.call(contextStorage.get, {
      principal: { kind: 'internal', service: 'admin', contextId },
    });
  }

  /** @throws USR-0010, also for an unknown context */
  async requireUser(contextId: number, userId: number): Promise<void> {
    const principal = { kind: 'internal', service: 'admin', contextId } as const;
    try {
      const entities = await this.caller.call(directory.entities, { principal, query: { ids: [userId] } });
      if (entities.some((entity) => entity.kind === 'user')) return;
    } catch (error) {
      if ((error as { code?: string }).code !== ContextErrors.notFound.entry.code) throw error;
    }
    throw DirectoryErrors.userNotFound(userId, contextId);
  }
}
