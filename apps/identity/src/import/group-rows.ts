import { Injectable } from '@nestjs/common';
import { GroupCreation, ProvisioningErrors } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { GroupRepository, type GroupRow } from '../persistence/group.repository';
import { UserRepository } from '../persistence/user.repository';
import { GroupEditor } from '../provisioning/group-editor';
import type { ImportRow } from './import-fields';
import { namesIn, readRow, type RowOptions, type RowOutcome, type RowPlan } from './import-rows';

/** Creates and changes the groups of rows; members are names of users. */
@Injectable()
export class GroupRows {
  constructor(
    private readonly groups: GroupRepository,
    private readonly users: UserRepository,
    private readonly editor: GroupEditor,
  ) {}

  /** What rows are going to do. */
  plan(rows: readonly ImportRow[], options: RowOptions): RowPlan[] {
    return rows.map((row) => ({ work: (tx) => this.apply(tx, row, options) }));
  }

  private async apply(tx: Transaction, row: ImportRow, options: RowOptions): Promise<RowOutcome> {
    const { members, ...rest } = row.values;
    const draft = readRow(GroupCreation, rest);
    const existing = await this.groups.byName(tx, draft.name);
    if (row.action === 'delete') {
      if (!existing) throw ProvisioningErrors.invalidField('name', `no group ${draft.name}`);
      await this.editor.remove(tx, existing.id, options.actor);
      return { effect: 'changed', ids: [existing.id, ...existing.members] };
    }
    const ids = members === undefined ? undefined : await this.memberIds(tx, members);
    if (!existing) {
      const { group, affected } = await this.editor.create(tx, { ...draft, members: ids }, options.actor);
      return { effect: 'created', ids: [group.id, ...affected] };
    }
    if (options.mode === 'create' && !row.action)
      throw ProvisioningErrors.invalidField('name', `group ${existing.id} has it`);
    const wanted = ids ?? existing.members;
    const displayName = draft.displayName ?? existing.displayName;
    if (displayName === existing.displayName && sameMembers(existing, wanted)) return { effect: 'unchanged', ids: [] };
    const { affected } = await this.editor.change(tx, existing, { displayName, members: wanted }, options.actor);
    return { effect: 'changed', ids: [existing.id, ...affected] };
  }

  private async memberIds(tx: Transaction, cell: string): Promise<number[]> {
    const names = namesIn(cell);
    const found = await this.users.idsByName(tx, names);
    return names.map((name) => {
      const id = found.get(name.toLowerCase());
      if (id === undefined) throw ProvisioningErrors.invalidField('members', `no user ${name}`);
      return id;
    });
  }
}

function sameMembers(group: GroupRow, wanted: readonly number[]): boolean {
  const members = new Set(group.members);
  return members.size === wanted.length && wanted.every((id) => members.has(id));
}
