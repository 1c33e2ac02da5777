import {
  localText,
  type EventType,
  type ExceededLimit,
  type FolderAccount,
  type FolderCounts,
  type FolderModule,
  type GrantedFolder,
  type FoldersWithdrawn,
  type OwnedFolderCreation,
  type OwnedPermission,
  type PlannedFile,
  type StoredFolderType,
  type UserPrincipal,
} from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import type { FolderKind } from './domain/rights';
import type { FolderUser, StoredFolder } from './stored-folder';

/** Which folder an event is about. */
export interface FolderEventPayload {
  readonly folderId: number;
}

/** Payload of a notification about a shared folder. */
export interface FolderSharedPayload extends FolderEventPayload {
  /** The sharing user. */
  readonly userId: number;
  /** Title of the folder. */
  readonly title?: string;
  readonly entities: readonly number[];
  /** Message for the recipients. */
  readonly message?: string;
}

/** Which objects of folders go, and on whose behalf. */
export interface ObjectRemoval {
  /** The user who removes them. */
  readonly userId: number;
  /** The trash to which they go; undefined: they go for good. */
  readonly trashId?: number;
}

/** A folder whose objects are to go, with the ranks of the user in it: 0, 1 own, 2 and more all. */
export interface RankedFolder {
  readonly folder: StoredFolder;
  /** Rank for deleting objects. */
  readonly rank: number;
  /** Rank for reading objects. */
  readonly readRank: number;
  /** A private folder of the user, in which private objects of others are seen, too. */
  readonly isOwn: boolean;
}

/** A removed user and the heir; without `heir` the data is deleted. */
export interface Handover {
  readonly userId: number;
  readonly heir?: { readonly userId: number; readonly email: string; readonly displayName: string };
}

/** A folder with a fixed id that is not stored, such as the global address book. */
export interface SystemFolder {
  /** One of `SYSTEM_FOLDERS`. */
  readonly id: number;
  readonly parent: number;
  readonly title: string;
  /** 2 public: among the folders with objects; 5 system: it only has folders below it. */
  readonly type: 2 | 5;
  /** Rights of the user who asks. */
  readonly ownRights: number;
  readonly permissions: readonly OwnedPermission[];
  /** A default folder of its module (column 308). */
  readonly isStandard?: boolean;
}

/** A folder whose objects are counted, with the rank of the user for reading them: 0, 1 own, 2 and more all. */
export interface CountedFolder {
  readonly id: number;
  readonly rank: number;
}

/** An account elsewhere that was looked at, and is to be shown by a new folder. */
export interface PreparedAccount {
  /** The name of the folder, where the client gives none. */
  readonly title: string;
  readonly properties?: Record<string, unknown>;
  /** Stores it with its folder. */
  store(tx: Transaction, folderId: number): Promise<void>;
  /** Brings its objects into the stored folder; never fails, as they come later otherwise. */
  fill(folderId: number): Promise<void>;
}

/** Rules of a module for its folders. Provide one instance of a subclass in the module's service. */
export abstract class FolderModuleRules {
  abstract readonly module: FolderModule;
  /** Published with every change of a folder. */
  abstract readonly events: {
    readonly 'folder.created': EventType<FolderEventPayload>;
    readonly 'folder.changed': EventType<FolderEventPayload>;
    readonly 'folder.deleted': EventType<FolderEventPayload>;
    readonly 'folder.shared': EventType<FolderSharedPayload>;
    readonly 'folders.withdrawn': EventType<FoldersWithdrawn>;
  };
  /** Name of a user's default folder in the language of the locale, or after the user. */
  abstract defaultTitle(locale: string, displayName?: string): string;
  /** Ids of the folders that hold an object which the user may not delete, also one that the user does not see. */
  abstract undeletable(db: Reader, folders: readonly RankedFolder[], user: FolderUser): Promise<ReadonlySet<number>>;
  /** Ids of the folders that hold an object which the user may delete, but another one keeps locked; a module with locks overrides it. */
  async listLocked(_db: Reader, _folders: readonly RankedFolder[], _user: FolderUser): Promise<ReadonlySet<number>> {
    return new Set();
  }
  /**
   * Ids of the folders, all of whose objects the user may delete by their rank, that hold one which the user sees and may not delete
   * for itself; a module that has such objects overrides it.
   */
  async listProtected(_db: Reader, _folders: readonly RankedFolder[], _user: FolderUser): Promise<ReadonlySet<number>> {
    return new Set();
  }
  /**
   * Deletes the objects in folders that the user may delete for themselves, or moves them into a trash; tombstones and events
   * included. All others stay.
   */
  abstract removeObjects(tx: Transaction, folders: readonly RankedFolder[], removal: ObjectRemoval): Promise<void>;
  /** Hands over the objects in folders of a removed user, and removes that user from all others. */
  abstract handOver(tx: Transaction, folders: readonly StoredFolder[], handover: Handover): Promise<void>;

