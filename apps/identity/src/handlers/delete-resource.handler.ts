import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ResourceRepository } from '../persistence/resource.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResourceEditor } from '../provisioning/resource-editor';
import { requireVersion } from '../provisioning/version';

/** Deletes a resource. */
@Handles(provisioning.deleteResource)
export class DeleteResourceHandler implements Handler<typeof provisioning.deleteResource> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteResource>) {
    const removed = await this.database.transact(query, async (tx) => {
      if (query.missingOk && (await this.resources.listByIds(tx, [query.resourceId])).length === 0) return false;
      requireVersion(edge, (await this.resources.lock(tx, query.resourceId)).version);
      await this.editor.removeResource(tx, query.resourceId, toActor(principal));
      return true;
    });
    if (removed) this.notifier.notifyEntitiesChanged(query.contextId, [query.resourceId]);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
