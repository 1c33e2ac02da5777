import { type CallOf, type Handler, type ProvisionedUser, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { ContextRepository } from '../persistence/context.repository';
import { toActor } from '../domain/actor';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { Idempotency, toReply } from '../provisioning/idempotency';
import { Readiness } from '../provisioning/readiness';
import { ResellerLimits } from '../provisioning/reseller-limits';
import { UserEditor } from '../provisioning/user-editor';
import { toUserView } from '../provisioning/views';

/** Creates a user. */
@Handles(provisioning.createUser)
export class CreateUserHandler implements Handler<typeof provisioning.createUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: UserEditor,
    private readonly idempotency: Idempotency,
    private readonly notifier: ChangeNotifier,
    private readonly resellers: Resellers,
    private readonly limits: ResellerLimits,
    private readonly readiness: Readiness,
  ) {}

  async handle(call: CallOf<typeof provisioning.createUser>) {
    const { principal, query, body } = call;
    this.editor.requireFields(body);
    await this.limits.requireRoom((await this.resellers.findOwner(query.contextId)) ?? null, { users: 1 });
    const hash = await this.editor.createCredential(body);
    const remembered = await this.database.transact(query, async (tx) => {
      const context = await this.contexts.lock(tx);
      return this.idempotency.runOnce(tx, 'createUser', call, async () => {
        const user = toUserView(await this.editor.createUser(tx, context, body, hash, toActor(principal)));
        return { status: 201, location: `/admin/v1/contexts/${context.id}/users/${user.id}`, result: user };
      });
    });
    const user = remembered.result as ProvisionedUser;
    this.notifier.notifyEntitiesChanged(query.contextId, [user.id, ...(body.groups ?? [])]);
    const result = await this.readiness.prepareUser(query.contextId, user, query.wait);
    return toReply<ProvisionedUser>({ ...remembered, result });
  }
}
