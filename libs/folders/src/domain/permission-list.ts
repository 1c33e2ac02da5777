import { FolderErrors, type OwnedPermission } from '@groupware/contracts';
import { ALL_RIGHTS, type FolderKind, isOwned, requireValidBits, parseRights } from './rights';

/** The folder whose permission list is checked. */
export interface PermissionTarget extends FolderKind {
  readonly id: number | string;
  readonly isDefault: boolean;
}

/** Facts of the directory about entities of permission lists. */
export interface EntityFacts {
  /** Guests of links, each with the folder of its link where that is one of this module. */
  readonly links: ReadonlyMap<number, number | undefined>;
  /** Users, named guests and guests of links to branches, whose rights folders below take over. */
  readonly heritable: ReadonlySet<number>;
  /** Guests that the user may leave in a list, but not add to one. */
  readonly staying: ReadonlySet<number>;
}

/** Refuses to add a guest the user may not grant permissions to, like an unknown one. @throws FLD-0044 */
export function requireStaying(
  list: readonly OwnedPermission[],
  before: readonly OwnedPermission[],
  { staying }: EntityFacts,
): void {
  const isStored = (guest: number): boolean => before.some(({ entity, group }) => !group && entity === guest);
  const added = list.find(({ entity, group }) => !group && staying.has(entity) && !isStored(entity));
  if (added) throw FolderErrors.unknownEntity(added.entity);
}

/** Whether a list has a user, group or guest that another one has not; the owner does not count. */
export const addsEntity = (
  list: readonly Pick<OwnedPermission, 'entity' | 'group'>[],
  before: readonly Pick<OwnedPermission, 'entity' | 'group'>[],
  owner?: number,
): boolean =>
  list.some(
    ({ entity, group }) =>
      (group || entity !== owner) && !before.some((each) => each.entity === entity && each.group === group),
  );

/** The entries of a list that folders below take over. Who was not looked at, since he was added meanwhile, is left out. */
export const filterInheritable = (list: readonly OwnedPermission[], { heritable }: EntityFacts): OwnedPermission[] =>
  list.filter(({ entity, group }) => group || heritable.has(entity));

/**
 * Refuses a permission list that breaks a rule of the API; the errors are FLD-0015 to 0018, 0061, 0071, 0079, 0080. Personal folders
 * may have several administrators, one of which is their owner.
 */
export function requireValidPermissions(list: readonly OwnedPermission[], target: PermissionTarget): void {
  const seen = new Set<string>();
  for (const { entity, group, bits } of list) {
    requireValidBits(bits);
    const key = `${group}:${entity}`;
    if (seen.has(key)) throw group ? FolderErrors.groupTwice(entity) : FolderErrors.userTwice(entity);
    seen.add(key);
  }
  const admins = list.filter(({ bits }) => parseRights(bits).admin);
  if (target.type === 1 && admins.some(({ group }) => group)) throw FolderErrors.groupAdmin();
  const ownerStays = admins.some(({ entity, group }) => !group && entity === target.owner);
  if (isOwned(target) && target.isDefault && !ownerStays) throw FolderErrors.ownerStaysAdmin();
  if (admins.length === 0) throw FolderErrors.noAdmin();
  if (target.type === 1 && admins.length > 1) throw FolderErrors.oneAdminOnly();
  if (isOwned(target) && !ownerStays) throw FolderErrors.ownerAdminOnly();
}

/** True when a list of a new folder makes another than the owner administrator, who does not administrate the folder above. */
export const addsAdmin = (
  list: readonly OwnedPermission[],
  above: readonly OwnedPermission[],
  owner: number,
): boolean =>
  list.some(
    ({ entity, group, bits }) =>
      parseRights(bits).admin &&
      (group || entity !== owner) &&
      !above.some((entry) => entry.entity === entity && entry.group === group && parseRights(entry.bits).admin),
  );

/** Creates the list of a private folder. */
export const createOwnerPermissions = (owner: number): OwnedPermission[] => [
  { entity: owner, group: false, bits: ALL_RIGHTS },
];

/**
 * The list of a new folder for which none was given: that of the folder above, with the owner as administrator; in the
 * private root the owner only, in the public root the creator as administrator and all users as readers.
 */
export function inheritPermissions(
  parent: readonly OwnedPermission[] | undefined,
  target: FolderKind,
): OwnedPermission[] {
  const others = (parent ?? [])
    .filter((entry) => entry.group || entry.entity !== target.owner)
    .map((entry) => (target.type === 1 ? { ...entry, bits: entry.bits & ~(1 << 28) } : entry));
  return [...createOwnerPermissions(target.owner), ...others];
}

/** True when two lists grant the same. */
export function hasSamePermissions(left: readonly OwnedPermission[], right: readonly OwnedPermission[]): boolean {
  const text = (list: readonly OwnedPermission[]): string =>
    list
      .map(({ entity, group, bits }) => `${group}:${entity}:${bits}`)
      .sort()
      .join();
  return text(left) === text(right);
}

/** Users and groups of a list that were not in another one, without the user. */
export const listNewEntities = (
  list: readonly OwnedPermission[],
  before: readonly OwnedPermission[],
  { userId }: { readonly userId: number },
): number[] =>
  list
    .filter(({ entity, group }) => group || entity !== userId)
    .filter(({ entity, group }) => !before.some((entry) => entry.entity === entity && entry.group === group))
    .map(({ entity }) => entity);

/**
 * Splits users and groups that are to be told of a folder into those that have rights on it, and the others; each is told once. The
 * user who tells is none of them, and is told nothing.
 */
export function splitByRights(
  entities: readonly number[],
  permissions: readonly OwnedPermission[],
  user: { readonly userId: number },
): { readonly entitled: number[]; readonly others: number[] } {
  const known = new Set(permissions.map(({ entity }) => entity));
  const toldOf = new Set(listNewEntities(permissions, [], user));
  const asked = [...new Set(entities)];
  return {
    entitled: asked.filter((entity) => toldOf.has(entity)),
    others: asked.filter((entity) => !known.has(entity)),
  };
}
