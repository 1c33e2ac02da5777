import { type CallOf, type Handler, type ProvisionedResource, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { Idempotency, toReply } from '../provisioning/idempotency';
import { ResourceEditor } from '../provisioning/resource-editor';
import { toResourceView } from '../provisioning/views';

/** Creates a resource. */
@Handles(provisioning.createResource)
export class CreateResourceHandler implements Handler<typeof provisioning.createResource> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: ResourceEditor,
    private readonly idempotency: Idempotency,
  ) {}

  async handle(call: CallOf<typeof provisioning.createResource>) {
    const { principal, query, body } = call;
    const remembered = await this.database.transact(query, async (tx) => {
      await this.contexts.lock(tx);
      return this.idempotency.runOnce(tx, 'createResource', call, async () => {
        const resource = toResourceView(await this.editor.createResource(tx, body, toActor(principal)));
        return {
          status: 201,
          location: `/admin/v1/contexts/${tx.contextId}/resources/${resource.id}`,
          result: resource,
        };
      });
    });
    return toReply<ProvisionedResource>(remembered);
  }
}
