import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  ContextErrors,
  DirectoryErrors,
  identityEvents,
  ProvisioningErrors,
  type ContextChange,
  type ContextCreation,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { applyAccess, DEFAULT_ACCESS, reduceTo, type Access, type AccessInput } from '../domain/module-access';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { ALL_USERS, GroupRepository, STANDARD_GROUP } from '../persistence/group.repository';
import { UserRepository } from '../persistence/user.repository';
import type { Actor } from './actor';
import { UserEditor } from './user-editor';
import { contextView } from './views';

/** Id of the first user of a context: its administrator. */
const FIRST_USER = 2;
/** Tries to take the next free number while others do the same. */
const MAX_TRIES = 20;

const LOGIN_MAPPING = /^[^\s@]{1,256}$/;

/** Creates, changes and removes contexts. */
@Injectable()
export class ContextEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly groups: GroupRepository,
    private readonly userEditor: UserEditor,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a context with its administrator and standard groups, in one transaction.
   * @param around runs the work inside that transaction; notes idempotency keys, for example
   * @throws PROV-0004 when the number was used before
   */
  async create<R>(
    input: ContextCreation,
    actor: Actor,
    around: (tx: Transaction, work: () => Promise<ContextRow>) => Promise<R>,
  ): Promise<R> {
    const hash = await this.userEditor.credential({ password: input.admin.password });
    const access = applyAccess(input.moduleAccess ?? {}, DEFAULT_ACCESS);
    for (const mapping of [...(input.loginMappings ?? []), ...(input.name ? [input.name] : [])]) checkMapping(mapping);
    for (let attempt = 1; ; attempt++) {
      const contextId = input.id ?? (await this.database.acrossContexts((db) => this.contexts.nextId(db)));
      try {
        return await this.database.transact({ contextId }, (tx) =>
          around(tx, () => this.fill(tx, input, access, hash, actor)),
        );
      } catch (error) {
        // Somebody else took the next free number: try the one after it.
        const taken = error instanceof CatalogueError && error.is(ProvisioningErrors.contextExists);
        if (!taken || input.id !== undefined || attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** Changes a context. */
  async change(tx: Transaction, before: ContextRow, input: ContextChange, actor: Actor): Promise<ContextRow> {
    if (input.adminUserId !== undefined) {
      const admin = await this.users.find(tx, input.adminUserId);
      if (!admin?.enabled) throw DirectoryErrors.userNotFound(input.adminUserId, tx.contextId);
    }
    const after: ContextRow = {
      ...before,
      name: input.name ?? before.name,
      quotaMb: input.quotaMb ?? before.quotaMb,
      reseller: input.reseller === undefined ? before.reseller : input.reseller || null,
      taxonomyTypes: input.taxonomyTypes ?? before.taxonomyTypes,
      adminUserId: input.adminUserId ?? before.adminUserId,
    };
    if (input.name !== undefined || input.loginMappings !== undefined) {
      const implicit = [before.name.toLowerCase(), String(before.id)];
      const given = input.loginMappings ?? before.loginMappings.filter((mapping) => !implicit.includes(mapping));
      for (const mapping of [...given, after.name]) checkMapping(mapping);
      await this.contexts.setMappings(tx, after.name, given);
    }
    const written = await this.write(tx, before, after, 'change', actor);
    for (const userId of new Set([before.adminUserId, after.adminUserId]))
      if (before.adminUserId !== after.adminUserId) await tx.publish(identityEvents['user.changed'], { userId });
    return written;
  }

  /** Enables or disables a context. */
  async setState(tx: Transaction, enabled: boolean, reason: string | null, actor: Actor): Promise<ContextRow> {
    const before = await this.contexts.lock(tx);
    const after = await this.write(tx, before, { ...before, enabled, reason: enabled ? null : reason }, 'state', actor);
    await tx.publish(identityEvents[enabled ? 'context.enabled' : 'context.disabled'], {});
    return after;
  }

  /** Sets what users of the context may use; users lose what the context lost. Answers the users that changed. */
  async setAccess(
    tx: Transaction,
    input: AccessInput,
    applyToUsers: boolean,
    actor: Actor,
  ): Promise<{ context: ContextRow; changed: number[] }> {
    const before = await this.contexts.lock(tx);
    const access = applyAccess(input, before);
    const context = await this.write(
      tx,
      before,
      { ...before, combination: access.combination, flags: [...access.flags] },
      'access',
      actor,
    );
    const changed: number[] = [];
    for (const userId of await this.users.allIds(tx)) {
      const user = await this.users.lock(tx, userId);
      const next = applyToUsers ? access : reduceTo(user, access);
      if (next.combination === user.combination && next.flags.join() === user.flags.join()) continue;
      await this.userEditor.writeAccess(tx, user, next, actor);
      changed.push(userId);
    }
    return { context, changed };
  }

  /** Removes a context with all its data here; other modules follow by event. */
  async remove(tx: Transaction, actor: Actor): Promise<void> {
    const before = await this.contexts.lock(tx);
    await this.contexts.removeAll(tx);
    await this.note(tx, actor, 'delete', before, undefined);
    await tx.publish(identityEvents['context.deleting'], {});
  }

  private async fill(
    tx: Transaction,
    input: ContextCreation,
    access: Access,
    hash: string,
    actor: Actor,
  ): Promise<ContextRow> {
    const name = input.name ?? String(tx.contextId);
    const at = this.clock.now();
    const draft = {
      name,
      quotaMb: input.quotaMb ?? -1,
      reseller: input.reseller ?? null,
      taxonomyTypes: input.taxonomyTypes ?? [],
      access,
      createdAt: at,
    };
    if (!(await this.contexts.insert(tx, draft, FIRST_USER))) throw ProvisioningErrors.contextExists(tx.contextId);
    await this.contexts.setMappings(tx, name, input.loginMappings ?? []);
    await this.groups.insert(tx, { id: ALL_USERS, name: 'users', displayName: 'All users' }, at);
    await this.groups.insert(tx, { id: STANDARD_GROUP, name: 'standard', displayName: 'Standard group' }, at);
    const { email, ...admin } = input.admin;
    await this.userEditor.create(tx, access as ContextRow, { ...admin, primaryEmail: email }, hash, actor);
    const context = await this.contexts.get(tx);
    await this.note(tx, actor, 'create', undefined, context);
    await tx.publish(identityEvents['context.created'], {});
    return context;
  }

  private async write(
    tx: Transaction,
    before: ContextRow,
    after: ContextRow,
    action: string,
    actor: Actor,
  ): Promise<ContextRow> {
    await this.contexts.update(tx, after);
    const written = await this.contexts.find(tx);
    if (!written) throw ContextErrors.notFound(tx.contextId);
    await this.note(tx, actor, action, before, written);
    return written;
  }

  private async note(
    tx: Transaction,
    actor: Actor,
    action: string,
    before: ContextRow | undefined,
    after: ContextRow | undefined,
  ): Promise<void> {
    await this.audit.add(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action,
      kind: 'context',
      objectId: tx.contextId,
      ...(before ? { before: contextView(before) } : {}),
      ...(after ? { after: contextView(after) } : {}),
    });
  }
}

function checkMapping(mapping: string): void {
  if (!LOGIN_MAPPING.test(mapping.trim())) throw ProvisioningErrors.invalidField('loginMappings', mapping);
}
