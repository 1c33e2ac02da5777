import { Injectable } from '@nestjs/common';
import { ALL_GUESTS, GroupErrors, localText, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { beginsLike } from '../domain/search-pattern';
import { GroupRepository, type GroupRow } from '../persistence/group.repository';
import { inOrder } from './entity-views';

/** Groups as clients read them: the stored ones and the virtual one of all guests, whom it does not name. */
@Injectable()
export class ClientGroups {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly groups: GroupRepository,
  ) {}

  /** Groups whose name begins like a pattern. */
  async search(principal: UserPrincipal, pattern: string): Promise<GroupRow[]> {
    const stored = await this.database.read(principal, (db) => this.groups.search(db, pattern));
    const guests = guestsGroup(principal);
    return beginsLike(guests.displayName, pattern) ? [...stored, guests] : stored;
  }

  /** Groups in the order of the ids. @throws GRP-0017 */
  async byIds(principal: UserPrincipal, ids: readonly number[]): Promise<GroupRow[]> {
    const stored = await this.database.read(principal, (db) => this.groups.byIds(db, ids));
    return inOrder(ids, [...stored, guestsGroup(principal)], (id) => GroupErrors.notFound(id, principal.contextId));
  }
}

/** The group of all guests. It never changes. */
export const guestsGroup = ({ locale }: UserPrincipal): GroupRow => {
  const name = localText('folder.guests', locale);
  return { id: ALL_GUESTS, name, displayName: name, members: [], version: 1, changedAt: 0, createdAt: 0 };
};
