import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  isCatalogueError,
  ContextErrors,
  DirectoryErrors,
  identityEvents,
  InstallationErrors,
  ProvisioningErrors,
  type ContextChange,
  type ContextCreation,
} from '@groupware/contracts';
import { ModuleDatabase, ShardRegistry, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import {
  applyAccess,
  DEFAULT_ACCESS,
  isSameAccess,
  reduceAccess,
  type Access,
  type AccessInput,
} from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository, type ContextDraft, type ContextRow } from '../persistence/context.repository';
import { GroupRepository, STANDARD_GROUP } from '../persistence/group.repository';
import { CapacityRepository } from '../persistence/capacity.repository';
import { UserRepository } from '../persistence/user.repository';
import type { Actor } from '../domain/actor';
import { requireNoNull } from './required-fields';
import { UNLIMITED } from './reseller-limits';
import { requireAdminAccess, UserEditor } from './user-editor';
import { toContextView } from './views';

/** Id of the first user of a context: its administrator. */
const FIRST_USER = 2;
/** Retries of id allocation under concurrency. */
const MAX_TRIES = 20;

const LOGIN_MAPPING = /^[^\s@\p{Cc}\p{Cs}]{1,256}$/u;

/** The context was claimed concurrently. */
class ClaimLost extends Error {}

