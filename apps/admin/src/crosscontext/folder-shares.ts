import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  moduleOfFolder,
  ownerOfFolder,
  sessionAdministration,
  shareEvents,
  type DirectoryEntity,
  type FolderSharing,
  type Share,
  type Tenant,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import type { Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { People } from './people';
import { toNotice, ShareRepository, type ShareRow } from './persistence/share.repository';

/** A folder and all that it gives to others, in the own context and in others. */
export interface SharedFolder {
  readonly folderId: number;
  readonly shares: readonly Share[];
}

/** Most addresses of one question to the resolver. */
const MAX_ADDRESSES = 500;
const SEES = 127;

/**
 * Keeps the list of shares equal to the permissions of folders, of whatever module. A guest who is a user of another context by
 * the mail address has a share there; other guests, those of links among them, have one in the context of the owner.
 */
@Injectable()
export class FolderShares {
  constructor(
    private readonly caller: Caller,
    private readonly people: People,
    private readonly shares: ShareRepository,
    private readonly clock: Clock,
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
    const folder = String(folderId);
    const module = moduleOfFolder(folderId)!;
    const stored = new Map((await this.shares.listByFolder(tx, module, folder)).map((row) => [keyOf(row), row]));
    for (const share of shares) {
      const row = stored.get(keyOf(share));
      stored.delete(keyOf(share));
      if (row && isSame(row, share)) continue;
      const written = await this.shares.upsert(tx, share, this.clock.now());
      await tx.publish(shareEvents['share.granted'], toNotice(written));
    }
    for (const row of stored.values()) {
      await this.shares.delete(tx, row.shareId);
      await tx.publish(shareEvents['share.removed'], toNotice(row));
    }
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
        await this.people.listEntities(
          tenant,
          others.map(({ entity }) => entity),
        )
      ).map((entity) => [entity.id, entity]),
    );
    const elsewhere = await this.usersElsewhere(tenant, [...known.values()]);
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

  /** The users of other contexts that guests are, by the id of the guest. */
  private async usersElsewhere(tenant: Tenant, entities: readonly DirectoryEntity[]) {
    const addresses = new Map(
      entities.flatMap((entity) =>
        entity.kind === 'guest' && entity.email && !entity.email.includes(';') ? [[entity.id, entity.email]] : [],
      ),
    );
    const found = new Map<number, { contextId: number; userId: number }>();
    const asked = [...addresses];
    for (let at = 0; at < asked.length; at += MAX_ADDRESSES) {
      const some = asked.slice(at, at + MAX_ADDRESSES);
      const users = await this.caller.call(sessionAdministration.resolveMail, {
        principal: { kind: 'internal', service: 'admin', contextId: 0 },
        query: { mail: some.map(([, address]) => address).join(';') },
      });
      for (const [id, address] of some) {
        const user = users[address];
        if (user && user.cid !== tenant.contextId) found.set(id, { contextId: user.cid, userId: user.uid });
      }
    }
    return found;
  }
}

const keyOf = ({ owner, granteeContext, entity, group }: Share | ShareRow): string =>
  [owner, granteeContext, entity, group].join(':');

const isSame = (row: ShareRow, share: Share): boolean =>
  row.permissions === share.permissions && row.name === share.name && row.defaultFolder === share.defaultFolder;
