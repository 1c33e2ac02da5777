import { Injectable } from '@nestjs/common';
import { ProvisioningErrors, ResourceCreation } from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { ResourceRepository } from '../persistence/resource.repository';
import { ResourceEditor } from '../provisioning/resource-editor';
import type { ImportRow } from './import-fields';
import { parseRow, type ImportOptions, type RowOutcome, type PlannedRow } from './import-rows';

/** Creates and changes the resources of rows. */
@Injectable()
export class ResourceImport {
  constructor(
    private readonly resources: ResourceRepository,
    private readonly editor: ResourceEditor,
  ) {}

  /** Plans rows. */
  planRows(rows: readonly ImportRow[], options: ImportOptions): PlannedRow[] {
    return rows.map((row) => ({ work: (tx) => this.applyRow(tx, row, options) }));
  }

  private async applyRow(tx: Transaction, row: ImportRow, options: ImportOptions): Promise<RowOutcome> {
    const draft = parseRow(ResourceCreation, row.values);
    const existing = await this.resources.findByName(tx, draft.name);
    if (!existing) {
      const created = await this.editor.createResource(tx, draft, options.actor);
      return { effect: 'created', ids: [created.id] };
    }
    if (options.mode === 'create') throw ProvisioningErrors.invalidField('name', `resource ${existing.id} has it`);
    const { type, ...fields } = draft;
    const next = { ...existing, ...fields, ...(type ? { room: type === 'ROOM' } : {}) };
    if (JSON.stringify(next) === JSON.stringify(existing)) return { effect: 'unchanged', ids: [] };
    await this.editor.changeResource(tx, existing, draft, options.actor);
    return { effect: 'changed', ids: [existing.id] };
  }
}
