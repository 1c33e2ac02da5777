import { Field } from '../kit';
import type { FolderKey, FolderModule } from './folder-id';

/** Type of a stored folder: 1 private (seen as 3, shared, by others), 2 public. */
export type StoredFolderType = 1 | 2;

/** One entry of the permission list of a stored folder. */
export interface OwnedPermission {
  /** User or group id. */
  readonly entity: number;
  readonly group: boolean;
  /** Five ranks in one number, see the API page "Folders and permissions". */
  readonly bits: number;
}

/** Numbers of objects in a folder, as far as the user may read them; absent: unknown. */
export interface FolderCounts {
  readonly total?: number;
  readonly new?: number;
  readonly unread?: number;
  /** Marked as deleted (mail). */
  readonly deleted?: number;
}

/** An account elsewhere whose objects a folder shows: who reads them, and how. */
export class FolderAccountRequest {
  @Field.text({ doc: 'Kind of account, such as ical', maxLength: 64 }) provider!: string;
  @Field.any({ doc: 'Its settings, by provider', optional: true }) config?: Record<string, unknown>;
}

/** An account elsewhere as its folder tells it, without secrets. */
export interface FolderAccount {
  readonly provider: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Why the last look at it failed: the error as clients get it. */
  readonly error?: object;
  /** When its objects were last read, ms UTC. */
  readonly refreshed?: number;
}

/** A folder as its owner tells it to one user. Times are ms UTC. */
export interface OwnedFolder {
  readonly id: FolderKey;
  /** A system folder or a folder of any module. */
  readonly parent: FolderKey;
  readonly module: FolderModule;
  readonly type: StoredFolderType;
  /** The type that clients see instead, such as 5 system, 16 trash. */
  readonly shownType?: number;
  readonly title: string;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  /** The folder that its module falls back to; one per user. */
  readonly isDefault: boolean;
  readonly subscribed: boolean;
  /** Stamp of the newest change that concerns the user: of the folder, of who sees it, or of the subscription. */
  readonly changed: number;
  /** Effective rights of the user who asks. */
  readonly ownRights: number;
  readonly permissions: readonly OwnedPermission[];
  /** Set when the call asked for them and the module counts this one. */
  readonly counts?: FolderCounts;
  /** Kind of default folder (column 316), where that does not follow from its module, as in mail. */
  readonly standardType?: number;
  /** Names of capabilities; default: permissions. */
  readonly capabilities?: readonly string[];
  /** Free attributes such as colour and description. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Data of clients, seen by all who see the folder. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** In the trash: the path where it was. */
  readonly origin?: string;
  /** Whether the user synchronizes it with other devices. */
  readonly usedForSync?: boolean;
  /** The account elsewhere whose objects it shows. */
  readonly account?: FolderAccount;
  /** Why the account whose root it is cannot be reached: the error as clients get it. */
  readonly accountError?: object;
  /** In parts of the tree: it stands below a folder that the user sees, or below one of another module. */
  readonly isBelowVisible?: boolean;
  /** In parts of the tree: there are folders of the module below it that the user sees. */
  readonly hasSubfolders?: boolean;
  readonly hasSubscribedSubfolders?: boolean;
}

/** A parent that another module owns, as the folders service knows it. */
export class ForeignParent {
  @Field.int({ doc: '1 private, 2 public', values: [1, 2] }) type!: StoredFolderType;
  @Field.int({ doc: 'Owner of the private folder', min: 0 }) owner!: number;
}

/** Owner of a folder, and the rights on it. */
export interface FolderSharing {
  readonly owner: number;
  /** 1 also for personal folders of public type. */
  readonly type: StoredFolderType;
  readonly title: string;
  readonly isDefault: boolean;
  readonly permissions: readonly OwnedPermission[];
}

/** Asks for folders by id. */
export class OwnedFoldersQuery {
  @Field.listOf('int', { doc: 'Folder ids' }) ids!: number[];
}

/** User who is to have a default folder. */
export class FolderPreparation {
  @Field.int({ doc: 'User id', min: 1 }) user!: number;
  @Field.text({ doc: 'Locale, for the name of the folder', maxLength: 64 }) locale!: string;
  @Field.text({ doc: 'Name of the user, for folders that are named after users', optional: true, maxLength: 1024 })
  name?: string;
  @Field.boolean({ doc: 'The trash, in modules that have one', optional: true }) trash?: boolean;
}

/** Asks what entities were given. */
export class GrantedQuery {
  @Field.listOf('int', { doc: 'Ids of users or guests' }) entities!: number[];
}

/** A folder that a user or guest was given rights on. */
export interface GrantedFolder {
  readonly entity: number;
  readonly folder: number;
  /** Number of an object, on which alone the rights are. */
  readonly item?: number;
}

/** Asks for one folder. */
export class OwnedFolderQuery {
  @Field.any({ doc: 'Folder' }) id!: FolderKey;
  @Field.boolean({ doc: 'Also its numbers of objects', optional: true }) counts?: boolean;
}

