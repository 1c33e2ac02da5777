import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ResourceRepository } from '../persistence/resource.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResourceEditor } from '../provisioning/resource-editor';
import { requireVersion, toVersionedReply } from '../provisioning/version';
import { toResourceView } from '../provisioning/views';

/** Changes a resource. */
@Handles(provisioning.changeResource)
export class ChangeResourceHandler implements Handler<typeof provisioning.changeResource> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeResource>) {
    const resource = await this.database.transact(query, async (tx) => {
      const before = await this.resources.lock(tx, query.resourceId);
      requireVersion(edge, before.version);
      return this.editor.changeResource(tx, before, body, toActor(principal));
    });
    this.notifier.notifyEntitiesChanged(query.contextId, [query.resourceId]);
    return toVersionedReply(toResourceView(resource));
  }
}
