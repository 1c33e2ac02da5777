import { DEFAULT_MAPPING, directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseLoginName } from '../domain/login-name';
import { Cascade } from '../configuration/cascade';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** Resolves a login name to a user, without authentication. */
@Handles(directory.userOfLogin)
export class UserOfLoginHandler implements Handler<typeof directory.userOfLogin> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly cascade: Cascade,
  ) {}

  async handle({ query }: CallOf<typeof directory.userOfLogin>) {
    const { user, mapping } = parseLoginName(query.login, this.cascade.value(DEFAULT_MAPPING));
    const contextId = await this.database.acrossContexts('a login mapping leads to its context', (db) =>
      this.contexts.findIdByMapping(db, mapping),
    );
    if (contextId === undefined) return null;
    const found = await this.database.read({ contextId }, (db) => this.users.findLoginCandidate(db, user));
    return found?.contextEnabled ? { contextId, userId: found.userId } : null;
  }
}
