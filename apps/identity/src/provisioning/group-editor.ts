import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  GroupErrors,
  identityEvents,
  ProvisioningErrors,
  type GroupChange,
  type GroupCreation,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { GuestRepository } from '../persistence/guest.repository';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository } from '../persistence/context.repository';
import { COMMON_GROUPS, GroupRepository, type GroupRow } from '../persistence/group.repository';
import { UserRepository, type UserRow } from '../persistence/user.repository';
import type { Actor } from '../domain/actor';
import { requireNoNull } from './required-fields';
import { ResourceEditor } from './resource-editor';
import { toGroupView } from './views';

/** A group after a change, and the users whose groups changed with it. */
export interface GroupEdit {
  readonly group: GroupRow;
  readonly affected: readonly number[];
}

/** All users are in one group, which no one changes. @throws GRP-0014 */
function requireChangeable({ id, displayName }: GroupRow): void {
  if (id === ALL_USERS) throw GroupErrors.notChangeable(displayName);
}

/** Creates, changes and removes groups. */
@Injectable()
export class GroupEditor {
  constructor(
    private readonly groups: GroupRepository,
    private readonly users: UserRepository,
    private readonly guests: GuestRepository,
    private readonly contexts: ContextRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
    private readonly resources: ResourceEditor,
  ) {}

  /** Creates a group with its members. */
  async createGroup(tx: Transaction, input: GroupCreation, actor: Actor): Promise<GroupEdit> {
    await this.contexts.lock(tx);
    const displayName = input.displayName ?? input.name;
    await this.requireFreeDisplayName(tx, displayName);
    const id = await this.contexts.allocateEntityId(tx);
    await this.groups.insert(tx, { id, name: input.name, displayName }, this.clock.now());
    const affected = await this.setMembers(tx, id, [], input.members ?? []);
    return this.finishChange(tx, id, undefined, affected, 'create', actor);
  }

  /** Changes a group that is locked by the transaction. */
  async changeGroup(tx: Transaction, before: GroupRow, input: GroupChange, actor: Actor): Promise<GroupEdit> {
    requireChangeable(before);
    requireNoNull(input, ['name', 'displayName']);
    if (input.displayName !== undefined && input.displayName !== before.displayName)
      await this.requireFreeDisplayName(tx, input.displayName, before.id);
    await this.groups.update(
      tx,
      { id: before.id, name: input.name ?? before.name, displayName: input.displayName ?? before.displayName },
      this.clock.now(),
    );
    const affected =
      input.members === undefined ? [] : await this.setMembers(tx, before.id, before.members, input.members ?? []);
    return this.finishChange(tx, before.id, before, affected, 'change', actor);
  }

  /** Adds one member to a group that is locked by the transaction. */
  async addMember(tx: Transaction, before: GroupRow, userId: number, actor: Actor): Promise<GroupEdit> {
    requireChangeable(before);
    if (before.members.includes(userId)) return { group: before, affected: [] };
    return this.changeGroup(tx, before, { members: [...before.members, userId] }, actor);
  }

  /** Removes one member from a group that is locked by the transaction. @throws PROV-0021 when the user is none */
  async removeMember(tx: Transaction, before: GroupRow, userId: number, actor: Actor): Promise<GroupEdit> {
    requireChangeable(before);
    if (!before.members.includes(userId)) throw ProvisioningErrors.noMember(userId);
    return this.changeGroup(tx, before, { members: before.members.filter((id) => id !== userId) }, actor);
  }

  /**
   * Sets the groups of a user who is locked by the transaction; the groups of all users and the standard group stay.
   * @returns the groups that changed
   * @throws GRP-0017 for unknown groups
   */
  async setGroupsOfUser(
    tx: Transaction,
    { id: userId, groups }: Pick<UserRow, 'id' | 'groups'>,
    wanted: readonly number[],
    actor: Actor,
  ): Promise<number[]> {
    const changed = [...new Set([...groups, ...wanted])]
      .filter((id) => !COMMON_GROUPS.includes(id) && groups.includes(id) !== wanted.includes(id))
      .sort((left, right) => left - right);
    for (const groupId of changed) {
      const group = await this.groups.lock(tx, groupId);
      if (wanted.includes(groupId)) await this.addMember(tx, group, userId, actor);
      else await this.removeMember(tx, group, userId, actor);
    }
    return changed;
  }

  /** Removes a group; answers the former members. */
  async removeGroup(tx: Transaction, groupId: number, actor: Actor): Promise<readonly number[]> {
    const before = await this.groups.lock(tx, groupId);
    if (COMMON_GROUPS.includes(groupId)) throw GroupErrors.notDeletable(before.displayName);
    await this.groups.delete(tx, groupId, this.clock.now());
    await this.resources.removePrivileges(tx, groupId, true);
    await this.publishChange(tx, groupId, before.members);
    await this.audit.insert(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action: 'delete',
      kind: 'group',
      objectId: groupId,
      before: toGroupView(before),
    });
    return before.members;
  }

  /** Refuses the display names of the groups that every context has, but for that group itself (GRP-0015). */
  private async requireFreeDisplayName(tx: Transaction, displayName: string, groupId?: number): Promise<void> {
    const wanted = displayName.toLowerCase();
    for (const group of await this.groups.listByIds(tx, COMMON_GROUPS))
      if (group.id !== groupId && group.displayName.toLowerCase() === wanted)
        throw GroupErrors.displayNameReserved(displayName);
  }

  /** Users who are being removed wait, or are no members: no membership outlives its user. @throws GRP-0007 */
  private async setMembers(
    tx: Transaction,
    groupId: number,
    before: readonly number[],
    wanted: readonly number[],
  ): Promise<number[]> {
    const [old, next] = [new Set(before), new Set(wanted)];
    const added = [...next].filter((id) => !old.has(id));
    const known = await this.users.lockExisting(tx, added);
    const unknown = added.find((id) => !known.has(id));
    if (unknown !== undefined && (await this.guests.findById(tx, unknown))) throw GroupErrors.guestMember(unknown);
    if (unknown !== undefined) throw GroupErrors.memberUnknown(unknown);
    const gone = before.filter((id) => !next.has(id));
    return [
      ...(await this.groups.addMembers(tx, groupId, added)),
      ...(await this.groups.deleteMembers(tx, groupId, gone)),
    ];
  }

  private async finishChange(
    tx: Transaction,
    groupId: number,
    before: GroupRow | undefined,
    affected: readonly number[],
    action: string,
    actor: Actor,
  ): Promise<GroupEdit> {
    const group = await this.groups.get(tx, groupId);
    await this.publishChange(tx, groupId, affected);
    await this.audit.insert(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action,
      kind: 'group',
      objectId: groupId,
      ...(before ? { before: toGroupView(before) } : {}),
      after: toGroupView(group),
    });
    return { group, affected };
  }

  /** Publishes changed users, too: cached users hold their groups. */
  private async publishChange(tx: Transaction, groupId: number, affected: readonly number[]): Promise<void> {
    await tx.publish(identityEvents['group.changed'], { groupId });
    for (const userId of affected) await tx.publish(identityEvents['user.changed'], { userId });
  }
}