/** Asks for one stored folder. */
export class StoredFolderQuery {
  @Field.int({ doc: 'Folder id', min: 0 }) id!: number;
}

/** A part of the tree; without anything else all of it. */
export class OwnedFolderListing {
  @Field.boolean({ doc: 'Also their numbers of objects', optional: true }) counts?: boolean;
  @Field.boolean({
    doc: 'Also permission entries that the module must read elsewhere, as at mail servers',
    optional: true,
  })
  permissions?: boolean;
  @Field.any({
    doc: 'Only what is needed to list the folders below this one: a folder of any module, a system folder (0: one of each kind), or `u:<id>`',
    optional: true,
  })
  below?: FolderKey;
  @Field.boolean({
    doc: 'Shared folders stand directly below 3, public ones without visible parent below 2, those of the primary mailbox below 1, the default folder of files below 9',
    optional: true,
  })
  flat?: boolean;
  @Field.any({ doc: 'Only these folders and those above them', optional: true }) paths?: FolderKey[];
  @Field.any({ doc: 'Only these folders', optional: true }) ids?: FolderKey[];
  @Field.timestamp({ doc: 'Only folders that changed for the user since', optional: true }) since?: number;
  @Field.boolean({ doc: 'Only folders that the user shares with others', optional: true }) shared?: boolean;
  @Field.text({ doc: 'Language of the names of system folders; default: that of the user', optional: true })
  locale?: string;
  @Field.boolean({
    doc: 'Makes the folders of accounts that users have without asking for them, such as that of birthdays',
    optional: true,
  })
  accounts?: boolean;
}

/** How to list. */
export class OwnedFolderListings {
  @Field.timestamp({
    doc: 'All stamps given after the answer are above this one: lets the folders service merge several modules',
    optional: true,
  })
  reach?: number;
  @Field.list(() => OwnedFolderListing, { doc: 'Parts of the tree, each answered by itself' })
  parts!: OwnedFolderListing[];
}

/** Asks which folders went out of sight. */
export class LostFoldersQuery {
  @Field.timestamp({ doc: 'Losses after this stamp' }) since!: number;
}

/** A place in which a folder is no longer seen: deleted, moved, or no longer shared. Others may tell that it is elsewhere. */
export interface LostFolder {
  readonly id: FolderKey;
  /** The folder above, as it was. */
  readonly parent: FolderKey;
  readonly type: StoredFolderType;
  readonly createdBy: number;
  /** ms UTC. */
  readonly stamp: number;
  /** The user sees the folder, in another place or again. */
  readonly isVisible?: boolean;
}

/** Mail to those who get permissions. */
export class SharingNotice {
  @Field.text({ doc: 'Text of the mail', optional: true, maxLength: 10_000 }) message?: string;
}

/** A folder to create. */
export class OwnedFolderCreation {
  @Field.int({ doc: 'Its id, which was reserved; default: the next one', optional: true, min: 1 }) id?: number;
  @Field.any({ doc: 'Parent: a system folder or a folder of any module' }) parent!: FolderKey;
  @Field.object(() => ForeignParent, { doc: 'Set when another module owns the parent', optional: true })
  foreignParent?: ForeignParent;
  @Field.text({ doc: 'Name' }) title!: string;
  @Field.any({ doc: 'Permission list (OwnedPermission[]); default: as the parent', optional: true })
  permissions?: OwnedPermission[];
  @Field.boolean({ doc: 'Shown in folder lists', optional: true }) subscribed?: boolean;
  @Field.any({ doc: 'Free attributes', optional: true }) properties?: Record<string, unknown>;
  @Field.any({ doc: 'Data of clients', optional: true }) meta?: Record<string, unknown>;
  @Field.boolean({ doc: 'Synchronized with other devices of the user', optional: true }) usedForSync?: boolean;
  @Field.boolean({ doc: 'Number the name when it is taken', optional: true }) autorename?: boolean;
  @Field.object(() => SharingNotice, { doc: 'Tell those who got permissions', optional: true }) notice?: SharingNotice;
  @Field.object(() => FolderAccountRequest, { doc: 'Show the objects of an account elsewhere', optional: true })
  account?: FolderAccountRequest;
}

/** A link of a folder, and whether it opens the folders below. */
export class BranchLink {
  @Field.int({ doc: 'Guest of the link', min: 1 }) entity!: number;
  @Field.boolean({ doc: 'Whether the guest is to see the folders below' }) includesBelow!: boolean;
}

