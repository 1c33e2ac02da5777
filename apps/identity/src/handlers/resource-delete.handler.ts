import { requireMayEdit } from '../directory/entity-editing';
import { reply, resource, ResourceErrors, type ResourceData, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toResourceData, toUserActor } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResourceEditor } from '../provisioning/resource-editor';

/** Deletes resources; those that changed in the meantime stay and are answered. */
@Handles(resource.delete)
export class ResourceDeleteHandler implements Handler<typeof resource.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof resource.delete>) {
    requireMayEdit('resource', principal, () => ResourceErrors.mustNotChange(principal.contextId));
    const ids = [...new Set(body.map(({ id }) => id))];
    const kept = await this.database.transact(principal, async (tx) => {
      const kept: ResourceData[] = [];
      for (const id of ids) {
        const row = await this.resources.lock(tx, id);
        if ((row.changedAt ?? 0) > query.timestamp) kept.push(toResourceData(row));
        else await this.editor.removeResource(tx, id, toUserActor(principal));
      }
      return kept;
    });
    this.notifier.notifyEntitiesChanged(principal.contextId, ids);
    return reply(kept, {});
  }
}
