export * from './file-store';
export * from './file-store-for';
export * from './file-store.provider';
export { FolderStore } from './folder-store';
export type { S3Settings } from './s3-store';
