export * from './columns';
export * from './constraint';
export * from './migration';
export * from './module-database';
export * from './reader';
