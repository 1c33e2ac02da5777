import { resource, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toResourceData, findNewestStamp } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';

/** Finds resources by name. */
@Handles(resource.search)
export class ResourceSearchHandler implements Handler<typeof resource.search> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
  ) {}

  async handle({ principal, body }: CallOf<typeof resource.search>) {
    const rows = await this.database.read(principal, (db) => this.resources.searchByName(db, body.pattern));
    return reply(rows.map(toResourceData), { timestamp: findNewestStamp(rows) });
  }
}
