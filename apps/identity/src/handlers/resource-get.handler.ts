import { resource, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toResourceData, findNewestStamp } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';

/** Reads a resource. */
@Handles(resource.get)
export class ResourceGetHandler implements Handler<typeof resource.get> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
  ) {}

  async handle({ principal, query }: CallOf<typeof resource.get>) {
    const row = await this.database.read(principal, (db) => this.resources.get(db, query.id));
    return reply(toResourceData(row), { timestamp: findNewestStamp([row]) });
  }
}
