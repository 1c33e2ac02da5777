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

/** Creates a resource. */
@Handles(resource.new)
export class ResourceNewHandler implements Handler<typeof resource.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly notifier: ChangeNotifier,
  ) {}

  async handle({ principal, body }: CallOf<typeof resource.new>) {
    requireMayEdit('resource', principal, () => ResourceErrors.mustNotChange(principal.contextId));
    requirePresent(body, ['name', 'display_name', 'mailaddress'], ResourceErrors.mandatoryMissing);
    const { name, mailaddress: email } = body;
    if (!name) throw ResourceErrors.mandatoryMissing('name');
    if (!email) throw ResourceErrors.mandatoryMissing('mailaddress');
    if (!GROUP_NAME.test(name)) throw ResourceErrors.badName(name);
    if (!MAIL_ADDRESS.test(email)) throw ResourceErrors.badAddress(email);
    const made = await this.database.transact(principal, async (tx) => {
      const input = {
        name,
        email,
        displayName: body.display_name ?? name,
        available: body.availability ?? true,
        ...(body.description ? { description: body.description } : {}),
      };
      const { id } = await this.editor.createResource(tx, input, toUserActor(principal));
      return this.resources.get(tx, id);
    });
    this.notifier.notifyEntitiesChanged(principal.contextId, [made.id]);
    return reply({ id: made.id }, { timestamp: made.changedAt });
  }
}
