import { Injectable } from '@nestjs/common';
import type { FoldersWithdrawn, Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Cascade } from '../configuration/cascade';
import { GuestRepository } from '../persistence/guest.repository';
import { ChangeNotifier } from '../provisioning/change-notifier';
import { SessionKeeper } from '../sessions/session-keeper';
import { guestExpiryMs } from './guest-cleaner';
import { GuestFolders } from './guest-folders';

/** Removes guests who lost their last right: before the change that took it is answered, and again by its event. */
@Injectable()
export class GuestWithdrawals {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
    private readonly folders: GuestFolders,
    private readonly sessions: SessionKeeper,
    private readonly notifier: ChangeNotifier,
    private readonly cascade: Cascade,
  ) {}

  /** Removes those of some guests who have nothing left, and ends their sessions. @throws the error of a module that is down */
  async removeWithoutRights(tenant: Tenant, { entities, stamp }: FoldersWithdrawn): Promise<void> {
    const known = await this.database.read(tenant, (db) => this.guests.listByIds(db, entities));
    // Links open something of one module: those of others may be down. Named guests come last, for they need all.
    for (const module of [...new Set(known.map((guest) => guest.module))].sort(nullLast)) {
      const ids = known.filter((guest) => guest.module === module).map(({ id }) => id);
      const kept = await this.folders.listWithFolders(tenant.contextId, ids, module ?? undefined);
      const gone = ids.filter((id) => !kept.has(id));
      if (gone.length === 0) continue;
      await this.database.transact(tenant, (tx) => this.removeGuests(tx, gone, stamp));
      this.notifier.notifyEntitiesChanged(tenant.contextId, gone);
      await this.endSessions(tenant, gone);
    }
  }

  /** Removes guests who have nothing left since a stamp, unless they got something new. */
  removeGuests(tx: Transaction, ids: readonly number[], stamp: number): Promise<void> {
    return this.guests.deleteWithdrawn(tx, ids, stamp, guestExpiryMs(this.cascade) > 0);
  }

  /** Ends the sessions of those who are no guests any more. */
  endSessions({ contextId }: Tenant, ids: readonly number[]): Promise<void> {
    return this.sessions.refreshUsers(contextId, ids);
  }
}

const nullLast = (a: string | null, b: string | null): number => Number(a === null) - Number(b === null);
