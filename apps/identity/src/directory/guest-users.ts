import { Injectable } from '@nestjs/common';
import { DIRECTORY_RIGHTS, recordCheck, waiveCheck, type UserData, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { GuestRepository, type Guest } from '../persistence/guest.repository';
import { PUBLIC_COLUMNS } from '../persistence/user.columns';

/** Virtual folder of the contacts of guests. */
const GUEST_CONTACTS = 16;

/** Reads guests as users. */
@Injectable()
export class GuestUsers {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly guests: GuestRepository,
  ) {}

  /** Whom the guest of a session sees: himself, and who invited him or made his link. */
  async listVisible(principal: UserPrincipal): Promise<Set<number>> {
    const guest = await this.database.read(principal, (db) => this.guests.findById(db, principal.userId));
    return new Set(guest ? [guest.id, guest.createdBy] : []);
  }

  /** The guest of a session as an object without empty fields; undefined for one who is gone. */
  async findUserData(principal: UserPrincipal): Promise<UserData | undefined> {
    waiveCheck(DIRECTORY_RIGHTS.seeUser, 'guests see themselves');
    const { userId, email, login, locale, timeZone, groups } = principal;
    const guest = await this.database.read(principal, (db) => this.guests.findById(db, userId));
    if (!guest) return undefined;
    const account: UserData = {
      id: String(userId),
      created_by: String(guest.createdBy),
      // Guests have the zone UTC, in which times are what they are.
      last_modified: guest.changedAt,
      last_modified_utc: guest.changedAt,
      folder_id: String(GUEST_CONTACTS),
      private_flag: false,
      display_name: guest.displayName || undefined,
      email1: email || undefined,
      user_id: userId,
      aliases: email === '' ? [] : [email],
      timezone: timeZone,
      locale,
      groups: [...groups],
      login_info: login,
      guest_created_by: guest.createdBy,
    };
    return Object.assign({}, guest.person, account);
  }

  /** Finds those of some ids that are named guests whom a user invited, by id: their names and address, without empty fields. */
  async findInvited(principal: UserPrincipal, ids: readonly number[]): Promise<Map<number, UserData>> {
    recordCheck(DIRECTORY_RIGHTS.seeUser);
    if (ids.length === 0) return new Map();
    const found = await this.database.read(principal, (db) => this.guests.listByIds(db, ids));
    const invited = found.filter(({ email, createdBy }) => email !== null && createdBy === principal.userId);
    return new Map(invited.map((guest) => [guest.id, toInvitedData(guest)]));
  }
}

/** A guest as who invited him sees him. */
function toInvitedData({ id, email, displayName, createdBy, changedAt, person }: Guest): UserData {
  const names = Object.entries(person).filter(([property]) => PUBLIC_COLUMNS.has(property));
  const account: UserData = {
    id: String(id),
    last_modified_utc: changedAt,
    folder_id: String(GUEST_CONTACTS),
    private_flag: false,
    display_name: displayName,
    email1: email ?? undefined,
    user_id: id,
    guest_created_by: createdBy,
  };
  return Object.assign(Object.fromEntries(names), account);
}
