import { Bus, discardEvents } from '@groupware/messaging';
import {
  backUp,
  checkBackup,
  restoreShard,
  type BackupManifest,
  type BackupPrograms,
  type ShardSchemas,
} from '@groupware/persistence';
import { loadSettings, ProcessSettings, RedisSettings } from '@groupware/service-kit';
import { clearSessions } from '@groupware/sessions';
import { InstallationSchemas } from './installation-schemas';

type Environment = Readonly<Record<string, string | undefined>>;

/** Report of what a restore did beside the databases. */
export interface RestoreReport {
  readonly manifest: BackupManifest;
  readonly sessionsEnded: number;
  readonly eventsDiscarded: boolean;
}

const schemasOf = (environment: Environment): InstallationSchemas =>
  InstallationSchemas.fromEnvironment(environment, () => undefined);

/** Writes a backup of the databases of all shards into a new folder, and checks what it wrote. */
export async function backUpInstallation(
  environment: Environment,
  folder: string,
  programs: BackupPrograms,
): Promise<BackupManifest> {
  return backUp(folder, await schemasOf(environment).byShard(), programs);
}

/**
 * Brings back the databases of a backup while no service runs, then ends all sessions and throws away the events: both belong
 * to what was there before.
 * @param options.replace drop what the databases have of this product
 */
export async function restoreInstallation(
  environment: Environment,
  folder: string,
  { replace, programs }: { readonly replace: boolean; readonly programs: BackupPrograms },
): Promise<RestoreReport> {
  const { instances } = loadSettings([ProcessSettings, RedisSettings], environment);
  const settings = instances.get(ProcessSettings) as ProcessSettings;
  const { natsUrl, busPrefix } = settings;
  const store = instances.get(RedisSettings) as RedisSettings;
  const manifest = await checkBackup(folder, programs);
  for (const entry of manifest.shards) {
    // Looked up each time: the registry that names the further shards comes back with the first one.
    const schemas: ShardSchemas | undefined = (await schemasOf(environment).byShard()).find(
      ({ shard }) => shard === entry.shard,
    );
    if (!schemas) throw new Error(`no address of the shard ${entry.shard} is known: DATABASE_URLS has to name it`);
    await restoreShard(folder, { entry, createdAt: manifest.createdAt }, schemas, { replace, programs });
  }
  const sessionsEnded = await clearSessions(store.redisUrl.reveal(), store.keyPrefix(busPrefix));
  const bus = await Bus.connect({
    url: natsUrl.reveal(),
    credentials: settings.busCredentials(),
    prefix: busPrefix,
    name: 'groupware restore',
  });
  try {
    return { manifest, sessionsEnded, eventsDiscarded: await discardEvents(bus) };
  } finally {
    await bus.close();
  }
}
