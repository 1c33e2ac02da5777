import {
  DirectoryErrors,
  RequestErrors,
  user,
  type CallOf,
  type Handler,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { parseEntityId } from '../domain/entity-id';
import { GuestUsers } from '../directory/guest-users';
import { UserRows } from '../directory/user-rows';
import { UserRepository } from '../persistence/user.repository';

/** Reads users, and guests whom the reader invited, by id, in the order asked. */
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
    if (principal.guest) {
      this.requireAll(principal, ids, await this.guests.listVisible(principal));
      return this.rows.readRowsOfGuest(principal, query.columns, ids);
    }
    const existing = await this.database.read(principal, (db) => this.users.filterExisting(db, ids));
    const others = ids.filter((id) => !existing.has(id));
    const invited = await this.guests.findInvited(principal, others);
    this.requireAll(principal, others, invited);
    return this.rows.readRowsById(principal, query, ids, invited);
  }

  /** Requires each id to be one of those known. @throws USR-0010 */
  private requireAll(
    { contextId }: UserPrincipal,
    ids: readonly number[],
    known: { readonly has: (id: number) => boolean },
  ): void {
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw DirectoryErrors.userNotFound(missing, contextId);
  }
}
