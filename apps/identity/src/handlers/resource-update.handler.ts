import { requireMayEdit } from '../directory/entity-editing';
import {
  GROUP_NAME,
  MAIL_ADDRESS,
  reply,
  resource,
  ResourceErrors,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { requirePresent, toUserActor } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { ResourceEditor } from '../provisioning/resource-editor';

/** Changes a resource. */
@Handles(resource.update)
export class ResourceUpdateHandler implements Handler<typeof resource.update> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, query, body }: CallOf<typeof resource.update>) {
    requireMayEdit('resource', principal, () => ResourceErrors.mustNotChange(principal.contextId));
    requirePresent(body, ['name', 'display_name', 'mailaddress'], ResourceErrors.mandatoryMissing);
    const { name, mailaddress: email, description } = body;
    if (name && !GROUP_NAME.test(name)) throw ResourceErrors.badName(name);
    if (email && !MAIL_ADDRESS.test(email)) throw ResourceErrors.badAddress(email);
    const changed = await this.database.transact(principal, async (tx) => {
      const before = await this.resources.lock(tx, query.id);
      if ((before.changedAt ?? 0) > query.timestamp) throw ResourceErrors.changedInTheMeantime();
      const change = {
        ...(name ? { name } : {}),
        ...(email ? { email } : {}),
        ...(body.display_name ? { displayName: body.display_name } : {}),
        ...(description === undefined ? {} : { description }),
        ...(typeof body.availability === 'boolean' ? { available: body.availability } : {}),
      };
      await this.editor.changeResource(tx, before, change, toUserActor(principal));
      return this.resources.get(tx, query.id);
    });
    this.notifier.notifyEntitiesChanged(principal.contextId, [changed.id]);
    return reply(undefined, { timestamp: changed.changedAt });
  }
}
