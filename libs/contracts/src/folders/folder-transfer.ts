import { FileErrors } from '../attachments/attachment.errors';
import { UploadErrors } from '../edge/edge.errors';
import { FileStorageErrors } from '../files/file-storage.errors';
import { FileLimitErrors, InfostoreErrors } from '../files/infostore.errors';
import { FolderErrors } from './folder.errors';

/** Longest time of a move into another storage, with all bytes, ms. */
export const TRANSFER_DEADLINE_MS = 120_000;

/** Errors of folders that go from one storage into another. */
export const ofFolderTransfer = [
  FileStorageErrors.noSuchFile,
  FileStorageErrors.storageFull,
  FileStorageErrors.fileMissing,
  FileStorageErrors.losesNotes,
  FileStorageErrors.losesVersions,
  FileStorageErrors.losesCategories,
  FileStorageErrors.losesShares,
  FileLimitErrors.tooMany,
  FileErrors.quotaReached,
  UploadErrors.tooLarge,
  InfostoreErrors.locked,
  InfostoreErrors.mustNotCreate,
  FolderErrors.changedInTheMeantime,
  FolderErrors.noAdminAccess,
  FolderErrors.hiddenSubfolder,
  FolderErrors.objectsNotDeletable,
  FolderErrors.objectsLocked,
  FolderErrors.defaultNotDeleted,
  FolderErrors.sharedNotDeleted,
  FolderErrors.tooManyFolders,
];
