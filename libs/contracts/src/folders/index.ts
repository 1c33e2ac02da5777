export * from './folder-id';
export * from './folder.model';
