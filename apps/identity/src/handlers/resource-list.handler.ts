import { resource, ResourceErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toResourceData, sortByIds, findNewestStamp } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';

/** Reads resources by id. */
@Handles(resource.list)
export class ResourceListHandler implements Handler<typeof resource.list> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
  ) {}

  async handle({ principal, body }: CallOf<typeof resource.list>) {
    const ids = body.map(({ id }) => id);
    const found = await this.database.read(principal, (db) => this.resources.listByIds(db, ids));
    const rows = sortByIds(ids, found, (id) => ResourceErrors.notFound(id));
    return reply(rows.map(toResourceData), { timestamp: findNewestStamp(rows) });
  }
}
