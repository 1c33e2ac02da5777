import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';
import { requireVersion, toVersionedReply } from '../provisioning/version';
import { toGroupView } from '../provisioning/views';

/** Changes a group. */
@Handles(provisioning.changeGroup)
export class ChangeGroupHandler implements Handler<typeof provisioning.changeGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeGroup>) {
    const { group, affected } = await this.database.transact(query, async (tx) => {
      const before = await this.groups.lock(tx, query.groupId);
      requireVersion(edge, before.version);
      return this.editor.changeGroup(tx, before, body, toActor(principal));
    });
    await this.notifier.notifyUsersChanged(query.contextId, [query.groupId, ...affected]);
    return toVersionedReply(toGroupView(group));
  }
}
