import { requireMayEdit } from '../directory/entity-editing';
import { ALL_GUESTS, group, GROUP_NAME, GroupErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { createGuestsGroup } from '../directory/client-groups';
import { requirePresent, toUserActor } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';

/** Changes a group. */
@Handles(group.update)
export class GroupUpdateHandler implements Handler<typeof group.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof group.update>) {
    requireMayEdit('group', principal, GroupErrors.mustNotChange);
    if (query.id === ALL_GUESTS) throw GroupErrors.notChangeable(createGuestsGroup(principal).name);
    requirePresent(body, ['name', 'display_name'], GroupErrors.mandatoryMissing);
    if (body.name && !GROUP_NAME.test(body.name)) throw GroupErrors.badName(body.name);
    const { group: changed, affected } = await this.database.transact(principal, async (tx) => {
      const before = await this.groups.lock(tx, query.id);
      if (before.changedAt > query.timestamp) throw GroupErrors.changedInTheMeantime();
      const change = {
        ...(body.name ? { name: body.name } : {}),
        ...(body.display_name ? { displayName: body.display_name } : {}),
        ...(body.members ? { members: body.members } : {}),
      };
      return this.editor.changeGroup(tx, before, change, toUserActor(principal));
    });
    this.notifier.notifyEntitiesChanged(principal.contextId, [changed.id]);
    await this.notifier.notifyUsersChanged(principal.contextId, affected);
    return reply(undefined, { timestamp: changed.changedAt });
  }
}
