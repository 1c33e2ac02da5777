import { Injectable } from '@nestjs/common';
import { guests, shareAddress, toSharedAddress, type EdgeRequest, type SharePlace } from '@groupware/contracts';
import { parseRights } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { BasePathSettings } from '@groupware/service-kit';
import { Owners, type FolderRequest } from '../owners/owners';
import type { FolderView } from '../tree/folder-wire';
import type { TreeFolder } from '../domain/tree-folder';

/** URLs of shares. */
@Injectable()
export class ShareAddresses {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly base: BasePathSettings,
  ) {}

  /** Creates the URL of a share. */
  createAddress(edge: Pick<EdgeRequest, 'secure' | 'host'>, token: string, place: SharePlace): string {
    return shareAddress(edge, this.base.basePaths()[0] ?? '', token, place);
  }

  /** Adds URLs of a folder's link, with its pin, and of invited guests to a view, for administrators of the folder. */
  async addAddresses(
    view: FolderView,
    folder: TreeFolder,
    call: FolderRequest & { readonly edge?: EdgeRequest },
  ): Promise<FolderView> {
    const ids = folder.permissions.flatMap(({ entity, group }) => (!group && view.guests.has(entity) ? [entity] : []));
    if (ids.length === 0 || !call.edge || !parseRights(folder.ownRights).admin) return view;
    const tokens = await this.caller.call(guests.tokens, { ...this.owners.toCallOptions(call), query: { ids } });
    const { edge } = call;
    const place = { folder: Number(folder.id) };
    return {
      ...view,
      addresses: new Map(
        tokens.map(({ id, token, password }) => [
          id,
          toSharedAddress(this.createAddress(edge, token, place), password),
        ]),
      ),
    };
  }
}
