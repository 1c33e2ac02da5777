import { type CallOf, type Handler, type ProvisionedGroup, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { GroupEditor } from '../provisioning/group-editor';
import { Idempotency, toReply } from '../provisioning/idempotency';
import { toGroupView } from '../provisioning/views';

/** Creates a group. */
@Handles(provisioning.createGroup)
export class CreateGroupHandler implements Handler<typeof provisioning.createGroup> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: GroupEditor,
    private readonly idempotency: Idempotency,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle(call: CallOf<typeof provisioning.createGroup>) {
    const { principal, query, body } = call;
    const remembered = await this.database.transact(query, async (tx) => {
      await this.contexts.lock(tx);
      return this.idempotency.runOnce(tx, 'createGroup', call, async () => {
        const { group } = await this.editor.createGroup(tx, body, toActor(principal));
        return {
          status: 201,
          location: `/admin/v1/contexts/${tx.contextId}/groups/${group.id}`,
          result: toGroupView(group),
        };
      });
    });
    await this.notifier.notifyUsersChanged(query.contextId, body.members ?? []);
    return toReply<ProvisionedGroup>(remembered);
  }
}
