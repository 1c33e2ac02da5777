import { Injectable } from '@nestjs/common';
import {
  ALL_USERS,
  CatalogueError,
  DEFAULT_USER_TIME_ZONE,
  DirectoryErrors,
  GroupErrors,
  identityEvents,
  MAIL_ADDRESS,
  MAX_ENTITY_ID,
  ProvisioningErrors,
  type CapabilityChange,
  type MailServers,
  type UserChange,
  type UserCreation,
  type UserDetails,
  normalizeLocale,
  normalizeTimeZone,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { Clock } from '@groupware/service-kit';
import {
  applyAccess,
  reduceAccess,
  requireWithin,
  type Access,
  type AccessInput,
  type Combinations,
} from '../domain/module-access';
import { mergeMailServer } from '../domain/mail-server';
import type { AcceptedImage } from '../domain/user-image';
import { Passwords, parseImportedHash, type HashQueueLimit } from '../domain/passwords';
import { Cascade } from '../configuration/cascade';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { COMMON_GROUPS, GroupRepository, STANDARD_GROUP } from '../persistence/group.repository';
import { GuestRepository } from '../persistence/guest.repository';
import { InvitationRepository } from '../persistence/invitation.repository';
import { UserImageRepository } from '../persistence/user-image.repository';
import { UserRepository, type UserFields, type UserRow } from '../persistence/user.repository';
import type { Actor } from '../domain/actor';
import { PasswordHistory, type PasswordChangeOrigin } from './password-history';
import { UserImages } from './user-images';
import { requireNoNull } from './required-fields';
import { ResourceEditor } from './resource-editor';
import { toUserView } from './views';

/** Default locale of new users. */
const DEFAULT_LOCALE = 'en_US';
/** Access that the administrator of a context always has. */
const ADMIN_ACCESS = ['contacts', 'webmail'];

/** Fields of the REST API that lie with the data of the person, under these names. */
const PERSON_FIELDS = { title: 'title', department: 'department', company: 'company', position: 'position' } as const;
const PHONE_FIELDS = {
  business: 'telephone_business1',
  home: 'telephone_home1',
  mobile: 'cellular_telephone1',
  fax: 'fax_business',
} as const;

type Person = Record<string, string | number>;

function applyPerson(former: Person, change: UserDetails): Person {
  const person = { ...former };
  const set = (field: string, value: string | null | undefined): void => {
    if (value === undefined) return;
    if (value === null || value === '') delete person[field];
    else person[field] = value;
  };
  for (const [name, field] of Object.entries(PERSON_FIELDS)) set(field, change[name as keyof typeof PERSON_FIELDS]);
  if (change.phones !== undefined)
    for (const [name, field] of Object.entries(PHONE_FIELDS)) {
      const value = change.phones?.[name as keyof typeof PHONE_FIELDS];
      set(field, change.phones === null ? null : value);
    }
  return person;
}

/** Applies a change to a list of capabilities: absent stays, null removes. */
function applyListChange(
  before: string[],
  change: UserDetails['capabilities'],
  list: keyof CapabilityChange,
): string[] {
  if (change === undefined || (change !== null && change[list] === undefined)) return before;
  return change?.[list] ?? [];
}

/** Removes duplicate addresses, case ignored; the first spelling stays. */
function dedupeAddresses(addresses: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses) if (!seen.has(address.toLowerCase())) seen.set(address.toLowerCase(), address);
  return [...seen.values()];
}

/** @throws PROV-0019 for what is no address */
function requireAddresses(aliases: readonly string[] | null | undefined): void {
  const wrong = aliases?.find((alias) => !MAIL_ADDRESS.test(alias));
  if (wrong !== undefined) throw ProvisioningErrors.invalidField('aliases', wrong);
}

/** Checks of values with rules beyond their model, by field. */
type FieldChecks = Readonly<Record<string, () => unknown>>;

const createFieldChecks = ({ locale, timezone, aliases }: UserDetails): FieldChecks => ({
  locale: () => locale && normalizeLocale(locale),
  timezone: () => timezone && normalizeTimeZone(timezone),
  aliases: () => requireAddresses(aliases),
});

