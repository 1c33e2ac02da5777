import 'reflect-metadata';
import { Bus, Caller, clientOf, EventBus } from '@groupware/messaging';
import { ShardRegistry, type MigrationSettings } from '@groupware/persistence';
import { ModuleRef } from '@nestjs/core';
import { EventSettings } from './config/event-settings';
import { HealthSettings } from './config/health-settings';
import { ListenerSettings } from './config/listener-settings';
import { ProcessSettings } from './config/process-settings';
import { SchemaSettings } from './config/schema-settings';
import { loadSettings, type SettingsClass } from './config/setting';
import { watchLanguages } from './configuration/languages';
import { openConfiguration, type Configuration } from './configuration/open-configuration';
import { subscribeConsumers } from './consume';
import type { ServiceDefinition } from './define-service';
import { describeError } from './describe-error';
import { HealthChecks } from './health/health-checks';
import { Liveness } from './health/liveness';
import { ProbeSettings } from './health/probe-settings';
import { ClientAddresses } from './http/client-address';
import { configureLogs, getCallContext, Logger, setLogLevel } from './log/logger';
import { collectProcessMetrics } from './metrics';
import { registerBus } from './process-metrics';
import { Closers } from './process/closers';
import { createProcessHealth } from './process/process-health';
import { ProcessListeners } from './process/process-listeners';
import { RunningProcess, type RunningServices } from './process/running-process';
import { RuntimeFollower } from './runtime-follower';
import { scanService } from './scan';
import { startService, type Loaded, type ServiceEnvironment, type Started } from './start-service';
import { startTracing } from './tracing/open-telemetry';
import { TracingSettings } from './tracing/tracing-settings';
import { VERSION } from './version';

const log = Logger.for('process');

function loadServices(definitions: readonly ServiceDefinition[]): { loaded: Loaded[]; problems: string[] } {
  const problems: string[] = [];
  const loaded = definitions.map((definition) => {
    const result = scanService(definition);
    problems.push(...result.problems);
    return { definition, parts: result.parts };
  });
  return { loaded, problems };
}

const toSettingsClasses = (config: ServiceDefinition['config']): readonly SettingsClass[] =>
  config === undefined ? [] : Array.isArray(config) ? (config as SettingsClass[]) : [config as SettingsClass];

/**
 * Starts services in this process.
 * @throws BadSettings with all problems at once; an error that names missing or double handlers; whatever keeps a
 * dependency from being reached. What was started before is stopped again.
 */
