import type { OwnedPermission, StoredFolderType } from '@groupware/contracts';

/** A folder as it is stored. Times are ms UTC. */
export interface StoredFolder {
  readonly id: number;
  readonly parent: number;
  readonly type: StoredFolderType;
  readonly title: string;
  readonly createdBy: number;
  readonly modifiedBy: number;
  readonly created: number;
  readonly lastModified: number;
  readonly isDefault: boolean;
  readonly properties: Readonly<Record<string, unknown>> | null;
  /** 0, or 16 for a trash. */
  readonly kind: number;
  /** Data of clients, seen by all who see the folder. */
  readonly meta: Readonly<Record<string, unknown>> | null;
  /** In the trash: names of the folders above where it was, from the top. */
  readonly originPath: string | null;
  readonly permissions: readonly OwnedPermission[];
}

/** A folder with the bits that its permissions grant to a user. */
export interface GrantedRights extends Pick<StoredFolder, 'id' | 'type' | 'kind' | 'createdBy'> {
  readonly granted: number;
}

/** The same with its name: a folder as checks of rights on its objects need it. */
export interface FolderRights extends GrantedRights, Pick<StoredFolder, 'title'> {}

/** A folder with what one user sees of it. */
export interface SeenFolder extends StoredFolder, FolderRights {
  readonly subscribed: boolean;
  /** Stamp of the newest change of the folder, of who sees it, or of the user's subscription. */
  readonly changed: number;
}

/** A folder as a part of the tree of one user. */
export interface ScopedFolder extends SeenFolder {
  /** Whether the user synchronizes it with other devices. */
  readonly usedForSync: boolean;
  /** Attributes that are the user's own, such as his colour of a shared calendar. */
  readonly ownProperties: Readonly<Record<string, unknown>> | null;
  /** Whether it stands below a folder of the module that the user sees, or of another module; null: the whole tree was read. */
  readonly isBelowVisible: boolean | null;
  readonly hasSubfolders: boolean | null;
  readonly hasSubscribedSubfolders: boolean | null;
}

/** The acting user, as far as permissions need. */
export interface FolderUser {
  readonly userId: number;
  readonly groups: readonly number[];
  readonly capabilities: readonly string[];
  readonly guest?: boolean;
}