/** Runs all checks. @throws the first error, which names all fields that are wrong */
function requireFields(checks: FieldChecks): void {
  const failures = Object.entries(checks).flatMap(([name, check]) => {
    try {
      check();
      return [];
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return [{ name, error }];
    }
  });
  if (failures.length === 0) return;
  const problematic = failures.map(({ name, error }) => ({ name, kind: 'invalid', reason: error.message }));
  throw failures[0]!.error.with({ problematic });
}

/** @throws PROV-0018 for a hash that cannot be checked, PROV-0019 where neither password nor hash is given */
function requireCredential({ password, passwordHash }: CredentialInput): void {
  if (passwordHash) parseImportedHash(passwordHash);
  else if (!password) throw ProvisioningErrors.invalidField('password', 'password or passwordHash is required');
}

const isSameAddress = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** Credential of a new user: a password, or the hash of one. */
interface CredentialInput {
  readonly password?: string | null;
  readonly passwordHash?: string | null;
}

/** Fields a change writes; absent ones stay. */
interface UserWrite {
  readonly fields: UserFields;
  readonly addresses?: readonly string[];
  /** null removes it. */
  readonly image?: AcceptedImage | null;
}

/** Requires the minimum access of a context administrator. @throws PROV-0008 */
export function requireAdminAccess({ flags }: Pick<Access, 'flags'>): void {
  if (ADMIN_ACCESS.some((flag) => !flags.includes(flag)))
    throw ProvisioningErrors.accessNotAllowed(`the administrator needs ${ADMIN_ACCESS.join(', ')}`);
}

/** Fields that every user has: null cannot remove them. */
const REQUIRED_FIELDS = ['name', 'enabled', 'displayName', 'surname', 'primaryEmail', 'locale', 'timezone'] as const;

/**
 * A user to create: the hash comes from {@link UserEditor.createCredential}; without one the user is invited or cannot
 * log in.
 */
export interface UserDraft {
  readonly input: UserCreation;
  readonly hash?: string;
  readonly invitation?: { readonly digest: Buffer; readonly expiresAt: number };
}

function toNewFields(
  input: UserCreation,
  context: Pick<ContextRow, 'combination' | 'flags'>,
  named: Combinations | undefined,
  defaultTimeZone: string,
): UserFields {
  const access = applyAccess(input.moduleAccess ?? {}, context, named);
  requireWithin(access, context);
  requireFields(createFieldChecks(input));
  return {
    name: input.name,
    enabled: input.enabled ?? true,
    displayName: input.displayName ?? ([input.givenName, input.surname].filter(Boolean).join(' ') || input.name),
    givenName: input.givenName ?? null,
    surname: input.surname,
    primaryEmail: input.primaryEmail,
    locale: input.locale ? normalizeLocale(input.locale) : DEFAULT_LOCALE,
    timeZone: normalizeTimeZone(input.timezone || defaultTimeZone),
    combination: access.combination,
    flags: [...access.flags],
    capabilitiesAdded: input.capabilities?.add ?? [],
    capabilitiesRemoved: input.capabilities?.remove ?? [],
    quotaMb: input.quotaMb ?? null,
    imap: mergeMailServer('imap', null, input.imap),
    smtp: mergeMailServer('smtp', null, input.smtp),
    person: applyPerson({}, input),
  };
}

/** Creates, changes and removes users: the rules of provisioning, for REST calls, imports and the demonstration data. */
@Injectable()
export class UserEditor {
  constructor(
    private readonly users: UserRepository,
    private readonly groups: GroupRepository,
    private readonly contexts: ContextRepository,
    private readonly audit: AuditRepository,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly appPasswords: AppPasswordRepository,
    private readonly history: PasswordHistory,
    private readonly combinations: AccessCombinationRepository,
    private readonly invitations: InvitationRepository,
    private readonly guests: GuestRepository,
    private readonly images: UserImages,
    private readonly storedImages: UserImageRepository,
    private readonly cascade: Cascade,
    private readonly resources: ResourceEditor,
  ) {}

  /** The hash to store for a new user; made before the transaction, because it takes long. */
  async createCredential(input: CredentialInput, queueLimit?: HashQueueLimit): Promise<string> {
    requireCredential(input);
    return input.passwordHash
      ? parseImportedHash(input.passwordHash)
      : this.passwords.hash(input.password!, queueLimit);
  }

