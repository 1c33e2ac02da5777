import { Injectable } from '@nestjs/common';
import { ALL_GUESTS, GroupErrors, localText, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { matchesPrefix } from '../domain/search-pattern';
import { GroupRepository, type GroupRow } from '../persistence/group.repository';
import { sortByIds } from './entity-views';

/** Groups for clients: stored ones and the virtual group of all guests, whose members stay hidden. */
@Injectable()
export class ClientGroups {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  /** Finds groups whose name starts with a pattern; those that the user invites come first. */
  async searchGroups(principal: UserPrincipal, pattern: string): Promise<GroupRow[]> {
    const stored = await this.database.read(principal, (db) => this.groups.searchByName(db, principal.userId, pattern));
    const guests = createGuestsGroup(principal);
    return matchesPrefix(guests.displayName, pattern) ? [...stored, guests] : stored;
  }

  /** Groups in the order of the ids. @throws GRP-0017 */
  async getByIds(principal: UserPrincipal, ids: readonly number[]): Promise<GroupRow[]> {
    const stored = await this.database.read(principal, (db) => this.groups.listByIds(db, ids));
    return sortByIds(ids, [...stored, createGuestsGroup(principal)], (id) =>
      GroupErrors.notFound(id, principal.contextId),
    );
  }
}

/** The group of all guests. It never changes. */
export const createGuestsGroup = ({ locale }: UserPrincipal): GroupRow => {
  const name = localText('folder.guests', locale);
  return { id: ALL_GUESTS, name, displayName: name, members: [], version: 1, changedAt: 0, createdAt: 0 };
};
