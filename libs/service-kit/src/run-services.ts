import 'reflect-metadata';
import { Bus, Caller, clientOf, EventBus } from '@groupware/messaging';
import { ShardRegistry } from '@groupware/persistence';
import { setTimeout as pause } from 'node:timers/promises';
import { ModuleRef } from '@nestjs/core';
import { subscribeConsumers } from './consume';
import { EventSettings } from './config/event-settings';
import { startTracing } from './tracing/open-telemetry';
import { TracingSettings } from './tracing/tracing-settings';
import { ProcessSettings } from './config/process-settings';
import { HealthSettings } from './config/health-settings';
import { ListenerSettings } from './config/listener-settings';
import { SchemaSettings } from './config/schema-settings';
import { loadSettings, type SettingsClass } from './config/setting';
import type { Listeners, ServiceDefinition, UpgradeTaker } from './define-service';
import { describeError } from './describe-error';
import { watchLanguages } from './configuration/languages';
import { openConfiguration, type Configuration } from './configuration/open-configuration';
import { HealthChecks } from './health/health-checks';
import { ClientAddresses } from './http/client-address';
import { HealthController } from './health/health.controller';
import { fullHeap, Liveness } from './health/liveness';
import { ProbeSettings } from './health/probe-settings';
import { createDiskCheck, createEventLoopCheck } from './health/process-checks';
import { afterStart, createBareExpress, openListener } from './listener';
import { configureLogs, Logger, setLogLevel, getCallContext } from './log/logger';
import { collectProcessMetrics } from './metrics';
import { registerBus } from './process-metrics';
import { RuntimeFollower } from './runtime-follower';
import { scanService } from './scan';
import { startService, type Loaded, type ServiceEnvironment, type Started } from './start-service';
import { VERSION } from './version';

/** A running process. */
export interface RunningServices {
  readonly publicUrl?: string;
  readonly internalUrl: string;
  readonly settings: ProcessSettings;
  /** Reads the files of the configuration again. */
  reload(): Promise<void>;
  /**
   * Shutdown behind a balancer: /ready fails at once, requests are served for a pause as before, then answers close their
   * connections, and at last comes {@link close}. Clients that keep their connections see none of them reset.
   */
  leave(): Promise<void>;
  /** Ordered shutdown without that pause; loses no running call. */
  close(): Promise<void>;
}

const log = Logger.for('process');

