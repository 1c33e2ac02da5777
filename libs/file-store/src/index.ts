export * from './file-store';
export * from './file-store-for';
export { FolderStore } from './folder-store';
