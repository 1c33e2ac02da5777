import { requireMayEdit } from '../directory/entity-editing';
import { group, GROUP_NAME, GroupErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { requirePresent, toUserActor } from '../directory/entity-views';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';

/** Creates a group. */
@Handles(group.new)
export class GroupNewHandler implements Handler<typeof group.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, body }: CallOf<typeof group.new>) {
    requireMayEdit('group', principal, GroupErrors.mustNotCreate);
    requirePresent(body, ['name', 'display_name'], GroupErrors.mandatoryMissing);
    const { display_name: displayName, name = displayName, members = [] } = body;
    if (!name) throw GroupErrors.mandatoryMissing('name');
    if (!GROUP_NAME.test(name)) throw GroupErrors.badName(name);
    const { group: made, affected } = await this.database.transact(principal, (tx) =>
      this.editor.createGroup(tx, { name, displayName: displayName ?? name, members }, toUserActor(principal)),
    );
    this.notifier.notifyEntitiesChanged(principal.contextId, [made.id]);
    await this.notifier.notifyUsersChanged(principal.contextId, affected);
    return reply({ id: made.id }, { timestamp: made.changedAt });
  }
}
