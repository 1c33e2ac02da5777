import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';

/** Removes a member from a group. */
@Handles(provisioning.removeMember)
export class RemoveMemberHandler implements Handler<typeof provisioning.removeMember> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.removeMember>) {
    const affected = await this.database.transact(query, async (tx) => {
      if (query.missingOk && !(await this.groups.get(tx, query.groupId)).members.includes(query.userId))
        return undefined;
      return (await this.editor.removeMember(tx, query.groupId, query.userId, actorOf(principal))).affected;
    });
    if (affected) await this.after.users(query.contextId, [query.groupId, ...affected]);
    return reply(undefined, { status: affected ? 204 : 200 });
  }
}
