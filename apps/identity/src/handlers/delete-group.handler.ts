import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';
import { requireVersion } from '../provisioning/version';

/** Deletes a group. */
@Handles(provisioning.deleteGroup)
export class DeleteGroupHandler implements Handler<typeof provisioning.deleteGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteGroup>) {
    const members = await this.database.transact(query, async (tx) => {
      if (query.missingOk && (await this.groups.listByIds(tx, [query.groupId])).length === 0) return undefined;
      requireVersion(edge, (await this.groups.lock(tx, query.groupId)).version);
      return this.editor.removeGroup(tx, query.groupId, toActor(principal));
    });
    if (members) await this.notifier.notifyUsersChanged(query.contextId, [query.groupId, ...members]);
    return reply(undefined, { status: members ? 204 : 200 });
  }
}
