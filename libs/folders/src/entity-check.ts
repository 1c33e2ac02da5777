import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  FolderErrors,
  type DirectoryEntity,
  type DirectoryGuest,
  type OwnedPermission,
  type UserPrincipal,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import type { EntityFacts } from './domain/permission-list';
import { RANK, parseRights, VIEWER_RIGHTS } from './domain/rights';
import { FolderModuleRules } from './folder-module';

/** Input of a check. */
export interface EntityCheckInput {
  /** The list that is to be written; absent: none. */
  readonly permissions?: readonly OwnedPermission[];
  /** The folder it is for; absent for one that is still to be made. */
  readonly folder?: number;
  /** Further lists, whose entries may be handed down. */
  readonly around?: readonly OwnedPermission[];
}

/** Looks at the entities of permission lists. Asks the directory: use it before a transaction. */
@Injectable()
export class EntityCheck {
  constructor(
    private readonly directory: Directory,
    private readonly rules: FolderModuleRules,
  ) {}

  /**
   * Refuses unknown entities, and permissions guests must not have.
   * @returns what only the stored lists decide
   * @throws FLD-0044, FLD-0061
   */
  async requireValidEntities(
    user: UserPrincipal,
    { permissions = [], folder, around = [] }: EntityCheckInput,
  ): Promise<EntityFacts> {
    const listed = permissions.filter((entry) => !isVirtualGroup(entry));
    const ids = new Set([...listed, ...around.filter(({ group }) => !group)].map(({ entity }) => entity));
    const found = await this.findEntities(user, ids, around);
    const staying = new Set<number>();
    for (const entry of permissions) {
      const { entity, group, bits } = entry;
      if (isVirtualGroup(entry)) {
        if (entity === ALL_GUESTS) requireGuestRights(bits);
        continue;
      }
      const known = found.get(entity);
      if (known?.kind === 'guest' && !group) {
        if (known.anonymous && bits !== VIEWER_RIGHTS) throw FolderErrors.badPermission(bits);
        if (!this.rules.guestsWrite || parseRights(bits).admin) requireGuestRights(bits);
        if (!this.canBeGranted(known, user, folder)) staying.add(entity);
      } else if (known?.kind !== (group ? 'group' : 'user')) throw FolderErrors.unknownEntity(entity);
    }
    const [links, heritable] = [new Map<number, number | undefined>(), new Set<number>()];
    for (const entity of found.values()) {
      if (isLink(entity)) links.set(entity.id, this.findFolder(entity));
      if (!isLink(entity) || entity.target?.includesBelow) heritable.add(entity.id);
    }
    return { links, heritable, staying };
  }

  /** Links whose entries may be handed down are asked for anew: what they open may have changed a moment ago. */
  private async findEntities(
    user: UserPrincipal,
    ids: ReadonlySet<number>,
    around: readonly OwnedPermission[],
  ): Promise<Map<number, DirectoryEntity>> {
    if (ids.size === 0) return new Map();
    const found = await this.directory.getEntities(user, ids);
    // Many folders may have entries of the same link.
    const links = new Set(around.flatMap(({ entity, group }) => (!group && isLink(found.get(entity)) ? [entity] : [])));
    for (const [id, entity] of await this.directory.refreshEntities(user, [...links])) found.set(id, entity);
    return found;
  }

  /** Users give rights to guests they invited, and to the guest of the folder's own link. */
  private canBeGranted(guest: DirectoryGuest, user: UserPrincipal, folder: number | undefined): boolean {
    if (!guest.anonymous) return guest.createdBy === user.userId;
    return folder !== undefined && this.findFolder(guest) === folder;
  }

  private findFolder({ target }: DirectoryGuest): number | undefined {
    return target?.module === this.rules.module ? target.folder : undefined;
  }
}

const isLink = (entity: DirectoryEntity | undefined): entity is DirectoryGuest =>
  entity?.kind === 'guest' && entity.anonymous;

const isVirtualGroup = ({ entity, group }: OwnedPermission): boolean =>
  group && (entity === 0 || entity === ALL_GUESTS);

/** Links, and guests of most modules, read at most. */
function requireGuestRights(bits: number): void {
  const { folder, read, write, remove, admin } = parseRights(bits);
  if (folder > RANK.see || read > RANK.all || write > RANK.none || remove > RANK.none || admin)
    throw FolderErrors.badPermission(bits);
}
