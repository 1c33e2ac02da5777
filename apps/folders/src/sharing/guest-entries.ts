import { Injectable } from '@nestjs/common';
import { FolderErrors, guests, type OwnedPermission } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { VIEWER_RIGHTS } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { WantedInvitation, WantedPermissions } from '../folder-input';
import { Owners, type Request } from '../owners';
import { ShareLinks } from './share-links';

/** Capability without which users invite nobody. */
const INVITE_GUESTS = 'invite_guests';

/** A guest with the entry of a permission list. */
interface Entry extends OwnedPermission {
  /** Made for this list: goes again when it is refused. */
  readonly isNew: boolean;
  readonly isGuest: boolean;
}

/** Makes the guests that a permission list names for the first time. */
@Injectable()
export class GuestEntries {
  constructor(
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly owners: Owners,
    private readonly links: ShareLinks,
  ) {}

  /**
   * Writes a list that may name new guests: they are there before it, and go again when it is refused.
   * @param folder the folder; undefined for one that is still to be made
   */
  async with<T>(
    request: Request,
    wanted: WantedPermissions | undefined,
    folder: string | undefined,
    write: (permissions: OwnedPermission[] | undefined) => Promise<T>,
  ): Promise<T> {
    if (!wanted || (!wanted.link && wanted.invited.length === 0)) return write(wanted?.known);
    const entries: Entry[] = [];
    try {
      for (const invitation of wanted.invited) entries.push(await this.invite(request, invitation, folder));
      if (wanted.link) entries.push(await this.link(request, wanted.link, folder));
      const named = new Set(entries.map(({ entity }) => entity));
      const others = wanted.known.filter(({ entity, group }) => group || !named.has(entity));
      const made = entries.map(({ entity, bits, group }) => ({ entity, bits, group }));
      const written = await write([...others, ...made]);
      const ids = entries.flatMap(({ entity, isGuest }) => (isGuest ? [entity] : []));
      if (ids.length > 0) await this.links.settle(request, ids);
      return written;
    } catch (error) {
      const ids = entries.flatMap(({ entity, isNew }) => (isNew ? [entity] : []));
      if (ids.length > 0) await this.links.forget(request, ids);
      throw error;
    }
  }

  private async link(
    request: Request,
    { bits, ...facts }: NonNullable<WantedPermissions['link']>,
    folder: string | undefined,
  ): Promise<Entry> {
    // A link names its folder, which has no number before it is made.
    if (folder === undefined) throw FolderErrors.unknownEntity('anonymous');
    if (bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
    const { link, isNew } = await this.links.forList(request, folder, facts);
    return { entity: link.id, bits, group: false, isNew, isGuest: true };
  }

  /** A user when the address is one of the context, else a guest. */
  private async invite(
    request: Request,
    { email, displayName, bits }: WantedInvitation,
    folder: string | undefined,
  ): Promise<Entry> {
    const { principal } = request;
    const known = (await this.directory.byAddress(principal, [email])).get(email.toLowerCase());
    if (known?.kind === 'user') return { entity: known.id, bits, group: false, isNew: false, isGuest: false };
    if (known || !principal.capabilities.includes(INVITE_GUESTS)) throw FolderErrors.mayNotShare(folder ?? 0);
    const query = { email, displayName };
    const { id, isNew } = await this.caller.call(guests.invite, { ...this.owners.outgoing(request), query });
    return { entity: id, bits, group: false, isNew, isGuest: true };
  }
}
