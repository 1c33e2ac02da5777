import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { PropertyEditor } from '../provisioning/property-editor';

/** Sets a property for a user. */
@Handles(provisioning.setUserProperty)
export class SetUserPropertyHandler implements Handler<typeof provisioning.setUserProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: PropertyEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof provisioning.setUserProperty>) {
    const entry = await this.database.transact(query, async (tx) => {
      await this.users.get(tx, query.userId);
      return this.editor.setProperty(tx, query.userId, query.property, body.value, toActor(principal));
    });
    await this.notifier.notifyPropertiesChanged(query.contextId, query.userId);
    return entry;
  }
}
