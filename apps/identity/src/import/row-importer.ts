import {
  CatalogueError,
  GroupCreation,
  parseInput,
  ProvisioningErrors,
  ResourceCreation,
  UserChange,
  UserCreation,
  type Model,
} from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { ContextRepository } from '../persistence/context.repository';
import { GroupRepository, type GroupRow } from '../persistence/group.repository';
import { ResourceRepository } from '../persistence/resource.repository';
import { UserRepository, type UserRow } from '../persistence/user.repository';
import type { Actor } from '../provisioning/actor';
import { GroupEditor } from '../provisioning/group-editor';
import { ResourceEditor } from '../provisioning/resource-editor';
import { UserEditor } from '../provisioning/user-editor';
import type { ImportRow } from './csv-rows';

/** What a row may do. */
export interface RowOptions {
  readonly contextId: number;
  /** create: an object that exists is an error; otherwise it is changed. */
  readonly mode: 'create' | 'upsert' | 'sync';
  readonly dryRun: boolean;
  readonly actor: Actor;
  /** Notes what a row did, in the transaction of the row. */
  readonly note?: (tx: Transaction, effect: RowOutcome['effect']) => Promise<void>;
}

/** What a row did. */
export interface RowOutcome {
  readonly effect: 'created' | 'changed' | 'unchanged';
  /** Users whose sessions must follow. */
  readonly users: readonly number[];
}

/** Ends the transaction of a dry run. */
class DryRun extends Error {
  constructor(readonly outcome: RowOutcome) {
    super('dry run');
  }
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Reads the cells of a row into a model of the REST API. @throws PROV-0019 for the first bad field */
export function readRow<T extends object>(model: Model<T>, row: ImportRow, names: Readonly<Record<string, string>>): T {
  const input: Record<string, unknown> = {};
  for (const [field, text] of Object.entries(row.values)) {
    const [name, part] = (names[field] ?? field).split('.') as [string, string?];
    if (part) input[name] = { ...(input[name] as object | undefined), [part]: text };
    else input[name] = text;
  }
  const { value, problems } = parseInput(model, input, 'text');
  const [problem] = problems;
  if (problem)
    throw ProvisioningErrors.invalidField(problem.name, problem.kind === 'missing' ? 'missing' : problem.reason);
  return value;
}

/** Imports one row at a time, each in a transaction of its own. */
@Injectable()
export class RowImporter {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly groups: GroupRepository,
    private readonly resources: ResourceRepository,
    private readonly userEditor: UserEditor,
    private readonly groupEditor: GroupEditor,
    private readonly resourceEditor: ResourceEditor,
  ) {}

  /** Creates or changes the user of a row. */
  async user(row: ImportRow, options: RowOptions): Promise<RowOutcome> {
    const { combination, password, passwordHash, groups, ...rest } = row.values;
    const cells = { row: row.row, values: rest };
    const names = { email: 'primaryEmail' };
    const name = row.values.name;
    if (!name) throw ProvisioningErrors.invalidField('name', 'missing');
    const existing = await this.database.read(options, (db) => this.users.byName(db, name));
    if (row.action === 'delete') return this.disabled(existing?.id, row, options);
    if (row.action && !existing) throw ProvisioningErrors.invalidField('name', `no user ${name}`);
    if (existing && !row.action && options.mode === 'create') throw ProvisioningErrors.nameTaken(name);
    if (existing) {
      const change = readRow(UserChange, cells, names);
      return this.run(options, async (tx) => {
        const before = await this.users.lock(tx, existing.id);
        const after = await this.changeUser(tx, before, change, combination, options.actor);
        const joined = await this.join(tx, existing.id, groups, options.actor);
        const same = !after && joined.length === 0;
        return { effect: same ? 'unchanged' : 'changed', users: same ? [] : [existing.id] };
      });
    }
    const draft = readRow(UserCreation, cells, names);
    // A dry run needs no real hash; making one is what an import spends its time on.
    const hash = options.dryRun && password ? 'dry run' : await this.userEditor.credential({ password, passwordHash });
    return this.run(options, async (tx) => {
      const context = await this.contexts.lock(tx);
      const user = await this.userEditor.create(
        tx,
        context,
        { ...draft, ...(combination ? { moduleAccess: { combination } } : {}) },
        hash,
        options.actor,
      );
      await this.join(tx, user.id, groups, options.actor);
      return { effect: 'created', users: [user.id] };
    });
  }

  /** Creates or changes the group of a row; members are names of users. */
  async group(row: ImportRow, options: RowOptions): Promise<RowOutcome> {
    const { members, ...rest } = row.values;
    const draft = readRow(GroupCreation, { row: row.row, values: rest }, {});
    if (row.action === 'delete') return this.groupGone(draft.name, options);
    return this.run(options, async (tx) => {
      const ids = members === undefined ? undefined : await this.memberIds(tx, members);
      const existing = await this.groups.byName(tx, draft.name);
      if (!existing) {
        const { group, affected } = await this.groupEditor.create(tx, { ...draft, members: ids }, options.actor);
        return { effect: 'created', users: [group.id, ...affected] };
      }
      if (options.mode === 'create' && !row.action)
        throw ProvisioningErrors.invalidField('name', `group ${existing.id} has it`);
      const wanted = ids ?? existing.members;
      const displayName = draft.displayName ?? existing.displayName;
      if (displayName === existing.displayName && sameMembers(existing, wanted))
        return { effect: 'unchanged', users: [] };
      const { affected } = await this.groupEditor.change(tx, existing, { displayName, members: wanted }, options.actor);
      return { effect: 'changed', users: [existing.id, ...affected] };
    });
  }

