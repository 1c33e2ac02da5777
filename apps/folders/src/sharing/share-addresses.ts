import { Injectable } from '@nestjs/common';
import {
  guests,
  SHARE_GUEST_HOST,
  shareAddress,
  toGuestEdge,
  toSharedAddress,
  type DirectoryGuest,
  type EdgeRequest,
  type OwnedFolder,
  type SharedAddress,
  type SharePlace,
} from '@groupware/contracts';
import { parseRights } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { BasePathSettings, pauseAfterTurn, Properties } from '@groupware/service-kit';
import type { TreeFolder } from '../domain/tree-folder';
import { Owners, type FolderRequest } from '../owners/owners';

/** The URL by which a guest opens a folder; undefined where the user may not know it. */
export type AddressOfGuest = (folder: Pick<TreeFolder, 'id' | 'ownRights'>, guest: number) => SharedAddress | undefined;

/** URLs of shares. */
@Injectable()
export class ShareAddresses {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly base: BasePathSettings,
    private readonly properties: Properties,
  ) {}

  /** Creates the URL of a share. */
  createAddress(edge: Pick<EdgeRequest, 'secure' | 'host'>, token: string, place: SharePlace): string {
    const guestEdge = toGuestEdge(edge, this.properties.serverValue(SHARE_GUEST_HOST));
    return shareAddress(guestEdge, this.base.basePaths()[0] ?? '', token, place);
  }

  /**
   * Loads the URLs of links, with their pins, and of guests whom the user invited, of the folders that he administrates, by one call;
   * undefined where there are none.
   */
  async loadAddresses(
    request: FolderRequest,
    folders: readonly OwnedFolder[],
    known: ReadonlyMap<number, DirectoryGuest>,
  ): Promise<AddressOfGuest | undefined> {
    const { edge } = request;
    if (!edge) return undefined;
    const ids = new Set<number>();
    for (const { ownRights, permissions } of folders) {
      const turn = pauseAfterTurn();
      if (turn) await turn;
      if (!parseRights(ownRights).admin) continue;
      for (const { entity, group } of permissions) if (!group && known.has(entity)) ids.add(entity);
    }
    if (ids.size === 0) return undefined;
    const query = { ids: [...ids] };
    const listed = await this.caller.call(guests.tokens, { ...this.owners.toCallOptions(request), query });
    const tokens = new Map(listed.map((token) => [token.id, token]));
    return ({ id, ownRights }, guest) => {
      const found = parseRights(ownRights).admin ? tokens.get(guest) : undefined;
      return found && toSharedAddress(this.createAddress(edge, found.token, { folder: Number(id) }), found.password);
    };
  }
}
