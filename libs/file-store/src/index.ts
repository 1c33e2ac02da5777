export * from './file-store';
export * from './file-store-for';
export { FolderStore } from './folder-store';
export type { S3Settings } from './s3-store';
