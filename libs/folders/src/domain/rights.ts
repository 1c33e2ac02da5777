import { FolderErrors, type StoredFolderType, type UserPrincipal } from '@groupware/contracts';

/** Shift of each group of permission bits (API page "Folders and permissions"). */
const SHIFT = { folder: 0, read: 7, write: 14, remove: 21, admin: 28 } as const;
const GROUP_MASK = 127;

/** Ranks inside a group: a higher one includes the lower ones. */
export const RANK = { none: 0, see: 1, own: 1, createObjects: 2, all: 2, createSubfolders: 4, max: 64 } as const;

const FOLDER_RANKS = new Set<number>([0, 1, 2, 4, 64]);
const OBJECT_RANKS = new Set<number>([0, 1, 2, 64]);

/** Permission bits taken apart. */
export interface Rights {
  /** 0 none, 1 see, 2 create objects, 4 create subfolders, 64 all. */
  readonly folder: number;
  /** 0 none, 1 own objects, 2 all, 64 all. */
  readonly read: number;
  readonly write: number;
  readonly remove: number;
  readonly admin: boolean;
}

/** The bit of administrators. */
export const ADMIN_BIT = 1 << SHIFT.admin;
/** Every right, administration included. */
export const ALL_RIGHTS = 403710016;
/** See the folder and read everything in it. */
export const VIEWER_RIGHTS = 257;

/** Administrate the folder and read everything in it: folders that show the objects of accounts elsewhere. */
export const READ_ONLY_RIGHTS = 268435713;

/** Takes permission bits apart. */
export const parseRights = (bits: number): Rights => ({
  folder: (bits >> SHIFT.folder) & GROUP_MASK,
  read: (bits >> SHIFT.read) & GROUP_MASK,
  write: (bits >> SHIFT.write) & GROUP_MASK,
  remove: (bits >> SHIFT.remove) & GROUP_MASK,
  admin: ((bits >> SHIFT.admin) & 1) === 1,
});

/** Puts permission bits together. */
export const toBits = (rights: Rights): number =>
  (rights.folder << SHIFT.folder) |
  (rights.read << SHIFT.read) |
  (rights.write << SHIFT.write) |
  (rights.remove << SHIFT.remove) |
  ((rights.admin ? 1 : 0) << SHIFT.admin);

/** Refuses bits that name no rank in one of their groups (FLD-0061). */
export function requireValidBits(bits: number): void {
  const rights = parseRights(bits);
  const valid =
    Number.isInteger(bits) &&
    bits >= 0 &&
    bits < 2 ** 29 &&
    FOLDER_RANKS.has(rights.folder) &&
    OBJECT_RANKS.has(rights.read) &&
    OBJECT_RANKS.has(rights.write) &&
    OBJECT_RANKS.has(rights.remove);
  if (!valid) throw FolderErrors.badPermission(bits);
}

/** The right of several permission entries: the highest rank of each group. */
export function combineRights(entries: readonly number[]): number {
  const max = { folder: 0, read: 0, write: 0, remove: 0, admin: false };
  for (const bits of entries) {
    const rights = parseRights(bits);
    max.folder = Math.max(max.folder, rights.folder);
    max.read = Math.max(max.read, rights.read);
    max.write = Math.max(max.write, rights.write);
    max.remove = Math.max(max.remove, rights.remove);
    max.admin ||= rights.admin;
  }
  return toBits(max);
}

/** True when an object right with this rank covers an object; `own`: the user created it. */
export const coversObject = (rank: number, own: boolean): boolean => rank >= RANK.all || (rank >= RANK.own && own);

/** Owner and kind of a folder. */
export interface FolderKind {
  readonly type: StoredFolderType;
  readonly owner: number;
  /** A folder of public type that stands below the default folder of a user: see {@link PERSONAL}. */
  readonly isPersonal?: boolean;
  /** Shows the objects of an account elsewhere: see {@link EXTERNAL}. */
  readonly isExternal?: boolean;
}

