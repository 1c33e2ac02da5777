import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { PropertyEditor } from '../provisioning/property-editor';

/** Reads a property set for a user. */
@Handles(provisioning.getUserProperty)
export class GetUserPropertyHandler implements Handler<typeof provisioning.getUserProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: PropertyEditor,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getUserProperty>) {
    return this.database.read(query, async (db) => {
      await this.users.get(db, query.userId);
      return this.editor.getProperty(db, query.userId, query.property);
    });
  }
}
