import type { CatalogueError, DirectoryGuest, GuestLink, OwnedPermission, UserPrincipal } from '@groupware/contracts';
import type { Directory } from '@groupware/directory';

/** A permission entry of a guest, or of a user named by address. */
export interface GuestEntry {
  readonly entity: number;
  readonly bits: number;
  /** Created for this list, and removed again when it is refused. */
  readonly isNew: boolean;
  /** A guest whom the list invites. */
  readonly isGuest: boolean;
}

/** Pin and end of a link; undefined leaves those of a known link, null removes them. Times: ms UTC. */
export interface LinkOptions {
  readonly password?: string | null;
  readonly expires?: number | null;
}

/** Pin and end that differ from those of a link; undefined where none does. */
export function getOptionChanges(link: GuestLink, { password, expires }: LinkOptions): LinkOptions | undefined {
  const changes = {
    ...(password !== undefined && (password ?? undefined) !== link.password && { password }),
    ...(expires !== undefined && expires !== link.expires && { expires }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/** The fates of guests after their list was written or refused. */
export interface GuestFates {
  settle(ids: number[]): Promise<unknown>;
  remove(ids: number[]): Promise<unknown>;
}

/**
 * Writes permissions with entries of guests, which are created before, one after the other, and removed again when the list is
 * refused. Answers what was written, and the guests of the entries.
 */
export async function writeWithGuests<T>(
  fates: GuestFates,
  creations: readonly (() => Promise<GuestEntry>)[],
  write: (entries: readonly GuestEntry[]) => Promise<T>,
): Promise<{ readonly written: T; readonly guests: number[] }> {
  const entries: GuestEntry[] = [];
  try {
    for (const create of creations) entries.push(await create());
    const written = await write(entries);
    const guests = entries.flatMap(({ entity, isGuest }) => (isGuest ? [entity] : []));
    if (guests.length > 0) await fates.settle(guests);
    return { written, guests };
  } catch (error) {
    const created = entries.flatMap(({ entity, isNew }) => (isNew ? [entity] : []));
    if (created.length > 0) await fates.remove(created);
    throw error;
  }
}

/** An invitation by mail address, and the list as it is stored: undefined before there is one. */
export interface InvitationEntryInput {
  readonly email: string;
  readonly bits: number;
  readonly stored: readonly Pick<OwnedPermission, 'entity' | 'group'>[] | undefined;
}

/**
 * Creates the entry of an invitation: of a user when the address is one of the context, else of a guest. A guest of another user
 * who has the address and stands in the list stays the only one there.
 * @param refusal error for users who may not invite, and for addresses of others than users
 */
export async function createInvitationEntry(
  directory: Directory,
  user: UserPrincipal,
  { email, bits, stored = [] }: InvitationEntryInput,
  refusal: () => CatalogueError,
  invite: () => Promise<{ readonly id: number; readonly isNew: boolean }>,
): Promise<GuestEntry> {
  const known = (await directory.findByAddresses(user, [email])).get(email.toLowerCase());
  if (known?.kind === 'user') return { entity: known.id, bits, isNew: false, isGuest: false };
  if (known || !user.capabilities.includes(INVITE_GUESTS)) throw refusal();
  const listed = await listGuestsOfAddress(directory, user, email, stored);
  if (listed.length > 0 && !listed.some(({ createdBy }) => createdBy === user.userId))
    return { entity: listed[0]!.id, bits, isNew: false, isGuest: false };
  const { id, isNew } = await invite();
  return { entity: id, bits, isNew, isGuest: true };
}

/** Lists the guests of a permission list who have a mail address. */
async function listGuestsOfAddress(
  directory: Directory,
  user: UserPrincipal,
  address: string,
  permissions: NonNullable<InvitationEntryInput['stored']>,
): Promise<DirectoryGuest[]> {
  const email = address.trim().toLowerCase();
  const entities = permissions.flatMap(({ entity, group }) => (group ? [] : [entity]));
  const known = await directory.getEntities(user, entities);
  return [...known.values()].flatMap((entity) => (entity.kind === 'guest' && entity.email === email ? [entity] : []));
}

/** Capability required to invite guests. */
const INVITE_GUESTS = 'invite_guests';

/** The contact from which a guest is chosen, of an entry that invites him; undefined where it names none. */
export function parseGuestContact(
  { contact_id: id, contact_folder: folder }: { readonly contact_id?: string; readonly contact_folder?: string },
  refuse: (missing: string) => CatalogueError,
): { readonly id: string; readonly folder: string } | undefined {
  if (!id && !folder) return undefined;
  if (!id || !folder) throw refuse(id ? 'contact_folder' : 'contact_id');
  return { id, folder };
}

/** The contact from which a user chose a guest, as the user's permission entries show it. */
export const toGuestContact = (
  { createdBy, contact }: DirectoryGuest,
  viewer: number,
): { contact_id?: string; contact_folder?: string } =>
  contact && createdBy === viewer ? { contact_id: contact.id, contact_folder: contact.folder } : {};
