import { directoryProvider } from '@groupware/directory';
import { ExternalFolders, folderProviders, tombstoneCleaner, TombstoneRepository } from '@groupware/folders';
import { outboundProviders } from '@groupware/outbound';
import { Pictures } from '@groupware/pictures';
import { Logger } from '@groupware/service-kit';
import { storedFileProviders } from '@groupware/stored-files';
import { Injectable, type Provider } from '@nestjs/common';
import { DocumentArchive } from './documents/document-archive';
import { DocumentCopier } from './documents/document-copier';
import { DocumentEditor } from './documents/document-editor';
import { DocumentFileUses } from './documents/document-file-uses';
import { DocumentLocks } from './documents/document-locks';
import { DocumentMedia } from './documents/document-media';
import { AudioFiles } from './media/audio-files';
import { DocumentNotices } from './documents/document-notices';
import { DocumentPlaces } from './documents/document-places';
import { DocumentQuota } from './documents/document-quota';
import { DocumentUploads } from './documents/document-uploads';
import { DocumentRequests } from './documents/document-requests';
import { DocumentTrash } from './documents/document-trash';
import { DocumentVersions } from './documents/document-versions';
import { DocumentWriter } from './documents/document-writer';
import { DocumentGuests } from './documents/document-guests';
import { VersionWriter } from './documents/version-writer';
import { TrashCleaner } from './documents/trash-cleaner';
import { PermissionInput } from './documents/permission-input';
import { FilesConfig } from './files.config';
import { FileFolderRules } from './folders/file-folder-rules';
import { FolderAccess } from './folders/folder-access';
import { CreateFolders1764600000000 } from './migrations/1764600000000-create-folders';
import { StoreFiles1764600000001 } from './migrations/1764600000001-store-files';
import { CreateDocuments1764600000002 } from './migrations/1764600000002-create-documents';
import { FollowFolders1764600000003 } from './migrations/1764600000003-follow-folders';
import { FolderDetails1764600000004 } from './migrations/1764600000004-folder-details';
import { IndexFolders1764600000005 } from './migrations/1764600000005-index-folders';
import { PersonalFolders1764600000006 } from './migrations/1764600000006-personal-folders';
import { StorageAccounts1764600000007 } from './migrations/1764600000007-storage-accounts';
import { DocumentRepository } from './persistence/document.repository';
import { DocumentViewRepository } from './persistence/document-view.repository';
import { FolderContentRepository } from './persistence/folder-content.repository';
import { FileFinder } from './find/file-finder';
import { FolderTransfers } from './storages/folder-transfers';
import { StorageAccountRepository } from './storages/account.repository';
import { StorageAccounts } from './storages/storage-accounts';
import { StorageArchive } from './storages/storage-archive';
import { StorageContent } from './storages/storage-content';
import { StorageDocuments } from './storages/storage-documents';
import { StorageFolders } from './storages/storage-folders';
import { StorageListing } from './storages/storage-listing';
import { StorageKinds } from './storages/storage-kinds';
import { StorageTransfers } from './storages/storage-transfers';
import { WebDavKind } from './storages/webdav/webdav-kind';
import { DocumentView } from './views/document-view';
import { ExtendedPermissions } from './views/extended-permissions';

/** Steps of the schema in order. */
export const migrations = [
  CreateFolders1764600000000,
  StoreFiles1764600000001,
  CreateDocuments1764600000002,
  FollowFolders1764600000003,
  FolderDetails1764600000004,
  IndexFolders1764600000005,
  PersonalFolders1764600000006,
  StorageAccounts1764600000007,
] as const;

/** Tombstones of permissions on documents. */
@Injectable()
class PermissionTombstones extends TombstoneRepository {
  constructor() {
    super({ counter: 'context_state', tombstone: 'permission_tombstone' });
  }
}

/** Providers of handlers and consumers. */
export const providers: Provider[] = [
  ...folderProviders(FileFolderRules),
  ...storedFileProviders(DocumentFileUses, FilesConfig),
  ...outboundProviders,
  directoryProvider('files'),
  PermissionTombstones,
  tombstoneCleaner(
    { counter: 'context_state', tombstone: 'document_tombstone' },
    FilesConfig,
    Logger.for('files.tombstones'),
    [PermissionTombstones],
  ),
  DocumentArchive,
  DocumentCopier,
  DocumentEditor,
  DocumentRequests,
  VersionWriter,
  DocumentLocks,
  DocumentMedia,
  AudioFiles,
  DocumentNotices,
  DocumentPlaces,
  DocumentQuota,
  DocumentRepository,
  DocumentTrash,
  DocumentUploads,
  DocumentVersions,
  DocumentView,
  DocumentViewRepository,
  DocumentWriter,
  ExtendedPermissions,
  FileFinder,
  FolderAccess,
  FolderContentRepository,
  DocumentGuests,
  PermissionInput,
  TrashCleaner,
  Pictures,
  StorageAccountRepository,
  StorageAccounts,
  StorageArchive,
  StorageContent,
  StorageDocuments,
  StorageListing,
  StorageTransfers,
  FolderTransfers,
  { provide: ExternalFolders, useClass: StorageFolders },
  StorageKinds,
  WebDavKind,
];
