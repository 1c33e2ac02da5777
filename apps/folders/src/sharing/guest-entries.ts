import { Injectable } from '@nestjs/common';
import { FolderErrors, guests, type OwnedPermission } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { createInvitationEntry, VIEWER_RIGHTS, writeWithGuests, type GuestEntry } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { InvitationInput, PermissionsInput } from '../domain/folder-input';
import { Owners, type FolderRequest } from '../owners/owners';
import { ShareLinks } from './share-links';

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
    const { invited, link, known } = wanted;
    const { written, guests: ids } = await writeWithGuests(
      {
        settle: (settled) => this.links.settleGuests(request, settled),
        remove: (removed) => this.links.removeGuests(request, removed),
      },
      [
        ...invited.map((invitation) => () => this.createInvitationEntry(request, invitation, folder)),
        ...(link ? [() => this.createLinkEntry(request, link, folder)] : []),
      ],
      (entries) => {
        const named = new Set(entries.map(({ entity }) => entity));
        const others = known.filter(({ entity, group }) => group || !named.has(entity));
        return write([...others, ...entries.map(({ entity, bits }) => ({ entity, bits, group: false }))]);
      },
    );
    return { written, invited: ids };
  }

  private async createLinkEntry(
    request: FolderRequest,
    { bits, ...facts }: NonNullable<PermissionsInput['link']>,
    folder: string | undefined,
  ): Promise<GuestEntry> {
    // A link names its folder, which has no id before it is created.
    if (folder === undefined) throw FolderErrors.unknownEntity('anonymous');
    if (bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
    const { link, isNew } = await this.links.prepareForPermissions(request, folder, facts);
    return { entity: link.id, bits, isNew, isGuest: true };
  }

  private createInvitationEntry(
    request: FolderRequest,
    { bits, ...invited }: InvitationInput,
    folder: string | undefined,
  ): Promise<GuestEntry> {
    return createInvitationEntry(
      this.directory,
      request.principal,
      { email: invited.email, bits },
      () => FolderErrors.mayNotShare(folder ?? 0),
      () => this.caller.call(guests.invite, { ...this.owners.toCallOptions(request), query: invited }),
    );
  }
}
