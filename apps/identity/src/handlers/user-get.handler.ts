import { DirectoryErrors, reply, user, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { parseEntityId } from '../domain/entity-id';
import { UserRows } from '../directory/user-rows';

/** Reads one user. */
@Handles(user.get)
export class UserGetHandler implements Handler<typeof user.get> {
  constructor(private readonly rows: UserRows) {}

  async handle({ principal, query }: CallOf<typeof user.get>) {
    const userId = query.id === undefined ? principal.userId : parseEntityId(query.id);
    const found = userId === undefined ? undefined : await this.rows.findUserData(principal, userId, query.timezone);
    if (!found) throw DirectoryErrors.userNotFound(query.id, principal.contextId);
    return reply(found, { timestamp: found.last_modified_utc });
  }
}
