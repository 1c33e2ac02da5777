export * from './directory.contract';
export * from './identity.events';
