import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toActor } from '../domain/actor';
import { GroupRepository } from '../persistence/group.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';
import { requireVersion } from '../provisioning/version';

/** Adds a member to a group. */
@Handles(provisioning.addMember)
export class AddMemberHandler implements Handler<typeof provisioning.addMember> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
    private readonly editor: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, edge }: CallOf<typeof provisioning.addMember>) {
    const { affected } = await this.database.transact(query, async (tx) => {
      const before = await this.groups.lock(tx, query.groupId);
      requireVersion(edge, before.version);
      return this.editor.addMember(tx, before, query.userId, toActor(principal));
    });
    await this.notifier.notifyUsersChanged(query.contextId, [query.groupId, ...affected]);
    return undefined;
  }
}