  /** Validates the fields of a new user, all at once. @throws PROV-0018, PROV-0019, USR-0023, USR-0024 */
  requireFields(input: UserCreation): void {
    requireFields({ password: () => requireCredential(input), ...createFieldChecks(input) });
  }

  /**
   * Validates a new user as far as possible without the database.
   * @throws PROV-0008, PROV-0009, PROV-0019, USR-0023, USR-0024
   */
  requireCreatable(
    input: UserCreation,
    context: Pick<ContextRow, 'combination' | 'flags'>,
    combinations: Combinations,
  ): void {
    toNewFields(input, context, combinations, this.cascade.value(DEFAULT_USER_TIME_ZONE));
  }

  /** Creates a user. The credential comes from {@link createCredential}. */
  async createUser(
    tx: Transaction,
    context: Pick<ContextRow, 'combination' | 'flags'>,
    input: UserCreation,
    hash: string,
    actor: Actor,
  ): Promise<UserRow> {
    const [user] = await this.createUsers(tx, context, [{ input, hash }], actor);
    return user!;
  }

  /**
   * Creates users in a constant number of statements. One failure fails all, and the error of several users does not
   * always name the right one.
   */
  async createUsers(
    tx: Transaction,
    context: Pick<ContextRow, 'combination' | 'flags'>,
    drafts: readonly UserDraft[],
    actor: Actor,
  ): Promise<UserRow[]> {
    const at = this.clock.now();
    const named = await this.loadCombinations(
      tx,
      drafts.find(({ input }) => input.moduleAccess?.combination)?.input.moduleAccess,
    );
    const zone = this.cascade.value(DEFAULT_USER_TIME_ZONE);
    const fields = drafts.map(({ input }) => toNewFields(input, context, named, zone));
    const groups = drafts.map(({ input }) => (input.groups ?? []).filter((id) => !COMMON_GROUPS.includes(id)));
    const images = await Promise.all(drafts.map(({ input }) => this.images.fromBase64(input.image)));
    const first = await this.contexts.allocateEntityIds(tx, drafts.length);
    const users = drafts.map(({ input, hash, invitation }, index) => ({
      id: first + index,
      hash,
      invitation,
      fields: fields[index]!,
      addresses: dedupeAddresses([input.primaryEmail, ...(input.aliases ?? [])]),
      groups: [STANDARD_GROUP, ...groups[index]!],
      image: images[index],
    }));
    await this.users.insert(tx, users, { at, by: actor.userId });
    await this.users.insertAddresses(tx, users, { reveal: actor.seesAllContexts });
    const credentials = users.flatMap(({ id, hash }) => (hash === undefined ? [] : [{ id, hash }]));
    await this.users.setCredentials(tx, credentials, { mustChange: false, at });
    await this.invitations.insert(
      tx,
      users.flatMap(({ id: userId, invitation }) => (invitation ? [{ userId, ...invitation }] : [])),
    );
    await this.storedImages.upsert(
      tx,
      users.flatMap(({ id: userId, image }) => (image ? [{ userId, image }] : [])),
      at,
    );
    const joined = [...new Set(groups.flat())];
    await this.requireGroups(tx, joined);
    await this.groups.addMemberships(
      tx,
      users.flatMap(({ id: userId, groups }) => groups.map((groupId) => ({ groupId, userId }))),
    );
    await this.groups.updateChangedAt(tx, [...COMMON_GROUPS, ...joined], at);
    const created = await this.users.listByIds(
      tx,
      users.map(({ id }) => id),
    );
    await this.recordAudit(
      tx,
      actor,
      'create',
      created.map((after) => ({ after })),
    );
    for (const { id: userId } of users) await tx.publish(identityEvents['user.created'], { userId });
    for (const groupId of joined) await tx.publish(identityEvents['group.changed'], { groupId });
    return created;
  }

  private async requireGroups(tx: Transaction, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const known = await this.groups.lockExisting(tx, ids);
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw GroupErrors.notFound(missing, tx.contextId);
  }

