import { type CallOf, type Handler, type ProvisionedUser, provisioning } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { Resellers } from '../configuration/resellers';
import { ContextRepository } from '../persistence/context.repository';
import { actorOf } from '../provisioning/actor';
import { AfterChange } from '../provisioning/after-change';
import { Idempotency, replyOf } from '../provisioning/idempotency';
import { Readiness } from '../provisioning/readiness';
import { ResellerLimits } from '../provisioning/reseller-limits';
import { UserEditor } from '../provisioning/user-editor';
import { userView } from '../provisioning/views';

/** Creates a user. */
@Handles(provisioning.createUser)
export class CreateUserHandler implements Handler<typeof provisioning.createUser> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly editor: UserEditor,
    private readonly idempotency: Idempotency,
    private readonly after: AfterChange,
    private readonly resellers: Resellers,
    private readonly limits: ResellerLimits,
    private readonly readiness: Readiness,
  ) {}

  async handle(call: CallOf<typeof provisioning.createUser>) {
    const { principal, query, body } = call;
    await this.limits.expectRoom((await this.resellers.ownerOf(query.contextId)) ?? null, { users: 1 });
    const hash = await this.editor.credential(body);
    const remembered = await this.database.transact(query, async (tx) => {
      const context = await this.contexts.lock(tx);
      return this.idempotency.once(tx, 'createUser', call, async () => {
        const user = userView(await this.editor.create(tx, context, body, hash, actorOf(principal)));
        return { status: 201, location: `/admin/v1/contexts/${context.id}/users/${user.id}`, result: user };
      });
    });
    const user = remembered.result as ProvisionedUser;
    this.after.entities(query.contextId, [user.id, ...(body.groups ?? [])]);
    const result = await this.readiness.ofUser(query.contextId, user, query.wait);
    return replyOf<ProvisionedUser>({ ...remembered, result });
  }
}
