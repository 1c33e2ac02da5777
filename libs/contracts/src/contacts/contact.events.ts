import type { FoldersWithdrawn } from '../folders/folder-owner.contract';
import { event, eventCatalog } from '../kit';

/** Which contact changed. */
export interface ContactChange {
  readonly id: number;
  readonly folderId: number;
  /** The folder it was moved out of. */
  readonly leftFolderId?: number;
  readonly uid: string;
  /** The user who changed it. */
  readonly by: number;
  /** `last_modified` of the contact after the change, ms UTC. */
  readonly stamp: number;
}

/** Which folder of contacts changed. */
export interface ContactFolderChange {
  readonly folderId: number;
}

/** A request to tell users and groups about a folder of contacts. */
export interface ContactFolderShared extends ContactFolderChange {
  /** The user who shares it. */
  readonly userId: number;
  /** Title of the folder. */
  readonly title?: string;
  readonly entities: readonly number[];
  /** Text for those who are told. */
  readonly message?: string;
}

/** Events of the contacts service. */
export const contactEvents = eventCatalog('contacts', {
  'contact.created': event<ContactChange>('A contact exists'),
  'contact.changed': event<ContactChange>('A contact changed, or moved to another folder'),
  'contact.deleted': event<ContactChange>('A contact is gone'),
  'folder.created': event<ContactFolderChange>('A folder of contacts exists'),
  'folder.changed': event<ContactFolderChange>('Name, place or permissions of a folder of contacts changed'),
  'folder.shared': event<ContactFolderShared>('Users and groups are to be told about a folder of contacts'),
  'folders.withdrawn': event<FoldersWithdrawn>('Somebody has no right of his own on any folder of contacts any more'),
  'folder.deleted': event<ContactFolderChange>('A folder of contacts and what it held are gone'),
});
