export * from './columns';
export * from './constraint';
export { moveContext, type ContextMoveOrder } from './context-move';
export * from './context-remains';
export * from './consumed-events';
export { schemaOf, type DatabaseSettings } from './database-settings';
export * from './describe-schema';
export { isConnectionFailure } from './failures';
export * from './grown-tables';
export { migrate, rollback, type MigrationTarget } from './migrate';
export * from './migration';
export * from './module-database';
export * from './outbox-relay';
export * from './reader';
export {
  ADDRESS_REFERENCE,
  DEFAULT_SHARD,
  ShardRegistry,
  type Shard,
  type ShardRegistrySettings,
} from './shard-registry';
export * from './together';
export * from './transact-options';
