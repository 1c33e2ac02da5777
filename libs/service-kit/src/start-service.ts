import { currentAccessRecord, type Principal, type Tenant } from '@groupware/contracts';
import {
  Bus,
  Caller,
  EventBus,
  ModuleServer,
  type KeptReply,
  type ReplyStore,
  type StreamGeneration,
} from '@groupware/messaging';
import { ModuleDatabase, OutboxRelay, ShardRegistry, type MigrationSettings } from '@groupware/persistence';
import {
  Catch,
  Module,
  type DynamicModule,
  type INestMicroservice,
  type Provider,
  type RpcExceptionFilter,
} from '@nestjs/common';
import { ModuleRef, NestFactory } from '@nestjs/core';
import { throwError, type Observable } from 'rxjs';
import { reportCall } from './call-log';
import { Clock } from './clock';
import { EventSettings } from './config/event-settings';
import { ProcessSettings } from './config/process-settings';
import { ClientAddresses } from './http/client-address';
import type { SettingsClass } from './config/setting';
import { ConfigurationFiles } from './configuration/configuration-files';
import type { Configuration } from './configuration/open-configuration';
import { ServerValues } from './configuration/server-values';
import type { ServiceDefinition } from './define-service';
import { HealthSettings } from './config/health-settings';
import { HealthChecks, PartlyDown } from './health/health-checks';
import { stuckPools, type Liveness } from './health/liveness';
import { inspectCall, inspectResult } from './inspect';
import { pauseAfterTurn } from './event-loop';
import { callKey, Logger, showsStack } from './log/logger';
import { registerLoad } from './load-metrics';
import { Periodic } from './periodic';
import { AnnouncedCapabilities } from './announced-capabilities';
import { Properties } from './properties';
import { runCall } from './run-call';
import type { Closers } from './process/closers';
import type { ServiceParts } from './scan';
import { VERSION } from './version';

const log = Logger.for('process');

/** Pause before lost events are looked for again where that failed, ms. */
const RESEND_RETRY_MS = 5_000;

/** Looks that find a pool stuck, in a row: twice as long as a statement may take. */
const STUCK_LOOKS = 12;
/** Share of the time of a whole check that one shard has: one that hangs must not hide the others. */
const SHARD_SHARE = 0.75;
/** How often a service looks whether it can take calls. */
const PRESENCE_EVERY_MS = 2_000;
/** Longer than connections that fell silent take to be replaced. */
const PRESENCE_TIMEOUT_MS = 4_000;

/** Passes our errors on; Nest's own filter would hide their codes. */
@Catch()
class PassErrors implements RpcExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}

@Module({})
class ServiceModule {}

@Module({})
class SharedModule {}

/** A service whose parts were found. */
export interface Loaded {
  readonly definition: ServiceDefinition;
  readonly parts: ServiceParts;
}

/**
 * Has confirmed events sent again whenever the broker may have lost them, also while this process was not there. Returns the
 * way to stop that.
 */
function resendLostEvents(
  relay: OutboxRelay,
  events: EventBus,
  problem: ServiceEnvironment['problem'],
): () => Promise<void> {
  const resend = async ({ id, kept }: StreamGeneration): Promise<void> => {
    const count = await relay.resend(id, kept && { generation: kept.id, seq: kept.lastSeq });
    if (count > 0) log.warn({ count }, 'events that the broker may have lost are sent again');
  };
  // One after the other, also where the stream changes meanwhile.
  let last = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  const follow = (work: () => Promise<void>): void => {
    clearTimeout(retry);
    last = last.then(work).catch((error: unknown) => {
      problem('lost events could not be sent again', error);
      retry = setTimeout(() => follow(work), RESEND_RETRY_MS).unref();
    });
  };
  const stop = events.onGeneration(() => follow(() => resend(events.generation)));
  follow(async () => {
    for (const receipt of await relay.receipts()) await events.rememberReceipt(receipt);
    await resend(events.generation);
  });
  return async () => {
    stop();
    await last;
    clearTimeout(retry);
  };
}

/** A service that answers calls. */
export interface Started extends Loaded {
  readonly app: INestMicroservice;
  readonly server: ModuleServer;
  readonly database?: ModuleDatabase;
  readonly relay?: OutboxRelay;
}

