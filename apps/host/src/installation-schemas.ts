import {
  DEFAULT_SHARD,
  migrationTargetOn,
  readShards,
  REGISTRY_SCHEMA,
  schemaOf,
  type MigrationSettings,
  type MigrationTarget,
  type Shard,
  type ShardSchemas,
} from '@groupware/persistence';
import { loadSettings, ProcessSettings, SchemaSettings } from '@groupware/service-kit';
import { modules } from './modules';
import { loadModules } from './start-host';

/** A schema on one shard. */
export interface InstallationSchema {
  readonly shard: string;
  readonly target: MigrationTarget;
}

/** The schemas of all modules on all shards, whatever modules a process hosts: for programs that migrate. */
export class InstallationSchemas {
  private constructor(
    private readonly settings: ProcessSettings,
    private readonly migration: MigrationSettings,
  ) {}

  /**
   * Reads DATABASE_URL, MIGRATION_DATABASE_URL and what belongs to them.
   * @param onWait told while another process migrates
   * @throws BadSettings with every problem
   */
  static fromEnvironment(
    environment: Readonly<Record<string, string | undefined>>,
    onWait: (message: string) => void,
  ): InstallationSchemas {
    const { instances } = loadSettings([ProcessSettings, SchemaSettings], environment);
    const settings = instances.get(ProcessSettings) as ProcessSettings;
    return new InstallationSchemas(
      settings,
      (instances.get(SchemaSettings) as SchemaSettings).migrationSettings(onWait),
    );
  }

  /** The registry of shards: it comes first, the other shards are found in it. */
  get registry(): InstallationSchema {
    const home = { name: DEFAULT_SHARD, url: this.settings.databaseUrl.reveal() };
    return { shard: home.name, target: migrationTargetOn(home, REGISTRY_SCHEMA, this.migration) };
  }

  /** Every shard, the default one first. */
  shards(): Promise<readonly Shard[]> {
    return readShards({ url: this.registry.target.url, addresses: this.settings.shardAddresses() }).then(
      ([home, ...others]) => [{ ...home!, url: this.settings.databaseUrl.reveal() }, ...others],
    );
  }

  /** The schemas of the modules, in the order of the modules. */
  async ofModules(): Promise<readonly InstallationSchema[]> {
    const shards = await this.shards();
    const services = await loadModules(Object.keys(modules));
    return services.flatMap(({ name, migrations, onDefaultShard }) =>
      migrations
        ? (onDefaultShard ? shards.slice(0, 1) : shards).map((shard) => ({
            shard: shard.name,
            target: migrationTargetOn(shard, { schema: schemaOf(name), migrations }, this.migration),
          }))
        : [],
    );
  }

  /** All schemas by shard, the default one first. */
  async byShard(): Promise<readonly ShardSchemas[]> {
    const all = [this.registry, ...(await this.ofModules())];
    return [...new Set(all.map(({ shard }) => shard))].map((shard) => ({
      shard,
      targets: all.filter((schema) => schema.shard === shard).map(({ target }) => target),
    }));
  }
}
