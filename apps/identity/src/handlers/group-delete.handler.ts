import { requireMayEdit } from '../directory/entity-editing';
import { ALL_GUESTS, group, GroupErrors, reply, type GroupData, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { createGuestsGroup } from '../directory/client-groups';
import { toGroupData, toUserActor } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';

/** Deletes groups; those that changed in the meantime stay and are answered. */
@Handles(group.delete)
export class GroupDeleteHandler implements Handler<typeof group.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof group.delete>) {
    requireMayEdit('group', principal, GroupErrors.mustNotDelete);
    const ids = [...new Set(body.map(({ id }) => id))];
    if (ids.includes(ALL_GUESTS)) throw GroupErrors.notDeletable(createGuestsGroup(principal).name);
    const { kept, members } = await this.database.transact(principal, async (tx) => {
      const kept: GroupData[] = [];
      const members: number[] = [];
      for (const id of ids) {
        const row = await this.groups.lock(tx, id);
        if (row.changedAt > query.timestamp) kept.push(toGroupData(row));
        else members.push(...(await this.editor.removeGroup(tx, id, toUserActor(principal))));
      }
      return { kept, members };
    });
    this.notifier.notifyEntitiesChanged(principal.contextId, ids);
    await this.notifier.notifyUsersChanged(principal.contextId, [...new Set(members)]);
    return reply(kept, {});
  }
}
