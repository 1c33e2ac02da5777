import { type CallOf, type Handler, provisioning, ProvisioningErrors, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { PropertyEditor } from '../provisioning/property-editor';

/** Removes a property from a context. */
@Handles(provisioning.deleteContextProperty)
export class DeleteContextPropertyHandler implements Handler<typeof provisioning.deleteContextProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: PropertyEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.deleteContextProperty>) {
    const removed = await this.database.transact(query, async (tx) => {
      await this.contexts.get(tx);
      return this.editor.remove(tx, 0, query.property, actorOf(principal));
    });
    if (removed) await this.after.properties(query.contextId, 0);
    else if (!query.missingOk) throw ProvisioningErrors.propertyNotSet(query.property);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
