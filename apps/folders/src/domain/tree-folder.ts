import type { FolderCounts, OwnedFolder, OwnedPermission } from '@groupware/contracts';

/** A folder in the tree of one user. Times are ms UTC. */
export interface TreeFolder {
  /** A number, `u:<id>` for the folders of another user, or the full name of a mail folder; without account. */
  readonly id: string;
  readonly parent: string;
  readonly title: string;
  /** Its name in no language (column 319); default: the title. */
  readonly rawName?: string;
  readonly module: string;
  /** 1 private, 2 public, 3 shared, 5 system, 16 trash. */
  readonly type: number;
  /** User id; 0 for system folders. */
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  /** Stamp of the newest change relevant to the user. */
  readonly changed: number;
  /** Stored parent, visible or not; undefined for system folders. */
  readonly above?: string;
  /** The folder as its owner told it; undefined for folders of the tree itself. */
  readonly place?: OwnedFolder;
  readonly ownRights: number;
  readonly permissions: readonly OwnedPermission[];
  readonly isDefault: boolean;
  readonly subscribed: boolean;
  readonly counts?: FolderCounts;
  readonly capabilities?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly origin?: string;
  readonly usedForSync?: boolean;
  /** Facts from the owner about folders below, when only a part of the tree was read. */
  readonly hasSubfolders?: boolean;
  readonly hasSubscribedSubfolders?: boolean;
}

/** Types of folders as a user sees them. */
export const FOLDER_TYPE = { private: 1, public: 2, shared: 3, system: 5, trash: 16 } as const;
