import { DEFAULT_MAPPING, directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { splitLogin } from '../domain/login-name';
import { Cascade } from '../login/cascade';
import { ContextRepository } from '../persistence/context.repository';
import { UserRepository } from '../persistence/user.repository';

/** The user a login name leads to, without any proof. */
@Handles(directory.userOfLogin)
export class UserOfLoginHandler implements Handler<typeof directory.userOfLogin> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly cascade: Cascade,
  ) {}

  async handle({ query }: CallOf<typeof directory.userOfLogin>) {
    const { user, mapping } = splitLogin(query.login, this.cascade.value(DEFAULT_MAPPING));
    const contextId = await this.database.acrossContexts((db) => this.contexts.idOfMapping(db, mapping));
    if (contextId === undefined) return null;
    const found = await this.database.read({ contextId }, (db) => this.users.loginCandidate(db, user));
    return found?.contextEnabled ? { contextId, userId: found.userId } : null;
  }
}
