import { Injectable } from '@nestjs/common';
import {
  DEFAULT_USER_TIME_ZONE,
  DirectoryErrors,
  GroupErrors,
  identityEvents,
  ProvisioningErrors,
  type CapabilityChange,
  type MailServers,
  type UserChange,
  type UserCreation,
  type UserDetails,
} from '@groupware/contracts';
import type { Transaction } from '@groupware/persistence';
import { AppPasswordRepository } from '../app-passwords/app-password.repository';
import { Clock } from '@groupware/service-kit';
import { applyAccess, checkWithin, type Access, type AccessInput, type Combinations } from '../domain/module-access';
import { changedMailServer } from '../domain/mail-server';
import { normalLocale, normalTimeZone } from '../domain/locale';
import type { AcceptedImage } from '../domain/user-image';
import { Passwords, importedHash, type HashPatience } from '../domain/passwords';
import { Cascade } from '../login/cascade';
import { AccessCombinationRepository } from '../persistence/access-combination.repository';
import { AuditRepository } from '../persistence/audit.repository';
import { ContextRepository, type ContextRow } from '../persistence/context.repository';
import { ALL_USERS, GroupRepository, STANDARD_GROUP } from '../persistence/group.repository';
import { InvitationRepository } from '../persistence/invitation.repository';
import { UserImageRepository } from '../persistence/user-image.repository';
import { UserRepository, type UserFields, type UserRow } from '../persistence/user.repository';
import type { Actor } from './actor';
import { PasswordHistory, type PasswordChangeOrigin } from './password-history';
import { UserImages } from './user-images';
import { expectNoNull } from './null-removes';
import { userView } from './views';

/** Locale of users who bring none. */
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

/** One list of the capabilities after a change: what is absent stays, null removes. */
function changedList(before: string[], change: UserDetails['capabilities'], list: keyof CapabilityChange): string[] {
  if (change === undefined || (change !== null && change[list] === undefined)) return before;
  return change?.[list] ?? [];
}

/** Addresses without repetition, case ignored; the first spelling stays. */
function distinct(addresses: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const address of addresses) if (!seen.has(address.toLowerCase())) seen.set(address.toLowerCase(), address);
  return [...seen.values()];
}

const sameAddress = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** What a change writes; what is absent stays. */
interface Written {
  readonly fields: UserFields;
  readonly addresses?: readonly string[];
  /** null removes it. */
  readonly image?: AcceptedImage | null;
}

/** Refuses access that is too little for the administrator of a context. @throws PROV-0008 */
export function expectAdminAccess({ flags }: Pick<Access, 'flags'>): void {
  if (ADMIN_ACCESS.some((flag) => !flags.includes(flag)))
    throw ProvisioningErrors.accessNotAllowed(`the administrator needs ${ADMIN_ACCESS.join(', ')}`);
}

/** Fields that every user has: null cannot remove them. */
const LASTING = ['name', 'enabled', 'displayName', 'surname', 'primaryEmail', 'locale', 'timezone'] as const;

/** A user to create: the hash comes from {@link UserEditor.credential}; who has none is invited, or cannot log in. */
export interface UserDraft {
  readonly input: UserCreation;
  readonly hash?: string;
  readonly invitation?: { readonly digest: Buffer; readonly expiresAt: number };
}

