import { Injectable } from '@nestjs/common';
import { FolderErrors, guests, type OwnedPermission } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { VIEWER_RIGHTS } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { InvitationInput, PermissionsInput } from '../domain/folder-input';
import { Owners, type FolderRequest } from '../owners/owners';
import { ShareLinks } from './share-links';

/** Capability required to invite guests. */
const INVITE_GUESTS = 'invite_guests';

/** Permission entry of a guest. */
interface Entry extends OwnedPermission {
  /** Created for this list, and removed again when it is refused. */
  readonly isNew: boolean;
  readonly isGuest: boolean;
}

/** Creates the new guests of a permission list. */
@Injectable()
export class GuestEntries {
  constructor(
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly owners: Owners,
    private readonly links: ShareLinks,
  ) {}

  /**
   * Writes a list with new guests, who are created before and removed again when it is refused. Answers what was written, and the
   * guests that the list invites.
   * @param folder undefined for a new folder
   */
  async withGuests<T>(
    request: FolderRequest,
    wanted: PermissionsInput | undefined,
    folder: string | undefined,
    write: (permissions: OwnedPermission[] | undefined) => Promise<T>,
  ): Promise<{ readonly written: T; readonly invited: readonly number[] }> {
    if (!wanted || (!wanted.link && wanted.invited.length === 0))
      return { written: await write(wanted?.known), invited: [] };
    const entries: Entry[] = [];
    try {
      for (const invitation of wanted.invited)
        entries.push(await this.createInvitationEntry(request, invitation, folder));
      if (wanted.link) entries.push(await this.createLinkEntry(request, wanted.link, folder));
      const named = new Set(entries.map(({ entity }) => entity));
      const others = wanted.known.filter(({ entity, group }) => group || !named.has(entity));
      const made = entries.map(({ entity, bits, group }) => ({ entity, bits, group }));
      const written = await write([...others, ...made]);
      const ids = entries.flatMap(({ entity, isGuest }) => (isGuest ? [entity] : []));
      if (ids.length > 0) await this.links.settleGuests(request, ids);
      return { written, invited: ids };
    } catch (error) {
      const ids = entries.flatMap(({ entity, isNew }) => (isNew ? [entity] : []));
      if (ids.length > 0) await this.links.removeGuests(request, ids);
      throw error;
    }
  }

  private async createLinkEntry(
    request: FolderRequest,
    { bits, ...facts }: NonNullable<PermissionsInput['link']>,
    folder: string | undefined,
  ): Promise<Entry> {
    // A link names its folder, which has no id before it is created.
    if (folder === undefined) throw FolderErrors.unknownEntity('anonymous');
    if (bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
    const { link, isNew } = await this.links.prepareForPermissions(request, folder, facts);
    return { entity: link.id, bits, group: false, isNew, isGuest: true };
  }

  /** A user when the address is one of the context, else a guest. */
  private async createInvitationEntry(
    request: FolderRequest,
    { email, displayName, bits }: InvitationInput,
    folder: string | undefined,
  ): Promise<Entry> {
    const { principal } = request;
    const known = (await this.directory.findByAddresses(principal, [email])).get(email.toLowerCase());
    if (known?.kind === 'user') return { entity: known.id, bits, group: false, isNew: false, isGuest: false };
    if (known || !principal.capabilities.includes(INVITE_GUESTS)) throw FolderErrors.mayNotShare(folder ?? 0);
    const query = { email, displayName };
    const { id, isNew } = await this.caller.call(guests.invite, { ...this.owners.toCallOptions(request), query });
    return { entity: id, bits, group: false, isNew, isGuest: true };
  }
}
