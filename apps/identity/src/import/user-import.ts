import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import {
  INVITATION_LIFETIME,
  ProvisioningErrors,
  UserChange,
  UserCreation,
  type UserImageUpload,
} from '@groupware/contracts';
import { ModuleDatabase, type Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { generatePassword } from '../domain/generated-password';
import { newInvitationToken } from '../domain/invitation-token';
import { changedMailServer, MAIL_SIDES, mailServerOfUrl } from '../domain/mail-server';
import type { Combinations } from '../domain/module-access';
import type { PasswordPolicy } from '../domain/password-policy';
import { recipientKey, sealFor } from '../domain/sealing';
import { sha256Of } from '../domain/user-image';
import { IdentityConfig } from '../identity.config';
import { Cascade } from '../login/cascade';
import { PasswordRules } from '../login/password-rules';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { GroupRepository } from '../persistence/group.repository';
import { PropertyRepository } from '../persistence/property.repository';
import { UserRepository, type UserRow } from '../persistence/user.repository';
import type { Actor } from '../provisioning/actor';
import { GroupEditor } from '../provisioning/group-editor';
import { UserEditor } from '../provisioning/user-editor';
import type { ImportRow } from './import-fields';
import { isRowError, namesIn, readRow, type RowOptions, type RowOutcome, type RowPlan } from './import-rows';

const NAMES = { email: 'primaryEmail' };
/** Instead of the hash, where nothing is stored. */
const DRY_RUN = 'dry run';
/** The user whose values are those of the context. */
const CONTEXT_ALONE = 0;

/** What the rows of a plan have in common. */
interface Surroundings {
  readonly context: ContextRow;
  readonly combinations: Combinations;
  /** Users that exist, by name in lower case. */
  readonly existing: ReadonlyMap<string, UserRow>;
  /** Groups that rows name, by name in lower case. */
  readonly groups: ReadonlyMap<string, number>;
  /** What passwords of the context must look like. */
  readonly policy: PasswordPolicy;
  readonly invitationLifetimeMs: number;
}

/** What rows of users are going to do: what can be said without writing is said for all of them with a few statements. */
@Injectable()
export class UserImport {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly contexts: ContextRepository,
    private readonly users: UserRepository,
    private readonly groups: GroupRepository,
    private readonly combinations: AccessCombinationRepository,
    private readonly userEditor: UserEditor,
    private readonly groupEditor: GroupEditor,
    private readonly config: IdentityConfig,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
    private readonly rules: PasswordRules,
    private readonly clock: Clock,
  ) {}

  /** What rows are going to do; makes the hashes of passwords, a few at the same time. */
  async plan(rows: readonly ImportRow[], options: RowOptions): Promise<RowPlan[]> {
    const surroundings = await this.surroundings(rows, options);
    const plans: RowPlan[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < rows.length; index = next++)
        plans[index] = await this.planRow(rows[index]!, surroundings, options);
    };
    // Logins wait for hashes, too: an import never has more of them under way than run at once.
    await Promise.all(Array.from({ length: this.config.hashConcurrency }, worker));
    return plans;
  }

  private surroundings(rows: readonly ImportRow[], options: RowOptions): Promise<Surroundings> {
    const names = rows.flatMap(({ values }) => values.name ?? []);
    const groups = rows.flatMap(({ values }) => namesIn(values.groups));
    return this.database.read(options, async (db) => {
      const scoped = await this.properties.effective(db, CONTEXT_ALONE);
      return {
        policy: this.rules.policy(scoped),
        invitationLifetimeMs: this.cascade.value(INVITATION_LIFETIME, scoped),
        context: await this.contexts.get(db),
        combinations: await this.combinations.named(db),
        existing: new Map((await this.users.byNames(db, names)).map((user) => [user.name.toLowerCase(), user])),
        groups: await this.groups.idsByName(db, groups),
      };
    });
  }

  private async planRow(row: ImportRow, surroundings: Surroundings, options: RowOptions): Promise<RowPlan> {
    try {
      const { name } = row.values;
      if (!name) throw ProvisioningErrors.invalidField('name', 'missing');
      const existing = surroundings.existing.get(name.toLowerCase());
      if (row.action && !existing) throw ProvisioningErrors.invalidField('name', `no user ${name}`);
      if (existing && !row.action && options.mode === 'create') throw ProvisioningErrors.nameTaken(name);
      if (!existing) return await this.planCreation(row, surroundings, options);
      if (row.action === 'delete') return { work: (tx) => this.disable(tx, existing.id, options.actor) };
      return this.planChange(row, existing, surroundings, options);
    } catch (error) {
      if (isRowError(error)) return { error };
      throw error;
    }
  }

  private async planCreation(row: ImportRow, surroundings: Surroundings, options: RowOptions): Promise<RowPlan> {
    const { combination, password, passwordHash, groups, ...rest } = row.values;
    const input = {
      ...readRow(UserCreation, withServers(rest), NAMES),
      ...(combination ? { moduleAccess: { combination } } : {}),
      groups: groupIds(groups, surroundings),
    };
    this.userEditor.expectCreatable(input, surroundings.context, surroundings.combinations);
    // A dry run needs no real hash; making one is what an import spends its time on.
    const hashOf = async (chosen?: string): Promise<string> =>
      options.dryRun && chosen ? DRY_RUN : this.userEditor.credential({ password: chosen, passwordHash }, 'patient');
    if (password || passwordHash || !options.passwords) return { create: { input, hash: await hashOf(password) } };
    const { kind, recipient } = options.passwords;
    const tell = (what: string, secret: string) =>
      options.dryRun ? {} : { told: { kind: what, encrypted: sealFor(recipientKey(recipient), secret) } };
    if (kind === 'invite') {
      const { token, digest } = newInvitationToken(options.contextId);
      const invitation = { digest, expiresAt: this.clock.now() + surroundings.invitationLifetimeMs };
      return { create: { input, invitation }, ...tell(kind, token) };
    }
    const made = generatePassword(surroundings.policy);
    if (made === undefined)
      throw ProvisioningErrors.invalidField('password', 'none was found that the policy of passwords allows');
    return { create: { input, hash: await hashOf(made) }, ...tell('password', made) };
  }

  private planChange(row: ImportRow, existing: UserRow, surroundings: Surroundings, { actor }: RowOptions): RowPlan {
    const { combination, password: _password, passwordHash: _hash, groups, ...rest } = row.values;
    const change = readRow(UserChange, withServers(rest), NAMES);
    const joins = groupIds(groups, surroundings);
    const isNew = (user: UserRow): boolean =>
      differs(user, change) ||
      (combination !== undefined && combination !== user.combination) ||
      joins.some((id) => !user.groups.includes(id));
    if (!isNew(existing)) return { work: () => Promise.resolve({ effect: 'unchanged', ids: [] }) };
    return {
      work: async (tx) => {
        const before = await this.users.lock(tx, existing.id);
        if (!isNew(before)) return { effect: 'unchanged', ids: [] };
        await this.change(tx, before, change, combination, actor);
        const joined: number[] = [];
        for (const groupId of joins)
          joined.push(...(await this.groupEditor.addMember(tx, groupId, existing.id, actor)).affected);
        return { effect: 'changed', ids: [existing.id, ...joined] };
      },
    };
  }

  private async change(
    tx: Transaction,
    before: UserRow,
    change: UserChange,
    combination: string | undefined,
    actor: Actor,
  ): Promise<void> {
    const after = differs(before, change) ? await this.userEditor.change(tx, before, change, {}, actor) : before;
    if (!combination || combination === before.combination) return;
    const context = await this.contexts.lock(tx);
    await this.userEditor.setAccess(tx, after, context, { combination }, actor);
  }

  /** A user who is missing in a synchronised file, or whom a directory deleted, may not log in any more; the data stays. */
  async disable(tx: Transaction, userId: number, actor: Actor): Promise<RowOutcome> {
    const before = await this.users.lock(tx, userId);
    if (!before.enabled || before.isAdmin) return { effect: 'unchanged', ids: [] };
    await this.userEditor.change(tx, before, { enabled: false }, {}, actor);
    return { effect: 'changed', ids: [userId] };
  }
}

