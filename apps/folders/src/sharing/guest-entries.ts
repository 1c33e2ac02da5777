import { Injectable } from '@nestjs/common';
import { FolderErrors, guests, shareableFolderOwners, type OwnedPermission } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { createInvitationEntry, VIEWER_RIGHTS, writeWithGuests, type GuestEntry } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import type { GuestLinkInput, InvitationInput, PermissionsInput } from '../domain/folder-input';
import { Owners, type FolderRequest } from '../owners/owners';
import { ShareLinks, type ListedLink } from './share-links';

/** A folder with its module. */
export interface ListedFolder {
  readonly module: string;
  /** Absent for one that is still to be made. */
  readonly folder?: string;
}

/** The list of a folder before it is written; undefined for a new folder. */
interface StoredList {
  readonly folder: string | undefined;
  readonly stored: readonly OwnedPermission[] | undefined;
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
   * Writes a list with new guests, who are created before and removed again when it is refused; a known link gets its pin and end
   * after. Answers what was written, the guests that the list invites, and the stamp of the link that it tells of.
   * @param place the folder; `write` makes a new one with the id that it gets, where there is one already
   * @throws FLD-0044 for guests of a module that has none, before any is made
   */
  async withGuests<T>(
    request: FolderRequest,
    wanted: PermissionsInput | undefined,
    place: ListedFolder,
    write: (permissions: OwnedPermission[] | undefined, id?: number) => Promise<T>,
  ): Promise<{ readonly written: T; readonly invited: readonly number[]; readonly linkStamp?: number }> {
    if (!wanted) return { written: await write(undefined), invited: [] };
    const { invited, link, known, knownLinks } = wanted;
    const { module, folder } = place;
    const hasGuests = shareableFolderOwners().some((owner) => owner.module === module);
    const newcomer = link ? 'anonymous' : invited[0]?.email;
    if (!hasGuests && newcomer !== undefined) throw FolderErrors.unknownEntity(newcomer);
    let listed =
      hasGuests && !link && folder !== undefined && knownLinks.length > 0
        ? await this.links.findForPermissions(request, folder, knownLinks)
        : undefined;
    const stored =
      folder !== undefined && invited.length > 0
        ? (await this.owners.getFolder(request, folder)).permissions
        : undefined;
    const prepareLink = async (input: GuestLinkInput): Promise<GuestEntry> => {
      listed = await this.prepareLink(request, input, place);
      return { entity: listed.link.id, bits: input.bits, isNew: listed.isNew, isGuest: true };
    };
    const { written, guests: ids } = await writeWithGuests(
      {
        settle: (settled) => this.links.settleGuests(request, settled),
        remove: (removed) => this.links.removeGuests(request, removed),
      },
      [
        ...invited.map((invitation) => () => this.createInvitationEntry(request, invitation, { folder, stored })),
        ...(link ? [() => prepareLink(link)] : []),
      ],
      (entries) => {
        const named = new Set(entries.map(({ entity }) => entity));
        const others = known.filter(({ entity, group }) => group || !named.has(entity));
        const list = [...others, ...entries.map(({ entity, bits }) => ({ entity, bits, group: false }))];
        return write(list, folder === undefined ? listed?.target.folder : undefined);
      },
    );
    return { written, invited: ids, linkStamp: listed && (await this.links.writeOptions(request, listed)) };
  }

  private prepareLink(
    request: FolderRequest,
    { bits, ...options }: GuestLinkInput,
    { module, folder }: ListedFolder,
  ): Promise<ListedLink> {
    if (bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
    return folder === undefined
      ? this.links.prepareForNewFolder(request, module, options)
      : this.links.prepareForPermissions(request, folder, options);
  }

  private createInvitationEntry(
    request: FolderRequest,
    { bits, ...invited }: InvitationInput,
    { folder, stored }: StoredList,
  ): Promise<GuestEntry> {
    return createInvitationEntry(
      this.directory,
      request.principal,
      { email: invited.email, bits, stored },
      () => FolderErrors.mayNotShare(folder ?? 0),
      () => this.caller.call(guests.invite, { ...this.owners.toCallOptions(request), query: invited }),
    );
  }
}