function newFields(
  input: UserCreation,
  context: Pick<ContextRow, 'combination' | 'flags'>,
  named: Combinations | undefined,
  defaultTimeZone: string,
): UserFields {
  const access = applyAccess(input.moduleAccess ?? {}, context, named);
  checkWithin(access, context);
  return {
    name: input.name,
    enabled: input.enabled ?? true,
    displayName: input.displayName ?? ([input.givenName, input.surname].filter(Boolean).join(' ') || input.name),
    givenName: input.givenName ?? null,
    surname: input.surname,
    primaryEmail: input.primaryEmail,
    locale: input.locale ? normalLocale(input.locale) : DEFAULT_LOCALE,
    timeZone: normalTimeZone(input.timezone || defaultTimeZone),
    combination: access.combination,
    flags: [...access.flags],
    capabilitiesAdded: input.capabilities?.add ?? [],
    capabilitiesRemoved: input.capabilities?.remove ?? [],
    quotaMb: input.quotaMb ?? null,
    imap: changedMailServer('imap', null, input.imap),
    smtp: changedMailServer('smtp', null, input.smtp),
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
    private readonly images: UserImages,
    private readonly storedImages: UserImageRepository,
    private readonly cascade: Cascade,
  ) {}

  /** The hash to store for a new user; made before the transaction, because it takes long. */
  async credential(
    input: { password?: string | null; passwordHash?: string | null },
    patience?: HashPatience,
  ): Promise<string> {
    if (input.passwordHash) return importedHash(input.passwordHash);
    if (input.password) return this.passwords.hash(input.password, patience);
    throw ProvisioningErrors.invalidField('password', 'password or passwordHash is required');
  }

  /** Refuses a user who cannot be created whatever is stored. @throws PROV-0008, PROV-0009, PROV-0019, USR-0023, USR-0024 */
  expectCreatable(
    input: UserCreation,
    context: Pick<ContextRow, 'combination' | 'flags'>,
    combinations: Combinations,
  ): void {
    newFields(input, context, combinations, this.cascade.value(DEFAULT_USER_TIME_ZONE));
  }

  /** Creates a user. The credential comes from {@link credential}. */
  async create(
    tx: Transaction,
    context: Pick<ContextRow, 'combination' | 'flags'>,
    input: UserCreation,
    hash: string,
    actor: Actor,
  ): Promise<UserRow> {
    const [user] = await this.createMany(tx, context, [{ input, hash }], actor);
    return user!;
  }

  /**
   * Creates users with as many statements as one user takes. One that cannot be made fails all, and with several the error
   * does not always name the right one.
   */
  async createMany(
    tx: Transaction,
    context: Pick<ContextRow, 'combination' | 'flags'>,
    drafts: readonly UserDraft[],
    actor: Actor,
  ): Promise<UserRow[]> {
    const at = this.clock.now();
    const named = await this.named(tx, drafts.find(({ input }) => input.moduleAccess?.combination)?.input.moduleAccess);
    const zone = this.cascade.value(DEFAULT_USER_TIME_ZONE);
    const fields = drafts.map(({ input }) => newFields(input, context, named, zone));
    const groups = drafts.map(({ input }) =>
      (input.groups ?? []).filter((id) => id !== ALL_USERS && id !== STANDARD_GROUP),
    );
    const images = await Promise.all(drafts.map(({ input }) => this.images.fromBase64(input.image)));
    const first = await this.contexts.takeEntityIds(tx, drafts.length);
    const users = drafts.map(({ input, hash, invitation }, index) => ({
      id: first + index,
      hash,
      invitation,
      fields: fields[index]!,
      addresses: distinct([input.primaryEmail, ...(input.aliases ?? [])]),
      groups: [STANDARD_GROUP, ...groups[index]!],
      image: images[index],
    }));
    await this.users.insert(tx, users, { at, by: actor.userId });
    await this.users.addAddresses(tx, users, { reveal: actor.seesAllContexts });
    const credentials = users.flatMap(({ id, hash }) => (hash === undefined ? [] : [{ id, hash }]));
    await this.users.setCredentials(tx, credentials, { mustChange: false, at });
    await this.invitations.add(
      tx,
      users.flatMap(({ id: userId, invitation }) => (invitation ? [{ userId, ...invitation }] : [])),
    );
    await this.storedImages.set(
      tx,
      users.flatMap(({ id: userId, image }) => (image ? [{ userId, image }] : [])),
      at,
    );
    const joined = [...new Set(groups.flat())];
    await this.expectGroups(tx, joined);
    await this.groups.addMemberships(
      tx,
      users.flatMap(({ id: userId, groups }) => groups.map((groupId) => ({ groupId, userId }))),
    );
    if (joined.length > 0) await this.groups.touch(tx, joined, at);
    const created = await this.users.byIds(
      tx,
      users.map(({ id }) => id),
    );
    await this.note(
      tx,
      actor,
      'create',
      created.map((after) => ({ after })),
    );
    for (const { id: userId } of users) await tx.publish(identityEvents['user.created'], { userId });
    for (const groupId of joined) await tx.publish(identityEvents['group.changed'], { groupId });
    return created;
  }

  private async expectGroups(tx: Transaction, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const known = await this.groups.existing(tx, ids);
    const missing = ids.find((id) => !known.has(id));
    if (missing !== undefined) throw GroupErrors.notFound(missing, tx.contextId);
  }

  /** Changes a user who is locked by the transaction. */
  async change(
    tx: Transaction,
    before: UserRow,
    input: UserChange,
    options: { dropOld?: boolean },
    actor: Actor,
  ): Promise<UserRow> {
    expectNoNull(input, LASTING);
    if (input.enabled === false && before.isAdmin) throw ProvisioningErrors.administratorStays(before.id);
    const addresses = this.addresses(before, input, options);
    const fields: UserFields = {
      name: input.name ?? before.name,
      enabled: input.enabled ?? before.enabled,
      displayName: input.displayName ?? before.displayName,
      givenName: input.givenName === undefined ? before.givenName : input.givenName,
      surname: input.surname ?? before.surname,
      primaryEmail: input.primaryEmail ?? before.primaryEmail,
      locale: input.locale ? normalLocale(input.locale) : before.locale,
      timeZone: input.timezone ? normalTimeZone(input.timezone) : before.timeZone,
      combination: before.combination,
      flags: before.flags,
      capabilitiesAdded: changedList(before.capabilitiesAdded, input.capabilities, 'add'),
      capabilitiesRemoved: changedList(before.capabilitiesRemoved, input.capabilities, 'remove'),
      quotaMb: input.quotaMb === undefined ? before.quotaMb : input.quotaMb,
      imap: changedMailServer('imap', before.imap, input.imap),
      smtp: changedMailServer('smtp', before.smtp, input.smtp),
      person: applyPerson(before.person, input),
    };
    const image = await this.images.fromBase64(input.image);
    return this.write(tx, before, { fields, addresses, image }, actor);
  }

  /** Replaces the servers of the primary mail account of a user who is locked by the transaction. @throws PROV-0019 */
  setMailServers(tx: Transaction, before: UserRow, servers: MailServers, actor: Actor): Promise<UserRow> {
    const imap = changedMailServer('imap', null, servers.imap);
    const smtp = changedMailServer('smtp', null, servers.smtp);
    return this.write(tx, before, { fields: { ...before, imap, smtp } }, actor);
  }

  /** Changes what users may change of a person, and the further fields, which are given whole. */
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
      locale: input.locale ? normalLocale(input.locale) : before.locale,
      timeZone: input.timezone ? normalTimeZone(input.timezone) : before.timeZone,
      person,
    };
    return this.write(tx, before, { fields, image }, actor);
  }

  /** Sets the module access of a user who is locked by the transaction. */
  async setAccess(
    tx: Transaction,
    before: UserRow,
    context: Access,
    input: AccessInput,
    actor: Actor,
  ): Promise<UserRow> {
    const access = applyAccess(input, before, await this.named(tx, input));
    checkWithin(access, context);
    return this.writeAccess(tx, before, access, actor);
  }

  /** Named sets of flags; asked for only where one is named. */
  private named(tx: Transaction, input: AccessInput | undefined): Promise<Combinations> | undefined {
    return input?.combination ? this.combinations.named(tx) : undefined;
  }

  /** Writes module access that was checked already. */
  async writeAccess(tx: Transaction, before: UserRow, access: Access, actor: Actor): Promise<UserRow> {
    if (before.isAdmin) expectAdminAccess(access);
    const fields = { ...before, combination: access.combination, flags: [...access.flags] };
    return this.write(tx, before, { fields }, actor);
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
    await this.invitations.remove(tx, userId);
    await this.appPasswords.forgetOwnPassword(tx, userId);
    await this.history.note(tx, userId, actor);
    await this.audit.add(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action: 'password',
      kind: 'user',
      objectId: user.id,
    });
  }

  /** Removes a user; shared data goes to `reassignTo`, or away too when that is absent. */
  async remove(tx: Transaction, userId: number, reassignTo: number | undefined, actor: Actor): Promise<void> {
    const user = await this.users.lock(tx, userId);
    if (user.isAdmin) throw ProvisioningErrors.administratorStays(userId);
    if (reassignTo !== undefined && (reassignTo === userId || !(await this.users.find(tx, reassignTo))))
      throw DirectoryErrors.userNotFound(reassignTo, tx.contextId);
    await this.users.remove(tx, userId, this.clock.now());
    await this.note(tx, actor, 'delete', [{ before: user }]);
    await tx.publish(identityEvents['user.deleting'], reassignTo === undefined ? { userId } : { userId, reassignTo });
    for (const groupId of user.groups)
      if (groupId !== ALL_USERS) await tx.publish(identityEvents['group.changed'], { groupId });
  }

  private addresses(before: UserRow, input: UserChange, options: { dropOld?: boolean }): string[] | undefined {
    const primary = input.primaryEmail ?? before.primaryEmail;
    if (input.aliases === null) return [primary];
    if (input.aliases) {
      if (!input.aliases.some((alias) => sameAddress(alias, primary))) {
        // A new primary address joins the aliases by itself; the one that stays must not be left out.
        if (input.primaryEmail === undefined) throw ProvisioningErrors.primaryAddressStays(primary);
      }
      return distinct([primary, ...input.aliases]);
    }
    if (input.primaryEmail === undefined) return undefined;
    const kept = options.dropOld
      ? before.aliases.filter((alias) => !sameAddress(alias, before.primaryEmail))
      : before.aliases;
    return distinct([primary, ...kept]);
  }

  private async write(
    tx: Transaction,
    before: UserRow,
    { fields, addresses, image }: Written,
    actor: Actor,
  ): Promise<UserRow> {
    const at = this.clock.now();
    await this.users.update(tx, before.id, fields, { at, by: actor.userId });
    if (image) await this.storedImages.set(tx, [{ userId: before.id, image }], at);
    if (image === null) await this.storedImages.remove(tx, before.id);
    if (addresses) await this.users.setAddresses(tx, before.id, addresses, { reveal: actor.seesAllContexts });
    const after = await this.users.get(tx, before.id);
    await this.note(tx, actor, 'change', [{ before, after }]);
    await tx.publish(identityEvents['user.changed'], { userId: before.id });
    return after;
  }

  private async note(
    tx: Transaction,
    actor: Actor,
    action: string,
    changes: readonly { readonly before?: UserRow; readonly after?: UserRow }[],
  ): Promise<void> {
    await this.audit.add(
      tx,
      ...changes.map(({ before, after }) => ({
        at: this.clock.now(),
        actor: actor.name,
        action,
        kind: 'user' as const,
        objectId: (after ?? before)!.id,
        ...(before ? { before: userView(before) } : {}),
        ...(after ? { after: userView(after) } : {}),
      })),
    );
  }
}
