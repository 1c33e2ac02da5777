import { Injectable } from '@nestjs/common';
import type { CurrentUser, UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { ContextRepository } from '../persistence/context.repository';

/** Reads the users of sessions. */
@Injectable()
export class CurrentUsers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  /** Reads the user of a session. */
  async getCurrentUser(principal: UserPrincipal): Promise<CurrentUser> {
    const context = await this.database.read(principal, (db) => this.contexts.get(db));
    return {
      context_id: principal.contextId,
      user_id: principal.userId,
      context_admin: context.adminUserId,
      login_name: principal.login,
      display_name: principal.displayName,
    };
  }
}
