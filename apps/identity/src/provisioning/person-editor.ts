import { Injectable } from '@nestjs/common';
import {
  DIRECTORY_RIGHTS,
  recordCheck,
  isCatalogueError,
  ContactErrors,
  contactIdOfUser,
  DirectoryErrors,
  fieldsOf,
  findControlCharacter,
  INTERNAL_USER_EDIT,
  PersonData,
  ProvisioningErrors,
  RequestErrors,
  type UserChanges,
  type UserPrincipal,
  type UserUpdateQuery,
} from '@groupware/contracts';
import { ModuleDatabase, type Reader } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { Cascade } from '../configuration/cascade';
import { PropertyRepository } from '../configuration/property.repository';
import { toUserActor } from '../directory/entity-views';
import { parseEntityId } from '../domain/entity-id';
import type { AcceptedImage } from '../domain/user-image';
import { ContextRepository } from '../persistence/context.repository';
import { GuestRepository } from '../persistence/guest.repository';
import { UserRepository, type UserRow } from '../persistence/user.repository';
import { ChangeNotifier } from './change-notifier';
import { UserEditor } from './user-editor';

/** Fields with columns of their own; the first mail address belongs to the account and stays. */
const OWN_COLUMNS: ReadonlySet<string> = new Set(['display_name', 'first_name', 'last_name', 'email1']);
/** The same of guests. */
const OWN_COLUMNS_OF_GUESTS: ReadonlySet<string> = new Set(['display_name', 'email1']);

/** Fields of the account, which are no part of the contact of a user. */
const PREFERENCES: ReadonlySet<string> = new Set(['locale', 'timezone']);

/** Applies changes to the further fields of a person: null removes one. */
function applyPersonChanges(before: UserRow['person'], body: UserChanges, ownColumns = OWN_COLUMNS): UserRow['person'] {
  const after: Record<string, string | number> = { ...before };
  const names = [
    ...fieldsOf(PersonData).map(({ property }) => property),
    'categories',
    'color_label',
    'default_address',
  ];
  for (const name of names) {
    if (ownColumns.has(name)) continue;
    const value = (body as Record<string, string | number | null | undefined>)[name];
    if (value === undefined) continue;
    if (value === null || value === '') delete after[name];
    else after[name] = value;
  }
  return after;
}

/** Refuses to remove required fields, and to change those of the account. */
function requireRemainingFields({ id, primaryEmail }: Pick<UserRow, 'id' | 'primaryEmail'>, body: UserChanges): void {
  const { display_name, last_name, email1, locale, timezone }: { [K in keyof UserChanges]: UserChanges[K] | null } =
    body;
  const isRemoved = (value: string | null | undefined): boolean => value === null || value === '';
  if (isRemoved(display_name)) throw ContactErrors.displayNameMissing();
  if (isRemoved(last_name)) throw ContactErrors.lastNameMissing();
  if (isRemoved(locale)) throw DirectoryErrors.notALocale(locale);
  if (isRemoved(timezone)) throw DirectoryErrors.notATimeZone(timezone);
  if (email1 !== undefined && email1?.toLowerCase() !== primaryEmail.toLowerCase())
    throw ContactErrors.primaryAddressStays(id);
}

/** Refuses control characters (CON-0168). */
function requireCharacters(body: UserChanges): void {
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    const bad = typeof value === 'string' ? findControlCharacter(value) : undefined;
    if (bad !== undefined) throw ContactErrors.badCharacter(bad, name);
  }
}

/** Changes of personal data, by users themselves and by administrators. */
@Injectable()
export class PersonEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly users: UserRepository,
    private readonly contexts: ContextRepository,
    private readonly properties: PropertyRepository,
    private readonly cascade: Cascade,
    private readonly editor: UserEditor,
    private readonly notifier: ChangeNotifier,
    private readonly guests: GuestRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes a person.
   * @param image null removes the picture, undefined leaves it
   * @returns stamp of the change, ms UTC
   * @throws USR-0010, SVL-0016, SVL-0017, USR-0023, USR-0024, CON-0166, CON-0167, CON-0168, CON-0173, CON-0175,
   * CON-0176
   */
  async changePerson(
    principal: UserPrincipal,
    query: UserUpdateQuery,
    body: UserChanges,
    image: AcceptedImage | null | undefined,
  ): Promise<number> {
    const userId = parseEntityId(query.id);
    if (userId === undefined) throw DirectoryErrors.userNotFound(query.id, principal.contextId);
    requireCharacters(body);
    if (principal.guest) return this.changeGuest(principal, userId, query, body);
    const changed = await this.database.transact(principal, async (tx) => {
      const before = await this.users.lock(tx, userId);
      recordCheck(DIRECTORY_RIGHTS.editPerson);
      const isAdmin = (await this.contexts.get(tx)).adminUserId === principal.userId;
      if (userId !== principal.userId && !isAdmin) throw RequestErrors.noModulePermission('user');
      const changesContact = image !== undefined || Object.keys(body).some((name) => !PREFERENCES.has(name));
      if (userId === principal.userId && changesContact) await this.requireOwnEdit(tx, userId);
      if (before.changedAt > query.timestamp) throw RequestErrors.changedInTheMeantime();
      requireRemainingFields(before, body);
      const change = {
        ...(body.display_name ? { displayName: body.display_name } : {}),
        ...(body.first_name === undefined ? {} : { givenName: body.first_name }),
        ...(body.last_name ? { surname: body.last_name } : {}),
        ...(body.locale ? { locale: body.locale } : {}),
        ...(body.timezone ? { timezone: body.timezone } : {}),
      };
      const written = { person: applyPersonChanges(before.person, body), image };
      return this.editor.changePerson(tx, before, change, written, toUserActor(principal)).catch((error: unknown) => {
        if (!isCatalogueError(error, ProvisioningErrors.displayNameTaken)) throw error;
        throw ContactErrors.displayNameTaken(body.display_name);
      });
    });
    await this.notifier.notifyUsersChanged(principal.contextId, [userId]);
    await this.notifier.refreshContacts(principal.contextId, [userId]);
    return changed.changedAt;
  }

  /** Changes what a named guest tells of himself. Language and time zone are those of his session. */
  private async changeGuest(
    principal: UserPrincipal,
    userId: number,
    { timestamp }: UserUpdateQuery,
    body: UserChanges,
  ): Promise<number> {
    recordCheck(DIRECTORY_RIGHTS.editPerson);
    const isOfSession = body.locale !== undefined || body.timezone !== undefined;
    const changed = await this.database.transact(principal, async (tx) => {
      const before = await this.guests.findById(tx, principal.userId);
      if (userId !== principal.userId || isOfSession || !before || before.email === null)
        throw RequestErrors.noModulePermission('user');
      requireRemainingFields({ id: userId, primaryEmail: before.email }, body);
      const displayName = body.display_name ?? before.displayName;
      const person = applyPersonChanges(before.person, body, OWN_COLUMNS_OF_GUESTS);
      const written =
        before.changedAt <= timestamp &&
        (await this.guests.setPerson(tx, { ...before, displayName, person }, this.clock.now()));
      if (!written) throw RequestErrors.changedInTheMeantime();
      return written;
    });
    this.notifier.notifyEntitiesChanged(principal.contextId, [userId]);
    return changed.changedAt;
  }

  /** Refuses users who may not change their own contact (CON-0176). */
  private async requireOwnEdit(db: Reader, userId: number): Promise<void> {
    const scoped = await this.properties.getEffective(db, userId);
    if (!this.cascade.value(INTERNAL_USER_EDIT, scoped)) throw ContactErrors.mustNotChange(contactIdOfUser(userId));
  }
}
