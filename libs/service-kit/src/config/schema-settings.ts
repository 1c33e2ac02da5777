import { DEFAULT_SHARD, MIGRATION_LOCK_TIMEOUT_MS, type MigrationSettings } from '@groupware/persistence';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { parseAddressesByName } from './addresses-by-name';
import { Secret } from './secret';
import { Setting } from './setting';

/** Settings of schema migrations and their role. */
export class SchemaSettings {
  @Setting({
    env: 'MIGRATIONS',
    doc: 'start: a process brings the schemas of its modules forward when it starts; check: it does not start on schemas that are behind, `svcctl migrate forward` has to run before',
  })
  @IsIn(['start', 'check'])
  mode: 'start' | 'check' = 'start';

  @Setting({
    env: 'MIGRATION_DATABASE_URL',
    doc: 'Postgres of the default shard with a role that may change schemas, not behind a pooler; the role of DATABASE_URL then needs no more than rows. Default: DATABASE_URL',
    type: 'secret',
  })
  url = new Secret('');

  @Setting({
    env: 'MIGRATION_DATABASE_URLS',
    doc: 'The same for further shards, name=url separated by blanks; default: the address that the registry of shards has',
    type: 'secret',
  })
  urls = new Secret('');

  @Setting({
    env: 'MIGRATION_LOCK_TIMEOUT_MS',
    doc: 'Longest wait for another process that migrates the same schema, and for tables in use, ms',
  })
  @IsInt()
  @Min(0)
  @Max(24 * 3_600_000)
  lockTimeoutMs = MIGRATION_LOCK_TIMEOUT_MS;

  /** Options for migrating and checking. */
  migrationSettings(onWait: (message: string) => void): MigrationSettings {
    const home = this.url.reveal();
    const urls = { ...parseAddressesByName(this.urls), ...(home ? { [DEFAULT_SHARD]: home } : {}) };
    return { mode: this.mode, urls, lockTimeoutMs: this.lockTimeoutMs, onWait };
  }
}