/** Content of a new context. */
interface ContextContents {
  readonly input: ContextCreation;
  readonly access: Access;
  readonly hash: string;
  readonly actor: Actor;
}

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
    private readonly combinations: AccessCombinationRepository,
    private readonly capacity: CapacityRepository,
    private readonly registry: ShardRegistry,
  ) {}

  /**
   * Creates a context with its administrator and standard groups, in one transaction. It is ready when {@link
   * Readiness} says so.
   * @param around wraps the work inside the transaction, for example to record idempotency keys
   * @throws PROV-0004 when the number was used before
   */
  async createContext<R>(
    input: ContextCreation,
    actor: Actor,
    around: (tx: Transaction, work: () => Promise<ContextRow>) => Promise<R>,
  ): Promise<R> {
    const hash = await this.userEditor.createCredential({ password: input.admin.password });
    const combinations = await this.database.acrossContexts('combinations belong to the installation', (db) =>
      this.combinations.listAll(db),
    );
    const access = applyAccess(input.moduleAccess ?? {}, DEFAULT_ACCESS, combinations);
    requireAdminAccess(access);
    for (const mapping of [...(input.loginMappings ?? []), ...(input.name ? [input.name] : [])])
      validateMapping(mapping);
    const contents = { input, access, hash, actor };
    if (input.id === undefined) {
      const claimable = await this.database.acrossContexts('a new context takes a stored one', (db) =>
        this.contexts.listClaimable(db, input, MAX_TRIES),
      );
      for (const contextId of claimable)
        try {
          return await this.database.transact({ contextId }, (tx) => around(tx, () => this.claimContext(tx, contents)));
        } catch (error) {
          // Claimed concurrently: try the next one.
          if (!(error instanceof ClaimLost)) throw error;
        }
    }
    return this.withNewId(input, (tx, schema) => around(tx, () => this.fillContext(tx, contents, schema)));
  }

  /** Creates an empty context that a later creation claims. @throws INST-0010, INST-0011 */
  preAssemble(wanted: { schema: string; filestoreId?: number }, actor: Actor): Promise<number> {
    return this.withNewId(wanted, async (tx, schema) => {
      const at = this.clock.now();
      const draft = {
        name: String(tx.contextId),
        quotaMb: UNLIMITED,
        reseller: null,
        taxonomyTypes: [],
        access: DEFAULT_ACCESS,
        createdAt: at,
      };
      const filestoreId =
        wanted.filestoreId === undefined ? null : await this.allocateFilestore(tx, wanted.filestoreId);
      await this.insertContext(tx, { ...draft, schema, filestoreId, preAssembled: true });
      await this.recordAudit(tx, actor, 'pre-assemble', undefined, await this.contexts.get(tx));
      return tx.contextId;
    });
  }

  /** Runs work for a new context on a shard with capacity, under the requested id or the next free one. */
  private async withNewId<R>(
    wanted: { id?: number; schema?: string },
    work: (tx: Transaction, schema: string) => Promise<R>,
  ): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const { contextId, schema } = await this.database.acrossContexts(
        'the number and the place of a new context are drawn among all',
        async (db) => ({
          contextId: wanted.id ?? (await this.contexts.allocateId(db)),
          schema: await this.capacity.findShardWithRoom(db, wanted.schema),
        }),
      );
      if (schema === undefined)
        throw wanted.schema ? InstallationErrors.unknownSchema(wanted.schema) : InstallationErrors.full();
      try {
        return await this.database.transact({ contextId }, (tx) => work(tx, schema));
      } catch (error) {
        // The id was taken concurrently: try the next one.
        const taken = isCatalogueError(error, ProvisioningErrors.contextExists);
        if (!taken || wanted.id !== undefined || attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** Changes a context. */
  async changeContext(tx: Transaction, before: ContextRow, input: ContextChange, actor: Actor): Promise<ContextRow> {
    requireNoNull(input, ['name', 'adminUserId', 'enabled']);
    if (input.adminUserId !== undefined) {
      const admin = await this.users.findById(tx, input.adminUserId);
      if (!admin?.enabled) throw DirectoryErrors.userNotFound(input.adminUserId, tx.contextId);
      requireAdminAccess(admin);
    }
    const enabled = input.enabled ?? before.enabled;
    const reason = input.reason === undefined ? before.reason : input.reason;
    const after: ContextRow = {
      ...before,
      enabled,
      reason: enabled ? null : reason,
      name: input.name ?? before.name,
      quotaMb: input.quotaMb === undefined ? before.quotaMb : (input.quotaMb ?? UNLIMITED),
      reseller: input.reseller === undefined ? before.reseller : input.reseller || null,
      taxonomyTypes: input.taxonomyTypes === undefined ? before.taxonomyTypes : (input.taxonomyTypes ?? []),
      adminUserId: input.adminUserId ?? before.adminUserId,
    };
    if (input.name !== undefined || input.loginMappings !== undefined) {
      const implicit = [before.name.toLowerCase(), String(before.id)];
      const given =
        input.loginMappings === undefined
          ? before.loginMappings.filter((mapping) => !implicit.includes(mapping))
          : (input.loginMappings ?? []);
      for (const mapping of [...given, after.name]) validateMapping(mapping);
      await this.contexts.setMappings(tx, after.name, given);
    }
    const written = await this.updateContext(tx, before, after, 'change', actor);
    for (const userId of new Set([before.adminUserId, after.adminUserId]))
      if (before.adminUserId !== after.adminUserId) await tx.publish(identityEvents['user.changed'], { userId });
    if (before.enabled !== enabled) await this.publishState(tx, enabled);
    return written;
  }

  /** Enables or disables a context that is locked by the transaction. */
  async setState(
    tx: Transaction,
    before: ContextRow,
    { enabled, reason }: { enabled: boolean; reason: string | null },
    actor: Actor,
  ): Promise<ContextRow> {
    const after = await this.updateContext(
      tx,
      before,
      { ...before, enabled, reason: enabled ? null : reason },
      'state',
      actor,
    );
    await this.publishState(tx, enabled);
    return after;
  }

  private publishState(tx: Transaction, enabled: boolean): Promise<void> {
    return tx.publish(identityEvents[enabled ? 'context.enabled' : 'context.disabled'], {});
  }

  /** Sets the limits of a context that is locked by the transaction; without `items` those stay. */
  async setQuota(
    tx: Transaction,
    before: ContextRow,
    quota: { quotaMb: number; items?: Readonly<Record<string, number>> },
    actor: Actor,
  ): Promise<void> {
    if (quota.items) await this.contexts.setQuotaItems(tx, quota.items);
    await this.updateContext(tx, before, { ...before, quotaMb: quota.quotaMb }, 'quota', actor);
  }

  /** Notes the life cycle of a context that is locked by the transaction. */
  async setLifeCycle(tx: Transaction, state: string, actor: Actor): Promise<void> {
    const before = await this.contexts.lock(tx);
    await this.updateContext(tx, before, { ...before, state }, state, actor);
  }

  /**
   * Sets the module access of a locked context, which bounds that of its users; their own stays unless `applyToUsers`.
   * Answers the users whose effective access changed.
   */
  async setAccess(
    tx: Transaction,
    before: ContextRow,
    input: AccessInput,
    applyToUsers: boolean,
    actor: Actor,
  ): Promise<{ context: ContextRow; changed: number[] }> {
    const access = applyAccess(
      input,
      before,
      await this.combinations.listAll(tx.acrossContexts('combinations belong to the installation')),
    );
    requireAdminAccess(access);
    const context = await this.updateContext(
      tx,
      before,
      { ...before, combination: access.combination, flags: [...access.flags] },
      'access',
      actor,
    );
    const changed: number[] = [];
    for (const userId of await this.users.listIds(tx)) {
      const user = await this.users.lock(tx, userId);
      const next = applyToUsers ? access : user;
      if (!isSameAccess(next, user)) await this.userEditor.writeAccess(tx, user, next, actor);
      else if (!isSameAccess(reduceAccess(user, before), reduceAccess(user, access)))
        await tx.publish(identityEvents['user.changed'], { userId });
      else continue;
      changed.push(userId);
    }
    return { context, changed };
  }

  /** Removes a context with all its data here; other modules follow by event. */
  async removeContext(tx: Transaction, actor: Actor): Promise<void> {
    const before = await this.contexts.lock(tx);
    await this.contexts.deleteAll(tx);
    await this.capacity.adjustShardCount(tx, before.schema, -1);
    if (before.filestoreId !== null) await this.capacity.releaseFilestore(tx, before.filestoreId);
    await this.recordAudit(tx, actor, 'delete', before, undefined);
    await tx.publish(identityEvents['context.deleting'], {});
  }

  /** Claims a pre-assembled context for the requested one. */
  private async claimContext(tx: Transaction, contents: ContextContents): Promise<ContextRow> {
    const empty = await this.contexts.findCurrent(tx, { skipLocked: true });
    if (!empty?.preAssembled) throw new ClaimLost();
    const { input, access } = contents;
    const filestoreId = empty.filestoreId ?? (await this.allocateFilestore(tx, input.filestoreId));
    await this.contexts.claim(tx, filestoreId, this.clock.now());
    await this.contexts.update(tx, {
      ...empty,
      enabled: true,
      adminUserId: FIRST_USER,
      name: input.name ?? empty.name,
      quotaMb: input.quotaMb ?? UNLIMITED,
      reseller: input.reseller ?? null,
      taxonomyTypes: input.taxonomyTypes ?? [],
      combination: access.combination,
      flags: [...access.flags],
    });
    return this.createAdministrator(tx, contents);
  }

  private async fillContext(tx: Transaction, contents: ContextContents, schema: string): Promise<ContextRow> {
    const { input, access } = contents;
    await this.insertContext(tx, {
      name: input.name ?? String(tx.contextId),
      quotaMb: input.quotaMb ?? UNLIMITED,
      reseller: input.reseller ?? null,
      taxonomyTypes: input.taxonomyTypes ?? [],
      access,
      createdAt: this.clock.now(),
      schema,
      filestoreId: async () => this.allocateFilestore(tx, input.filestoreId),
    });
    return this.createAdministrator(tx, contents);
  }

  /** Inserts the row of a new context, its place and its standard groups. */
  private async insertContext(
    tx: Transaction,
    draft: Omit<ContextDraft, 'filestoreId'> & { filestoreId: number | null | (() => Promise<number>) },
  ): Promise<void> {
    if (!(await this.contexts.claimId(tx))) throw ProvisioningErrors.contextExists(tx.contextId);
    // Only after the id is claimed, so no concurrent creation stores a different place.
    const placed =
      (await this.capacity.adjustShardCount(tx, draft.schema, 1)) &&
      (await this.registry.assign(tx.contextId, draft.schema));
    if (!placed) throw InstallationErrors.unknownSchema(draft.schema);
    const filestoreId = typeof draft.filestoreId === 'function' ? await draft.filestoreId() : draft.filestoreId;
    await this.contexts.insert(tx, { ...draft, filestoreId }, FIRST_USER);
    await this.groups.insert(tx, { id: ALL_USERS, name: 'users', displayName: 'All users' }, draft.createdAt);
    await this.groups.insert(
      tx,
      { id: STANDARD_GROUP, name: 'standard', displayName: 'Standard group' },
      draft.createdAt,
    );
  }

  private async allocateFilestore(tx: Transaction, wanted: number | undefined): Promise<number> {
    const id = await this.capacity.allocateFilestore(tx, wanted);
    if (id !== undefined) return id;
    throw wanted === undefined ? InstallationErrors.full() : InstallationErrors.unknownFilestore(wanted);
  }

  /** Creates login mappings and the administrator of a new context. */
  private async createAdministrator(
    tx: Transaction,
    { input, access, hash, actor }: ContextContents,
  ): Promise<ContextRow> {
    await this.contexts.setMappings(tx, input.name ?? String(tx.contextId), input.loginMappings ?? []);
    const { email, ...admin } = input.admin;
    await this.userEditor.createUser(tx, access as ContextRow, { ...admin, primaryEmail: email }, hash, actor);
    const context = await this.contexts.get(tx);
    await this.recordAudit(tx, actor, 'create', undefined, context);
    await tx.publish(identityEvents['context.created'], {});
    return context;
  }

  private async updateContext(
    tx: Transaction,
    before: ContextRow,
    after: ContextRow,
    action: string,
    actor: Actor,
  ): Promise<ContextRow> {
    await this.contexts.update(tx, after);
    const written = await this.contexts.findCurrent(tx);
    if (!written) throw ContextErrors.notFound(tx.contextId);
    await this.recordAudit(tx, actor, action, before, written);
    await tx.publish(identityEvents['context.changed'], {});
    return written;
  }

  private async recordAudit(
    tx: Transaction,
    actor: Actor,
    action: string,
    before: ContextRow | undefined,
    after: ContextRow | undefined,
  ): Promise<void> {
    await this.audit.insert(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action,
      kind: 'context',
      objectId: tx.contextId,
      ...(before ? { before: toContextView(before) } : {}),
      ...(after ? { after: toContextView(after) } : {}),
    });
  }
}

function validateMapping(mapping: string): void {
  if (!LOGIN_MAPPING.test(mapping.trim())) throw ProvisioningErrors.invalidField('loginMappings', mapping);
}
