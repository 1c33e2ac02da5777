import { type CallOf, type Handler, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';

/** Adds a member to a group. */
@Handles(provisioning.addMember)
export class AddMemberHandler implements Handler<typeof provisioning.addMember> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, query }: CallOf<typeof provisioning.addMember>) {
    const { affected } = await this.database.transact(query, (tx) =>
      this.editor.addMember(tx, query.groupId, query.userId, actorOf(principal)),
    );
    await this.after.users(query.contextId, [query.groupId, ...affected]);
    return undefined;
  }
}
