import { event, eventCatalog } from '../kit';

/** Which document changed. */
export interface DocumentChange {
  readonly id: number;
  /** Folders in which it is seen, and the one that it left. */
  readonly folders: readonly number[];
  /** Users and guests with whom it is shared itself, or was. */
  readonly users: readonly number[];
  /** The user who changed it. */
  readonly by: number;
  /** `last_modified` of the document after the change, ms UTC. */
  readonly stamp: number;
}

/** The space that the documents of a context use. */
export interface FileSpace {
  /** All versions of all documents, bytes. */
  readonly usedBytes: number;
  /** Grows strictly from change to change: the state with the highest number holds. */
  readonly revision: number;
  /** Reservation in the file store for this change that is counted in `usedBytes` now, see `context-storage`. */
  readonly reservation?: string;
}

/** Which folder of files changed. */
export interface FileFolderChange {
  readonly folderId: number;
}

/** A request to tell users and groups about a folder of files. */
export interface FileFolderShared extends FileFolderChange {
  /** The user who shares it. */
  readonly userId: number;
  /** Title of the folder. */
  readonly title?: string;
  readonly entities: readonly number[];
  /** Text for those who are told. */
  readonly message?: string;
}

/** A request to tell users and groups about a document. */
export interface DocumentShared {
  readonly id: number;
  /** Title of the document. */
  readonly title: string;
  /** The user who shares it. */
  readonly userId: number;
  readonly entities: readonly number[];
  /** Text for those who are told. */
  readonly message?: string;
}

/** Users and guests who lost the last right of their own on any folder of files, or a right on a document. */
export interface FileFoldersWithdrawn {
  readonly entities: readonly number[];
  /** ms UTC */
  readonly stamp: number;
}

/** Events of the files service. */
export const filesEvents = eventCatalog('files', {
  'document.created': event<DocumentChange>('A document exists'),
  'document.changed': event<DocumentChange>(
    'A document, its versions, its lock or its permissions changed, or it moved',
  ),
  'document.deleted': event<DocumentChange>('A document is gone'),
  'document.shared': event<DocumentShared>('Users and groups are to be told about a document'),
  'space.changed': event<FileSpace>('The space that documents of the context use changed'),
  'folder.created': event<FileFolderChange>('A folder of files exists'),
  'folder.changed': event<FileFolderChange>('Name, place or permissions of a folder of files changed'),
  'folder.shared': event<FileFolderShared>('Users and groups are to be told about a folder of files'),
  'folders.withdrawn': event<FileFoldersWithdrawn>(
    'A user or guest lost the last right of the own on folders of files, or one on a document: others may be left',
  ),
  'folder.deleted': event<FileFolderChange>('A folder of files and what it held are gone'),
});
