import { currentUser, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';

/** Reads the user of the session. */
@Handles(currentUser.me)
export class CurrentUserHandler implements Handler<typeof currentUser.me> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
  ) {}

  async handle({ principal }: CallOf<typeof currentUser.me>) {
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
