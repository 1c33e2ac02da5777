import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { PropertyEditor } from '../provisioning/property-editor';

/** Sets a property for a context. */
@Handles(provisioning.setContextProperty)
export class SetContextPropertyHandler implements Handler<typeof provisioning.setContextProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: PropertyEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof provisioning.setContextProperty>) {
    const entry = await this.database.transact(query, async (tx) => {
      await this.contexts.get(tx);
      return this.editor.setProperty(tx, 0, query.property, body.value, toActor(principal));
    });
    await this.notifier.notifyPropertiesChanged(query.contextId, 0);
    return entry;
  }
}