export async function runServices(
  definitions: readonly ServiceDefinition[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RunningServices> {
  const { loaded, problems } = loadServices(definitions);
  if (problems.length > 0) throw new Error(`The services do not fit their contracts:\n  ${problems.join('\n  ')}`);
  const { instances } = loadSettings(
    [
      ProcessSettings,
      SchemaSettings,
      EventSettings,
      TracingSettings,
      ListenerSettings,
      HealthSettings,
      ...definitions.flatMap(({ config }) => toSettingsClasses(config)),
    ],
    environment.NODE_ENV === 'test' ? { GROUPWARE_TEST: 'true', ...environment } : environment,
  );
  const settings = instances.get(ProcessSettings) as ProcessSettings;
  const configuration = openConfiguration(
    { propertiesFiles: settings.propertiesFile, environment, secretsFiles: settings.secretsFile },
    settings.configurationPollMs,
  );
  setLogLevel(settings.logLevel);
  collectProcessMetrics();

  const closers = new Closers();
  closers.add(() => configuration.files.close());
  try {
    const endTracing = await startTracing(
      instances.get(TracingSettings) as TracingSettings,
      definitions.map(({ name }) => name),
    );
    if (endTracing) closers.add(endTracing);
    watchLanguages(settings.languages, configuration.files);
    return await startProcess({ loaded, settings, instances, configuration, closers });
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/** Services, settings and configuration that a process is started from. */
interface ProcessPlan {
  readonly loaded: readonly Loaded[];
  readonly settings: ProcessSettings;
  readonly instances: ReadonlyMap<SettingsClass, object>;
  readonly configuration: Configuration;
  readonly closers: Closers;
}

async function startProcess(plan: ProcessPlan): Promise<RunningServices> {
  const { loaded, settings, instances, configuration, closers } = plan;
  const eventSettings = instances.get(EventSettings) as EventSettings;
  const { bus, events, follow } = await connectBus(plan, eventSettings);
  const caller = new Caller(bus, getCallContext, () => true, true, settings.sendsTwice);
  const limits = instances.get(ListenerSettings) as ListenerSettings;
  const health = instances.get(HealthSettings) as HealthSettings;
  const probe = new ProbeSettings(configuration.values, settings);
  const { checks, liveness } = createProcessHealth({ bus, events }, { process: settings, health, probe }, closers);

  const addresses = new ClientAddresses(settings.trustedProxies);
  const listeners = new ProcessListeners(settings, limits, addresses);
  // Before everything that takes long: probes are answered while schemas are brought forward.
  const internalListener = await listeners.openInternal([
    { provide: HealthChecks, useValue: checks },
    { provide: Liveness, useValue: liveness },
    { provide: ProbeSettings, useValue: probe },
    { provide: 'VERSION', useValue: VERSION },
  ]);
  closers.add(() => internalListener.close());

  const migration = (instances.get(SchemaSettings) as SchemaSettings).migrationSettings((text) => log.warn({}, text));
  const registry = await openRegistry(plan, migration);
  const shared = { settings, addresses, instances, configuration, bus, events, eventSettings, caller };
  const environment = { ...shared, registry, migration, checks, liveness, closers, problem };
  const services = await startAll(loaded, environment);

  for (const { definition, app } of services) await definition.http?.(listeners, app.get(ModuleRef));
  const hasPublic = loaded.some(({ definition }) => definition.http);
  const publicListener = hasPublic ? await listeners.openPublic() : undefined;
  // Consumers come last: they may call services of this process.
  await Promise.all(services.map((service) => subscribeConsumers(service, events, eventSettings)));
  follow(startFollower(caller, events, checks, closers));
  listeners.start();
  checks.ready = true;
  for (const { definition, app } of services) await definition.afterStart?.(app.get(ModuleRef));
  const opened = { publicListener, internalListener, services, events };
  return new RunningProcess({ settings, limits, configuration, checks, closers, ...opened });
}

const problem = (what: string, error: unknown): void => log.warn({ error: describeError(error) }, what);

/** Connects to the bus; `follow` names who catches up after each interruption. */
async function connectBus({ loaded, settings, closers }: ProcessPlan, eventSettings: EventSettings) {
  const names = loaded.map(({ definition }) => definition.name);
  let follower: RuntimeFollower | undefined;
  const bus = await Bus.connect({
    url: settings.natsUrl.reveal(),
    credentials: settings.busCredentials(),
    client: clientOf(names),
    prefix: settings.busPrefix,
    principals: settings.principalKeys(),
    name: `groupware ${names.join(',')}`,
    onStatus: (status, detail) => {
      log.warn({ detail }, `bus ${status}`);
      if (status !== 'connected' || !follower) return;
      follower.refresh();
      events.checkStream();
    },
  });
  closers.add(() => bus.close());
  closers.add(registerBus(bus));
  const events = new EventBus(bus, (error, what) => problem(what, error), eventSettings);
  await events.open();
  return { bus, events, follow: (other: RuntimeFollower) => void (follower = other) };
}

/** Opens the list of shards where a service has a database. */
async function openRegistry(
  { loaded, settings, closers }: ProcessPlan,
  migration: MigrationSettings,
): Promise<ShardRegistry | undefined> {
  if (!loaded.some(({ definition }) => definition.migrations)) return undefined;
  const registry = await ShardRegistry.open({
    url: settings.databaseUrl.reveal(),
    leaseMs: settings.shardLeaseMs,
    addresses: settings.shardAddresses(),
    pooler: settings.databasePooler,
    migration,
  });
  closers.add(() => registry.close());
  return registry;
}

/** Starts services side by side. @throws the first failure, when all of them have started or failed */
async function startAll(loaded: readonly Loaded[], environment: ServiceEnvironment): Promise<Started[]> {
  const outcomes = await Promise.allSettled(loaded.map((entry) => startService(entry, environment)));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** Follows what operators set while the process runs: how it logs, and whether its site takes clients. */
function startFollower(caller: Caller, events: EventBus, checks: HealthChecks, closers: Closers): RuntimeFollower {
  const follower = new RuntimeFollower(caller, events, ({ logging, isAway }) => {
    configureLogs(logging);
    checks.isAway = isAway;
  });
  follower.start();
  closers.add(() => {
    follower.stop();
    configureLogs();
  });
  return follower;
}
