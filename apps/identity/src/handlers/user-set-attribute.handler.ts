import { RequestErrors, user, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PrivateDataAccess } from '../directory/private-data-access';
import { UserAttributeRepository } from '../persistence/user-attribute.repository';

const MAX_ATTRIBUTES = 500;

/** Sets or removes a free attribute of the user. */
@Handles(user.setAttribute)
export class UserSetAttributeHandler implements Handler<typeof user.setAttribute> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly own: PrivateDataAccess,
    private readonly attributes: UserAttributeRepository,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof user.setAttribute>) {
    return this.database.transact(principal, async (tx) => {
      const userId = await this.own.requireAccess(tx, principal, query.id);
      const { name, value } = body;
      if (value === undefined || value === null) return this.attributes.delete(tx, userId, name);
      if ((await this.attributes.count(tx, userId)) >= MAX_ATTRIBUTES)
        throw RequestErrors.badBodyData(`there are ${MAX_ATTRIBUTES} attributes already`);
      return this.attributes.upsert(tx, userId, name, value, query.setIfAbsent ?? false);
    });
  }
}
