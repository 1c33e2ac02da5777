import { Injectable } from '@nestjs/common';
import { FolderErrors, type OwnedPermission } from '@groupware/contracts';
import { VIEWER_RIGHTS } from '@groupware/folders';
import type { WantedPermissions } from '../folder-input';
import type { Request } from '../owners';
import { ShareLinks } from './share-links';

/** Makes the guests that a permission list names for the first time. */
@Injectable()
export class GuestEntries {
  constructor(private readonly links: ShareLinks) {}

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
    if (!wanted?.link) return write(wanted?.known);
    const { bits, ...facts } = wanted.link;
    // A link names its folder, which has no number before it is made.
    if (folder === undefined) throw FolderErrors.unknownEntity('anonymous');
    if (bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
    const { link, isNew } = await this.links.forList(request, folder, facts);
    const others = wanted.known.filter(({ entity, group }) => group || entity !== link.id);
    try {
      const written = await write([...others, { entity: link.id, bits, group: false }]);
      if (isNew) await this.links.settle(request, [link.id]);
      return written;
    } catch (error) {
      if (isNew) await this.links.forget(request, [link.id]);
      throw error;
    }
  }
}
