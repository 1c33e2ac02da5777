import { user, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { OwnUser } from '../directory/own-user';
import { UserAttributeRepository } from '../persistence/user-attribute.repository';

/** Reads a free attribute of the user. */
@Handles(user.getAttribute)
export class UserGetAttributeHandler implements Handler<typeof user.getAttribute> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: OwnUser,
    private readonly attributes: UserAttributeRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof user.getAttribute>) {
    const value = await this.database.read(principal, async (db) =>
      this.attributes.get(db, await this.own.idOf(db, principal, query.id), query.name),
    );
    return { name: query.name, value };
  }
}
