import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
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
import { applyAccess, DEFAULT_ACCESS, reduceTo, type Access, type AccessInput } from '../domain/module-access';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository, type ContextDraft, type ContextRow } from '../persistence/context.repository';
import { ALL_USERS, GroupRepository, STANDARD_GROUP } from '../persistence/group.repository';
import { PlaceRepository } from '../persistence/place.repository';
import { UserRepository } from '../persistence/user.repository';
import type { Actor } from './actor';
import { expectNoNull } from './null-removes';
import { UNLIMITED } from './reseller-limits';
import { expectAdminAccess, UserEditor } from './user-editor';
import { contextView } from './views';

/** Id of the first user of a context: its administrator. */
const FIRST_USER = 2;
/** Tries to take the next free number while others do the same. */
const MAX_TRIES = 20;

const LOGIN_MAPPING = /^[^\s@\p{Cc}\p{Cs}]{1,256}$/u;

/** Somebody else claimed the context. */
class ClaimLost extends Error {}

/** What a new context is filled with. */
interface Contents {
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
    private readonly places: PlaceRepository,
    private readonly registry: ShardRegistry,
  ) {}

  /**
   * Creates a context with its administrator and standard groups, in one transaction. It is ready when {@link Readiness} says so.
   * @param around runs the work inside that transaction; notes idempotency keys, for example
   * @throws PROV-0004 when the number was used before
   */
  async create<R>(
    input: ContextCreation,
    actor: Actor,
    around: (tx: Transaction, work: () => Promise<ContextRow>) => Promise<R>,
  ): Promise<R> {
    const hash = await this.userEditor.credential({ password: input.admin.password });
    const combinations = await this.database.acrossContexts((db) => this.combinations.all(db));
    const access = applyAccess(input.moduleAccess ?? {}, DEFAULT_ACCESS, combinations);
    expectAdminAccess(access);
    for (const mapping of [...(input.loginMappings ?? []), ...(input.name ? [input.name] : [])]) checkMapping(mapping);
    const contents = { input, access, hash, actor };
    if (input.id === undefined) {
      const claimable = await this.database.acrossContexts((db) => this.contexts.claimable(db, input, MAX_TRIES));
      for (const contextId of claimable)
        try {
          return await this.database.transact({ contextId }, (tx) => around(tx, () => this.claim(tx, contents)));
        } catch (error) {
          // Somebody else was faster: the next one.
          if (!(error instanceof ClaimLost)) throw error;
        }
    }
    return this.atNewNumber(input, (tx, schema) => around(tx, () => this.fill(tx, contents, schema)));
  }

  /** Makes an empty context that a later creation claims. @throws INST-0010, INST-0011 */
  preAssemble(wanted: { schema: string; filestoreId?: number }, actor: Actor): Promise<number> {
    return this.atNewNumber(wanted, async (tx, schema) => {
      const at = this.clock.now();
      const draft = {
        name: String(tx.contextId),
        quotaMb: UNLIMITED,
        reseller: null,
        taxonomyTypes: [],
        access: DEFAULT_ACCESS,
        createdAt: at,
      };
      const filestoreId = wanted.filestoreId === undefined ? null : await this.takeFilestore(tx, wanted.filestoreId);
      await this.insert(tx, { ...draft, schema, filestoreId, preAssembled: true });
      await this.note(tx, actor, 'pre-assemble', undefined, await this.contexts.get(tx));
      return tx.contextId;
    });
  }

  /** Runs work for a new context on a shard with room, under the number asked for or the next free one. */
  private async atNewNumber<R>(
    wanted: { id?: number; schema?: string },
    work: (tx: Transaction, schema: string) => Promise<R>,
  ): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      const { contextId, schema } = await this.database.acrossContexts(async (db) => ({
        contextId: wanted.id ?? (await this.contexts.nextId(db)),
        schema: await this.places.shardWithRoom(db, wanted.schema),
      }));
      if (schema === undefined)
        throw wanted.schema ? InstallationErrors.unknownSchema(wanted.schema) : InstallationErrors.full();
      try {
        return await this.database.transact({ contextId }, (tx) => work(tx, schema));
      } catch (error) {
        // Somebody else took the next free number: try the one after it.
        const taken = error instanceof CatalogueError && error.is(ProvisioningErrors.contextExists);
        if (!taken || wanted.id !== undefined || attempt === MAX_TRIES) throw error;
      }
    }
  }

  /** Changes a context. */
  async change(tx: Transaction, before: ContextRow, input: ContextChange, actor: Actor): Promise<ContextRow> {
    expectNoNull(input, ['name', 'adminUserId']);
    if (input.adminUserId !== undefined) {
      const admin = await this.users.find(tx, input.adminUserId);
      if (!admin?.enabled) throw DirectoryErrors.userNotFound(input.adminUserId, tx.contextId);
      expectAdminAccess(admin);
    }
    const after: ContextRow = {
      ...before,
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
      for (const mapping of [...given, after.name]) checkMapping(mapping);
      await this.contexts.setMappings(tx, after.name, given);
    }
    const written = await this.write(tx, before, after, 'change', actor);
    for (const userId of new Set([before.adminUserId, after.adminUserId]))
      if (before.adminUserId !== after.adminUserId) await tx.publish(identityEvents['user.changed'], { userId });
    return written;
  }

  /** Enables or disables a context that is locked by the transaction. */
  async setState(
    tx: Transaction,
    before: ContextRow,
    { enabled, reason }: { enabled: boolean; reason: string | null },
    actor: Actor,
  ): Promise<ContextRow> {
    const after = await this.write(tx, before, { ...before, enabled, reason: enabled ? null : reason }, 'state', actor);
    await tx.publish(identityEvents[enabled ? 'context.enabled' : 'context.disabled'], {});
    return after;
  }

  /** Sets the limits of a context that is locked by the transaction; without `items` those stay. */
  async setQuota(
    tx: Transaction,
    before: ContextRow,
    quota: { quotaMb: number; items?: Readonly<Record<string, number>> },
    actor: Actor,
  ): Promise<void> {
    if (quota.items) await this.contexts.setQuotaItems(tx, quota.items);
    await this.write(tx, before, { ...before, quotaMb: quota.quotaMb }, 'quota', actor);
  }

  /** Notes the life cycle of a context that is locked by the transaction. */
  async setLifeCycle(tx: Transaction, state: string, actor: Actor): Promise<void> {
    const before = await this.contexts.lock(tx);
    await this.write(tx, before, { ...before, state }, state, actor);
  }

  /** Sets what users of a locked context may use; users lose what the context lost. Answers the users that changed. */
  async setAccess(
    tx: Transaction,
    before: ContextRow,
    input: AccessInput,
    applyToUsers: boolean,
    actor: Actor,
  ): Promise<{ context: ContextRow; changed: number[] }> {
    const access = applyAccess(input, before, await this.combinations.named(tx));
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
    await this.places.countShard(tx, before.schema, -1);
    if (before.filestoreId !== null) await this.places.leaveFilestore(tx, before.filestoreId);
    await this.note(tx, actor, 'delete', before, undefined);
    await tx.publish(identityEvents['context.deleting'], {});
  }

  /** Makes a context made in advance the one asked for. */
  private async claim(tx: Transaction, contents: Contents): Promise<ContextRow> {
    const empty = await this.contexts.find(tx, { skipLocked: true });
    if (!empty?.preAssembled) throw new ClaimLost();
    const { input, access } = contents;
    const filestoreId = empty.filestoreId ?? (await this.takeFilestore(tx, input.filestoreId));
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
    return this.people(tx, contents);
  }

  private async fill(tx: Transaction, contents: Contents, schema: string): Promise<ContextRow> {
    const { input, access } = contents;
    await this.insert(tx, {
      name: input.name ?? String(tx.contextId),
      quotaMb: input.quotaMb ?? UNLIMITED,
      reseller: input.reseller ?? null,
      taxonomyTypes: input.taxonomyTypes ?? [],
      access,
      createdAt: this.clock.now(),
      schema,
      filestoreId: async () => this.takeFilestore(tx, input.filestoreId),
    });
    return this.people(tx, contents);
  }

  /** The row of a new context, its place and its standard groups. */
  private async insert(
    tx: Transaction,
    draft: Omit<ContextDraft, 'filestoreId'> & { filestoreId: number | null | (() => Promise<number>) },
  ): Promise<void> {
    if (!(await this.contexts.takeNumber(tx))) throw ProvisioningErrors.contextExists(tx.contextId);
    // By whoever holds the number, so nobody else says something different about the context.
    const placed =
      (await this.places.countShard(tx, draft.schema, 1)) && (await this.registry.assign(tx.contextId, draft.schema));
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

  private async takeFilestore(tx: Transaction, wanted: number | undefined): Promise<number> {
    const id = await this.places.takeFilestore(tx, wanted);
    if (id !== undefined) return id;
    throw wanted === undefined ? InstallationErrors.full() : InstallationErrors.unknownFilestore(wanted);
  }

  /** Login mappings and the administrator of a new context. */
  private async people(tx: Transaction, { input, access, hash, actor }: Contents): Promise<ContextRow> {
    await this.contexts.setMappings(tx, input.name ?? String(tx.contextId), input.loginMappings ?? []);
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
    await tx.publish(identityEvents['context.changed'], {});
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
