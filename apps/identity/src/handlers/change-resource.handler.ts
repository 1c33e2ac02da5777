import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ResourceRepository } from '../persistence/resource.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { ResourceEditor } from '../provisioning/resource-editor';
import { expectVersion, withVersion } from '../provisioning/version';
import { resourceView } from '../provisioning/views';

/** Changes a resource. */
@Handles(provisioning.changeResource)
export class ChangeResourceHandler implements Handler<typeof provisioning.changeResource> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeResource>) {
    const resource = await this.database.transact(query, async (tx) => {
      const before = await this.resources.lock(tx, query.resourceId);
      expectVersion(edge, before.version);
      return this.editor.change(tx, before, body, actorOf(principal));
    });
    this.after.entities(query.contextId, [query.resourceId]);
    return withVersion(resourceView(resource));
  }
}
