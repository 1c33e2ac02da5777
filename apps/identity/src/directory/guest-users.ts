import { Injectable } from '@nestjs/common';
import { DIRECTORY_RIGHTS, waiveCheck, type UserData, type UserPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { GuestRepository } from '../persistence/guest.repository';

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
      display_name: guest.displayName,
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
}
