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
import { generateInvitationToken } from '../domain/invitation-token';
import { mergeMailServer, MAIL_PROTOCOLS, parseMailServerUrl } from '../domain/mail-server';
import type { Combinations } from '../domain/module-access';
import type { PasswordPolicy } from '../domain/password-policy';
import { parseRecipientKey, encryptForRecipient } from '../domain/recipient-encryption';
import { computeSha256 } from '../domain/user-image';
import { IdentityConfig } from '../configuration/identity.config';
import { Cascade } from '../configuration/cascade';
import { PasswordPolicies } from '../configuration/password-policies';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { GroupRepository } from '../persistence/group.repository';
import { PropertyRepository } from '../configuration/property.repository';
import { UserRepository, type UserRow } from '../persistence/user.repository';
import type { Actor } from '../domain/actor';
import { GroupEditor } from '../provisioning/group-editor';
import { UserEditor } from '../provisioning/user-editor';
import type { ImportRow } from './import-fields';
import { isRowError, parseNames, parseRow, type ImportOptions, type RowOutcome, type PlannedRow } from './import-rows';

const NAMES = { email: 'primaryEmail' };
/** Placeholder for the hash in dry runs. */
const DRY_RUN = 'dry run';
/** User id that stands for the context itself. */
const CONTEXT_ALONE = 0;

/** Data shared by the rows of a plan. */
interface ImportContext {
  readonly context: ContextRow;
  readonly combinations: Combinations;
  /** Users that exist, by name in lower case. */
  readonly existing: ReadonlyMap<string, UserRow>;
  /** Groups that rows name, by name in lower case. */
  readonly groups: ReadonlyMap<string, number>;
  /** Password policy of the context. */
  readonly policy: PasswordPolicy;
  readonly invitationLifetimeMs: number;
}

