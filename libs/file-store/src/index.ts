export { createArchive, type ArchivedFile } from './archive';
export { toArchiveNames } from './archive-names';
export * from './file-store';
export * from './file-store-for';
export * from './file-store.provider';
export { FileStores, OWN_STORE, storeIdOf, type StorePlaces } from './file-stores';
export { FolderStore } from './folder-store';
export { ProvisionedStores, STORE_CREDENTIALS, storeOwner, type Unseal } from './provisioned-stores';
export type { S3Settings } from './s3-store';