function groupIds(cell: string | undefined, { groups }: Surroundings): number[] {
  return namesIn(cell).map((name) => {
    const id = groups.get(name.toLowerCase());
    if (id === undefined) throw ProvisioningErrors.invalidField('groups', `no group ${name}`);
    return id;
  });
}

/** The cells with those that hold a whole server, as `imapserver` may, taken apart. @throws PROV-0019 */
function withServers(values: ImportRow['values']): ImportRow['values'] {
  const cells: Record<string, string> = { ...values };
  for (const side of MAIL_SIDES) {
    const url = cells[`${side}.server`];
    if (url === undefined) continue;
    delete cells[`${side}.server`];
    for (const [name, value] of Object.entries(mailServerOfUrl(side, url))) cells[`${side}.${name}`] ??= String(value);
  }
  return cells;
}

/** Whether a change would alter what is stored. */
function differs(user: UserRow, change: UserChange): boolean {
  const { person } = user;
  const known: Record<string, unknown> = {
    ...user,
    timezone: user.timeZone,
    title: person.title,
    department: person.department,
    company: person.company,
    position: person.position,
  };
  const phones: Record<string, unknown> = {
    business: person.telephone_business1,
    home: person.telephone_home1,
    mobile: person.cellular_telephone1,
    fax: person.fax_business,
  };
  return Object.entries(change).some(([field, value]) => {
    if (value === undefined) return false;
    if (field === 'aliases') {
      const lower = (values: readonly string[]) => new Set(values.map((each) => each.toLowerCase()));
      const wanted = lower([...(value as string[]), change.primaryEmail ?? user.primaryEmail]);
      const stored = lower(user.aliases);
      return wanted.size !== stored.size || [...wanted].some((each) => !stored.has(each));
    }
    if (field === 'imap' || field === 'smtp')
      return !isDeepStrictEqual(changedMailServer(field, user[field], change[field]), user[field]);
    if (field === 'image')
      return sha256Of(Buffer.from((value as UserImageUpload).data, 'base64')) !== user.image?.sha256;
    if (field === 'phones')
      return Object.entries(value as object).some(([name, number]) => number !== undefined && phones[name] !== number);
    return known[field] !== value;
  });
}
