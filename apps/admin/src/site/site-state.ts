import { Injectable } from '@nestjs/common';
import { SessionStore, type SharedTable } from '@groupware/sessions';
import { RuntimeChanges } from '../runtime/runtime-changes';
import type { SiteChange } from './domain/site-changes';

/** Availability of the local site as it was last told. */
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
  async apply(local: string, changes: readonly SiteChange[]): Promise<void> {
    const own = changes.find(({ id }) => id === local);
    if (!own) return;
    await this.table.put({ [local]: String(own.now) });
    this.changes.announce();
  }

  /** True when the local site was told to be away. */
  async isAway(local: string): Promise<boolean> {
    return (await this.table.get(local)) === '0';
  }
}
