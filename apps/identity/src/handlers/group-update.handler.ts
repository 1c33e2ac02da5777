import { ALL_GUESTS, group, GROUP_NAME, GroupErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { guestsGroup } from '../directory/client-groups';
import { expectPresent, userActor } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';

/** Changes a group. */
@Handles(group.update)
export class GroupUpdateHandler implements Handler<typeof group.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof group.update>) {
    if (!principal.capabilities.includes('edit_group')) throw GroupErrors.mustNotChange();
    if (query.id === ALL_GUESTS) throw GroupErrors.notChangeable(guestsGroup(principal).name);
    expectPresent(body, ['name', 'display_name'], GroupErrors.mandatoryMissing);
    if (body.name && !GROUP_NAME.test(body.name)) throw GroupErrors.badName(body.name);
    const { group: changed, affected } = await this.database.transact(principal, async (tx) => {
      const before = await this.groups.lock(tx, query.id);
      if (before.changedAt > query.timestamp) throw GroupErrors.changedInTheMeantime();
      const change = {
        ...(body.name ? { name: body.name } : {}),
        ...(body.display_name ? { displayName: body.display_name } : {}),
        ...(body.members ? { members: body.members } : {}),
      };
      return this.editor.change(tx, before, change, userActor(principal));
    });
    this.after.entities(principal.contextId, [changed.id]);
    await this.after.users(principal.contextId, affected);
    return reply(undefined, { timestamp: changed.changedAt });
  }
}
