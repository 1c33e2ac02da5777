import { Injectable } from '@nestjs/common';
import { ALL_GUESTS, FolderErrors, type OwnedPermission, type Tenant } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { RANK, rightsOf, VIEWER_RIGHTS } from './domain/rights';

/** Refuses permission lists that name somebody the context does not have (FLD-0044). Asks the directory: use it before a transaction. */
@Injectable()
export class EntityCheck {
  constructor(private readonly directory: Directory) {}

  /** Throws FLD-0044 for the first unknown user, group or guest, FLD-0061 for rights that guests must not have. */
  async require(tenant: Tenant, permissions: readonly OwnedPermission[] | undefined): Promise<void> {
    if (!permissions || permissions.length === 0) return;
    const found = await this.directory.entities(
      tenant,
      permissions.filter((entry) => !isVirtualGroup(entry)).map(({ entity }) => entity),
    );
    for (const entry of permissions) {
      const { entity, group, bits } = entry;
      if (isVirtualGroup(entry)) {
        if (entity === ALL_GUESTS) requireGuestRights(bits);
        continue;
      }
      const known = found.get(entity);
      if (known?.kind === 'guest' && !group) {
        if (known.anonymous && bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
        requireGuestRights(bits);
      } else if (known?.kind !== (group ? 'group' : 'user')) throw FolderErrors.unknownEntity(entity);
    }
  }
}

const isVirtualGroup = ({ entity, group }: OwnedPermission): boolean =>
  group && (entity === 0 || entity === ALL_GUESTS);

/** Guests read at most. */
function requireGuestRights(bits: number): void {
  const { folder, read, write, remove, admin } = rightsOf(bits);
  if (folder > RANK.see || read > RANK.all || write > RANK.none || remove > RANK.none || admin)
    throw FolderErrors.badPermission(bits);
}