  /** Changes a user who is locked by the transaction. */
  async changeUser(
    tx: Transaction,
    before: UserRow,
    input: UserChange,
    options: { dropOld?: boolean },
    actor: Actor,
  ): Promise<UserRow> {
    requireNoNull(input, REQUIRED_FIELDS);
    if (input.enabled === false && before.isAdmin) throw ProvisioningErrors.administratorStays(before.id);
    requireFields(createFieldChecks(input));
    const addresses = this.resolveAddresses(before, input, options);
    const fields: UserFields = {
      name: input.name ?? before.name,
      enabled: input.enabled ?? before.enabled,
      displayName: input.displayName ?? before.displayName,
      givenName: input.givenName === undefined ? before.givenName : input.givenName,
      surname: input.surname ?? before.surname,
      primaryEmail: input.primaryEmail ?? before.primaryEmail,
      locale: input.locale ? normalizeLocale(input.locale) : before.locale,
      timeZone: input.timezone ? normalizeTimeZone(input.timezone) : before.timeZone,
      combination: before.combination,
      flags: before.flags,
      capabilitiesAdded: applyListChange(before.capabilitiesAdded, input.capabilities, 'add'),
      capabilitiesRemoved: applyListChange(before.capabilitiesRemoved, input.capabilities, 'remove'),
      quotaMb: input.quotaMb === undefined ? before.quotaMb : input.quotaMb,
      imap: mergeMailServer('imap', before.imap, input.imap),
      smtp: mergeMailServer('smtp', before.smtp, input.smtp),
      person: applyPerson(before.person, input),
    };
    const image = await this.images.fromBase64(input.image);
    return this.updateUser(tx, before, { fields, addresses, image }, actor);
  }

  /** Replaces the servers of the primary mail account of a user who is locked by the transaction. @throws PROV-0019 */
  setMailServers(tx: Transaction, before: UserRow, servers: MailServers, actor: Actor): Promise<UserRow> {
    const imap = mergeMailServer('imap', null, servers.imap);
    const smtp = mergeMailServer('smtp', null, servers.smtp);
    return this.updateUser(tx, before, { fields: { ...before, imap, smtp } }, actor);
  }

  /** Changes personal data; the further fields are replaced as a whole. */
  changePerson(
    tx: Transaction,
    before: UserRow,
    input: Pick<UserChange, 'displayName' | 'givenName' | 'surname' | 'locale' | 'timezone'>,
    { person, image }: { readonly person: UserRow['person']; readonly image?: AcceptedImage | null },
    actor: Actor,
  ): Promise<UserRow> {
    const fields: UserFields = {
      ...before,
      displayName: input.displayName ?? before.displayName,
      givenName: input.givenName === undefined ? before.givenName : input.givenName,
      surname: input.surname ?? before.surname,
      locale: input.locale ? normalizeLocale(input.locale) : before.locale,
      timeZone: input.timezone ? normalizeTimeZone(input.timezone) : before.timeZone,
      person,
    };
    return this.updateUser(tx, before, { fields, image }, actor);
  }

  /** Sets the module access of a user who is locked by the transaction. */
  async setAccess(
    tx: Transaction,
    before: UserRow,
    context: Access,
    input: AccessInput,
    actor: Actor,
  ): Promise<UserRow> {
    const named = await this.loadCombinations(tx, input);
    // Flags of the user's own that the context has not may stay; further ones are refused.
    requireWithin(applyAccess(input, reduceAccess(before, context), named), context);
    return this.writeAccess(tx, before, applyAccess(input, before, named), actor);
  }

  /** Loads combinations, only where the input names one. */
  private loadCombinations(tx: Transaction, input: AccessInput | undefined): Promise<Combinations> | undefined {
    return input?.combination
      ? this.combinations.listAll(tx.acrossContexts('combinations belong to the installation'))
      : undefined;
  }

  /** Writes module access that was checked already. */
  async writeAccess(tx: Transaction, before: UserRow, access: Access, actor: Actor): Promise<UserRow> {
    if (before.isAdmin) requireAdminAccess(access);
    const fields = { ...before, combination: access.combination, flags: [...access.flags] };
    return this.updateUser(tx, before, { fields }, actor);
  }

