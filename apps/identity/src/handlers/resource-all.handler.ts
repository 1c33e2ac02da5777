import { resource, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ResourceRepository } from '../persistence/resource.repository';

/** Ids of all resources. */
@Handles(resource.all)
export class ResourceAllHandler implements Handler<typeof resource.all> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
  ) {}

  handle({ principal }: CallOf<typeof resource.all>) {
    return this.database.read(principal, (db) => this.resources.listIds(db));
  }
}
