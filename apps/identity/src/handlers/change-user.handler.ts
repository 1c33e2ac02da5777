import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { UserRepository } from '../persistence/user.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';
import { UserEditor } from '../provisioning/user-editor';
import { requireVersion, toVersionedReply } from '../provisioning/version';
import { toUserView } from '../provisioning/views';

/** Changes a user. */
@Handles(provisioning.changeUser)
export class ChangeUserHandler implements Handler<typeof provisioning.changeUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly editor: UserEditor,
    private readonly groups: GroupEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body, edge }: CallOf<typeof provisioning.changeUser>) {
    const actor = toActor(principal);
    const { user, groups } = await this.database.transact(query, async (tx) => {
      const before = await this.users.lock(tx, query.userId);
      requireVersion(edge, before.version);
      const groups =
        body.groups === undefined ? [] : await this.groups.setGroupsOfUser(tx, before, body.groups ?? [], actor);
      const dropOld = query.dropOld === true || body.dropOld === true;
      return { user: await this.editor.changeUser(tx, before, body, { dropOld }, actor), groups };
    });
    await this.notifier.notifyUsersChanged(query.contextId, [query.userId, ...groups]);
    return toVersionedReply(toUserView(user));
  }
}
