import { user, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PrivateDataAccess } from '../directory/private-data-access';
import { UserAttributeRepository } from '../persistence/user-attribute.repository';

/** Reads a free attribute of the user. */
@Handles(user.getAttribute)
export class UserGetAttributeHandler implements Handler<typeof user.getAttribute> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: PrivateDataAccess,
    private readonly attributes: UserAttributeRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof user.getAttribute>) {
    const value = await this.database.read(principal, async (db) =>
      this.attributes.findValue(db, await this.own.requireAccess(db, principal, query.id), query.name),
    );
    // A name without value is all there is of an attribute that was never set.
    return { name: query.name, ...(value !== null && { value }) };
  }
}
