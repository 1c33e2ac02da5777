export * from './folder.access';
export * from './folder-id';
export * from './folder.model';
export * from './folder.errors';
export * from './folder.properties';
export * from './folder-owner.models';
export * from './folder-owner.contract';
export * from './folders.contract';
