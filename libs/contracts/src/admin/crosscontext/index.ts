export * from './crosscontext.contract';
export * from './crosscontext.errors';
export * from './crosscontext.events';
export * from './crosscontext.properties';
export * from './share-key';
export * from './share.contract';