  private groupGone(name: string, options: RowOptions): Promise<RowOutcome> {
    return this.run(options, async (tx) => {
      const existing = await this.groups.byName(tx, name);
      if (!existing) throw ProvisioningErrors.invalidField('name', `no group ${name}`);
      await this.groupEditor.remove(tx, existing.id, options.actor);
      return { effect: 'changed', users: [existing.id, ...existing.members] };
    });
  }

  /** Creates or changes the resource of a row. */
  async resource(row: ImportRow, options: RowOptions): Promise<RowOutcome> {
    const draft = readRow(ResourceCreation, row, {});
    return this.run(options, async (tx) => {
      const existing = await this.resources.byName(tx, draft.name);
      if (!existing) {
        const created = await this.resourceEditor.create(tx, draft, options.actor);
        return { effect: 'created', users: [created.id] };
      }
      if (options.mode === 'create') throw ProvisioningErrors.invalidField('name', `resource ${existing.id} has it`);
      const { type, ...fields } = draft;
      const next = { ...existing, ...fields, ...(type ? { room: type === 'ROOM' } : {}) };
      if (JSON.stringify(next) === JSON.stringify(existing)) return { effect: 'unchanged', users: [] };
      await this.resourceEditor.change(tx, existing, draft, options.actor);
      return { effect: 'changed', users: [existing.id] };
    });
  }

  /** An entry that the directory deleted: its user may not log in any more, but keeps the data. */
  private async disabled(userId: number | undefined, row: ImportRow, options: RowOptions): Promise<RowOutcome> {
    if (userId === undefined) throw ProvisioningErrors.invalidField('name', `no user ${row.values.name}`);
    const done = await this.disable(userId, options);
    return { effect: done ? 'changed' : 'unchanged', users: done ? [userId] : [] };
  }

  /** Disables a user who is missing in a synchronised file. */
  async disable(userId: number, options: RowOptions): Promise<boolean> {
    const outcome = await this.run(options, async (tx) => {
      const before = await this.users.lock(tx, userId);
      if (!before.enabled || before.isAdmin) return { effect: 'unchanged' as const, users: [] };
      await this.userEditor.change(tx, before, { enabled: false }, {}, options.actor);
      return { effect: 'changed' as const, users: [userId] };
    });
    return outcome.effect === 'changed';
  }

  private async run(options: RowOptions, work: (tx: Transaction) => Promise<RowOutcome>): Promise<RowOutcome> {
    try {
      return await this.database.transact(options, async (tx) => {
        const outcome = await work(tx);
        if (options.dryRun) throw new DryRun(outcome);
        await options.note?.(tx, outcome.effect);
        return outcome;
      });
    } catch (error) {
      if (error instanceof DryRun) return error.outcome;
      throw error;
    }
  }

  /** Undefined when the row says what is stored already. */
  private async changeUser(
    tx: Transaction,
    before: UserRow,
    change: UserChange,
    combination: string | undefined,
    actor: Actor,
  ): Promise<UserRow | undefined> {
    let after: UserRow | undefined;
    if (this.differs(before, change)) after = await this.userEditor.change(tx, before, change, {}, actor);
    if (combination && combination !== before.combination) {
      const context = await this.contexts.lock(tx);
      after = await this.userEditor.setAccess(tx, after ?? before, context, { combination }, actor);
    }
    return after;
  }

  private differs(user: UserRow, change: UserChange): boolean {
    const known: Record<string, unknown> = {
      ...user,
      timezone: user.timeZone,
      title: user.person.title,
      department: user.person.department,
      company: user.person.company,
      position: user.person.position,
    };
    const phones: Record<string, unknown> = {
      business: user.person.telephone_business1,
      home: user.person.telephone_home1,
      mobile: user.person.cellular_telephone1,
      fax: user.person.fax_business,
    };
    return Object.entries(change).some(([field, value]) => {
      if (value === undefined) return false;
      if (field === 'aliases') {
        const lower = (values: readonly string[]) => new Set(values.map((each) => each.toLowerCase()));
        const wanted = lower([...(value as string[]), change.primaryEmail ?? user.primaryEmail]);
        const stored = lower(user.aliases);
        return wanted.size !== stored.size || [...wanted].some((each) => !stored.has(each));
      }
      if (field === 'phones')
        return Object.entries(value as object).some(
          ([name, number]) => number !== undefined && phones[name] !== number,
        );
      return known[field] !== value;
    });
  }

  private async join(tx: Transaction, userId: number, groups: string | undefined, actor: Actor): Promise<number[]> {
    const joined: number[] = [];
    for (const name of groups ? list(groups) : []) {
      const group = await this.groups.byName(tx, name);
      if (!group) throw ProvisioningErrors.invalidField('groups', `no group ${name}`);
      const { affected } = await this.groupEditor.addMember(tx, group.id, userId, actor);
      joined.push(...affected);
    }
    return joined;
  }

  private async memberIds(tx: Transaction, members: string): Promise<number[]> {
    const ids: number[] = [];
    for (const name of list(members)) {
      const user = await this.users.byName(tx, name);
      if (!user) throw ProvisioningErrors.invalidField('members', `no user ${name}`);
      ids.push(user.id);
    }
    return ids;
  }
}

const sameMembers = (group: GroupRow, wanted: readonly number[]): boolean =>
  group.members.length === wanted.length && wanted.every((id) => group.members.includes(id));

/** The code and text of a failed row. */
export function rowError(
  row: number,
  error: CatalogueError,
): { row: number; field?: string; code: string; error: string } {
  const field = error.is(ProvisioningErrors.invalidField) ? error.params[0] : undefined;
  return { row, ...(field ? { field } : {}), code: error.code, error: error.message };
}
