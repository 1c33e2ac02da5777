import { type CallOf, type Handler, type ProvisionedGroup, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';
import { Idempotency, replyOf } from '../provisioning/idempotency';
import { groupView } from '../provisioning/views';

/** Creates a group. */
@Handles(provisioning.createGroup)
export class CreateGroupHandler implements Handler<typeof provisioning.createGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: GroupEditor,
    private readonly idempotency: Idempotency,
    private readonly after: AfterChange,
  ) {}

  async handle(call: CallOf<typeof provisioning.createGroup>) {
    const { principal, query, body } = call;
    const remembered = await this.database.transact(query, async (tx) => {
      await this.contexts.lock(tx);
      return this.idempotency.once(tx, 'createGroup', call, async () => {
        const { group } = await this.editor.create(tx, body, actorOf(principal));
        return {
          status: 201,
          location: `/admin/v1/contexts/${tx.contextId}/groups/${group.id}`,
          result: groupView(group),
        };
      });
    });
    await this.after.users(query.contextId, body.members ?? []);
    return replyOf<ProvisionedGroup>(remembered);
  }
}