/** A heap beyond this share of its limit, looks in a row: what a burst of calls needs is free again by then. */
const HEAP_SHARE = 0.95;
const HEAP_LOOKS = 6;

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

  const closers: (() => Promise<unknown>)[] = [];
  closers.push(() => configuration.files.close());
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse())
      await close().catch((error: unknown) => log.warn({ error: String(error) }, 'while closing'));
  };
  try {
    const endTracing = await startTracing(
      instances.get(TracingSettings) as TracingSettings,
      definitions.map(({ name }) => name),
    );
    if (endTracing) closers.push(endTracing);
    watchLanguages(settings.languages, configuration.files);
    return await startProcess(loaded, settings, instances, configuration, closers, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Starts services side by side. @throws the first failure, when all of them have started or failed */
async function startAll(loaded: readonly Loaded[], environment: ServiceEnvironment): Promise<Started[]> {
  const outcomes = await Promise.allSettled(loaded.map((entry) => startService(entry, environment)));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

async function startProcess(
  loaded: readonly Loaded[],
  settings: ProcessSettings,
  instances: ReadonlyMap<SettingsClass, object>,
  configuration: Configuration,
  closers: (() => Promise<unknown>)[],
  closeAll: () => Promise<void>,
): Promise<RunningServices> {
  const problem = (what: string, error: unknown) => log.warn({ error: describeError(error) }, what);
  const onBus = { connected: () => undefined as void };
  const bus = await Bus.connect({
    url: settings.natsUrl.reveal(),
    credentials: settings.busCredentials(),
    client: clientOf(loaded.map(({ definition }) => definition.name)),
    prefix: settings.busPrefix,
    principals: settings.principalKeys(),
    name: `groupware ${loaded.map(({ definition }) => definition.name).join(',')}`,
    onStatus: (status, detail) => {
      log.warn({ detail }, `bus ${status}`);
      if (status === 'connected') onBus.connected();
    },
  });
  closers.push(() => bus.close());
  const hideBus = registerBus(bus);
  closers.push(() => Promise.resolve(hideBus()));
  const eventSettings = instances.get(EventSettings) as EventSettings;
  const events = new EventBus(bus, (error, what) => problem(what, error), eventSettings);
  await events.open();
  const caller = new Caller(bus, getCallContext, () => true, true, settings.sendsTwice);
  const limits = instances.get(ListenerSettings) as ListenerSettings;
  const probeSettings = new ProbeSettings(configuration.values, settings);
  const checks = new HealthChecks(instances.get(HealthSettings) as HealthSettings, () => probeSettings.skip);
  closers.push(() => Promise.resolve(checks.stop()));
  const liveness = new Liveness();
  closers.push(() => Promise.resolve(liveness.stop()));
  liveness.addState('nats', () => (bus.isClosed ? 'the connection is closed for good' : undefined));
  liveness.addState('heap', fullHeap(HEAP_SHARE), HEAP_LOOKS);
  checks.addCheck('nats', {
    isRequired: true,
    check: async () => {
      if (!bus.isConnected) throw new Error('not connected');
      await bus.flush();
    },
  });
  checks.addCheck('jetstream', () => events.ping());
  const eventLoop = createEventLoopCheck(settings.healthMaxLagMs);
  closers.push(() => Promise.resolve(eventLoop.stop()));
  checks.addCheck('event-loop', { isRequired: true, check: eventLoop.check });
  checks.addCheck('disk', createDiskCheck(settings.dataDir, settings.healthMinDiskMb * 1024 * 1024));

  let takeUpgrade: UpgradeTaker | undefined;
  let middleware: Parameters<Listeners['answerBefore']>[0] | undefined;
  const listeners: Listeners = {
    public: createBareExpress(),
    internal: createBareExpress(),
    answerBefore: (both) => void (middleware = both),
    onUpgrade: (take) => void (takeUpgrade = take),
  };
  const addresses = new ClientAddresses(settings.trustedProxies);
  const isProxy = (address: string): boolean => addresses.isTrusted(address);
  let isStarted = false;
  // Before everything that takes long: probes are answered while schemas are brought forward.
  const internal = await openListener({
    name: 'internal',
    middleware: (request, response, next) =>
      isStarted && middleware ? middleware.internal(request, response, next) : next(),
    instance: afterStart(listeners.internal, () => isStarted),
    controllers: [HealthController],
    providers: [
      { provide: HealthChecks, useValue: checks },
      { provide: Liveness, useValue: liveness },
      { provide: ProbeSettings, useValue: probeSettings },
      { provide: ClientAddresses, useValue: addresses },
      { provide: 'VERSION', useValue: VERSION },
    ],
    port: settings.internalPort,
    host: settings.internalHost,
    portName: 'INTERNAL_PORT',
    limits,
    isProxy,
  });
  let closingInternal: Promise<void> | undefined;
  const closeInternal = () => (closingInternal ??= internal.close());
  closers.push(closeInternal);

  const schemaSettings = instances.get(SchemaSettings) as SchemaSettings;
  const migration = schemaSettings.migrationSettings((message) => log.warn({}, message));
  let registry: ShardRegistry | undefined;
  if (loaded.some(({ definition }) => definition.migrations)) {
    const opened = await ShardRegistry.open({
      url: settings.databaseUrl.reveal(),
      leaseMs: settings.shardLeaseMs,
      addresses: settings.shardAddresses(),
      pooler: settings.databasePooler,
      migration,
    });
    registry = opened;
    closers.push(() => opened.close());
  }

  const started = await startAll(loaded, {
    settings,
    addresses,
    instances,
    configuration,
    bus,
    events,
    eventSettings,
    caller,
    registry,
    migration,
    checks,
    liveness,
    closers,
    problem,
  });

  const publicWanted = loaded.some(({ definition }) => definition.http);
  for (const { definition, app } of started) await definition.http?.(listeners, app.get(ModuleRef));
  const publicListener = publicWanted
    ? await openListener({
        name: 'public',
        middleware: middleware?.public,
        instance: listeners.public,
        port: settings.port,
        host: settings.publicHost,
        portName: 'PORT',
        limits,
        isProxy,
        takeUpgrade,
      })
    : undefined;

  // Consumers come last: they may call services of this process.
  await Promise.all(started.map((service) => subscribeConsumers(service, events, eventSettings)));
  const follower = new RuntimeFollower(caller, events, ({ logging, isAway }) => {
    configureLogs(logging);
    checks.isAway = isAway;
  });
  follower.start();
  onBus.connected = () => {
    follower.refresh();
    events.checkStream();
  };
  closers.push(() => {
    follower.stop();
    configureLogs();
    return Promise.resolve();
  });
  isStarted = true;
  checks.ready = true;
  for (const { definition, app } of started) await definition.afterStart?.(app.get(ModuleRef));

  // One step that fails must not keep the others from happening.
  const step = async (work: Promise<unknown> | undefined): Promise<void> => {
    await work?.catch((error: unknown) => problem('while closing', error));
  };
  let draining: Promise<void> | undefined;
  const drain = () =>
    (draining ??= (async () => {
      publicListener?.drain();
      for (const { definition, app } of started)
        await step((async () => definition.beforeDrain?.(app.get(ModuleRef)))());
    })());
  let leaving: Promise<void> | undefined;
  const leave = async () => {
    checks.ready = false;
    if (publicListener) {
      log.info({ ms: limits.leavePauseMs }, 'leaving: balancers may notice');
      await pause(limits.leavePauseMs);
      await drain();
      await pause(limits.leaveLingerMs);
    }
    await stop();
  };
  let closing: Promise<void> | undefined;
  const close = async () => {
    checks.ready = false;
    const deadline = setTimeout(() => {
      log.error({}, 'shutdown took too long');
      process.exit(1);
    }, settings.shutdownMs);
    deadline.unref();
    await drain();
    await step(publicListener?.close());
    await step(events.close());
    await Promise.all(started.map(({ server }) => step(server.close())));
    for (const { definition, app } of started) await step((async () => definition.beforeClose?.(app.get(ModuleRef)))());
    await Promise.all(started.map(({ relay }) => step(relay?.stop())));
    await Promise.all(started.map(({ app }) => step(app.close())));
    await step(closeInternal());
    await closeAll();
    clearTimeout(deadline);
  };
  const stop = () => (closing ??= close());
  return {
    publicUrl: publicListener?.url,
    internalUrl: internal.url,
    settings,
    reload: () => configuration.files.reload(),
    leave: () => (leaving ??= leave()),
    close: stop,
  };
}
