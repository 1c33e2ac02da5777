import { Injectable } from '@nestjs/common';
import {
  FolderErrors,
  guests,
  InfostoreErrors,
  type DocumentPermission,
  type GuestLink,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import {
  createInvitationEntry,
  getOptionChanges,
  parseGuestContact,
  writeWithGuests,
  type GuestEntry,
  type LinkOptions,
} from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import type { ZoneOffsets } from '@groupware/recurrence';
import { OBJECT_BITS, type Document } from '../domain/document';
import { SHARED_FILES, type NamedDocument } from '../domain/document-id';
import { zoneOf } from '../domain/request-zone';
import { DocumentLocks } from './document-locks';

/** Capability required to create links. */
const SHARE_LINKS = 'share_links';

/** A document whose permissions are written, and the zone of the times in them. */
interface PermissionTarget {
  /** `reserve`: the document is about to exist, and its link needs its id before */
  readonly of: NamedDocument | { readonly reserve: () => Promise<number> };
  readonly timezone?: string | undefined;
}

/** The link of a document with the pin and end that its permissions give it. */
interface ListedLink {
  readonly link: GuestLink;
  readonly options: LinkOptions;
}

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
   * Writes permissions with new guests, who are created before and removed again when the list is refused; a known link gets its
   * pin and end after. The stamp of what was written is that of the link where this is newer.
   * @throws SVL-0010, IFO-0403, IFO-2100, IFO-2104, FLD-0072, SHR-0005, QUOTA-0003
   */
  async withGuests<T extends { readonly timestamp: number }>(
    user: UserPrincipal,
    given: readonly DocumentPermission[] | null | undefined,
    { of, timezone }: PermissionTarget,
    write: (permissions: DocumentPermission[] | null | undefined, id?: number) => Promise<T>,
  ): Promise<T> {
    const zone = zoneOf(user, timezone);
    const wanted = (given ?? []).filter(isNewGuest);
    const known = (given ?? []).filter((entry) => !isNewGuest(entry));
    const told = known.filter(tellsOptions);
    // A document has one link.
    if (wanted.filter(({ type }) => type === 'anonymous').length > 1)
      throw InfostoreErrors.invalid('a document has one link');
    if (wanted.length === 0 && told.length === 0) return write(given && [...given]);
    const document = 'reserve' in of ? undefined : await this.requireShareable(user, of);
    let listed = document && told.length > 0 ? await this.findListedLink(user, document, told, zone) : undefined;
    let reserved: number | undefined;
    const prepareLink = async (entry: DocumentPermission): Promise<GuestEntry> => {
      requireMayMake(user, entry);
      if ('reserve' in of) reserved ??= await of.reserve();
      const { isNew, ...link } = await this.prepareLink(user, entry, document ?? { id: reserved! }, zone);
      listed = link;
      return { entity: link.link.id, bits: OBJECT_BITS.read, isNew, isGuest: true };
    };
    const { written } = await writeWithGuests(
      {
        settle: (ids) => this.caller.call(guests.settle, { ...toOptions(user), query: { ids } }),
        remove: (ids) => this.caller.call(guests.remove, { ...toOptions(user), query: { ids } }),
      },
      wanted.map(
        (entry) => () =>
          entry.type === 'anonymous' ? prepareLink(entry) : this.createInvitationEntry(user, entry, document),
      ),
      (entries) => write([...known, ...entries.map(({ entity, bits }) => ({ entity, bits, group: false }))], reserved),
    );
    const stamp = listed ? await this.writeOptions(user, listed) : 0;
    return { ...written, timestamp: Math.max(written.timestamp, stamp) };
  }

  /**
   * Finds or creates the link that a permission names without its guest.
   * @param document its id alone when it is about to exist
   */
  private async prepareLink(
    user: UserPrincipal,
    entry: DocumentPermission,
    document: Document | Pick<Document, 'id'>,
    zone: ZoneOffsets,
  ): Promise<ListedLink & { readonly isNew: boolean }> {
    const options = parseLinkOptions(entry, zone);
    if ('permissions' in document) {
      const known = await this.findLink(user, document);
      if (known && hasLink(document, known)) return { link: known, options, isNew: false };
      // A link without permissions was withdrawn: its address must not become valid again. One newer than the document as read is
      // being created by a concurrent call, which must not lose it.
      if (known && known.changed < document.lastModified)
        await this.caller.call(guests.remove, { ...toOptions(user), query: { ids: [known.id] } });
    }
    const { password, expires } = options;
    const query = { ...toTarget(document), password: password ?? undefined, expires: expires ?? undefined };
    return { link: await this.caller.call(guests.createLink, { ...toOptions(user), query }), options, isNew: true };
  }

  /** Finds the link of a document among permissions that name their guests; undefined where none is its guest. */
  private async findListedLink(
    user: UserPrincipal,
    document: Document,
    told: readonly DocumentPermission[],
    zone: ZoneOffsets,
  ): Promise<ListedLink | undefined> {
    const link = await this.findLink(user, document);
    const entry = told.find(({ entity }) => entity === link?.id);
    if (!link || !entry) return undefined;
    const options = parseLinkOptions(entry, zone);
    if (getOptionChanges(link, options)) requireMayLink(user);
    return { link, options };
  }

  /** Gives a link its pin and end, where they differ; answers its stamp. */
  private async writeOptions(user: UserPrincipal, { link, options }: ListedLink): Promise<number> {
    const changes = getOptionChanges(link, options);
    if (!changes) return link.changed;
    const query = { id: link.id, ...changes };
    const changed = await this.caller.call(guests.changeLink, { ...toOptions(user), query });
    // Ended meanwhile.
    return changed?.changed ?? 0;
  }

  private findLink(user: UserPrincipal, document: Document): Promise<GuestLink | null> {
    return this.caller.call(guests.link, { ...toOptions(user), query: toTarget(document) });
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
    document: Document | undefined,
  ): Promise<GuestEntry> {
    if (!address) throw InfostoreErrors.invalid('an invitation names no address');
    // Guests choose their password and are removed with their permissions.
    if (password != null || rest.expiry_date != null) throw InfostoreErrors.invalid('guests have no password and end');
    if (bits > OBJECT_BITS.write) throw InfostoreErrors.badPermission(bits, address);
    const contact = parseGuestContact(rest, (field) => InfostoreErrors.invalid(`an invitation names no ${field}`));
    return createInvitationEntry(
      this.directory,
      user,
      { email: address, bits, stored: document?.permissions },
      () => FolderErrors.mayNotShare(SHARED_FILES),
      () => {
        const query = { email: address, displayName: displayName ?? undefined, contact };
        return this.caller.call(guests.invite, { ...toOptions(user), query });
      },
    );
  }

  private async requireShareable(user: UserPrincipal, named: NamedDocument): Promise<Document> {
    const { document, access } = await this.database.read(user, (db) => this.locks.requireReadable(db, user, named));
    if (!access.mayShare) throw InfostoreErrors.mustNotWrite(named.id);
    return document;
  }
}

