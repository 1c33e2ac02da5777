export {
  backUp,
  checkBackup,
  restoreShard,
  type BackupManifest,
  type BackupOfShard,
  type BackupPrograms,
  type ShardSchemas,
} from './backup';
export { type CallNote, type TransactionKey } from './call-key';
export { singleHostUrl } from './connections/host-finder';
export type { PoolLoad } from './connections/schema-connection';
export { withClient } from './connections/with-client';
export * from './columns';
export * from './search-condition';
export * from './constraint';
export { moveContext, type ContextMoveOrder } from './context-move';
export * from './context-remains';
export * from './consumed-events';
export { schemaOf, type DatabaseSettings, type Pooler } from './database-settings';
export * from './describe-schema';
export { isConnectionFailure, LostRace } from './failures';
export {
  migrate,
  MIGRATION_LOCK_TIMEOUT_MS,
  planMigration,
  planRollback,
  readMigrationStatus,
  rollback,
  type MigrationStatus,
  type MigrationTarget,
  type PlannedMigration,
} from './migrate';
export type { Migration, MigrationClass, MigrationRunner } from './migration';
export * from './module-database';
export * from './outbox-relay';
export * from './pipeline';
export * from './reader';
export { resealColumns, type ResealingCounts, type SealedColumn } from './resealing';
export { migrationTargetOn, type MigrationMode, type MigrationSettings } from './schema-preparation';
export {
  ADDRESS_REFERENCE,
  DEFAULT_SHARD,
  readShards,
  REGISTRY_SCHEMA,
  ShardRegistry,
  type ShardRegistrySettings,
} from './shard-registry';
export type { Shard } from './shard';
export * from './transact-options';
export { within } from './within';
