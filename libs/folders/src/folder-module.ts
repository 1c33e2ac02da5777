import type { EventType, FolderModule } from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import type { StoredFolder } from './persistence/folder.repository';

/** Which folder an event is about. */
export interface FolderEventPayload {
  readonly folderId: number;
}

/** Who asks, as far as rights on objects go. */
export interface FolderUser {
  readonly userId: number;
  readonly groups: readonly number[];
  readonly capabilities: readonly string[];
}

/** What a module tells the kit about its folders. Provide one instance of a subclass in the module's service. */
export abstract class FolderModuleRules {
  abstract readonly module: FolderModule;
  /** Published with every change of a folder. */
  abstract readonly events: {
    readonly created: EventType<FolderEventPayload>;
    readonly changed: EventType<FolderEventPayload>;
    readonly deleted: EventType<FolderEventPayload>;
  };
  /** Name of a user's default folder in the language of the locale. */
  abstract defaultTitle(locale: string): string;
  /** True when a folder holds an object that a user with this rank (0, 1 own, 2 and more all) may not delete. */
  abstract holdsUndeletable(db: Reader, folder: StoredFolder, user: FolderUser, rank: number): Promise<boolean>;
  /** Deletes all objects of a folder that is about to go. */
  abstract removeObjects(tx: Transaction, folder: StoredFolder, user: FolderUser): Promise<void>;
}
