import { directory, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { PropertyRepository } from '../configuration/property.repository';

/** Values of the configuration cascade. */
@Handles(directory.properties)
export class PropertiesHandler implements Handler<typeof directory.properties> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly properties: PropertyRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof directory.properties>) {
    return this.database.read(principal, (db) => this.properties.getEffective(db, query.user));
  }
}
