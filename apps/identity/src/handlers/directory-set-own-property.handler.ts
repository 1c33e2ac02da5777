import { directory, OWN_PROPERTIES, RequestErrors, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { PropertyEditor } from '../provisioning/property-editor';

/** `setOwnProperty`: a property that the user on whose behalf it is asked sets for himself, or removes. */
@Handles(directory.setOwnProperty)
export class SetOwnPropertyHandler implements Handler<typeof directory.setOwnProperty> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: PropertyEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query: { key, value } }: CallOf<typeof directory.setOwnProperty>): Promise<boolean> {
    const { user } = principal;
    if (!user) throw RequestErrors.badRequest('a setting needs a user');
    if (!OWN_PROPERTIES.has(key)) throw RequestErrors.badRequest(`users do not set ${key}`);
    const actor = { name: `user:${user.userId}`, seesAllContexts: false, userId: user.userId };
    const isChanged = await this.database.transact(user, async (tx) => {
      if (value == null) return this.editor.removeProperty(tx, user.userId, key, actor);
      await this.editor.setProperty(tx, user.userId, key, value, actor);
      return true;
    });
    if (isChanged) await this.notifier.notifyPropertiesChanged(user.contextId, user.userId);
    return true;
  }
}