/** Resources shared by the services of a process. */
export interface ServiceEnvironment {
  readonly settings: ProcessSettings;
  readonly addresses: ClientAddresses;
  readonly instances: ReadonlyMap<SettingsClass, object>;
  readonly configuration: Configuration;
  readonly bus: Bus;
  readonly events: EventBus;
  readonly eventSettings: EventSettings;
  readonly caller: Caller;
  readonly registry?: ShardRegistry;
  readonly migration: MigrationSettings;
  readonly checks: HealthChecks;
  readonly liveness: Liveness;
  readonly closers: Closers;
  readonly problem: (what: string, error: unknown) => void;
}

/** Opens the database of a service, answers its calls and sends its events. */
export async function startService(entry: Loaded, environment: ServiceEnvironment): Promise<Started> {
  const { definition } = entry;
  const { bus, checks } = environment;
  const database = await openDatabase(definition, environment);
  const server = createServer(entry, environment, database);
  const app = await NestFactory.createMicroservice(rootModule(entry, environment, database), {
    strategy: server,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  app.useGlobalFilters(new PassErrors());
  server.useClaims(definition.claims?.(app.get(ModuleRef)));
  await app.listen();
  for (const [name, check] of Object.entries(definition.checks?.(app.get(ModuleRef)) ?? {}))
    checks.addCheck(name, check);
  const relay = database && startRelay(database, environment);
  if (database) watchPresence(server, database, environment);
  checks.addCheck(`module-${definition.name}`, {
    isRequired: true,
    // Half of the check's own time: when a ping is lost, heartbeats tell within the other half.
    check: () => bus.ping(definition.name, healthSettings(environment).timeoutMs / 2),
  });
  const started = { ...entry, app, server, database, relay };
  environment.closers.add(measureLoad(started, environment));
  return started;
}

const healthSettings = ({ instances }: ServiceEnvironment) => instances.get(HealthSettings) as HealthSettings;

/** Opens the database of a service that has one, and watches it. */
async function openDatabase(
  definition: ServiceDefinition,
  environment: ServiceEnvironment,
): Promise<ModuleDatabase | undefined> {
  const { settings, registry, migration, liveness, checks, closers, problem } = environment;
  if (!definition.migrations || !registry) return undefined;
  const database = await ModuleDatabase.open({
    module: definition.name,
    registry,
    settings: {
      url: settings.databaseUrl.reveal(),
      poolSize: settings.databasePoolSize,
      readConnections: settings.databaseReadConnections,
      pooler: settings.databasePooler,
    },
    migrations: definition.migrations,
    migration,
    onDefaultShard: definition.onDefaultShard,
    callKey,
    access: currentAccessRecord,
    inspect: settings.inspect,
    onProblem: problem,
  });
  closers.add(() => database.close());
  liveness.addState(
    `pool-${definition.name}`,
    stuckPools(() => database.load),
    STUCK_LOOKS,
  );
  const shardTimeoutMs = healthSettings(environment).timeoutMs * SHARD_SHARE;
  checks.addCheck(`postgres-${definition.name}`, {
    isRequired: true,
    check: () => checkDatabase(database, shardTimeoutMs),
  });
  return database;
}

/** The module of a service: its handlers and consumers, what it provides, and what all services find. */
function rootModule(
  { definition, parts }: Loaded,
  environment: ServiceEnvironment,
  database: ModuleDatabase | undefined,
): DynamicModule {
  const { settings, configuration, registry } = environment;
  const caller = environment.caller.forService(definition);
  const properties = new Properties(caller, configuration.values, definition.name);
  properties.subscribe(environment.events);
  const shared: Provider[] = [
    { provide: Bus, useValue: environment.bus },
    { provide: EventBus, useValue: environment.events },
    { provide: Caller, useValue: caller },
    { provide: Properties, useValue: properties },
    { provide: AnnouncedCapabilities, useValue: new AnnouncedCapabilities(properties) },
    { provide: ServerValues, useValue: configuration.values },
    { provide: ConfigurationFiles, useValue: configuration.files },
    { provide: HealthChecks, useValue: environment.checks },
    { provide: ProcessSettings, useValue: settings },
    { provide: ClientAddresses, useValue: environment.addresses },
    Clock,
    ...(database ? [{ provide: ModuleDatabase, useValue: database }] : []),
    ...(registry ? [{ provide: ShardRegistry, useValue: registry }] : []),
    ...[...environment.instances]
      .filter(([type]) => type !== ProcessSettings)
      .map(([type, value]) => ({ provide: type, useValue: value })),
    { provide: 'VERSION', useValue: VERSION },
  ];
  return {
    module: ServiceModule,
    imports: [
      { module: SharedModule, global: true, providers: shared, exports: shared.map(toToken) },
      ...(definition.imports ?? []),
    ],
    controllers: [...parts.handlers],
    providers: [...(definition.providers ?? []), ...parts.consumers],
  };
}

/** The transport that brings calls to the handlers of a service. */
function createServer(
  { definition, parts }: Loaded,
  { bus, settings, problem }: ServiceEnvironment,
  database: ModuleDatabase | undefined,
): ModuleServer {
  return new ModuleServer({
    bus,
    service: definition.name,
    operations: parts.operations,
    observe: reportCall,
    maxRunning: settings.maxCalls,
    pause: pauseAfterTurn,
    within: runCall,
    showsStack,
    ...(database ? { replies: repliesIn(database, problem) } : {}),
    keyLifetimeMs: settings.idempotencyKeyLifetimeMs,
    ...(settings.inspect ? { inspect: { call: inspectCall, result: inspectResult } } : {}),
  });
}

/** Sends the events of a database, also those that the broker may have lost. */
function startRelay(
  database: ModuleDatabase,
  { events, eventSettings, closers, problem }: ServiceEnvironment,
): OutboxRelay {
  const relay = new OutboxRelay({
    database,
    publish: (message) => events.publish(message),
    keepSentMs: eventSettings.resendWindowMs,
    keepConsumedMs: eventSettings.keepConsumedMs,
    onProblem: problem,
  });
  closers.add(resendLostEvents(relay, events, problem));
  relay.start();
  return relay;
}

function watchPresence(server: ModuleServer, database: ModuleDatabase, { closers, problem }: ServiceEnvironment): void {
  const presence = new Presence(server, database);
  const reviews = new Periodic(
    () => presence.reviewPresence(),
    (error) => problem('the presence on the bus was not changed', error),
  );
  reviews.start(PRESENCE_EVERY_MS);
  closers.add(() => reviews.stop());
}

/** Has the metrics tell the load of a service; answers the way to stop that. */
function measureLoad({ definition, server, database, relay }: Started, environment: ServiceEnvironment) {
  return registerLoad({
    module: definition.name,
    calls: () => server.load,
    connections: database && (() => database.load),
    outbox: relay && (() => relay.waiting()),
    backlog: () => environment.events.backlog(definition.name),
    sampleMs: healthSettings(environment).sampleMs,
  });
}

/**
 * Takes a service out of its queue group while it does not reach its database: others get its calls, and where there are none
 * callers hear so at once.
 */
class Presence {
  private failures = 0;

  constructor(
    private readonly server: ModuleServer,
    private readonly database: ModuleDatabase,
  ) {}

  /** Looks once. */
  async reviewPresence(): Promise<void> {
    const failed = await this.database.ping(PRESENCE_TIMEOUT_MS).then(
      () => false,
      () => true,
    );
    this.failures = failed ? this.failures + 1 : 0;
    // A single failure may be a full pool.
    if (this.failures === 0) await this.server.join();
    else if (this.failures > 1) await this.server.leave();
  }
}

/** Keeps replies to calls with keys where the effects of the calls are. */
function repliesIn(database: ModuleDatabase, problem: ServiceEnvironment['problem']): ReplyStore {
  const tenantOf = (principal: Principal): Tenant | undefined =>
    'contextId' in principal && principal.contextId ? { contextId: principal.contextId } : undefined;
  return {
    find: async (key, principal) =>
      (await database.findReply(tenantOf(principal), key))?.value as KeptReply | undefined,
    // Its effects stay, and tell what to answer when it comes again.
    keep: (key, principal, reply) =>
      database
        .keepReply(tenantOf(principal), key, reply)
        .catch((error: unknown) => problem('the reply to a call was not kept', error)),
    isDone: (key, principal) => database.isDone(tenantOf(principal), key),
  };
}

/** One unavailable shard does not take the others out of service. */
async function checkDatabase(database: ModuleDatabase, shardTimeoutMs: number): Promise<void> {
  const failed = await database.ping(shardTimeoutMs);
  if (failed.length > 0) throw new PartlyDown(`no answer of the shards ${failed.join(', ')}`);
}

const toToken = (provider: Provider) => (typeof provider === 'function' ? provider : provider.provide);
