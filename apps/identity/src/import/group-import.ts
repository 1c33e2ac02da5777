import { Injectable } from '@nestjs/common';
import { GroupCreation, ProvisioningErrors } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { GroupRepository, type GroupRow } from '../persistence/group.repository';
import { UserRepository } from '../persistence/user.repository';
import { GroupEditor } from '../provisioning/group-editor';
import type { ImportRow } from './import-fields';
import { parseNames, parseRow, type ImportOptions, type RowOutcome, type PlannedRow } from './import-rows';

/** Creates and changes the groups of rows; members are names of users. */
@Injectable()
export class GroupImport {
  constructor(
    private readonly groups: GroupRepository,
    private readonly users: UserRepository,
    private readonly editor: GroupEditor,
  ) {}

  /** Plans rows. */
  planRows(rows: readonly ImportRow[], options: ImportOptions): PlannedRow[] {
    return rows.map((row) => ({ work: (tx) => this.applyRow(tx, row, options) }));
  }

  private async applyRow(tx: Transaction, row: ImportRow, options: ImportOptions): Promise<RowOutcome> {
    const { members, ...rest } = row.values;
    const draft = parseRow(GroupCreation, rest);
    const existing = await this.groups.findByName(tx, draft.name);
    if (row.action === 'delete') {
      if (!existing) throw ProvisioningErrors.invalidField('name', `no group ${draft.name}`);
      await this.editor.removeGroup(tx, existing.id, options.actor);
      return { effect: 'changed', ids: [existing.id, ...existing.members] };
    }
    const ids = members === undefined ? undefined : await this.listMemberIds(tx, members);
    if (!existing) {
      const { group, affected } = await this.editor.createGroup(tx, { ...draft, members: ids }, options.actor);
      return { effect: 'created', ids: [group.id, ...affected] };
    }
    if (options.mode === 'create' && !row.action)
      throw ProvisioningErrors.invalidField('name', `group ${existing.id} has it`);
    const wanted = ids ?? existing.members;
    const displayName = draft.displayName ?? existing.displayName;
    if (displayName === existing.displayName && hasSameMembers(existing, wanted))
      return { effect: 'unchanged', ids: [] };
    const { affected } = await this.editor.changeGroup(tx, existing, { displayName, members: wanted }, options.actor);
    return { effect: 'changed', ids: [existing.id, ...affected] };
  }

  private async listMemberIds(tx: Transaction, cell: string): Promise<number[]> {
    const names = parseNames(cell);
    const found = await this.users.findIdsByNames(tx, names);
    return names.map((name) => {
      const id = found.get(name.toLowerCase());
      if (id === undefined) throw ProvisioningErrors.invalidField('members', `no user ${name}`);
      return id;
    });
  }
}

function hasSameMembers(group: GroupRow, wanted: readonly number[]): boolean {
  const members = new Set(group.members);
  return members.size === wanted.length && wanted.every((id) => members.has(id));
}
