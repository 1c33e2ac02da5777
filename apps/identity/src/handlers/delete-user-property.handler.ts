import { type CallOf, type Handler, provisioning, ProvisioningErrors, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { PropertyEditor } from '../provisioning/property-editor';

/** Removes a property from a user. */
@Handles(provisioning.deleteUserProperty)
export class DeleteUserPropertyHandler implements Handler<typeof provisioning.deleteUserProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: PropertyEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.deleteUserProperty>) {
    const removed = await this.database.transact(query, async (tx) => {
      await this.users.get(tx, query.userId);
      return this.editor.removeProperty(tx, query.userId, query.property, toActor(principal));
    });
    if (removed) await this.notifier.notifyPropertiesChanged(query.contextId, query.userId);
    else if (!query.missingOk) throw ProvisioningErrors.propertyNotSet(query.property);
    return reply(undefined, { status: removed ? 204 : 200 });
  }
}
