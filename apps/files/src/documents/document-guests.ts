import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  guests,
  InfostoreErrors,
  type DocumentPermission,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { createInvitationEntry, parseGuestContact, writeWithGuests, type GuestEntry } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { OBJECT_BITS } from '../domain/document';
import { SHARED_FILES, type NamedDocument } from '../domain/document-id';
import { DocumentLocks } from './document-locks';

/** Capability required to create links. */
const SHARE_LINKS = 'share_links';

/** Creates the new guests and links that the permissions of a document name. */
@Injectable()
export class DocumentGuests {
  constructor(
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly database: ModuleDatabase,
    private readonly locks: DocumentLocks,
  ) {}

  /**
   * Writes permissions with new guests, who are created before and removed again when the list is refused.
   * @param named undefined for a document that is about to exist
   * @throws IFO-0403, IFO-2100, IFO-2104, FLD-0072, SHR-0005, QUOTA-0003
   */
  async withGuests<T>(
    user: UserPrincipal,
    given: readonly DocumentPermission[] | null | undefined,
    named: NamedDocument | undefined,
    write: (permissions: DocumentPermission[] | null | undefined) => Promise<T>,
  ): Promise<T> {
    const wanted = (given ?? []).filter(isNewGuest);
    if (wanted.length === 0) return write(given && [...given]);
    if (named) await this.requireMayShare(user, named);
    const known = (given ?? []).filter((entry) => !isNewGuest(entry));
    const { written } = await writeWithGuests(
      {
        settle: (ids) => this.caller.call(guests.settle, { ...toOptions(user), query: { ids } }),
        remove: (ids) => this.caller.call(guests.remove, { ...toOptions(user), query: { ids } }),
      },
      wanted.map(
        (entry) => () =>
          entry.type === 'anonymous'
            ? this.createLinkEntry(user, entry, named)
            : this.createInvitationEntry(user, entry),
      ),
      (entries) => write([...known, ...entries.map(({ entity, bits }) => ({ entity, bits, group: false }))]),
    );
    return written;
  }

  private async createLinkEntry(
    user: UserPrincipal,
    { bits = OBJECT_BITS.read, password, expiry_date: expires }: DocumentPermission,
    named: NamedDocument | undefined,
  ): Promise<GuestEntry> {
    // A link names its document, which has no id before it is created.
    if (!named) throw InfostoreErrors.invalid('a link needs a document that is there');
    if (bits !== OBJECT_BITS.read) throw InfostoreErrors.badPermission(bits, 'anonymous');
    if (!user.capabilities.includes(SHARE_LINKS)) throw FolderErrors.mayNotShare(SHARED_FILES);
    const target = { module: 'infostore', item: named.id };
    const known = await this.caller.call(guests.link, { ...toOptions(user), query: target });
    const query = {
      ...target,
      password: password ?? undefined,
      expires: expires == null ? undefined : zoneOf(user).localToInstant(expires),
    };
    const { id } = known ?? (await this.caller.call(guests.createLink, { ...toOptions(user), query }));
    return { entity: id, bits, isNew: !known, isGuest: true };
  }

  /** A user when the address is one of the context, else a guest. */
  private async createInvitationEntry(
    user: UserPrincipal,
    {
      bits = OBJECT_BITS.read,
      email_address: address,
      display_name: displayName,
      password,
      ...rest
    }: DocumentPermission,
  ): Promise<GuestEntry> {
    if (!address) throw InfostoreErrors.invalid('an invitation names no address');
    // Guests choose their password and are removed with their permissions.
    if (password != null || rest.expiry_date != null) throw InfostoreErrors.invalid('guests have no password and end');
    if (bits > OBJECT_BITS.write) throw InfostoreErrors.badPermission(bits, address);
    const contact = parseGuestContact(rest, (field) => InfostoreErrors.invalid(`an invitation names no ${field}`));
    return createInvitationEntry(
      this.directory,
      user,
      { email: address, bits },
      () => FolderErrors.mayNotShare(SHARED_FILES),
      () => {
        const query = { email: address, displayName: displayName ?? undefined, contact };
        return this.caller.call(guests.invite, { ...toOptions(user), query });
      },
    );
  }

  private async requireMayShare(user: UserPrincipal, named: NamedDocument): Promise<void> {
    const { access } = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    if (!access.mayShare) throw InfostoreErrors.mustNotWrite(named.id);
  }
}

/** The zone of times that a user writes. */
const zoneOf = ({ timeZone }: UserPrincipal): ZoneOffsets => ZoneOffsets.forZone(resolveTimeZone(timeZone) ?? 'UTC');

const isNewGuest = ({ entity, type }: DocumentPermission): boolean =>
  entity == null && (type === 'guest' || type === 'anonymous');

const toOptions = (user: UserPrincipal) => ({
  principal: { kind: 'internal', service: 'files', contextId: user.contextId, user } as const,
});
