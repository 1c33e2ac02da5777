import { assertMigrated, migrate, type MigrationTarget } from './migrate';
import type { Shard } from './shard';

/**
 * Preparation of a schema by a process before use: `start` brings it forward; `check` refuses one that is behind; `none`
 * trusts that it fits.
 */
export type MigrationMode = 'start' | 'check' | 'none';

/** Settings of how schemas are brought forward. */
export interface MigrationSettings {
  /** Default `start`. */
  readonly mode?: MigrationMode;
  /** Addresses of shards with a role that may change schemas, by name of the shard. Default: the shard's own address. */
  readonly urls?: Readonly<Record<string, string>>;
  /** See {@link MigrationTarget.lockTimeoutMs}. */
  readonly lockTimeoutMs?: number;
  /** See {@link MigrationTarget.onWait}. */
  readonly onWait?: (message: string) => void;
}

/** A schema on one shard, as it is migrated there. */
export const migrationTargetOn = (
  shard: Shard,
  schema: Pick<MigrationTarget, 'schema' | 'migrations' | 'withoutKit'>,
  { urls = {}, lockTimeoutMs, onWait }: MigrationSettings = {},
): MigrationTarget => ({
  ...schema,
  url: urls[shard.name] ?? shard.url,
  serviceUrl: shard.url,
  lockTimeoutMs,
  onWait,
});

/** Makes sure that a schema on a shard fits this version, in the way that the settings say. */
export async function prepareSchema(
  shard: Shard,
  schema: Pick<MigrationTarget, 'schema' | 'migrations' | 'withoutKit'>,
  settings: MigrationSettings = {},
): Promise<void> {
  const target = migrationTargetOn(shard, schema, settings);
  const { mode = 'start' } = settings;
  if (mode === 'start') await migrate(target);
  // With the role of the services: it is all that a process has that does not migrate.
  if (mode === 'check') await assertMigrated({ ...target, url: shard.url });
}