/** Pin and end that a permission gives a link. */
const parseLinkOptions = ({ password, expiry_date: end }: DocumentPermission, zone: ZoneOffsets): LinkOptions => ({
  password,
  expires: end == null ? end : zone.localToInstant(end),
});

/** Refuses who may not make links. @throws FLD-0072 */
function requireMayLink({ capabilities }: UserPrincipal): void {
  if (!capabilities.includes(SHARE_LINKS)) throw FolderErrors.mayNotShare(SHARED_FILES);
}

/** Refuses the permission of a new link. @throws IFO-2104, FLD-0072 */
function requireMayMake(user: UserPrincipal, { bits = OBJECT_BITS.read }: DocumentPermission): void {
  if (bits !== OBJECT_BITS.read) throw InfostoreErrors.badPermission(bits, 'anonymous');
  requireMayLink(user);
}

/** Target that the guest of a link is kept by. */
const toTarget = ({ id }: Pick<Document, 'id'>) => ({ module: 'infostore', item: id });

const hasLink = ({ permissions }: Document, { id }: GuestLink): boolean =>
  permissions.some(({ entity, group }) => !group && entity === id);

/** Whether a permission of a known guest tells a pin or an end. */
const tellsOptions = ({ entity, group, type, password, expiry_date: end }: DocumentPermission): boolean =>
  entity != null && !group && (type == null || type === 'anonymous') && (password !== undefined || end !== undefined);

const isNewGuest = ({ entity, type }: DocumentPermission): boolean =>
  entity == null && (type === 'guest' || type === 'anonymous');

const toOptions = (user: UserPrincipal) => ({
  principal: { kind: 'internal', service: 'files', contextId: user.contextId, user } as const,
});
