export * from './share-token';
export * from './share.errors';
export * from './share.properties';
export * from './guests.contract';
export * from './share.contract';
