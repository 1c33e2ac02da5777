import { Injectable } from '@nestjs/common';
import { RequestErrors, type AppointmentParticipant, type Tenant } from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { PARTICIPANT } from '../domain/appointment';
import { GroupChangeRepository } from '../persistence/group-change.repository';

/** Times a write is tried when groups keep changing. */
const TRIES = 5;

/** The groups of a write as they were when it began. */
export interface StableGroups {
  /** First in the transaction: locks the versions of the groups until it ends. Throws when they changed. */
  lockVersions(tx: Transaction): Promise<void>;
}

class GroupsChanged extends Error {}

/**
 * Keeps a write that invites groups from losing members. Members are loaded before the transaction; users who joined
 * meanwhile would be missed when the event of the group is handled before the write is there to be found. So the
 * handler counts every change (`GroupChangeRepository.incrementVersion`), and a write that finds another count than at its begin begins
 * again. When the write holds the count first, the handler waits for it and then finds what it stored.
 */
@Injectable()
export class GroupWatch {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly changes: GroupChangeRepository,
  ) {}

  /** Runs a write that may invite groups, again when their members changed meanwhile. SVL-0032 when they never rest. */
  async withStableGroups<T>(
    tenant: Tenant,
    participants: readonly AppointmentParticipant[],
    write: (groups: StableGroups) => Promise<T>,
  ): Promise<T> {
    const groups = [...new Set(participants.flatMap(({ type, id }) => (type === PARTICIPANT.group && id ? [id] : [])))];
    if (groups.length === 0) return write({ lockVersions: () => Promise.resolve() });
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const before = await this.database.read(tenant, (db) => this.changes.listVersions(db, groups));
      const hold = async (tx: Transaction): Promise<void> => {
        const now = await this.changes.lockVersions(tx, groups);
        if (groups.some((id) => (now.get(id) ?? 0) !== (before.get(id) ?? 0))) throw new GroupsChanged();
      };
      try {
        return await write({ lockVersions: hold });
      } catch (error) {
        if (!(error instanceof GroupsChanged)) throw error;
      }
    }
    throw RequestErrors.serviceUnavailable('directory');
  }
}