/**
 * The kind of folders below default folders, in modules where several users may administrate one: their type is that of public
 * folders, but they are private data of their owners.
 */
export const PERSONAL = 1;
/** The kind of a trash. */
export const TRASH = 16;
/** The kind of folders that show the objects of accounts elsewhere: their owners read them, and nobody else. */
export const EXTERNAL = 32;

/** Whether a folder stays what it is and where it is: a default folder or a trash. */
export const isKept = ({ isDefault, kind }: { readonly isDefault: boolean; readonly kind: number }): boolean =>
  isDefault || kind === TRASH;

/** Whether a folder of public type is private data of its owner: a default folder, or one below it; so is a trash. */
export const isPersonal = ({ type, kind }: { readonly type: StoredFolderType; readonly kind: number }): boolean =>
  type === 2 && kind !== 0;

/** Whether a folder is private data of its owner, whatever its type says. */
export const isOwned = ({ type, isPersonal }: FolderKind): boolean => type === 1 || isPersonal === true;

/** Capability without which public folders can only be read. */
export const EDIT_PUBLIC_FOLDERS = 'edit_public_folders';
/** Capability without which folders of others are invisible and own ones can't be shared. */
export const SHARE_FOLDERS = 'read_create_shared_folders';

/**
 * Restricts granted bits by what the user may do at all; the owner of a private or personal folder has every right. Guests have no
 * module permissions of their own: what they were given counts.
 */
export function effectiveRights(
  granted: number,
  folder: FolderKind,
  user: Pick<UserPrincipal, 'userId' | 'capabilities' | 'guest'>,
): number {
  if (folder.isExternal) return folder.owner === user.userId ? READ_ONLY_RIGHTS : 0;
  if (isOwned(folder) && folder.owner === user.userId) return ALL_RIGHTS;
  if (user.guest) return granted;
  if (folder.type === 1) return user.capabilities.includes(SHARE_FOLDERS) ? granted : 0;
  if (folder.isPersonal || user.capabilities.includes(EDIT_PUBLIC_FOLDERS)) return granted;
  const { folder: rank, read } = parseRights(granted);
  return toBits({ folder: Math.min(rank, RANK.see), read, write: 0, remove: 0, admin: false });
}

/**
 * Rights of the letters of RFC 4314 and of those of RFC 2086, which it splits: `c` into `k` and `x`, `d` into `t`, `e` and `x`. Who has
 * them all has every right.
 */
export function parseRightsLetters(letters: string): number {
  const has = (...wanted: readonly string[]) => wanted.some((letter) => letters.includes(letter));
  const folder = has('c', 'k')
    ? RANK.createSubfolders
    : has('i')
      ? RANK.createObjects
      : has('l')
        ? RANK.see
        : RANK.none;
  const [read, write, remove] = ['r', 'w', 'd'].map((letter) =>
    (letter === 'd' ? has('d') || (has('t') && has('e')) : has(letter)) ? RANK.all : RANK.none,
  ) as [number, number, number];
  const admin = has('a');
  const isAll = admin && has('l') && has('i') && has('c', 'k') && read + write + remove === 3 * RANK.all;
  return isAll ? ALL_RIGHTS : toBits({ folder, read, write, remove, admin });
}

/** Rights as letters of RFC 2086, which mail folders have: deletion with expunging and that of the folder (t, e). */
export function toRightsLetters(bits: number): string {
  const { folder, read, write, remove, admin } = parseRights(bits);
  return [
    ...[folder >= RANK.see && 'l', read >= RANK.own && 'rs', write >= RANK.own && 'w'],
    ...[folder >= RANK.createObjects && 'ip', folder >= RANK.createSubfolders && 'c'],
    ...[remove >= RANK.own && 'dte', admin && 'a'],
  ]
    .filter((letters) => letters !== false)
    .join('');
}
