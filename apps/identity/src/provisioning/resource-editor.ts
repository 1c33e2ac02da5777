import { Injectable } from '@nestjs/common';
import {
  identityEvents,
  ProvisioningErrors,
  ResourceErrors,
  type ResourceChange,
  type ResourceCreation,
  type ResourcePrivilege,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository } from '../persistence/context.repository';
import { GroupRepository } from '../persistence/group.repository';
import { ResourceRepository, type ResourceRow } from '../persistence/resource.repository';
import { UserRepository } from '../persistence/user.repository';
import type { Actor } from '../domain/actor';
import { ChangeNotifier } from './change-notifier';
import { requireNoNull } from './required-fields';
import { toResourceView } from './views';

/** Creates, changes and removes resources. */
@Injectable()
export class ResourceEditor {
  constructor(
    private readonly resources: ResourceRepository,
    private readonly users: UserRepository,
    private readonly groups: GroupRepository,
    private readonly contexts: ContextRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
    private readonly notifier: ChangeNotifier,
  ) {}

  /** Creates a resource. */
  async createResource(tx: Transaction, input: ResourceCreation, actor: Actor): Promise<ResourceRow> {
    await this.requireEntities(tx, input.privileges ?? []);
    const id = await this.contexts.allocateEntityId(tx);
    const resource: ResourceRow = {
      id,
      name: input.name,
      displayName: input.displayName ?? input.name,
      email: input.email,
      description: input.description ?? null,
      available: input.available ?? true,
      room: input.type === 'ROOM',
      capacity: input.capacity ?? null,
      privileges: input.privileges ?? [],
      version: 1,
    };
    await this.resources.insert(tx, resource, this.clock.now());
    await this.setAddress(tx, id, resource.email);
    return this.finishChange(tx, undefined, resource, 'create', actor);
  }

  /** Changes a resource that is locked by the transaction. */
  async changeResource(
    tx: Transaction,
    before: ResourceRow,
    input: ResourceChange,
    actor: Actor,
  ): Promise<ResourceRow> {
    requireNoNull(input, ['name', 'displayName', 'email', 'available', 'type']);
    await this.requireEntities(tx, input.privileges ?? []);
    const after: ResourceRow = {
      id: before.id,
      name: input.name ?? before.name,
      displayName: input.displayName ?? before.displayName,
      email: input.email ?? before.email,
      description: input.description === undefined ? before.description : input.description,
      available: input.available ?? before.available,
      room: input.type ? input.type === 'ROOM' : before.room,
      capacity: input.capacity === undefined ? before.capacity : input.capacity,
      privileges: input.privileges === undefined ? before.privileges : (input.privileges ?? []),
      version: before.version + 1,
    };
    await this.resources.update(tx, after, this.clock.now());
    if (after.email !== before.email) await this.setAddress(tx, before.id, after.email);
    return this.finishChange(tx, before, after, 'change', actor);
  }

  /** Removes a resource. */
  async removeResource(tx: Transaction, resourceId: number, actor: Actor): Promise<void> {
    const before = await this.resources.lock(tx, resourceId);
    await this.resources.delete(tx, resourceId, this.clock.now());
    await this.finishChange(tx, before, undefined, 'delete', actor);
  }

  /** Takes a user or group that goes out of the privileges of all resources. */
  async removePrivileges(tx: Transaction, entity: number, isGroup: boolean): Promise<void> {
    const { contextId } = tx;
    const changed = await this.resources.deletePrivileges(tx, { entity, isGroup, at: this.clock.now() });
    for (const resourceId of changed) await tx.publish(identityEvents['resource.changed'], { resourceId });
    if (changed.length > 0) tx.afterCommit(() => this.notifier.notifyEntitiesChanged(contextId, changed));
  }

  /** Refuses privileges of users and groups that there are not (PROV-0019). */
  private async requireEntities(tx: Transaction, privileges: readonly ResourcePrivilege[]): Promise<void> {
    if (privileges.length === 0) return;
    const idsOf = (isGroup: boolean) =>
      privileges.filter(({ group = false }) => group === isGroup).map(({ entity }) => entity);
    const users = await this.users.lockExisting(tx, idsOf(false));
    const groups = await this.groups.lockExisting(tx, idsOf(true));
    const unknown = privileges.find(({ entity, group }) => !(group ? groups : users).has(entity));
    if (unknown)
      throw ProvisioningErrors.invalidField('privileges', `no ${unknown.group ? 'group' : 'user'} ${unknown.entity}`);
  }

  private async setAddress(tx: Transaction, id: number, email: string): Promise<void> {
    try {
      await this.users.setAddresses(tx, id, [email], { reveal: false });
    } catch (error) {
      const taken = ProvisioningErrors.addressTaken.entry.key;
      if ((error as { entry?: { key: string } }).entry?.key === taken) throw ResourceErrors.addressTaken(email);
      throw error;
    }
  }

  private async finishChange<T extends ResourceRow | undefined>(
    tx: Transaction,
    before: ResourceRow | undefined,
    after: T,
    action: string,
    actor: Actor,
  ): Promise<T> {
    const resourceId = (after ?? before)!.id;
    await this.audit.insert(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action,
      kind: 'resource',
      objectId: resourceId,
      ...(before ? { before: toResourceView(before) } : {}),
      ...(after ? { after: toResourceView(after) } : {}),
    });
    await tx.publish(identityEvents['resource.changed'], { resourceId });
    return after;
  }
}
