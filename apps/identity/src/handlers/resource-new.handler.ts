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
import { expectPresent, userActor } from '../directory/entity-views';
import { ResourceRepository } from '../persistence/resource.repository';
import { AfterChange } from '../provisioning/after-change';
import { ResourceEditor } from '../provisioning/resource-editor';

/** Creates a resource. */
@Handles(resource.new)
export class ResourceNewHandler implements Handler<typeof resource.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, body }: CallOf<typeof resource.new>) {
    if (!principal.capabilities.includes('edit_resource')) throw ResourceErrors.mustNotChange(principal.contextId);
    expectPresent(body, ['name', 'display_name', 'mailaddress'], ResourceErrors.mandatoryMissing);
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
      const { id } = await this.editor.create(tx, input, userActor(principal));
      return this.resources.get(tx, id);
    });
    this.after.entities(principal.contextId, [made.id]);
    return reply({ id: made.id }, { timestamp: made.changedAt });
  }
}
