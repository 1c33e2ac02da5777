import { type CallOf, type Handler, provisioning, ProvisioningErrors, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { PropertyEditor } from '../provisioning/property-editor';

/** Removes a property from a context. */
@Handles(provisioning.deleteContextProperty)
export class DeleteContextPropertyHandler implements Handler<typeof provisioning.deleteContextProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: PropertyEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.deleteContextProperty>) {
    const removed = await this.database.transact(query, async (tx) => {
      await this.contexts.get(tx);
      return this.editor.removeProperty(tx, 0, query.property, toActor(principal));
    });
    if (removed) await this.notifier.notifyPropertiesChanged(query.contextId, 0);
    else if (!query.missingOk) throw ProvisioningErrors.propertyNotSet(query.property);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
