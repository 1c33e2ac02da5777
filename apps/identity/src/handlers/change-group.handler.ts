import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';
import { expectVersion, withVersion } from '../provisioning/version';
import { groupView } from '../provisioning/views';

/** Changes a group. */
@Handles(provisioning.changeGroup)
export class ChangeGroupHandler implements Handler<typeof provisioning.changeGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeGroup>) {
    const { group, affected } = await this.database.transact(query, async (tx) => {
      const before = await this.groups.lock(tx, query.groupId);
      expectVersion(edge, before.version);
      return this.editor.change(tx, before, body, actorOf(principal));
    });
    await this.after.users(query.contextId, [query.groupId, ...affected]);
    return withVersion(groupView(group));
  }
}
