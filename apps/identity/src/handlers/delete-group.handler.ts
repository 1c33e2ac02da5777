import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';
import { expectVersion } from '../provisioning/version';

/** Deletes a group. */
@Handles(provisioning.deleteGroup)
export class DeleteGroupHandler implements Handler<typeof provisioning.deleteGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.deleteGroup>) {
    const members = await this.database.transact(query, async (tx) => {
      if (query.missingOk && (await this.groups.byIds(tx, [query.groupId])).length === 0) return undefined;
      expectVersion(edge, (await this.groups.lock(tx, query.groupId)).version);
      return this.editor.remove(tx, query.groupId, actorOf(principal));
    });
    if (members) await this.after.users(query.contextId, [query.groupId, ...members]);
    return reply(undefined, { status: members ? 204 : 200 });
  }
}
