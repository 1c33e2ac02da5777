import { Injectable } from '@nestjs/common';
import { guests, sharePath, type EdgeRequest } from '@groupware/contracts';
import { rightsOf } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { BasePathSettings } from '@groupware/service-kit';
import { Owners, type Request } from '../owners';
import type { FolderView } from '../tree/folder-wire';
import type { TreeFolder } from '../tree/tree-folder';

/** Addresses under which guests open what is shared with them. */
@Injectable()
export class ShareAddresses {
  constructor(
    private readonly caller: Caller,
    private readonly owners: Owners,
    private readonly base: BasePathSettings,
  ) {}

  /** The address of a share. */
  of({ secure, host }: Pick<EdgeRequest, 'secure' | 'host'>, token: string, folder: number): string {
    return `${secure ? 'https' : 'http'}://${host}${this.base.basePaths()[0] ?? ''}/share/${token}/${sharePath(folder)}`;
  }

  /** A view with the addresses of a folder's guests, for who administrates it: of the link, and of guests he invited. */
  async addTo(
    view: FolderView,
    folder: TreeFolder,
    call: Request & { readonly edge?: EdgeRequest },
  ): Promise<FolderView> {
    const ids = folder.permissions.flatMap(({ entity, group }) => (!group && view.guests.has(entity) ? [entity] : []));
    if (ids.length === 0 || !call.edge || !rightsOf(folder.ownRights).admin) return view;
    const tokens = await this.caller.call(guests.tokens, { ...this.owners.outgoing(call), query: { ids } });
    const { edge } = call;
    return {
      ...view,
      addresses: new Map(tokens.map(({ id, token }) => [id, this.of(edge, token, Number(folder.id))])),
    };
  }
}
