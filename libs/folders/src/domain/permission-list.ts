import { FolderErrors, type OwnedPermission } from '@groupware/contracts';
import { ALL_RIGHTS, type FolderKind, requireValidBits, rightsOf } from './rights';

/** The folder whose permission list is checked. */
export interface PermissionTarget extends FolderKind {
  readonly id: number | string;
  readonly isDefault: boolean;
}

/** Refuses a permission list that breaks a rule of the API; the errors are FLD-0015 to 0018, 0061, 0071, 0079, 0080. */
export function requireValidPermissions(list: readonly OwnedPermission[], target: PermissionTarget): void {
  const seen = new Set<string>();
  for (const { entity, group, bits } of list) {
    requireValidBits(bits);
    const key = `${group}:${entity}`;
    if (seen.has(key)) throw group ? FolderErrors.groupTwice(entity) : FolderErrors.userTwice(entity);
    seen.add(key);
  }
  const admins = list.filter(({ bits }) => rightsOf(bits).admin);
  if (target.type === 2) {
    if (admins.length === 0) throw FolderErrors.noAdmin();
    return;
  }
  if (admins.some(({ group }) => group)) throw FolderErrors.groupAdmin();
  if (target.isDefault && !admins.some(({ entity }) => entity === target.owner)) throw FolderErrors.ownerStaysAdmin();
  if (admins.length === 0) throw FolderErrors.noAdmin();
  if (admins.length > 1) throw FolderErrors.oneAdminOnly();
  if (admins[0]?.entity !== target.owner) throw FolderErrors.ownerAdminOnly();
}

/** The list of a folder that nobody else sees. */
export const ownerOnly = (owner: number): OwnedPermission[] => [{ entity: owner, group: false, bits: ALL_RIGHTS }];

/**
 * The list of a new folder for which none was given: that of the folder above, with the owner as administrator; in
 * the private root the owner only, in the public root the creator as administrator and everybody as reader.
 */
export function inheritedPermissions(
  parent: readonly OwnedPermission[] | undefined,
  target: FolderKind,
): OwnedPermission[] {
  const others = (parent ?? [])
    .filter((entry) => entry.group || entry.entity !== target.owner)
    .map((entry) => (target.type === 1 ? { ...entry, bits: entry.bits & ~(1 << 28) } : entry));
  return [...ownerOnly(target.owner), ...others];
}

/** True when two lists grant the same. */
export function samePermissions(left: readonly OwnedPermission[], right: readonly OwnedPermission[]): boolean {
  const text = (list: readonly OwnedPermission[]): string =>
    list
      .map(({ entity, group, bits }) => `${group}:${entity}:${bits}`)
      .sort()
      .join();
  return text(left) === text(right);
}
