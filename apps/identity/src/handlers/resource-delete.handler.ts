import { reply, resource, ResourceErrors, type ResourceData, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { resourceData, userActor } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';
import { AfterChange } from '../provisioning/after-change';
import { ResourceEditor } from '../provisioning/resource-editor';

/** Deletes resources; those that changed in the meantime stay and are answered. */
@Handles(resource.delete)
export class ResourceDeleteHandler implements Handler<typeof resource.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof resource.delete>) {
    if (!principal.capabilities.includes('edit_resource')) throw ResourceErrors.mustNotChange(principal.contextId);
    const ids = [...new Set(body.map(({ id }) => id))];
    const kept: ResourceData[] = [];
    await this.database.transact(principal, async (tx) => {
      for (const id of ids) {
        const row = await this.resources.lock(tx, id);
        if ((row.changedAt ?? 0) > query.timestamp) kept.push(resourceData(row));
        else await this.editor.remove(tx, id, userActor(principal));
      }
    });
    this.after.entities(principal.contextId, ids);
    return reply(kept, {});
  }
}