/** Plans and imports rows of users; validation that needs no write is batched in a few statements. */
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
    private readonly rules: PasswordPolicies,
    private readonly clock: Clock,
  ) {}

  /** Plans rows and hashes their passwords, a few concurrently. */
  async planRows(rows: readonly ImportRow[], options: ImportOptions): Promise<PlannedRow[]> {
    const importContext = await this.loadContext(rows, options);
    const plans: PlannedRow[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < rows.length; index = next++)
        plans[index] = await this.planRow(rows[index]!, importContext, options);
    };
    // Logins need hashes, too: an import never starts more than run concurrently.
    await Promise.all(Array.from({ length: this.config.hashConcurrency }, worker));
    return plans;
  }

  private loadContext(rows: readonly ImportRow[], options: ImportOptions): Promise<ImportContext> {
    const names = rows.flatMap(({ values }) => values.name ?? []);
    const groups = rows.flatMap(({ values }) => parseNames(values.groups));
    return this.database.read(options, async (db) => {
      const scoped = await this.properties.getEffective(db, CONTEXT_ALONE);
      return {
        policy: this.rules.resolvePolicy(scoped),
        invitationLifetimeMs: this.cascade.value(INVITATION_LIFETIME, scoped),
        context: await this.contexts.get(db),
        combinations: await this.combinations.listAll(db.acrossContexts('combinations belong to the installation')),
        existing: new Map((await this.users.listByNames(db, names)).map((user) => [user.name.toLowerCase(), user])),
        groups: await this.groups.findIdsByNames(db, groups),
      };
    });
  }

  private async planRow(row: ImportRow, importContext: ImportContext, options: ImportOptions): Promise<PlannedRow> {
    try {
      const { name } = row.values;
      if (!name) throw ProvisioningErrors.invalidField('name', 'missing');
      const existing = importContext.existing.get(name.toLowerCase());
      if (row.action && !existing) throw ProvisioningErrors.invalidField('name', `no user ${name}`);
      if (existing && !row.action && options.mode === 'create') throw ProvisioningErrors.nameTaken(name);
      if (!existing) return await this.planCreation(row, importContext, options);
      if (row.action === 'delete') return { work: (tx) => this.disableUser(tx, existing.id, options.actor) };
      return this.planChange(row, existing, importContext, options);
    } catch (error) {
      if (isRowError(error)) return { error };
      throw error;
    }
  }

  private async planCreation(
    row: ImportRow,
    importContext: ImportContext,
    options: ImportOptions,
  ): Promise<PlannedRow> {
    const { combination, password, passwordHash, groups, ...rest } = row.values;
    const input = {
      ...parseRow(UserCreation, expandServers(rest), NAMES),
      ...(combination ? { moduleAccess: { combination } } : {}),
      groups: resolveGroupIds(groups, importContext),
    };
    this.userEditor.requireCreatable(input, importContext.context, importContext.combinations);
    // A dry run skips hashing, the most expensive part of an import.
    const hashOf = async (chosen?: string): Promise<string> =>
      options.dryRun && chosen
        ? DRY_RUN
        : this.userEditor.createCredential({ password: chosen, passwordHash }, 'unlimited');
    if (password || passwordHash || !options.passwords) return { create: { input, hash: await hashOf(password) } };
    const { kind, recipient } = options.passwords;
    const tell = (what: string, secret: string) =>
      options.dryRun
        ? {}
        : { told: { kind: what, encrypted: encryptForRecipient(parseRecipientKey(recipient), secret) } };
    if (kind === 'invite') {
      const { token, digest } = generateInvitationToken(options.contextId);
      const invitation = { digest, expiresAt: this.clock.now() + importContext.invitationLifetimeMs };
      return { create: { input, invitation }, ...tell(kind, token) };
    }
    const made = await generatePassword(importContext.policy);
    if (made === undefined)
      throw ProvisioningErrors.invalidField('password', 'none was found that the policy of passwords allows');
    return { create: { input, hash: await hashOf(made) }, ...tell('password', made) };
  }

  private planChange(
    row: ImportRow,
    existing: UserRow,
    importContext: ImportContext,
    { actor }: ImportOptions,
  ): PlannedRow {
    const { combination, password: _password, passwordHash: _hash, groups, ...rest } = row.values;
    const change = parseRow(UserChange, expandServers(rest), NAMES);
    const joins = resolveGroupIds(groups, importContext);
    const isNew = (user: UserRow): boolean =>
      hasChanges(user, change) ||
      (combination !== undefined && combination !== user.combination) ||
      joins.some((id) => !user.groups.includes(id));
    if (!isNew(existing)) return { work: () => Promise.resolve({ effect: 'unchanged', ids: [] }) };
    return {
      work: async (tx) => {
        const before = await this.users.lock(tx, existing.id);
        if (!isNew(before)) return { effect: 'unchanged', ids: [] };
        await this.changeUser(tx, before, change, combination, actor);
        const joined: number[] = [];
        for (const groupId of joins) {
          const group = await this.groups.lock(tx, groupId);
          joined.push(...(await this.groupEditor.addMember(tx, group, existing.id, actor)).affected);
        }
        return { effect: 'changed', ids: [existing.id, ...joined] };
      },
    };
  }

  private async changeUser(
    tx: Transaction,
    before: UserRow,
    change: UserChange,
    combination: string | undefined,
    actor: Actor,
  ): Promise<void> {
    const after = hasChanges(before, change) ? await this.userEditor.changeUser(tx, before, change, {}, actor) : before;
    if (!combination || combination === before.combination) return;
    const context = await this.contexts.lock(tx);
    await this.userEditor.setAccess(tx, after, context, { combination }, actor);
  }

  /** Disables a user missing in a synchronised file or deleted by the directory; the data stays. */
  async disableUser(tx: Transaction, userId: number, actor: Actor): Promise<RowOutcome> {
    const before = await this.users.lock(tx, userId);
    if (!before.enabled || before.isAdmin) return { effect: 'unchanged', ids: [] };
    await this.userEditor.changeUser(tx, before, { enabled: false }, {}, actor);
    return { effect: 'changed', ids: [userId] };
  }
}

function resolveGroupIds(cell: string | undefined, { groups }: ImportContext): number[] {
  return parseNames(cell).map((name) => {
    const id = groups.get(name.toLowerCase());
    if (id === undefined) throw ProvisioningErrors.invalidField('groups', `no group ${name}`);
    return id;
  });
}

/** Expands cells that hold a whole server URL, such as `imapserver`. @throws PROV-0019 */
function expandServers(values: ImportRow['values']): ImportRow['values'] {
  const cells: Record<string, string> = { ...values };
  for (const side of MAIL_PROTOCOLS) {
    const url = cells[`${side}.server`];
    if (url === undefined) continue;
    delete cells[`${side}.server`];
    for (const [name, value] of Object.entries(parseMailServerUrl(side, url)))
      cells[`${side}.${name}`] ??= String(value);
  }
  return cells;
}

/** Whether a change would alter what is stored. */
function hasChanges(user: UserRow, change: UserChange): boolean {
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
      return !isDeepStrictEqual(mergeMailServer(field, user[field], change[field]), user[field]);
    if (field === 'image')
      return computeSha256(Buffer.from((value as UserImageUpload).data, 'base64')) !== user.image?.sha256;
    if (field === 'phones')
      return Object.entries(value as object).some(([name, number]) => number !== undefined && phones[name] !== number);
    return known[field] !== value;
  });
}
