import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  moduleOfFolder,
  ownerOfFolder,
  type FolderSharing,
  type Share,
  type Tenant,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { IdentityClient } from './identity-client';
import { ShareRepository } from './persistence/share.repository';
import { ShareWriter } from './share-writer';

/** A folder and all that it gives to others, in the own context and in others. */
export interface SharedFolder {
  readonly folderId: number;
  readonly shares: readonly Share[];
}

const SEES = 127;

/**
 * Keeps the list of shares equal to the permissions of folders, of whatever module. A guest who is a user of another context by
 * the mail address has a share there; other guests, those of links among them, have one in the context of the owner.
 */
@Injectable()
export class FolderShares {
  constructor(
    private readonly caller: Caller,
    private readonly identity: IdentityClient,
    private readonly shares: ShareRepository,
    private readonly writer: ShareWriter,
  ) {}

  /** Reads the shares of a folder; none when the folder is deleted. */
  async readShares(tenant: Tenant, folderId: number): Promise<SharedFolder> {
    const owner = ownerOfFolder(folderId);
    const principal = { kind: 'internal', service: 'admin', contextId: tenant.contextId } as const;
    const folder = owner && (await this.caller.call(owner.sharing, { principal, query: { id: folderId } }));
    return { folderId, shares: folder ? await this.sharesOf(tenant, folderId, folder) : [] };
  }

  /** Brings the stored shares of a folder up to date; the other side follows the events. */
  async writeShares(tx: Transaction, { folderId, shares }: SharedFolder): Promise<void> {
    const stored = await this.shares.listByFolder(tx, moduleOfFolder(folderId)!, String(folderId));
    await this.writer.replaceShares(tx, stored, shares);
  }

  private async sharesOf(tenant: Tenant, folderId: number, folder: FolderSharing): Promise<Share[]> {
    const isPrivate = folder.type === 1;
    const others = folder.permissions.filter(
      ({ entity, group, bits }) =>
        (bits & SEES) > 0 && (group ? entity !== ALL_GUESTS : !isPrivate || entity !== folder.owner),
    );
    if (others.length === 0) return [];
    const known = new Map(
      (
        await this.identity.listEntities(
          tenant,
          others.map(({ entity }) => entity),
        )
      ).map((entity) => [entity.id, entity]),
    );
    const elsewhere = await this.identity.listUsersElsewhere(tenant, [...known.values()]);
    const common = {
      ...{ owner: isPrivate ? folder.owner : 0, module: moduleOfFolder(folderId)!, kind: 'folder' as const },
      ...{ folder: String(folderId), name: folder.title, defaultFolder: folder.isDefault },
    };
    return others.flatMap(({ entity, group, bits }): Share[] => {
      const here = known.get(entity);
      if (here?.kind === 'guest') {
        const user = elsewhere.get(entity);
        if (!user)
          return [
            { ...common, granteeContext: tenant.contextId, entity, group: false, permissions: bits, guest: true },
          ];
        const grantee = { granteeContext: user.contextId, entity: user.userId, group: false };
        return [{ ...common, ...grantee, permissions: bits }];
      }
      // Public folders have no owner, and the whole context sees them: their users have no shares.
      if (!isPrivate || here?.kind !== (group ? 'group' : 'user')) return [];
      return [{ ...common, granteeContext: tenant.contextId, entity, group, permissions: bits }];
    });
  }
}
