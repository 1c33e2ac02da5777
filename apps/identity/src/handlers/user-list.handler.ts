import { DirectoryErrors, RequestErrors, user, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseEntityId } from '../domain/entity-id';
import { GuestUsers } from '../directory/guest-users';
import { FIRST_PARAMETER, UserRows } from '../directory/user-rows';
import { UserRepository } from '../persistence/user.repository';

/** Reads users by id, in the order asked. */
@Handles(user.list)
export class UserListHandler implements Handler<typeof user.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly guests: GuestUsers,
    private readonly rows: UserRows,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof user.list>) {
    const ids = body.map((id) => {
      if (id === null) return principal.userId;
      if (typeof id !== 'string' && typeof id !== 'number') throw RequestErrors.badBodyData('expected user ids');
      const number = parseEntityId(String(id));
      if (number === undefined) throw DirectoryErrors.userNotFound(id, principal.contextId);
      return number;
    });
    const existing = principal.guest
      ? await this.guests.listVisible(principal)
      : await this.database.read(principal, (db) => this.users.filterExisting(db, ids));
    const missing = ids.find((id) => !existing.has(id));
    if (missing !== undefined) throw DirectoryErrors.userNotFound(missing, principal.contextId);
    if (principal.guest) return this.rows.readRowsOfGuest(principal, query.columns, ids);
    return this.rows.readRows(
      principal,
      query,
      {
        sql: 'true',
        // One row per requested id, duplicates included.
        join: `join unnest($${FIRST_PARAMETER}::int[]) with ordinality as wanted (id, place) on wanted.id = u.user_id`,
        params: [ids],
      },
      'wanted.place',
    );
  }
}