/** Changes of a folder; absent fields stay. */
export class OwnedFolderChange {
  @Field.any({ doc: 'Folder' }) id!: FolderKey;
  @Field.timestamp({ doc: 'Refuse when the folder was changed later', optional: true }) timestamp?: number;
  @Field.any({ doc: 'New parent', optional: true }) parent?: FolderKey;
  @Field.object(() => ForeignParent, { doc: 'Set when another module owns the new parent', optional: true })
  foreignParent?: ForeignParent;
  @Field.text({ doc: 'New name', optional: true }) title?: string;
  @Field.any({ doc: 'New permission list (OwnedPermission[])', optional: true }) permissions?: OwnedPermission[];
  @Field.boolean({ doc: 'Also replace the permissions of all folders below it', optional: true }) cascade?: boolean;
  @Field.boolean({ doc: 'Shown in folder lists', optional: true }) subscribed?: boolean;
  @Field.any({ doc: 'Free attributes; null removes one', optional: true }) properties?: Record<string, unknown>;
  @Field.any({ doc: 'Data of clients, merged by key; null removes one', optional: true }) meta?: Record<
    string,
    unknown
  >;
  @Field.boolean({ doc: 'Synchronized with other devices of the user', optional: true }) usedForSync?: boolean;
  @Field.boolean({ doc: 'Number the name when it is taken', optional: true }) autorename?: boolean;
  @Field.boolean({ doc: 'Also when the storage of the new parent does not keep everything', optional: true })
  ignoreWarnings?: boolean;
  @Field.object(() => SharingNotice, { doc: 'Tell those who got permissions', optional: true }) notice?: SharingNotice;
  @Field.any({ doc: 'New settings of the account elsewhere; absent ones stay', optional: true })
  accountConfig?: Record<string, unknown>;
  @Field.object(() => BranchLink, { doc: 'Let a link of the folder open the folders below, or not', optional: true })
  branchLink?: BranchLink;
}

/** Which folders to delete. */
export class OwnedFolderRemoval {
  @Field.any({ doc: 'Folders' }) ids!: FolderKey[];
  @Field.timestamp({ doc: 'Refuse folders that were changed later', optional: true }) timestamp?: number;
  @Field.boolean({ doc: 'Not into the trash, where the module has one', optional: true }) hardDelete?: boolean;
  @Field.boolean({ doc: 'Fail at the first refused folder; nothing is deleted then', optional: true }) strict?: boolean;
  @Field.boolean({ doc: 'Only tell what would be refused', optional: true }) check?: boolean;
}

/** Which folders to take out of the trash. */
export class OwnedFolderRestoration {
  @Field.any({ doc: 'Folders' }) ids!: FolderKey[];
}

/** Which folders to empty. */
export class OwnedFolderClearing {
  @Field.any({ doc: 'Folders' }) ids!: FolderKey[];
  @Field.boolean({ doc: 'Not into the trash, where the module has one', optional: true }) hardDelete?: boolean;
}

/** A folder that stays as it is, and why. */
export interface RefusedFolder {
  readonly id: FolderKey;
  /** Key of the error catalogue. */
  readonly error: string;
  readonly params: readonly string[];
}

/** A folder that is in the trash. */
export interface TrashedFolder {
  readonly id: FolderKey;
  /** Its id in the trash: another one where ids tell the place, as in mail. */
  readonly newId: FolderKey;
}

/** Outcome for several folders. */
export interface OwnedFoldersDone {
  /** Stamp of the change, ms UTC. */
  readonly stamp: number;
  readonly refused: readonly RefusedFolder[];
  /** Folders that are in the trash now; those neither here nor refused are gone. */
  readonly trashed?: readonly TrashedFolder[];
}

/** Recipients of a notice about a folder. */
export class OwnedFolderNotice extends SharingNotice {
  @Field.any({ doc: 'Folder' }) id!: FolderKey;
  @Field.listOf('int', { doc: 'Users and groups', maxItems: 1000 }) entities!: number[];
}

/** A file that a client wants to store. */
export class PlannedFile {
  @Field.text({ doc: 'Name', optional: true, maxLength: 1024 }) name?: string;
  @Field.int({ doc: 'Size in bytes', optional: true, min: 0, max: Number.MAX_SAFE_INTEGER }) size?: number;
}

/** Files that are to go into a folder. */
export class OwnedFolderLimits {
  @Field.any({ doc: 'Folder' }) id!: FolderKey;
  @Field.list(() => PlannedFile, { doc: 'The files', maxItems: 10_000 }) files!: PlannedFile[];
}

/** A limit that would be exceeded. */
export interface ExceededLimit {
  /** Key of the error catalogue. */
  readonly error: string;
  readonly params: readonly string[];
}

/** Result of a write of a folder. */
export interface OwnedFolderWritten {
  readonly id: FolderKey;
  /** ms UTC. */
  readonly lastModified: number;
  /** Losses of a move into another storage: keys of the error catalogue. */
  readonly warnings?: readonly Omit<RefusedFolder, 'id'>[];
  /** It shows the objects of an account elsewhere. */
  readonly isExternal?: boolean;
  /** Folders below that keep their rights, as the user does not administrate them. */
  readonly skipped?: readonly number[];
}

/** Effective rights of a user on folders. */
export interface FolderRights {
  readonly id: number;
  readonly rights: number;
  readonly type: StoredFolderType;
  readonly owner: number;
}
