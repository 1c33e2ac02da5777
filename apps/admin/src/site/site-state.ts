import { Injectable } from '@nestjs/common';
import { SessionStore, type SharedTable } from '@groupware/sessions';
import { RuntimeChanges } from '../broadcast/runtime-changes';
import type { SiteChange } from './domain/site-changes';

/** Last reported availability of the local site. */
@Injectable()
export class SiteState {
  private readonly table: SharedTable;

  constructor(
    store: SessionStore,
    private readonly changes: RuntimeChanges,
  ) {
    this.table = store.sharedTable('site');
  }

  /** Notes what changed for the local site. */
  async applyChanges(local: string, changes: readonly SiteChange[]): Promise<void> {
    const own = changes.find(({ id }) => id === local);
    if (!own) return;
    await this.table.putTexts({ [local]: String(own.now) });
    this.changes.broadcastChange();
  }

  /** Whether the local site was reported as unavailable. */
  async isAway(local: string): Promise<boolean> {
    return (await this.table.getText(local)) === '0';
  }
}
