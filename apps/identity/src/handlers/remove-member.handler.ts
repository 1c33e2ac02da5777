import { type CallOf, type Handler, provisioning, reply } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { GroupRepository } from '../persistence/group.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';
import { requireVersion } from '../provisioning/version';

/** Removes a member from a group. */
@Handles(provisioning.removeMember)
export class RemoveMemberHandler implements Handler<typeof provisioning.removeMember> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.removeMember>) {
    const affected = await this.database.transact(query, async (tx) => {
      const before = await this.groups.lock(tx, query.groupId);
      requireVersion(edge, before.version);
      if (query.missingOk && !before.members.includes(query.userId)) return undefined;
      return (await this.editor.removeMember(tx, before, query.userId, toActor(principal))).affected;
    });
    if (affected) await this.notifier.notifyUsersChanged(query.contextId, [query.groupId, ...affected]);
    return reply(undefined, { status: affected ? 204 : 200 });
  }
}
