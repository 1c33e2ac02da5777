import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ResourceRepository } from '../persistence/resource.repository';
import { toVersionedReply } from '../provisioning/version';
import { toResourceView } from '../provisioning/views';

/** Reads a resource. */
@Handles(provisioning.getResource)
export class GetResourceHandler implements Handler<typeof provisioning.getResource> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
  ) {}

  async handle({ query }: CallOf<typeof provisioning.getResource>) {
    return toVersionedReply(
      toResourceView(await this.database.read(query, (db) => this.resources.get(db, query.resourceId))),
    );
  }
}
