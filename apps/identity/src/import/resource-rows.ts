import { Injectable } from '@nestjs/common';
import { ProvisioningErrors, ResourceCreation } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ResourceRepository } from '../persistence/resource.repository';
import { ResourceEditor } from '../provisioning/resource-editor';
import type { ImportRow } from './import-fields';
import { readRow, type RowOptions, type RowOutcome, type RowPlan } from './import-rows';

/** Creates and changes the resources of rows. */
@Injectable()
export class ResourceRows {
  constructor(
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
  ) {}

  /** What rows are going to do. */
  plan(rows: readonly ImportRow[], options: RowOptions): RowPlan[] {
    return rows.map((row) => ({ work: (tx) => this.apply(tx, row, options) }));
  }

  private async apply(tx: Transaction, row: ImportRow, options: RowOptions): Promise<RowOutcome> {
    const draft = readRow(ResourceCreation, row.values);
    const existing = await this.resources.byName(tx, draft.name);
    if (!existing) {
      const created = await this.editor.create(tx, draft, options.actor);
      return { effect: 'created', ids: [created.id] };
    }
    if (options.mode === 'create') throw ProvisioningErrors.invalidField('name', `resource ${existing.id} has it`);
    const { type, ...fields } = draft;
    const next = { ...existing, ...fields, ...(type ? { room: type === 'ROOM' } : {}) };
    if (JSON.stringify(next) === JSON.stringify(existing)) return { effect: 'unchanged', ids: [] };
    await this.editor.change(tx, existing, draft, options.actor);
    return { effect: 'changed', ids: [existing.id] };
  }
}
