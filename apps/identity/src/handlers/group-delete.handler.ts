import { ALL_GUESTS, group, GroupErrors, reply, type GroupData, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { guestsGroup } from '../directory/client-groups';
import { groupData, userActor } from '../directory/entity-views';
import { GroupRepository } from '../persistence/group.repository';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';

/** Deletes groups; those that changed in the meantime stay and are answered. */
@Handles(group.delete)
export class GroupDeleteHandler implements Handler<typeof group.delete> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof group.delete>) {
    if (!principal.capabilities.includes('edit_group')) throw GroupErrors.mustNotDelete();
    const ids = [...new Set(body.map(({ id }) => id))];
    if (ids.includes(ALL_GUESTS)) throw GroupErrors.notDeletable(guestsGroup(principal).name);
    const kept: GroupData[] = [];
    const affected = await this.database.transact(principal, async (tx) => {
      const members: number[] = [];
      for (const id of ids) {
        const row = await this.groups.lock(tx, id);
        if (row.changedAt > query.timestamp) kept.push(groupData(row));
        else members.push(...(await this.editor.remove(tx, id, userActor(principal))));
      }
      return members;
    });
    this.after.entities(principal.contextId, ids);
    await this.after.users(principal.contextId, [...new Set(affected)]);
    return reply(kept, {});
  }
}
