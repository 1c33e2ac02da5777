import { Injectable } from '@nestjs/common';
import { FolderErrors, type OwnedPermission, type Tenant } from '@groupware/contracts';
import { Directory } from '@groupware/directory';

/** Refuses permission lists that name somebody the context does not have (FLD-0044). Asks the directory: use it before a transaction. */
@Injectable()
export class EntityCheck {
  constructor(private readonly directory: Directory) {}

  /** Throws FLD-0044 for the first unknown user or group. */
  async require(tenant: Tenant, permissions: readonly OwnedPermission[] | undefined): Promise<void> {
    if (!permissions || permissions.length === 0) return;
    const found = await this.directory.entities(
      tenant,
      permissions.map(({ entity }) => entity).filter((entity) => entity !== 0),
    );
    for (const { entity, group } of permissions) {
      if (group && entity === 0) continue;
      if (found.get(entity)?.kind !== (group ? 'group' : 'user')) throw FolderErrors.unknownEntity(entity);
    }
  }
}
