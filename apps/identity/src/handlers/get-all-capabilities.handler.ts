import { DirectoryErrors, sessionAdministration, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PrincipalBuilder } from '../directory/principal-builder';
import { UserRepository } from '../persistence/user.repository';

const MAX_ID = 2 ** 31 - 1;

type Operation = typeof sessionAdministration.getAllCapabilities;

/** Capabilities of a user, as a session of the user would have them. */
@Handles(sessionAdministration.getAllCapabilities)
export class GetAllCapabilitiesHandler implements Handler<Operation> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly principals: PrincipalBuilder,
  ) {}

  async handle({ query }: CallOf<Operation>) {
    // Ids out of range are unknown, not malformed.
    if ([query.context, query.user].some((id) => id < 1 || id > MAX_ID))
      throw DirectoryErrors.userNotFound(query.user, query.context);
    const { capabilities } = await this.database.read({ contextId: query.context }, async (db) =>
      this.principals.build(db, await this.users.get(db, query.user)),
    );
    return capabilities.map((id) => ({ id, attributes: {} }));
  }
}
