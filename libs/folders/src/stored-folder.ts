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
  readonly permissions: readonly OwnedPermission[];
}

/** A folder with what one user sees of it. */
export interface SeenFolder extends StoredFolder {
  readonly granted: number;
  readonly subscribed: boolean;
  /** Stamp of the newest change of the folder, of who sees it, or of the user's subscription. */
  readonly changed: number;
}

/** The acting user, as far as permissions need. */
export interface FolderUser {
  readonly userId: number;
  readonly groups: readonly number[];
  readonly capabilities: readonly string[];
}