  /**
   * Saves objects that others need, in folders that would go with a removed user: moves them to the heir, or removes all others and
   * answers the ids of the folders, which then pass to the heir, too. A module whose objects belong to several users, or are shared
   * by themselves, overrides it.
   */
  async keepShared(
    _tx: Transaction,
    _folders: readonly StoredFolder[],
    _handover: Handover,
  ): Promise<ReadonlySet<number>> {
    return new Set();
  }

  /** Deletes all objects of the context without tombstones and events; a module with objects overrides it. */
  async removeContext(_tx: Transaction): Promise<void> {}

  /** Capabilities of folders of the module (column 317). */
  readonly capabilities: readonly string[] = ['permissions'];

  /** Place of new default folders: below 1 private ones, below a system folder of the module whatever it says. */
  readonly defaultPlace: { readonly parent: number; readonly type: StoredFolderType } = { parent: 1, type: 1 };

  /**
   * Default folders and those below them are personal: of public type, since several users may administrate them, but private data
   * of their owners. They are written without the right to edit public folders, and go with their owners unless they are shared.
   */
  readonly hasPersonalFolders: boolean = false;

  /** Deleted folders go into a trash first. */
  readonly hasTrash: boolean = false;

  /** Named guests may have every right but administration; otherwise they read at most. */
  readonly guestsWrite: boolean = false;

  /** Name of the trash of a user, in modules that have one. */
  trashTitle(locale: string): string {
    return localText('folder.trash', locale);
  }

  /** The system folders of the module that the user sees; their names in the language of the locale. */
  async listSystemFolders(_db: Reader, _user: UserPrincipal, _locale: string): Promise<readonly SystemFolder[]> {
    return [];
  }

  /** Finds owner and kind of folders made below a system folder of the module; undefined where none can be made. */
  async placeBelow(_systemFolder: number, _user: FolderUser): Promise<FolderKind | undefined> {
    return undefined;
  }

  /**
   * Numbers of objects that the user may read, by folder; system folders of the module are among the asked ones. Folders
   * that are left out are of unknown size. One statement for all of them.
   */
  async countObjects(
    _db: Reader,
    _folders: readonly CountedFolder[],
    _user: FolderUser,
  ): Promise<ReadonlyMap<number, FolderCounts>> {
    return new Map();
  }

  /** Objects on which users or guests have rights of their own; a module that shares single objects overrides it. */
  async listGrantedObjects(_db: Reader, _entities: readonly number[]): Promise<readonly GrantedFolder[]> {
    return [];
  }

  /** Ends the rights on single objects in folders that were thrown away; a module that shares single objects overrides it. */
  async endObjectShares(_tx: Transaction, _folderIds: readonly number[], _userId: number): Promise<void> {}

  /** Other rights on folders than before: a module whose objects are synchronised per user overrides it. */
  async permissionsChanged(_tx: Transaction, _folderIds: readonly number[]): Promise<void> {}

  /** Members of a group changed, or the group is gone; a module that shares single objects with groups overrides it. */
  async groupChanged(_tx: Transaction, _groupId: number): Promise<void> {}

  /** Looks at an account elsewhere for a new folder; undefined in modules without. Outside of transactions. */
  async prepareAccount(_user: UserPrincipal, _wanted: OwnedFolderCreation): Promise<PreparedAccount | undefined> {
    return undefined;
  }

  /** Makes, or removes, the folders of accounts that the user has without asking for them; true when there was something to do. */
  async ensureAccounts(_user: UserPrincipal): Promise<boolean> {
    return false;
  }

  /** Changes the account elsewhere that a folder shows. */
  async updateAccount(
    _tx: Transaction,
    _folder: StoredFolder,
    _config: Readonly<Record<string, unknown>>,
  ): Promise<void> {}

  /** The accounts elsewhere that folders show. */
  async listAccounts(
    _db: Reader,
    _folders: readonly number[],
    _user: UserPrincipal,
  ): Promise<ReadonlyMap<number, FolderAccount>> {
    return new Map();
  }

  /** Limits that files would exceed; a module that stores files overrides it. */
  async exceededLimits(_user: UserPrincipal, _files: readonly PlannedFile[]): Promise<ExceededLimit[]> {
    return [];
  }
}
