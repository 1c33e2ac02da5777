import { group, GROUP_NAME, GroupErrors, reply, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { expectPresent, userActor } from '../directory/entity-views';
import { AfterChange } from '../provisioning/after-change';
import { GroupEditor } from '../provisioning/group-editor';

/** Creates a group. */
@Handles(group.new)
export class GroupNewHandler implements Handler<typeof group.new> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly editor: GroupEditor,
    private readonly after: AfterChange,
  ) {}

  async handle({ principal, body }: CallOf<typeof group.new>) {
    if (!principal.capabilities.includes('edit_group')) throw GroupErrors.mustNotCreate();
    expectPresent(body, ['name', 'display_name'], GroupErrors.mandatoryMissing);
    const { display_name: displayName, name = displayName, members = [] } = body;
    if (!name) throw GroupErrors.mandatoryMissing('name');
    if (!GROUP_NAME.test(name)) throw GroupErrors.badName(name);
    const { group: made, affected } = await this.database.transact(principal, (tx) =>
      this.editor.create(tx, { name, displayName: displayName ?? name, members }, userActor(principal)),
    );
    this.after.entities(principal.contextId, [made.id]);
    await this.after.users(principal.contextId, affected);
    return reply({ id: made.id }, { timestamp: made.changedAt });
  }
}
