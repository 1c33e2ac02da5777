import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PropertyRepository } from '../configuration/property.repository';

/** One property of the configuration cascade for many users. */
@Handles(directory.propertyOfUsers)
export class PropertyOfUsersHandler implements Handler<typeof directory.propertyOfUsers> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: PropertyRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof directory.propertyOfUsers>) {
    return this.database.read(principal, (db) => this.properties.getOfUsers(db, query.key, query.ids));
  }
}
