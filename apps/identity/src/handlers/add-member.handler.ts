import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';

/** Adds a member to a group. */
@Handles(provisioning.addMember)
export class AddMemberHandler implements Handler<typeof provisioning.addMember> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: GroupEditor,
    private readonly after: ChangeNotifier,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.addMember>) {
    const { affected } = await this.database.transact(query, (tx) =>
      this.editor.addMember(tx, query.groupId, query.userId, toActor(principal)),
    );
    await this.after.notifyUsersChanged(query.contextId, [query.groupId, ...affected]);
    return undefined;
  }
}