  /** Sets the password of a user. */
  async setPassword(
    tx: Transaction,
    userId: number,
    hash: string,
    mustChange: boolean,
    actor: Actor & PasswordChangeOrigin,
  ): Promise<void> {
    const user = await this.users.lock(tx, userId);
    await this.users.setCredential(tx, userId, { hash, mustChange, at: this.clock.now() });
    await this.invitations.delete(tx, userId);
    await this.appPasswords.clearSealedPasswords(tx, userId);
    await this.history.recordChange(tx, userId, actor);
    await this.audit.insert(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action: 'password',
      kind: 'user',
      objectId: user.id,
    });
  }

  /** Whether a number is that of another user; there are larger numbers than users can have. */
  private async isOther(tx: Transaction, id: number, userId: number): Promise<boolean> {
    return id !== userId && id <= MAX_ENTITY_ID && (await this.users.findById(tx, id)) !== undefined;
  }

  /**
   * Removes a user; shared data passes to `reassignTo`, or is removed too when absent. Links and invitations of the user end now,
   * also where another user gets what they lead to; modules take back the rights that they gave.
   * @returns ids of the guests who went
   */
  async removeUser(tx: Transaction, userId: number, reassignTo: number | undefined, actor: Actor): Promise<number[]> {
    const user = await this.users.lock(tx, userId);
    if (user.isAdmin) throw ProvisioningErrors.administratorStays(userId);
    if (reassignTo !== undefined && !(await this.isOther(tx, reassignTo, userId)))
      throw DirectoryErrors.userNotFound(reassignTo, tx.contextId);
    const at = this.clock.now();
    await this.users.delete(tx, userId, at);
    await this.groups.updateChangedAt(tx, user.groups, at);
    await this.recordAudit(tx, actor, 'delete', [{ before: user }]);
    await this.resources.removePrivileges(tx, userId, false);
    await tx.publish(identityEvents['user.deleting'], reassignTo === undefined ? { userId } : { userId, reassignTo });
    const guests = await this.guests.deleteByCreator(tx, userId);
    for (const guest of guests) await tx.publish(identityEvents['user.deleting'], { userId: guest });
    for (const groupId of user.groups)
      if (groupId !== ALL_USERS) await tx.publish(identityEvents['group.changed'], { groupId });
    return guests;
  }

  private resolveAddresses(before: UserRow, input: UserChange, options: { dropOld?: boolean }): string[] | undefined {
    const primary = input.primaryEmail ?? before.primaryEmail;
    if (input.aliases === null) return [primary];
    if (input.aliases) {
      if (!input.aliases.some((alias) => isSameAddress(alias, primary))) {
        // A new primary address becomes an alias, too; an unchanged one must not be missing.
        if (input.primaryEmail === undefined) throw ProvisioningErrors.primaryAddressStays(primary);
      }
      return dedupeAddresses([primary, ...input.aliases]);
    }
    if (input.primaryEmail === undefined) return undefined;
    const kept = options.dropOld
      ? before.aliases.filter((alias) => !isSameAddress(alias, before.primaryEmail))
      : before.aliases;
    return dedupeAddresses([primary, ...kept]);
  }

  private async updateUser(
    tx: Transaction,
    before: UserRow,
    { fields, addresses, image }: UserWrite,
    actor: Actor,
  ): Promise<UserRow> {
    const at = this.clock.now();
    await this.users.update(tx, before.id, fields, { at, by: actor.userId });
    if (image) await this.storedImages.upsert(tx, [{ userId: before.id, image }], at);
    if (image === null) await this.storedImages.delete(tx, before.id);
    if (addresses) await this.users.setAddresses(tx, before.id, addresses, { reveal: actor.seesAllContexts });
    if (fields.enabled !== before.enabled) await this.groups.updateChangedAt(tx, [ALL_USERS], at);
    const after = await this.users.get(tx, before.id);
    await this.recordAudit(tx, actor, 'change', [{ before, after }]);
    await tx.publish(identityEvents['user.changed'], { userId: before.id });
    return after;
  }

  private async recordAudit(
    tx: Transaction,
    actor: Actor,
    action: string,
    changes: readonly { readonly before?: UserRow; readonly after?: UserRow }[],
  ): Promise<void> {
    await this.audit.insert(
      tx,
      ...changes.map(({ before, after }) => ({
        at: this.clock.now(),
        actor: actor.name,
        action,
        kind: 'user' as const,
        objectId: (after ?? before)!.id,
        ...(before ? { before: toUserView(before) } : {}),
        ...(after ? { after: toUserView(after) } : {}),
      })),
    );
  }
}
